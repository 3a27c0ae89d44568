"""Promises of the production runtime, each a check of one copy of the modules with threads."""

from __future__ import annotations

from types import SimpleNamespace

from tests.impl.production.loading import Holder, Interrupted, Steered, Waits, steered

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
    waits.until(lambda: holder.inside, "no thread keeps it out, and it does not enter")
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
        waits.until(lambda: one.ended and two.ended, "a thread does not leave")
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
