"""What the production runtime promises, each promise a check of one copy of the modules: threads meet as the check says."""

from __future__ import annotations

import math
from types import SimpleNamespace

from tests.impl.production.loading import Holder, Interrupted, Running, Steered, Waits, steered

# -- atomic variables


def watched_atomic(impl: SimpleNamespace, value: object):
    """An atomic variable, and the accesses of its value that were made without its lock."""
    bare: list[str] = []

    class Watched(impl.runtime.Atomic):
        __slots__ = ("content",)

        @property
        def _value(self):
            if not self._lock.locked():
                bare.append("read")
            return self.content

        @_value.setter
        def _value(self, value):
            self.content = value

    class Writes(Watched):
        __slots__ = ()

        def __setattr__(self, name, value):
            if name == "_value" and hasattr(self, "_lock") and not self._lock.locked():
                bare.append("write")
            super().__setattr__(name, value)

    return Writes(value), bare


def atomic_operations_hold_the_lock(impl: SimpleNamespace, waits: Waits) -> None:
    for operation, arguments in (
        ("set", (1,)),
        ("get_and_set", (1,)),
        ("compare_and_set", (0, 1)),
        ("add_and_get", (1,)),
    ):
        variable, bare = watched_atomic(impl, 0)
        getattr(variable, operation)(*arguments)
        assert variable.content == 1 and not bare, (
            f"{operation} accesses the value without the lock"
        )
        assert not variable._lock.locked(), f"{operation} keeps the lock"


def atomic_operations_return_what_they_say(impl: SimpleNamespace, waits: Waits) -> None:
    atomic, same, equal = impl.runtime.Atomic, [1], [1]
    variable = atomic(3)
    assert (variable.get_and_set(5), variable.get(), variable.add_and_get(2), variable.get()) == (
        3,
        5,
        7,
        7,
    ), "a result"
    variable.set(9)
    assert variable.get() == 9, "set"
    for value, expected, fits in [
        (3, 3, True),
        (int("1" * 30), int("1" * 30), True),
        (3, 4, False),
        (same, same, True),
        (same, equal, False),
        (True, 1, False),
        (1, True, False),
        (False, False, True),
        (1, 1.0, False),
        (None, None, True),
    ]:
        variable = atomic(value)
        assert variable.compare_and_set(expected, "new") is fits, (
            f"compare_and_set of {value!r} with {expected!r}"
        )
        assert (variable.get() == "new") is fits, (
            f"the value after compare_and_set of {value!r} with {expected!r}"
        )


# -- the read/write lock


def lock_of(impl: SimpleNamespace):
    lock = steered(impl).runtime.ReadWriteLock()
    return lock, lock.changed


def settled(waits: Waits, changed: Steered, holder: Holder, sleepers: int) -> bool:
    """Wait until a thread is inside, or sleeps as one of so many; whether it is inside."""
    waits.until(
        lambda: holder.inside or len(changed.sleepers) == sleepers,
        "a thread is neither inside nor asleep",
    )
    return holder.inside


def inside(waits: Waits, half: object) -> Holder:
    holder = Holder(half)
    waits.until(lambda: holder.inside, "nobody keeps a thread out, and it does not enter")
    return holder


def each_keeps_out_whom_it_should(impl: SimpleNamespace, waits: Waits) -> None:
    for first, second, enters in [
        ("write_lock", "read_lock", False),
        ("read_lock", "write_lock", False),
        ("write_lock", "write_lock", False),
        ("read_lock", "read_lock", True),
    ]:
        lock, changed = lock_of(impl)
        one = inside(waits, getattr(lock, first))
        two = Holder(getattr(lock, second))
        assert settled(waits, changed, two, 1) is enters, f"{second} beside {first}"
        one.leave()
        waits.until(lambda: two.inside, f"{second} after {first}")
        two.leave()
        waits.until(lambda: two.ended, "a thread does not leave")
        assert not inside_at_rest(lock)


def inside_at_rest(lock: object) -> bool:
    return bool(lock.readers) or lock.writer is not None or lock.waiting != 0


def a_waiting_writer_goes_before_later_readers(impl: SimpleNamespace, waits: Waits) -> None:
    lock, changed = lock_of(impl)
    first = inside(waits, lock.read_lock)
    writer = Holder(lock.write_lock)
    assert not settled(waits, changed, writer, 1)
    later = Holder(lock.read_lock)
    assert not settled(waits, changed, later, 2), "a reader passes a writer that waits"
    first.leave()
    waits.until(lambda: writer.inside, "the writer sleeps on beside a free lock")
    assert not later.inside
    writer.leave()
    waits.until(lambda: later.inside, "the reader sleeps on beside a free lock")
    later.leave()


def a_leaving_writer_wakes_all_readers(impl: SimpleNamespace, waits: Waits) -> None:
    lock, changed = lock_of(impl)
    writer = inside(waits, lock.write_lock)
    readers = [Holder(lock.read_lock) for _ in range(3)]
    waits.until(lambda: len(changed.sleepers) == 3, "a reader does not wait")
    writer.leave()
    waits.until(
        lambda: all(reader.inside for reader in readers), "a reader sleeps on beside readers"
    )
    for reader in readers:
        reader.leave()


def an_interrupted_writer_waits_no_longer(impl: SimpleNamespace, waits: Waits) -> None:
    lock, changed = lock_of(impl)
    first = inside(waits, lock.read_lock)
    writer = Holder(lock.write_lock)
    assert not settled(waits, changed, writer, 1)
    changed.interrupt(0)
    waits.until(lambda: writer.ended, "the interrupted writer goes on")
    assert isinstance(writer.error, Interrupted)
    second = Holder(lock.read_lock)
    assert settled(waits, changed, second, 1), (
        "a reader waits for a writer that has been interrupted"
    )
    first.leave(), second.leave()
    waits.until(lambda: first.ended and second.ended, "a reader does not leave")
    assert not inside_at_rest(lock)


def an_interrupted_writer_lets_in_the_readers_behind_it(
    impl: SimpleNamespace, waits: Waits
) -> None:
    lock, changed = lock_of(impl)
    first = inside(waits, lock.read_lock)
    writer = Holder(lock.write_lock)
    assert not settled(waits, changed, writer, 1)
    later = Holder(lock.read_lock)
    assert not settled(waits, changed, later, 2)
    changed.interrupt(0)
    waits.until(
        lambda: later.inside, "a reader sleeps on behind a writer that has been interrupted"
    )
    first.leave(), later.leave()
    waits.until(lambda: first.ended and later.ended, "a reader does not leave")
    assert not inside_at_rest(lock)


def a_second_hold_is_refused(impl: SimpleNamespace, waits: Waits) -> None:
    for first in "read_lock", "write_lock":
        for second in "read_lock", "write_lock":
            lock, changed = lock_of(impl)
            changed.refuses = True
            getattr(lock, first).__enter__()
            try:
                getattr(lock, second).__enter__()
            except RuntimeError:
                continue
            except Interrupted:
                pass
            raise AssertionError(f"{second} within {first}")


def each_reader_counts(impl: SimpleNamespace, waits: Waits) -> None:
    lock, changed = lock_of(impl)
    readers = [inside(waits, lock.read_lock), inside(waits, lock.read_lock)]
    writer = Holder(lock.write_lock)
    assert not settled(waits, changed, writer, 1)
    readers[0].leave()
    waits.until(lambda: readers[0].ended, "a reader does not leave")
    wake_all(changed)
    assert not settled(waits, changed, writer, 1), "a writer enters beside the second reader"
    readers[1].leave()
    waits.until(lambda: writer.inside, "the writer sleeps on beside a free lock")
    writer.leave()


def who_is_woken_looks_again(impl: SimpleNamespace, waits: Waits) -> None:
    lock, changed = lock_of(impl)
    first = inside(waits, lock.read_lock)
    writer, later = Holder(lock.write_lock), None
    assert not settled(waits, changed, writer, 1)
    later = Holder(lock.read_lock)
    assert not settled(waits, changed, later, 2)
    wake_all(changed)
    waits.until(
        lambda: writer.inside or later.inside or len(changed.sleepers) == 2,
        "a thread is neither inside nor asleep",
    )
    assert not writer.inside and not later.inside, "a thread that was woken for nothing enters"
    first.leave()
    waits.until(lambda: writer.inside, "the writer sleeps on beside a free lock")
    writer.leave()


def wake_all(changed: Steered) -> None:
    """A wake-up that means nothing."""
    with changed:
        changed.notify_all()


def an_exception_gives_the_lock_back(impl: SimpleNamespace, waits: Waits) -> None:
    for half in "read_lock", "write_lock":
        lock, _ = lock_of(impl)
        try:
            with getattr(lock, half):
                raise LookupError
        except LookupError:
            pass
        assert not inside_at_rest(lock), f"{half} is held after an exception"


# -- the gate


class Waiter(Running):
    """A thread at a gate; ``due``: in how many milliseconds it has something to take, for all waiters of a check alike."""

    def __init__(self, gate: object, due: list[float], timeout_ms: float) -> None:
        self.inside = False
        self.gate, self.due, self.timeout_ms = gate, due, timeout_ms
        super().__init__(self._wait)

    def _wait(self) -> None:
        self.gate.acquire_when(lambda: self.due[0] - Steered.now * 1000, self.timeout_ms)
        self.inside = True


class AtGate:
    """A gate, when the first thing is due there, and the threads that wait."""

    def __init__(self, impl: SimpleNamespace, waits: Waits, due_ms: float) -> None:
        self.gate, self.waits = steered(impl).runtime.Gate(), waits
        self.condition: Steered = self.gate.due
        self.due = [Steered.now * 1000 + due_ms]

    def waiter(self, timeout_ms: float) -> Waiter:
        before = len(self.condition.sleepers)
        waiter = Waiter(self.gate, self.due, timeout_ms)
        self.waits.until(
            lambda: waiter.inside or waiter.ended or len(self.condition.sleepers) > before,
            "a waiter is neither inside nor asleep",
        )
        return waiter

    def sleep(self, *seconds: float, says: str) -> None:
        """The sleepers sleep for so long at most."""
        self.waits.until(
            lambda: [round(each, 6) for each in self.condition.deadlines()] == list(seconds),
            f"{says}: {self.condition.deadlines()}",
        )


def one_leads_and_the_others_sleep_for_their_own_time(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=5000)
    at.waiter(100_000), at.waiter(200_000)
    at.sleep(5, 200, says="not one leader")


def an_earlier_thing_wakes_one_who_leads(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=50_000)
    at.waiter(100_000), at.waiter(200_000)
    at.sleep(50, 200, says="not one leader")
    with at.gate:
        at.due[0] -= 49_000
        at.gate.notify()
    at.sleep(1, 50, says="the one that was woken does not lead")


def an_earlier_leader_leaves_the_lead_alone(impl: SimpleNamespace, waits: Waits) -> None:
    """One that has lost the lead to a second, and sleeps on, wakes by its own time while a third leads."""
    at = AtGate(impl, waits, due_ms=50_000)
    _, second = at.waiter(1_000_000), at.waiter(2_000_000)
    with at.gate:
        at.due[0] -= 10_000
        at.gate.notify()
    at.sleep(40, 50, says="the one that was woken does not lead")
    at.waiter(3_000_000)
    at.condition.elapse(40)
    waits.until(lambda: second.inside, "the leader is not let in when its time has come")
    at.due[0] += 100_000
    at.gate.release()
    at.sleep(10, 100, says="the third does not lead")
    at.condition.elapse(10)
    at.sleep(90, 950, says="not one leader")


def who_leaves_has_another_lead(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=5000)
    first, _ = at.waiter(100_000), at.waiter(200_000)
    at.condition.elapse(5)
    waits.until(lambda: first.inside, "the leader is not let in when its time has come")
    at.due[0] += 7000
    at.gate.release()
    at.sleep(7, says="nobody leads")


def a_wait_ends_with_its_time(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=50_000)
    first = at.waiter(3000)
    at.sleep(3, says="a wait is longer than its time")
    second = at.waiter(60_000)
    at.sleep(3, 50, says="one whose time ends sooner leads")
    third = at.waiter(4000)
    at.sleep(3, 4, 50, says="a wait is longer than its time")
    at.condition.elapse(3)
    waits.until(lambda: first.inside, "it sleeps longer than its time")
    at.gate.release()
    at.condition.elapse(1)
    waits.until(lambda: third.inside, "it sleeps longer than its time")
    at.gate.release()
    at.sleep(46, says="the leader does not sleep on")
    at.condition.elapse(46)
    waits.until(lambda: second.inside, "the leader is not let in when its time has come")


def what_is_due_now_is_not_waited_for(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=0)
    at.condition.refuses = True
    waiter = at.waiter(1000)
    waits.until(lambda: waiter.ended, "it does not end")
    assert waiter.inside and at.gate.due.lock.locked(), "it sleeps beside what is due now"


def without_end_is_as_long_as_can_be(impl: SimpleNamespace, waits: Waits) -> None:
    at = AtGate(impl, waits, due_ms=math.inf)
    at.waiter(math.inf), at.waiter(math.inf)
    assert max(at.condition.deadlines()) <= impl.threads.TIMEOUT_MAX, (
        "a wait that the library refuses"
    )


def an_interrupted_leader_gives_the_lead_and_the_lock_away(
    impl: SimpleNamespace, waits: Waits
) -> None:
    at = AtGate(impl, waits, due_ms=5000)
    first, _ = at.waiter(100_000), at.waiter(200_000)
    at.condition.interrupt(0)
    waits.until(lambda: first.ended, "it goes on")
    assert isinstance(first.error, Interrupted)
    at.sleep(5, says="nobody leads")
    assert not at.gate.due.lock.locked(), "the lock is held"


def a_wait_that_cannot_be_told_gives_the_lock_back(impl: SimpleNamespace, waits: Waits) -> None:
    gate = steered(impl).runtime.Gate()

    def raises() -> float:
        raise LookupError

    try:
        gate.acquire_when(raises, 1000)
    except LookupError:
        pass
    assert not gate.due.lock.locked(), "the lock is held"


def a_gate_excludes(impl: SimpleNamespace, waits: Waits) -> None:
    gate = steered(impl).runtime.Gate()
    with gate:
        assert gate.due.lock.locked(), "entered without the lock"
    assert not gate.due.lock.locked(), "left with the lock"
    gate.acquire_when(lambda: 0, 0)
    assert gate.due.lock.locked(), "acquired without the lock"
    gate.release()
    assert not gate.due.lock.locked(), "released and held"
