"""The traced model of ``impl/runtime.py``: the same names on real locks, each operation recorded
while it is exclusive.

A lock folds its Lamport clock into the thread that enters and takes the thread's back when it is
left; it counts the events that are recorded under it. An atomic variable has a lock, a version and
a clock of its own. Marked fields are in ``traced_fields``, read/write locks and gates in
``traced_halves``.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Annotated, Any, TypeVar

from wheelproof.explore.findings import ExploreError
from wheelproof.trace.recording.recorder import STOP_SECONDS, Recorder, Stop
from wheelproof.trace.recording.traced_halves import gate, memory, read_write_lock

T = TypeVar("T")

LOCKING = frozenset(("lock_acquire", "lock_release", "rw_acquire", "rw_release"))

_frame = sys._getframe


def runtime_module(recorder: Recorder, production: ModuleType) -> ModuleType:
    """A module with the names of ``impl/runtime.py`` whose primitives write to ``recorder``.

    ``production``: the runtime itself; what is not recorded, such as the gate at which a queue's
    users wait, is taken from it.
    """
    module = ModuleType(production.__name__, "Traced primitives.")
    module.__dict__.update({name: getattr(production, name) for name in production.__all__})
    module.__dict__.update(
        _locks(recorder),
        Atomic=_atomic(recorder),
        ReadWriteLock=read_write_lock(recorder),
        Gate=gate(recorder, production.Gate),
        Memory=memory(recorder, production.Memory),
        Volatile=Annotated[T, "volatile"],
        Plain=Annotated[T, "plain"],
        T=T,
    )
    return module


def _without_time_out(timeout: float) -> None:
    if timeout != -1:
        raise ExploreError(
            "A lock is taken with a time-out, of which these recordings have no event.",
            "Record the labelled operations: wheelproof trace record --steps.",
        )


def _locks(recorder: Recorder) -> dict[str, type]:
    log_of, site_of, local, places, looks, takes = (
        recorder.log,
        recorder.site,
        recorder.local,
        recorder.places,
        recorder.looks,
        recorder.takes,
    )
    attempts = threading.Lock()  # held while a lock is tried, and while one that was is given back

    class Lock:
        """``owner``: id of the object that made it; ``number``: its own; ``seq``: events recorded
        while it was held. ``tried``: a thread has tried to get it."""

        __slots__ = ("lock", "owner", "number", "seq", "lc", "depth", "tried")
        step = 1
        kind = "L"
        make: Callable[[], Any] = staticmethod(threading.Lock)

        def __init__(self) -> None:
            self.lock = self.make()
            self.owner = recorder.owner(_frame(1))
            self.number = recorder.register(self)
            self.seq = self.lc = self.depth = 0
            self.tried = False

        def entered(self, frame: Any, operation: str) -> None:
            """The running thread has the lock: fold its clock in, and record where the line is one
            that is."""
            try:
                log = local.log
            except AttributeError:
                log = log_of()
            depth = self.depth + 1
            if depth == 1:
                log.held.append(self)
                if self.lc > log.lc:
                    log.lc = self.lc
            site = places.get(id(frame.f_code) + frame.f_lasti)
            if site is None:
                site = site_of(frame, operation)
            if (
                site
                and not log.muted
                and (depth == 1 or recorder.sites[site].event != "lock_acquire")
            ):
                look = looks[site]
                log.emit(site, self.owner, 0, 1, 0 if look is None else look(log, frame), 0, 0)
            self.lc = log.lc
            self.depth = depth  # last: from here on who tries in vain knows what it comes after

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            _without_time_out(timeout)
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
            self.tried, log = True, log_of()
            while True:
                with attempts:
                    if self.lock.acquire(False):
                        self.entered(frame, "try")
                        return True
                    if self.depth:
                        if self.lc > log.lc:
                            log.lc = self.lc
                        if not log.muted and (site := site_of(frame, "try")):
                            look = looks[site]
                            seen = 0 if look is None else look(log, frame)
                            log.emit(site, self.owner, 0, 0, seen, 0, 0)
                        self.lc = log.lc
                        return False
                time.sleep(0)  # its holder is on the way in or out

        def __enter__(self) -> None:
            frame = _frame(1)
            if recorder.turn is not None:
                recorder.turn(frame, "lock")
            if not self.lock.acquire(False):
                self.wait(frame)
            # what entered() does, without a call: most of what a recording costs is here and in
            # __exit__
            try:
                log = local.log
            except AttributeError:
                log = log_of()
            depth = self.depth + 1
            if depth == 1:
                log.held.append(self)
                if self.lc > log.lc:
                    log.lc = self.lc
            site = places.get(id(frame.f_code) + frame.f_lasti)
            if site is None:
                site = site_of(frame, "lock")
            if (
                site
                and not log.muted
                and (depth == 1 or recorder.sites[site].event != "lock_acquire")
            ):
                log.emit(site, self.owner, 0, 1)
            self.lc = log.lc
            self.depth = depth

        def __exit__(self, *exception: object) -> None:
            frame = _frame(1)
            if recorder.turn is not None:
                recorder.turn(frame, "unlock")
            if self.tried:
                self.leave(frame)
                return
            log, depth = local.log, self.depth
            site = places.get(id(frame.f_code) + frame.f_lasti)
            if site is None:
                site = site_of(frame, "unlock")
            if (
                site
                and not log.muted
                and (depth == 1 or recorder.sites[site].event != "lock_release")
            ):
                if (section := takes[site]) is None:
                    log.emit(site, self.owner, 1, 0)
                elif (found := section(recorder, frame)) is not None:
                    log.emit(site, *found)
            self.depth = depth - 1
            if depth == 1:
                held = log.held
                if held[-1] is self:
                    del held[-1]
                else:
                    held.remove(self)
                self.lc = log.lc
            self.lock.release()

        def release(self) -> None:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "unlock")
            self.leave(_frame(1))

        def leave(self, frame: Any) -> None:
            """Give the lock back, after all attempts that were in vain because of it."""
            with attempts:
                log, depth = local.log, self.depth
                if self.lc > log.lc:
                    log.lc = self.lc
                if (
                    (site := site_of(frame, "unlock"))
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
            log = log_of()
            if not log.muted and (site := site_of(frame, "wait")):
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

    class NoMonitor:
        """Excludes no thread and orders nothing; its events have no token of it. Its state is the
        thread's, since several may be inside."""

        __slots__ = ("owner", "number", "seq", "lc")
        step = 0
        kind = ""

        def __init__(self) -> None:
            self.owner = recorder.owner(_frame(1))
            self.number = recorder.register(self)
            self.seq = self.lc = 0

        def _enter(self, frame: Any, operation: str) -> None:
            log = log_of()
            log.held.append(self)
            self._note(log, site_of(frame, operation), 1)

        def _note(self, log: Any, site: int, inside: int) -> None:
            """A traversal of a list begins or ends, or an attempt; that nothing was locked is no
            event."""
            if site and not log.muted and recorder.sites[site].event not in LOCKING:
                log.emit(site, self.owner, 1 - inside, inside, 0, 0, 0)

        def _leave(self, frame: Any) -> None:
            log = log_of()
            self._note(log, site_of(frame, "unlock"), 0)
            log.held.reverse()
            log.held.remove(self)
            log.held.reverse()

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            _without_time_out(timeout)
            if recorder.turn is not None:
                recorder.turn(_frame(1), "lock" if blocking else "try")
            self._enter(_frame(1), "lock" if blocking else "try")
            return True

        def release(self) -> None:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "unlock")
            self._leave(_frame(1))

        def __enter__(self) -> None:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "lock")
            self._enter(_frame(1), "lock")

        def __exit__(self, *exception: object) -> None:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "unlock")
            self._leave(_frame(1))

    return {"Lock": Lock, "Monitor": Monitor, "NoMonitor": NoMonitor}


def _atomic(recorder: Recorder) -> type:
    log_of, site_of, id_of, places, looks = (
        recorder.log,
        recorder.site,
        recorder.id_of,
        recorder.places,
        recorder.looks,
    )

    class Atomic:
        """``value`` with the version and the clock of the word, all changed under ``lock``."""

        __slots__ = ("value", "lock", "owner", "number", "version", "lc")
        kind = "V"

        def __init__(self, value: object) -> None:
            self.value = value
            self.lock = threading.Lock()
            self.owner = recorder.owner(_frame(1))
            self.number = recorder.register(self)
            self.version = self.lc = 0

        def __class_getitem__(cls, item: object) -> type:
            return cls

        def note(self, frame: Any, operation: str, old: object, new: object) -> None:
            """Record, with the word's lock held; every access moves the word's clock on."""
            log = log_of()
            if self.lc > log.lc:
                log.lc = self.lc
            site = places.get(id(frame.f_code) + frame.f_lasti)
            if site is None:
                site = site_of(frame, operation)
            if site and not log.muted:
                look = looks[site]
                log.emit(
                    site,
                    self.owner,
                    old if type(old) is int else id_of(old),
                    new if type(new) is int else id_of(new),
                    0 if look is None else look(log, frame),
                    self.number,
                    self.version,
                )
            self.lc = log.lc

        def get(self) -> object:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "read")
            with self.lock:
                self.note(_frame(1), "read", self.value, self.value)
                return self.value

        def set(self, value: object) -> None:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "write")
            with self.lock:
                old, self.value = self.value, value
                self.version += recorder.recording
                self.note(_frame(1), "write", old, value)

        def get_and_set(self, value: object) -> object:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "swap")
            with self.lock:
                old, self.value = self.value, value
                self.version += recorder.recording
                self.note(_frame(1), "swap", old, value)
                return old

        def compare_and_set(self, expected: object, value: object) -> bool:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "cas")
            with self.lock:
                old = self.value
                won = old is expected or type(old) is type(expected) is int and old == expected
                if won:
                    self.value = value
                    self.version += recorder.recording
                self.note(_frame(1), "cas", old, self.value)
                return won

        def add_and_get(self, delta: Any) -> Any:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "update")
            with self.lock:
                old = self.value
                self.value = new = old + delta
                self.version += recorder.recording
                self.note(_frame(1), "update", old, new)
                return new

    return Atomic
