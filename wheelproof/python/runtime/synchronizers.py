"""The controlled ``Semaphore``, ``BoundedSemaphore``, ``Event`` and ``Barrier`` of ``threading``.

The standard library makes each of a condition and its lock. Here an operation is one step, or two
where a thread sleeps:

* a semaphore's ``acquire`` is one step (``# lock``, without blocking ``# try``), for which the
  thread waits, and ``release`` is one (``# unlock``);
* ``Event.wait`` falls asleep if the flag is not set (``# wait E1, wake E2``). To set the flag wakes
  all that sleep, even if the flag is cleared before they move. ``set`` and ``clear`` are ``write``,
  ``is_set`` is ``read``;
* ``Barrier.wait`` arrives, and all but the last thread sleep (``# wait B1, wake B2``). No thread
  arrives while the threads of the round before leave. ``reset`` and ``abort`` are ``notify``,
  ``n_waiting`` and ``broken`` are ``read``. The labelled lines of the action are steps.

With a time-out, ``acquire`` too is a wait (``# wait A1, wake A2``), see
:mod:`wheelproof.python.runtime.patience`. ``tests/wheelproof/python/runtime`` runs CPython's own
source of these classes on the controlled condition, and compares all ends of all schedules.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.patience import Patience, late, sleeps, wakes
from wheelproof.python.runtime.registry import Primitive, primitive
from wheelproof.python.runtime.threads import Thread
from wheelproof.python.runtime.virtual_time import index_of

FILLING, ACTING, DRAINING, RESETTING, BROKEN = (
    "filling",
    "acting",
    "draining",
    "resetting",
    "broken",
)
"""The phases of a barrier. ``acting``: the last thread runs the action."""

ARRIVES = (FILLING, BROKEN)
LEAVES = (DRAINING, RESETTING, BROKEN)
SETTLED = (FILLING, DRAINING, RESETTING, BROKEN)
"""The phases in which a thread may arrive, leave, and call the other operations of a barrier."""

OUTSIDE = "a wait outside of the scenario's threads, which nothing could end"


@primitive
class Semaphore(Primitive):
    """Python's semaphore."""

    __slots__ = ("value",)

    def __init__(self, value: int = 1) -> None:
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self.value = value
        """How often it can be acquired now, for harnesses to read."""

    def admits(self, thread: Thread) -> bool:
        return self.value > 0

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        scheduler = self.scheduler
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        thread = scheduler.running
        if thread is None or timeout is None:
            if thread is not None:
                self.rules.whole(
                    scheduler.point("lock", True, self)
                    if blocking
                    else scheduler.point("try", True)
                )
            return self.take(blocking)
        self.rules.whole(scheduler.point("wait", True))
        if self.value == 0:
            sleeps(scheduler, thread, timeout)
            self.rules.whole(scheduler.point("wake", True, Patience(scheduler, self)))
            if wakes(scheduler, thread) and self.value == 0:
                return False
        return self.take(True)

    def release(self, n: int = 1) -> None:
        scheduler = self.scheduler
        if n < 1:
            raise ValueError("n must be one or more")
        if scheduler.running is not None:
            self.rules.whole(scheduler.point("unlock", True))
        self.give(n)

    def __enter__(self) -> bool:
        scheduler = self.scheduler
        if scheduler.running is not None:
            self.rules.whole(scheduler.point("lock", True, self))
        return self.take(True)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            if error is not None:
                scheduler.note_unwinding(error)
            self.rules.whole(scheduler.point("unlock", True))
        self.give(1)

    def take(self, blocking: bool) -> bool:
        """Count down in the step; False if there is nothing to take."""
        scheduler = self.scheduler
        if self.value == 0:
            if not blocking:
                return False
            if scheduler.running is None:
                raise RuntimeError(OUTSIDE)
            self.rules.unplanned(scheduler.running)
        self.value -= 1
        self.rules.acquired(self)
        return True

    def give(self, n: int) -> None:
        """Count up in the step."""
        self.rules.released(self)
        self.value += n


@primitive
class BoundedSemaphore(Semaphore):
    """Python's bounded semaphore."""

    __slots__ = ("limit",)

    def __init__(self, value: int = 1) -> None:
        super().__init__(value)
        self.limit = value
        """The initial value, beyond which no release may go."""

    def give(self, n: int) -> None:
        """Count up in the step. Raises ValueError beyond the limit."""
        if self.value + n > self.limit:
            raise ValueError("Semaphore released too many times")
        super().give(n)


@primitive
class Event(Primitive):
    """Python's event."""

    __slots__ = ("asleep", "flag")

    def __init__(self) -> None:
        self.flag = False
        """Whether it is set."""
        self.asleep: tuple[Thread, ...] = ()
        """The threads that sleep, in their order."""

    def admits(self, thread: Thread) -> bool:
        """Whether a thread that has fallen asleep may wake."""
        return thread not in self.asleep

    def is_set(self) -> bool:
        self.rules.whole(self.scheduler.point("read", True))
        self.rules.acquired(self)
        return self.flag

    def set(self) -> None:
        self.rules.whole(self.scheduler.point("write", True))
        self.rules.released(self)
        self.flag, self.asleep = True, ()

    def clear(self) -> None:
        self.rules.whole(self.scheduler.point("write", True))
        self.flag = False

    def wait(self, timeout: float | None = None) -> bool:
        scheduler = self.scheduler
        thread = scheduler.running
        if thread is None:
            if not self.flag:
                raise RuntimeError(OUTSIDE)
            return True
        self.rules.whole(scheduler.point("wait", True))
        if not self.flag:
            self.asleep = tuple(sorted((*self.asleep, thread), key=index_of))
            if timeout is not None:
                sleeps(scheduler, thread, timeout)
            self.rules.whole(scheduler.point("wake", True, Patience(scheduler, self)))
            if wakes(scheduler, thread) and thread in self.asleep:
                self.asleep = tuple(waiter for waiter in self.asleep if waiter is not thread)
                return False
            if thread in self.asleep:
                self.rules.unplanned(thread)
        self.rules.acquired(self)
        return True


class Gate:
    """Admits a thread to a barrier in some of its phases."""

    __slots__ = ("_barrier", "_phases")

    def __init__(self, barrier: Barrier, phases: tuple[str, ...]) -> None:
        self._barrier, self._phases = barrier, phases

    def admits(self, thread: Thread) -> bool:
        return self._barrier.phase in self._phases


class Leaving(Gate):
    """Admits a thread out of a barrier, or where its time is up before the barrier is full.

    While the last thread runs the action it has the lock, and no thread is late.
    """

    __slots__ = ("_scheduler",)

    def __init__(self, scheduler: Scheduler, barrier: Barrier) -> None:
        super().__init__(barrier, LEAVES)
        self._scheduler = scheduler

    def admits(self, thread: Thread) -> bool:
        filling = self._barrier.phase == FILLING
        return super().admits(thread) or (filling and late(self._scheduler, thread))


@primitive
class Barrier(Primitive):
    """Python's barrier."""

    __slots__ = ("action", "inside", "parties", "phase", "timeout")

    def __init__(
        self,
        parties: int,
        action: Callable[[], object] | None = None,
        timeout: float | None = None,
    ) -> None:
        self.parties, self.action, self.timeout = parties, action, timeout
        self.inside: tuple[tuple[Thread, int], ...] = ()
        """(thread, its index) of each thread that sleeps."""
        self.phase = FILLING
        """One of the phases above."""

    def wait(self, timeout: float | None = None) -> int:
        """As Python's, with its BrokenBarrierError."""
        scheduler = self.scheduler
        thread = scheduler.running
        if thread is None:
            raise RuntimeError(OUTSIDE)
        self.rules.whole(scheduler.point("wait", True, Gate(self, ARRIVES)))
        if self.phase == BROKEN:
            raise threading.BrokenBarrierError
        self.rules.released(self)
        index = len(self.inside)
        if index + 1 == self.parties:
            self._open()
            self.rules.acquired(self)
            return index
        self.inside = tuple(sorted((*self.inside, (thread, index)), key=_place))
        if timeout is None:
            timeout = self.timeout
        if timeout is not None:
            sleeps(scheduler, thread, timeout)
        self.rules.whole(scheduler.point("wake", True, Leaving(scheduler, self)))
        if wakes(scheduler, thread) and self.phase == FILLING:
            self.phase = BROKEN
        return self._leave(thread)

    def reset(self) -> None:
        self.rules.whole(self.scheduler.point("notify", True, Gate(self, SETTLED)))
        if not self.inside:
            self.phase = FILLING
        elif self.phase in (FILLING, BROKEN):
            self.phase = RESETTING

    def abort(self) -> None:
        self.rules.whole(self.scheduler.point("notify", True, Gate(self, SETTLED)))
        self.phase = BROKEN

    @property
    def n_waiting(self) -> int:
        self.rules.whole(self.scheduler.point("read", True))
        return len(self.inside) if self.phase == FILLING else 0

    @property
    def broken(self) -> bool:
        self.rules.whole(self.scheduler.point("read", True))
        return self.phase == BROKEN

    def _open(self) -> None:
        if self.action is not None:
            self.phase = ACTING
            try:
                self.action()
            except BaseException:
                self.phase = BROKEN
                raise
        self.phase = DRAINING if self.inside else FILLING

    def _leave(self, thread: Thread) -> int:
        phase = self.phase
        if phase not in LEAVES:
            self.rules.unplanned(thread)
        index = next(index for sleeper, index in self.inside if sleeper is thread)
        self.inside = tuple(entry for entry in self.inside if entry[0] is not thread)
        if not self.inside and phase in (DRAINING, RESETTING):
            self.phase = FILLING
        if phase != DRAINING:
            raise threading.BrokenBarrierError
        self.rules.acquired(self)
        return index


def _place(entry: tuple[Thread, int]) -> int:
    return entry[0].index
