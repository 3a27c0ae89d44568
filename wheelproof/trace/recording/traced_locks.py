"""Traced locks: a record of each entry and exit, made while the lock is held.

A lock folds its Lamport clock into the thread that enters and takes the thread's back when it is
left. It counts the events that are recorded under it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from wheelproof.python.findings import ExploreError
from wheelproof.trace.recording.bound import Recorded
from wheelproof.trace.recording.recorder import STOP_SECONDS, Stop

LOCKING = frozenset(("lock_acquire", "lock_release", "rw_acquire", "rw_release"))

_frame = sys._getframe


def _without_time_out(timeout: float) -> None:
    if timeout != -1:
        raise ExploreError(
            "A lock is taken with a time-out, of which these recordings have no event.",
            "Record the labelled operations: wheelproof trace record --steps.",
        )


class Lock(Recorded):
    """``owner``: id of the object that made it; ``number``: its own; ``seq``: events recorded
    while it was held. ``tried``: a thread has tried to get it."""

    __slots__ = ("lock", "owner", "number", "seq", "lc", "depth", "tried")
    step = 1
    kind = "L"
    make: Callable[[], Any] = staticmethod(threading.Lock)

    def __init__(self) -> None:
        recorder = self.recorder
        self.lock = self.make()
        self.owner = recorder.owner(_frame(1))
        self.number = recorder.register(self)
        self.seq = self.lc = self.depth = 0
        self.tried = False

    def entered(self, frame: Any, operation: str) -> None:
        """The running thread has the lock: fold its clock in, and record where the line is one
        that is."""
        recorder = self.recorder
        try:
            log = recorder.local.log
        except AttributeError:
            log = recorder.log()
        depth = self.depth + 1
        if depth == 1:
            log.held.append(self)
            if self.lc > log.lc:
                log.lc = self.lc
        site = recorder.places.get(id(frame.f_code) + frame.f_lasti)
        if site is None:
            site = recorder.site(frame, operation)
        if site and not log.muted and (depth == 1 or recorder.sites[site].event != "lock_acquire"):
            look = recorder.looks[site]
            log.emit(site, self.owner, 0, 1, 0 if look is None else look(log, frame), 0, 0)
        self.lc = log.lc
        self.depth = depth  # last: from here on who tries in vain knows what it comes after

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        _without_time_out(timeout)
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "lock" if blocking else "try")
        if not blocking:
            return self.attempt(_frame(1))
        if not self.lock.acquire(False):
            self.wait(_frame(1))
        self.entered(_frame(1), "lock")
        return True

    def attempt(self, frame: Any) -> bool:
        """Whether the lock was got at once. An attempt in vain comes after its holder's entry
        and before its exit, though it holds nothing."""
        recorder = self.recorder
        self.tried, log = True, recorder.log()
        while True:
            with recorder.attempts:
                if self.lock.acquire(False):
                    self.entered(frame, "try")
                    return True
                if self.depth:
                    if self.lc > log.lc:
                        log.lc = self.lc
                    if not log.muted and (site := recorder.site(frame, "try")):
                        look = recorder.looks[site]
                        observation = 0 if look is None else look(log, frame)
                        log.emit(site, self.owner, 0, 0, observation, 0, 0)
                    self.lc = log.lc
                    return False
            time.sleep(0)  # its holder is on the way in or out

    def __enter__(self) -> None:
        recorder, frame = self.recorder, _frame(1)
        if recorder.turn is not None:
            recorder.turn(frame, "lock")
        if not self.lock.acquire(False):
            self.wait(frame)
        self.entered(frame, "lock")

    def __exit__(self, *exception: object) -> None:
        recorder, frame = self.recorder, _frame(1)
        if recorder.turn is not None:
            recorder.turn(frame, "unlock")
        if self.tried:
            self.leave(frame)
            return
        log, depth = recorder.local.log, self.depth
        site = recorder.places.get(id(frame.f_code) + frame.f_lasti)
        if site is None:
            site = recorder.site(frame, "unlock")
        if site and not log.muted and (depth == 1 or recorder.sites[site].event != "lock_release"):
            if (section := recorder.takes[site]) is None:
                log.emit(site, self.owner, 1, 0)
            elif (values := section(recorder, frame)) is not None:
                log.emit(site, *values)
        self.depth = depth - 1
        if depth == 1:
            locks = log.held
            if locks[-1] is self:
                del locks[-1]
            else:
                locks.remove(self)
            self.lc = log.lc
        self.lock.release()

    def release(self) -> None:
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "unlock")
        self.leave(_frame(1))

    def leave(self, frame: Any) -> None:
        """Give the lock back, after all attempts that were in vain because of it."""
        recorder = self.recorder
        with recorder.attempts:
            log, depth = recorder.local.log, self.depth
            if self.lc > log.lc:
                log.lc = self.lc
            if (
                (site := recorder.site(frame, "unlock"))
                and not log.muted
                and (depth == 1 or recorder.sites[site].event != "lock_release")
            ):
                log.emit(site, self.owner, 1, 0)
            self.depth = depth - 1
            if depth == 1:
                log.held.remove(self)
                self.lc = log.lc
            self.lock.release()

    def wait(self, frame: Any) -> None:
        """Another thread has it: say so, since a thread that waits for ever says nothing
        afterwards; then wait."""
        recorder = self.recorder
        log = recorder.log()
        if not log.muted and (site := recorder.site(frame, "wait")):
            log.emit(site, self.owner, 0, 0, 0, 0, 0)
        while not self.lock.acquire(timeout=STOP_SECONDS):
            if recorder.stopped:
                raise Stop


class Monitor(Lock):
    """A re-entrant lock. ``depth`` is its holder's."""

    __slots__ = ()
    make = staticmethod(threading.RLock)

    def _is_owned(self) -> bool:
        """Whether the caller holds it: a condition wants to know it of a monitor."""
        return bool(self.lock._is_owned())


class NoMonitor(Recorded):
    """Excludes no thread and orders nothing; its events have no token of it. Its state is the
    thread's, since several may be inside."""

    __slots__ = ("owner", "number", "seq", "lc")
    step = 0
    kind = ""

    def __init__(self) -> None:
        recorder = self.recorder
        self.owner = recorder.owner(_frame(1))
        self.number = recorder.register(self)
        self.seq = self.lc = 0

    def _enter(self, frame: Any, operation: str) -> None:
        recorder = self.recorder
        log = recorder.log()
        log.held.append(self)
        self._note(log, recorder.site(frame, operation), 1)

    def _note(self, log: Any, site: int, inside: int) -> None:
        """A traversal of a list begins or ends, or an attempt; that nothing was locked is no
        event."""
        if site and not log.muted and self.recorder.sites[site].event not in LOCKING:
            log.emit(site, self.owner, 1 - inside, inside, 0, 0, 0)

    def _leave(self, frame: Any) -> None:
        recorder = self.recorder
        log = recorder.log()
        self._note(log, recorder.site(frame, "unlock"), 0)
        log.held.reverse()
        log.held.remove(self)
        log.held.reverse()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        _without_time_out(timeout)
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "lock" if blocking else "try")
        self._enter(_frame(1), "lock" if blocking else "try")
        return True

    def release(self) -> None:
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "unlock")
        self._leave(_frame(1))

    def __enter__(self) -> None:
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "lock")
        self._enter(_frame(1), "lock")

    def __exit__(self, *exception: object) -> None:
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "unlock")
        self._leave(_frame(1))
