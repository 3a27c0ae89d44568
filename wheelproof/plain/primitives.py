"""Locks, threads, thread-local data and the clock of the code under test.

Everything else of :mod:`threading` is the interpreter's own source on top of them
(:mod:`wheelproof.plain.world`). Outside a run, as while modules are loaded, a lock never waits.
"""

from __future__ import annotations

import _thread
import sys
from typing import Any

from wheelproof.plain.execution import CLOCK, Execution
from wheelproof.plain.happens_before import Location
from wheelproof.plain.operations import ACQUIRE, PEEK, READ, RELEASE, SLEEP, TRY, WRITE
from wheelproof.plain.polling import LEAST

FOR_EVER = _thread.TIMEOUT_MAX / 2
"""Seconds after which no wait ends: programs give the longest time-out where they want none."""

SET_UP = "set-up"
"""The owner of a lock that is taken outside a run."""


class Clock:
    """Virtual time: it moves where a wait times out, or a thread sleeps.

    Time is a scheduling point only once the program asks for the time.
    """

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._never = Location("the end of its sleep")
        self._never.owner = SET_UP

    def now(self) -> float:
        execution = self._execution
        if execution.running is not None:
            if not execution.clock_visible:
                execution.wants(CLOCK)
            else:
                execution.point(READ, execution.time, None)
            if execution.reads_clock(sys._getframe(1)):
                self.sleep(LEAST)
        return execution.now

    def own(self) -> float:
        """The time for the waits of the standard library: only the thread's own waits take any.

        So a time-out may come at any moment, also while other threads wait.
        """
        thread = self._execution.running
        return self._execution.now if thread is None else thread.waited

    def began(self) -> float:
        """The time at which a wait begins."""
        execution = self._execution
        if execution.clock_visible and execution.running is not None:
            execution.point(READ, execution.time, None)
        return execution.now

    def passes(self, start: float, seconds: float) -> None:
        """A wait has ended by its time-out."""
        execution = self._execution
        if execution.running is not None:
            if execution.clock_visible:
                execution.point(WRITE, execution.time, None)
            execution.running.waited += seconds
        execution.now = max(execution.now, start + seconds)

    def sleep(self, seconds: float) -> None:
        execution = self._execution
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        if seconds >= FOR_EVER:
            execution.point(ACQUIRE, self._never, None)
        start = self.began()
        if execution.running is not None:
            seconds = execution.yields(sys._getframe(1), seconds)
            execution.running.due = start + seconds
            execution.point(SLEEP, execution.time, None)
        self.passes(start, seconds)


class Waited(Location):
    """A location that threads wait for, which forgets the state that an earlier run has left."""

    execution: Execution
    clock: Clock

    __slots__ = ("__weakref__", "count", "initial", "run")

    def __init__(self) -> None:
        Location.__init__(self)
        self.run, self.count = self.execution.number, 0
        self.initial: str | None = None  # who owns it where a run begins

    def _renew(self) -> None:
        if self.run != self.execution.number:
            self.forget()
            self.owner = self.initial
            self.run, self.count = self.execution.number, int(self.owner is not None)

    def _take_in_time(self, blocking: bool, timeout: float) -> bool:
        """Acquire it where the caller does not own it."""
        thread = self.execution.running
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        if timeout > _thread.TIMEOUT_MAX:
            raise OverflowError("timeout value is too large")
        for_ever = blocking and not 0 <= timeout < FOR_EVER
        if thread is None:
            if self.owner is not None:
                if for_ever:
                    raise RuntimeError(f"{self!r} is taken for ever: no thread runs here")
                self.execution.now += max(0.0, timeout)
                return False
            self.owner = self.initial = SET_UP
        elif for_ever:
            self.execution.point(ACQUIRE, self, None)
            self.owner = thread
            thread.held.append(self)
        else:
            start = self.clock.began() if timeout > 0 else self.execution.now
            wait = self.execution.yields(sys._getframe(2), max(0.0, timeout if blocking else 0.0))
            thread.waits_until(start + wait, timeout > 0)
            self.execution.point(TRY, self, None)
            if self.owner is not None:
                if wait > 0:
                    self.clock.passes(start, wait)
                return False
            self.owner = thread
            thread.held.append(self)
        return True

    def _freed(self) -> None:
        owner, self.owner = self.owner, None
        if self.execution.running is None:
            self.initial = None
        if owner is not SET_UP and owner is not None and self in owner.held:
            owner.held.remove(self)

    def _at_fork_reinit(self) -> None:
        self._freed()
        self.count = 0


class Lock(Waited):
    """A lock that any thread may release."""

    __slots__ = ()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        self._renew()
        return self._take_in_time(blocking, timeout)

    def release(self) -> None:
        self._renew()
        self.execution.point(RELEASE, self, None)
        if self.owner is None:
            raise RuntimeError("release unlocked lock")
        self._freed()

    def locked(self) -> bool:
        self._renew()
        self.execution.point(PEEK, self, None)
        return self.owner is not None

    def _is_owned(self) -> bool:
        """For Condition: its holder need not announce that it asks."""
        self._renew()
        thread = self.execution.running
        if thread is not None and self.owner is not thread:
            self.execution.point(PEEK, self, None)
        return self.owner is not None

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *exception: object) -> None:
        self.release()

    acquire_lock, release_lock, locked_lock = acquire, release, locked

    def __repr__(self) -> str:
        return f"<{'un' * (self.owner is None)}locked _thread.lock object at {id(self):#x}>"


class RLock(Waited):
    """A lock that its owner may take again. Only the first and the last time can be seen."""

    __slots__ = ()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        self._renew()
        me = self.execution.running or SET_UP
        if self.owner is me:
            self.count += 1
            return True
        if not self._take_in_time(blocking, timeout):
            return False
        self.count = 1
        return True

    def release(self) -> None:
        self._renew()
        if self.owner is not (self.execution.running or SET_UP):
            raise RuntimeError("cannot release un-acquired lock")
        if self.count == 1:
            self.execution.point(RELEASE, self, None)
            self._freed()
        self.count -= 1

    def locked(self) -> bool:
        self._renew()
        if self.owner is not (self.execution.running or SET_UP):
            self.execution.point(PEEK, self, None)
        return self.owner is not None

    def _is_owned(self) -> bool:
        self._renew()
        return self.owner is (self.execution.running or SET_UP)

    def _release_save(self) -> int:
        self._renew()
        if self.owner is not (self.execution.running or SET_UP):
            raise RuntimeError("cannot release un-acquired lock")
        self.execution.point(RELEASE, self, None)
        count, self.count = self.count, 0
        self._freed()
        return count

    def _acquire_restore(self, count: int) -> None:
        self._renew()
        self._take_in_time(True, -1)
        self.count = count

    def _recursion_count(self) -> int:
        return self.count if self._is_owned() else 0

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<{'un' * (self.owner is None)}locked _thread.RLock object at {id(self):#x}>"


def locks(execution: Execution, clock: Clock) -> tuple[type[Any], type[Any]]:
    """The classes ``Lock`` and ``RLock`` of an execution."""
    fields = {"__slots__": (), "__module__": "_thread", "execution": execution, "clock": clock}
    return type("lock", (Lock,), dict(fields)), type("RLock", (RLock,), dict(fields))
