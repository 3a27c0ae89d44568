"""Locks in the place of those of ``threading``, which tell a recorder their takers and holders.

The real lock is within. All that ``threading`` builds on locks, such as ``Condition``, is built on
these: while a condition waits, its lock is given back.
"""

from __future__ import annotations

import _thread
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ClassVar

from wheelproof.plain.lock_order.places import of_creation
from wheelproof.plain.lock_order.recording import Identity, Recorder
from wheelproof.plain.lock_order.segments import Thread

REAL_LOCK = type(_thread.allocate_lock())
REAL_RLOCK = type(threading.RLock())

APART = ("threading", "_thread", "importlib", "wheelproof", "greenlet", "execnet")
"""Packages whose own names stay: they make the real locks, or stand below the recorder."""


class Lock:
    """A lock of a recorder."""

    __slots__ = ("__weakref__", "_identity", "_owner", "_real")
    recorder: ClassVar[Recorder]
    _identity: Identity
    _owner: Thread | None
    _real: Any

    def __new__(cls) -> Any:
        place = of_creation(sys._getframe(1))
        if place is None:
            return _thread.allocate_lock()
        self = super().__new__(cls)
        self._real, self._owner = _thread.allocate_lock(), None
        self._identity = cls.recorder.identity(self, place)
        return self

    def acquire(self, blocking: Any = True, timeout: Any = -1) -> bool:
        thread, frame = self.recorder.current(), sys._getframe(1)
        if blocking and timeout == -1:
            self.recorder.waits(thread, self._identity, frame)
        success: bool = self._real.acquire(blocking, timeout)
        if success:
            self._owner = thread
            self.recorder.takes(thread, self._identity, frame)
        return success

    def release(self) -> None:
        owner = self._owner
        if owner is not None and self._real.locked():
            self._owner = None
            if owner is not self.recorder.current():
                self.recorder.signals_with(self._identity)
            self.recorder.releases(owner, self._identity)
        self._real.release()

    __enter__ = acquire_lock = acquire
    release_lock = release

    def __exit__(self, *exception: object) -> None:
        self.release()

    def locked(self) -> bool:
        is_locked: bool = self._real.locked()
        return is_locked

    locked_lock = locked

    def _at_fork_reinit(self) -> None:
        if self._owner is not None:
            self.recorder.releases(self._owner, self._identity)
            self._owner = None
        self._real._at_fork_reinit()

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # what asks for the class of a lock finds the real one
        return REAL_LOCK

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle '{REAL_LOCK.__module__}.lock' object")

    def __repr__(self) -> str:
        return repr(self._real)


class RLock(REAL_RLOCK):  # type: ignore[misc, valid-type]
    """A lock of a recorder that its thread can take again."""

    __slots__ = ("_depth", "_identity", "_owner")
    _depth: int
    recorder: ClassVar[Recorder]
    _identity: Identity
    _owner: Thread | None

    def __new__(cls, *arguments: Any) -> Any:
        place = of_creation(sys._getframe(1))
        if place is None:
            return REAL_RLOCK()
        self = super().__new__(cls)
        self._depth, self._owner = 0, None
        self._identity = cls.recorder.identity(self, place)
        return self

    def acquire(self, blocking: Any = True, timeout: Any = -1) -> bool:
        frame = sys._getframe(1)
        if self._is_owned():
            again: bool = super().acquire(blocking, timeout)
            self._depth += again
            return again
        thread = self.recorder.current()
        if blocking and timeout == -1:
            self.recorder.waits(thread, self._identity, frame)
        success: bool = super().acquire(blocking, timeout)
        if success:
            self._depth, self._owner = 1, thread
            self.recorder.takes(thread, self._identity, frame)
        return success

    def release(self) -> None:
        if self._is_owned():
            self._depth -= 1
            if not self._depth and self._owner is not None:
                self.recorder.releases(self._owner, self._identity)
        super().release()

    __enter__ = acquire

    def __exit__(self, *exception: object) -> None:
        self.release()

    def _release_save(self) -> Any:
        depth = self._depth
        if self._owner is not None and self._is_owned():
            self._depth = 0
            self.recorder.releases(self._owner, self._identity)
        return super()._release_save(), depth

    def _acquire_restore(self, state: Any) -> None:
        thread, frame = self.recorder.current(), sys._getframe(1)
        self.recorder.waits(thread, self._identity, frame)
        super()._acquire_restore(state[0])
        self._depth, self._owner = state[1], thread
        self.recorder.takes(thread, self._identity, frame)

    def _at_fork_reinit(self) -> None:
        if self._owner is not None:
            self.recorder.releases(self._owner, self._identity)
            self._depth, self._owner = 0, None
        super()._at_fork_reinit()

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle '{REAL_RLOCK.__module__}.RLock' object")


def locks(recorder: Recorder) -> tuple[type, type]:
    """The classes ``Lock`` and ``RLock`` of a recorder."""
    fields = {"recorder": recorder, "__slots__": (), "__module__": "threading"}
    return type("Lock", (Lock,), fields), type("RLock", (RLock,), fields)


@contextmanager
def installed(recorder: Recorder) -> Iterator[None]:
    """Within it, ``threading`` makes locks of a recorder, and threads tell when they begin."""
    lock, rlock = locks(recorder)
    changes: list[tuple[Any, str, Any]] = []

    def change(holder: Any, name: str, new: Any) -> None:
        changes.append((holder, name, getattr(holder, name)))
        setattr(holder, name, new)

    for module, name, kind in list(_imports()):
        change(module, name, lock if kind is REAL_LOCK else rlock)
    change(threading, "Lock", lock)
    change(threading, "RLock", rlock)
    for name, function in _of_threads(recorder).items():
        change(threading.Thread, name, function)
    try:
        yield
    finally:
        for holder, name, before in reversed(changes):
            setattr(holder, name, before)


def _imports() -> Iterator[tuple[types.ModuleType, str, type]]:
    """The classes that modules have by ``from threading import Lock``."""
    makers = {
        id(maker): kind
        for maker, kind in (
            (threading.Lock, REAL_LOCK),
            (_thread.allocate_lock, REAL_LOCK),
            (threading.RLock, REAL_RLOCK),
            (REAL_RLOCK, REAL_RLOCK),
        )
    }
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in APART or not isinstance(module, types.ModuleType):
            continue
        if module in (threading, _thread):  # by another name
            continue
        for attribute, value in list(vars(module).items()):
            if id(value) in makers:
                yield module, attribute, makers[id(value)]


def _of_threads(recorder: Recorder) -> dict[str, Callable[..., Any]]:
    """Methods of ``threading.Thread`` that record where threads begin and end.

    The record of a thread is an attribute of it, for each recorder another one.
    """
    attribute = f"_wheelproof_recorded_{id(recorder)}"
    real = threading.Thread
    start, join, is_alive, bootstrap = (
        real.start, real.join, real.is_alive, real._bootstrap,  # type: ignore[attr-defined]
    )  # fmt: skip

    def note_end(thread: threading.Thread) -> None:
        record = vars(thread).get(attribute)
        if record is not None and not is_alive(thread):
            recorder.current().join(record)

    @wraps(start)
    def recorded_start(self: threading.Thread) -> None:
        if self.ident is None:
            setattr(self, attribute, recorder.current().start(self.name))
        start(self)

    @wraps(join)
    def recorded_join(self: threading.Thread, timeout: float | None = None) -> None:
        join(self, timeout)
        note_end(self)

    @wraps(is_alive)
    def recorded_is_alive(self: threading.Thread) -> bool:
        alive = is_alive(self)
        if not alive and self.ident is not None:
            note_end(self)
        return alive

    @wraps(bootstrap)
    def recorded_bootstrap(self: threading.Thread) -> None:
        record: Thread | None = vars(self).get(attribute)
        if record is None:
            bootstrap(self)
            return
        recorder.enter(record)
        try:
            bootstrap(self)
        finally:
            recorder.leave(record)

    return {
        "start": recorded_start,
        "join": recorded_join,
        "is_alive": recorded_is_alive,
        "_bootstrap": recorded_bootstrap,
    }
