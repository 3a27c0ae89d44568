"""The controlled ``threading.Condition``.

A wait is three steps, which its line names as ``# wait W1, wake W2, lock W3``:

* ``wait`` gives the lock back and falls asleep, in one step. CPython registers the waiter while it
  still holds the lock, so no notification can fall in between;
* ``wake`` takes a notification, or notices that the time is up. It needs no lock;
* ``lock`` takes the lock again.

``notify(n)`` leaves up to ``n`` *tickets*. Any thread that was asleep at that moment may take one
of them: the scheduler chooses by choosing which thread wakes first. That is Python's documented
promise; CPython itself wakes in the order of arrival. A thread that falls asleep later cannot take
the ticket, and there are never more tickets than sleepers.

Decisions:

* A wait never ends without a notification, a time-out or an interrupt: Python's condition has no
  spurious wake-up. A harness may ask for them (:mod:`wheelproof.python.runtime.spurious`).
* A thread whose time is up and that is offered a ticket takes it. In the other case another thread
  takes the ticket; that is the schedule in which the other thread wakes first.
* CPython keeps a sleeper in the list until it has its lock back, so a notification may be spent on
  a thread whose time was up before. For all other threads that is the schedule in which it wakes
  later. Its own ``wait(timeout)`` can return True or False then. So where time was up and a ticket
  was taken, the value is :class:`Either`: to test it is a finding.
* A time-out of ``TIMEOUT_MAX`` or more is none.

:mod:`wheelproof.python.runtime.virtual_time` has the rules of time and of interrupts.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import TIMEOUT_MAX

from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.locks import Lock
from wheelproof.python.runtime.patience import Patience, is_limited
from wheelproof.python.runtime.registry import Primitive, primitive
from wheelproof.python.runtime.threads import Interrupted, Site, Thread
from wheelproof.python.runtime.virtual_time import Sleeper, index_of, time_now


class Either:
    """The result of a ``wait(timeout)`` that is True or False in CPython, by chance.

    Its use as a truth value is a finding.
    """

    __slots__ = ("_scheduler",)
    message = (
        "the value of a wait whose time was up when it was notified is tested; in CPython it is "
        "True or False, as it happens"
    )

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def __bool__(self) -> bool:
        self._scheduler.fail(f"{self.message}: look at the state that the wait is for instead")


@primitive
class Condition(Primitive):
    """Python's condition. For harnesses to read: ``lock``, ``asleep`` and ``tickets``."""

    __slots__ = ("asleep", "lock", "tickets", "woken")

    def __init__(self, lock: object = None) -> None:
        guard = self.siblings["Monitor"]() if lock is None else lock
        if not isinstance(guard, Lock):
            raise TypeError(
                f"a Condition needs a Lock or a Monitor of the runtime, not {type(lock).__name__}"
            )
        self.lock = guard
        self.asleep: tuple[Thread, ...] = ()
        """The threads that sleep, in the scenario's order; :class:`Time` has their deadlines."""
        self.tickets: tuple[tuple[Thread, ...], ...] = ()
        """Per notification that no thread has taken, oldest first, the threads that may take it."""
        self.woken: tuple[tuple[Thread, object, float | None], ...] = ()
        """(thread, result of its wait, deadline of its ``wait_for``).

        These are threads with a time-out that do not have the lock yet.
        """

    # -- the lock

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        scheduler = self.scheduler
        limit, thread, lock = is_limited(blocking, timeout), scheduler.running, self.lock
        if thread is None:
            return True
        if not limit:
            site = scheduler.point("lock", True, lock) if blocking else scheduler.point("try", True)
            return lock.take(thread, site, blocking)
        site = scheduler.point("wait", True)
        if lock.falls_asleep(thread, site, timeout):
            site = scheduler.point("wake", True, Patience(scheduler, lock))
            if lock.gives_up(thread):
                return False
        return lock.take(thread, site, False)

    def release(self) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            self.lock.leave(scheduler.running, scheduler.point("unlock", True))

    def __enter__(self) -> bool:
        scheduler = self.scheduler
        thread = scheduler.running
        lock = self.lock
        return thread is None or lock.take(thread, scheduler.point("lock", True, lock))

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            if error is not None:
                scheduler.note_unwinding(error)
            self.lock.leave(scheduler.running, scheduler.point("unlock", True))

    # -- waiting

    def wait(self, timeout: float | None = None) -> object:
        """As Python's; RuntimeError if the lock is not held. Three steps (see the module)."""
        scheduler = self.scheduler
        if timeout is not None and timeout >= TIMEOUT_MAX:
            timeout = None
        thread = self._begin(scheduler.point("wait", True))
        self._sleep(thread, None if timeout is None else time_now(scheduler) + timeout, None)
        scheduler.point("wake", True, Sleeper(self))
        self._wake(thread)
        value = self._retake(thread, scheduler.point("lock", True, self.lock))[0]
        return self.without_limit() if timeout is None else value

    def wait_for(self, predicate: Callable[[], object], timeout: float | None = None) -> object:
        """As Python's. The deadline of all its waits is fixed in the step of the first."""
        scheduler = self.scheduler
        if timeout is not None and timeout >= TIMEOUT_MAX:
            timeout = None
        result, deadline = predicate(), None
        while not result:
            if timeout is not None and deadline is not None and deadline <= time_now(scheduler):
                break
            thread = self._begin(scheduler.point("wait", True))
            if timeout is not None and deadline is None:
                deadline = time_now(scheduler) + timeout
            self._sleep(thread, deadline, deadline)
            scheduler.point("wake", True, Sleeper(self))
            self._wake(thread)
            deadline = self._retake(thread, scheduler.point("lock", True, self.lock))[1]
            result = predicate()
        return result

    def notify(self, n: int = 1) -> None:
        """As Python's, in one step; RuntimeError if the lock is not held."""
        scheduler = self.scheduler
        if scheduler.running is not None and scheduler.point("notify", True) is not None:
            self._notify(n)

    def notify_all(self) -> None:
        """As Python's, in one step; RuntimeError if the lock is not held."""
        scheduler = self.scheduler
        if scheduler.running is not None and scheduler.point("notify", True) is not None:
            self._notify(len(self.asleep))

    # -- the steps

    def without_limit(self) -> object:
        """The value of a wait without a time-out."""
        return True

    def by_chance(self) -> object:
        """The value of a wait whose time was up when it was notified."""
        return Either(self.scheduler)

    def ticket_place(self, thread: Thread) -> int | None:
        """The place of the oldest ticket that the thread may take, or None."""
        return next((place for place, takers in enumerate(self.tickets) if thread in takers), None)

    def is_expired(self, thread: Thread) -> bool:
        """Whether the thread is asleep and its time is up."""
        time = self.scheduler.time
        if time is None:
            return False
        deadline = time.deadline(thread)
        return deadline is not None and deadline <= time.now

    def is_interrupted(self, thread: Thread) -> bool:
        """Whether the thread's wait is to raise."""
        scheduler = self.scheduler
        return scheduler.interrupts is not None and thread in scheduler.interrupts.pending

    def may_wake(self, thread: Thread) -> bool:
        """Whether the sleeping thread has a reason to wake."""
        return (
            self.ticket_place(thread) is not None
            or self.is_expired(thread)
            or self.is_interrupted(thread)
        )

    def _owner(self, verb: str) -> Thread:
        """The thread that holds the lock; RuntimeError where it may not wait or notify."""
        owner = self.lock.owner
        if owner is None or (self.lock.reentrant and owner is not self.scheduler.running):
            raise RuntimeError(f"cannot {verb} on un-acquired lock")
        return owner

    def _begin(self, site: Site | None) -> Thread:
        scheduler = self.scheduler
        if scheduler.running is None:
            raise RuntimeError("a wait outside of the scenario's threads, which nothing could end")
        if site is None:
            scheduler.fail(
                "a wait within an atomic operation, which nothing could end; let the operation "
                "that waits have its steps"
            )
        return scheduler.running

    def _sleep(self, thread: Thread, deadline: float | None, until: float | None) -> None:
        scheduler = self.scheduler
        owner = self._owner("wait")
        if self.lock.depth > 1:
            scheduler.fail(
                f"{thread.name} waits while it holds its monitor {self.lock.depth} times; that "
                "is not supported: wait at depth 1"
            )
        self.asleep = tuple(sorted((*self.asleep, thread), key=index_of))
        if deadline is not None and scheduler.time is not None:
            scheduler.time.alarms = tuple(
                sorted((*scheduler.time.alarms, (thread, deadline)), key=_place)
            )
        if until is not None:
            self.woken = tuple(sorted((*self.woken, (thread, None, until)), key=_place))
        if scheduler.race is not None:
            scheduler.race.release(thread, self.lock)
        scheduler.order.leave(owner.held, self.lock)
        self.lock.depth, self.lock.owner = 0, None

    def _wake(self, thread: Thread) -> None:
        scheduler = self.scheduler
        offer, late = self.ticket_place(thread), self.is_expired(thread)
        if not self.may_wake(thread):
            scheduler.fail(
                f"{thread.name} was woken without a notification: the run is not the one that "
                "was planned"
            )
        time = scheduler.time
        if time is not None and time.deadline(thread) is not None:
            time.alarms = tuple(alarm for alarm in time.alarms if alarm[0] is not thread)
            is_over = late or self.is_interrupted(thread)
            value = None if offer is not None and late else offer is not None or not is_over
            until = next((at for sleeper, _, at in self.woken if sleeper is thread), None)
            rest = [entry for entry in self.woken if entry[0] is not thread]
            self.woken = tuple(sorted((*rest, (thread, value, until)), key=_place))
        self.asleep = tuple(sleeper for sleeper in self.asleep if sleeper is not thread)
        tickets = (
            self.tickets if offer is None else self.tickets[:offer] + self.tickets[offer + 1 :]
        )
        self.tickets = tuple(
            tuple(taker for taker in takers if taker is not thread) for takers in tickets
        )

    def _retake(self, thread: Thread, site: Site | None) -> tuple[object, float | None]:
        """Take the lock again. Returns (result of wait, deadline of wait_for).

        Raises Interrupted.
        """
        self.lock.take(thread, site)
        wake = next((entry for entry in self.woken if entry[0] is thread), None)
        self.woken = tuple(entry for entry in self.woken if entry is not wake)
        interrupts = self.scheduler.interrupts
        if interrupts is not None and thread in interrupts.pending:
            interrupts.pending = tuple(
                waiter for waiter in interrupts.pending if waiter is not thread
            )
            raise Interrupted
        if wake is None:
            return True, None
        return self.by_chance() if wake[1] is None else wake[1], wake[2]

    def _notify(self, n: int) -> None:
        self._owner("notify")
        self.tickets += (self.asleep,) * min(n, len(self.asleep) - len(self.tickets))


def _place(entry: tuple[Thread, *tuple[object, ...]]) -> int:
    return entry[0].index
