"""Virtual time: the clock of a scenario, its interrupts, and the sleepers that both wake.

* Time stands still until a thread of the scenario lets it pass (``Time``). So the scheduler chooses
  when a wait times out, early or late against every other step, yet never before its deadline.
  Reading the clock is a step (``# read``). In a scenario without a clock no wait times out.
* A thread of the scenario interrupts a wait (``Interrupts``) while the sleeper sleeps. The sleeper
  then wakes, takes its lock again and raises ``Interrupted``. In CPython a sleeper that was
  notified and interrupted keeps the notification to itself: the exception leaves, and no other
  thread is woken. So a sleeper that is interrupted and offered a ticket takes it. In the other case
  another thread takes it; that is the schedule in which the other thread wakes first.
* A later interrupt, while the wait takes its lock again, is left out. CPython leaves the wait
  without the lock then, and no code that uses a plain lock can find out.
* An interrupt of another wait is a finding: of a read/write lock, a gate, a semaphore, a queue. In
  production these wait at a condition and would raise. Under control their waits have no interrupt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.locks import Lock
from wheelproof.python.runtime.registry import Primitive, primitive
from wheelproof.python.runtime.threads import DONE, Site, Thread


class WaitingRoom(Protocol):
    """A condition, as its sleepers see it."""

    def may_wake(self, thread: Thread) -> bool: ...


class Sleeper:
    """Admits a thread in ``wait`` as soon as its condition lets it wake."""

    __slots__ = ("_condition",)

    def __init__(self, condition: WaitingRoom) -> None:
        self._condition = condition

    def admits(self, thread: Thread) -> bool:
        """Whether the thread may wake now."""
        return self._condition.may_wake(thread)


@primitive
class Time(Primitive):
    """The scenario's clock, named in ``Harness.names``."""

    __slots__ = ("alarms", "now")

    def __init__(self) -> None:
        self.now = 0.0
        """Seconds since its start."""
        self.alarms: tuple[tuple[Thread, float], ...] = ()
        """(thread, deadline) of each thread that sleeps for a limited time, in the scenario's
        order.
        """
        self.scheduler.time = self

    def advance(self, seconds: float) -> None:
        """Let time pass, in one step of kind ``update``."""
        scheduler = self.scheduler
        if scheduler.running is not None:
            self._step(scheduler.point("update", True))
        self.now += seconds

    def elapse(self) -> bool:
        """Let time pass up to a sleeper's next deadline, in one step; False if there is none.

        As long as no thread sleeps for a limited time the step cannot be taken: time alone does
        not make a run end.
        """
        scheduler = self.scheduler
        if scheduler.running is None:
            return False
        self._step(scheduler.point("update", True, self))
        later = [deadline for _, deadline in self.alarms if deadline > self.now]
        if later:
            self.now = min(later)
        return bool(later)

    def admits(self, thread: Thread) -> bool:
        """Whether a deadline lies ahead, or all other threads have ended."""
        now = self.now
        return any(deadline > now for _, deadline in self.alarms) or all(
            rest.label is DONE for rest in self.scheduler.threads if rest is not thread
        )

    def deadline(self, thread: Thread) -> float | None:
        """The moment at which the thread's sleep ends, or None."""
        return next((deadline for sleeper, deadline in self.alarms if sleeper is thread), None)

    def _step(self, site: Site | None) -> None:
        if site is None:
            self.scheduler.fail(
                "time passes within an atomic operation; let a thread of the scenario do it"
            )


@primitive
class Interrupts(Primitive):
    """The source of interrupts: one per scenario, named in ``Harness.names``."""

    __slots__ = ("pending",)

    def __init__(self) -> None:
        self.pending: tuple[Thread, ...] = ()
        """The threads whose wait is to raise and has not yet, in the scenario's order."""
        self.scheduler.interrupts = self

    def interrupt(self, thread: str) -> None:
        """Let the present wait of a thread raise, in one step of kind ``update``.

        Nothing happens if it does not wait, or waits for a lock. A wait of another kind than a
        condition's is refused.
        """
        scheduler = self.scheduler
        if scheduler.running is None:
            return
        if scheduler.point("update", True) is None:
            scheduler.fail(
                "an interrupt within an atomic operation; let a thread of the scenario do it"
            )
        hit = next((candidate for candidate in scheduler.threads if candidate.name == thread), None)
        if hit is None:
            scheduler.fail(
                f"there is no thread {thread} to be interrupted; name one of the scenario"
            )
        if isinstance(hit.awaits, Sleeper):
            if hit not in self.pending:
                self.pending = tuple(sorted((*self.pending, hit), key=index_of))
        elif not (hit.awaits is None or isinstance(hit.awaits, Lock) or hit.awaits.admits(hit)):
            scheduler.fail(
                f"{hit.name} is interrupted while it waits at {hit.label}, which is no wait of a "
                "condition and has no interrupts under control; interrupt it elsewhere"
            )


def index_of(thread: Thread) -> int:
    """A thread's place in the scenario."""
    return thread.index


def time_now(scheduler: Scheduler) -> float:
    """Seconds on the scenario's clock; 0.0 without one."""
    return 0.0 if scheduler.time is None else scheduler.time.now


def functions(scheduler: Scheduler) -> dict[str, Callable[[], float]]:
    """The functions of the controlled ``impl/threads.py``, by name."""
    point = scheduler.point

    def monotonic() -> float:
        """Seconds on the scenario's clock, in a step of kind ``read``.

        0.0 where the scenario has no :class:`Time`.
        """
        point("read", True)
        return time_now(scheduler)

    def get_ident() -> int:
        """The thread's place in the scenario, from 1 on; 0 while no thread runs. Makes no step."""
        thread = scheduler.running
        return 0 if thread is None else thread.index + 1

    return {"monotonic": monotonic, "get_ident": get_ident}
