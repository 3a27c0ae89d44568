"""The controlled twin of ``impl/runtime.py``: the same names, every operation a point of the scheduler.

A mechanism that needs another primitive adds it to both: a class in the production module and, here, a function that
builds the controlled class, registered with :func:`primitive`.
"""
from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Annotated, TypeVar

from wheelproof.explore.controlled import Scheduler, Thread

T = TypeVar("T")

_REGISTRY: dict[str, Callable[[Scheduler, dict[str, type]], type]] = {}


def primitive(name: str) -> Callable:
    """Register a function ``build(scheduler, earlier) -> class`` as the controlled primitive of this name.

    ``earlier``: the classes registered before it. In the class every method that the subject calls must itself call
    ``scheduler.point``, since the point reads the caller of its caller. State that decides the future belongs in
    ``__slots__``: the fingerprint reads all of them.
    """

    def register(build: Callable[[Scheduler, dict[str, type]], type]) -> Callable:
        _REGISTRY[name] = build
        return build

    return register


def registered() -> tuple[str, ...]:
    """Names of the controlled primitives."""
    return tuple(_REGISTRY)


def runtime_module(scheduler: Scheduler, name: str = "impl.runtime") -> ModuleType:
    """A module with the names of ``impl/runtime.py`` whose primitives belong to ``scheduler``."""
    module = ModuleType(name, "Controlled primitives.")
    classes: dict[str, type] = {}
    for key, build in _REGISTRY.items():
        classes[key] = build(scheduler, classes)
    module.__dict__.update(classes, Volatile=Annotated[T, "volatile"], Plain=Annotated[T, "plain"], T=T)
    return module


@primitive("Lock")
def _lock(scheduler: Scheduler, earlier: dict[str, type]) -> type:
    point = scheduler.point

    class Lock:
        """A mutual exclusion lock. ``owner``: the :class:`Thread` that holds it, or None; ``depth``: how often."""

        __slots__ = ("owner", "depth")
        reentrant = False

        def __init__(self) -> None:
            self.owner: Thread | None = None
            self.depth = 0

        def admits(self, thread: Thread) -> bool:
            """Whether the thread could take the lock now."""
            return self.owner is None or (self.owner is thread and self.reentrant)

        def acquire(self, blocking: bool = True) -> bool:
            thread = scheduler.running
            if thread is None:
                return True
            if blocking:
                point("lock", True, self)
            else:
                point("try", True)
            if not self.admits(thread):
                if blocking:
                    scheduler.fail(f"{thread.name} was let into a lock that {self.owner.name} holds: the run is not the one that was planned")
                return False
            self.owner = thread
            self.depth += 1
            if scheduler.race is not None:
                scheduler.race.acquire(thread, self)
            return True

        def release(self) -> None:
            if scheduler.running is not None:
                point("unlock", True)
                self._leave(scheduler.running)

        # Neither is made of acquire and release: the subject must be the caller of the method that calls point.
        def __enter__(self) -> None:
            thread = scheduler.running
            if thread is None:
                return
            point("lock", True, self)
            if not self.admits(thread):
                scheduler.fail(f"{thread.name} was let into a lock that {self.owner.name} holds: the run is not the one that was planned")
            self.owner = thread
            self.depth += 1
            if scheduler.race is not None:
                scheduler.race.acquire(thread, self)

        def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
            if scheduler.running is not None:
                if error is not None:
                    scheduler.note_unwinding(error)
                point("unlock", True)
                self._leave(scheduler.running)

        def _leave(self, thread: Thread) -> None:
            if self.owner is not thread:
                scheduler.fail(f"{thread.name} releases a lock that {self.owner.name if self.owner else 'nobody'} holds; "
                               "release what the thread has acquired, once")
            if scheduler.race is not None:
                scheduler.race.release(thread, self)
            self.depth -= 1
            if not self.depth:
                self.owner = None

    return Lock


@primitive("Monitor")
def _monitor(scheduler: Scheduler, earlier: dict[str, type]) -> type:
    class Monitor(earlier["Lock"]):
        """A re-entrant lock."""

        __slots__ = ()
        reentrant = True

    return Monitor


@primitive("NoMonitor")
def _no_monitor(scheduler: Scheduler, earlier: dict[str, type]) -> type:
    point = scheduler.point

    class NoMonitor:
        """Excludes nobody and orders nothing, but keeps the labels of the lock that a mutant has taken away.

        ``owner`` and ``depth`` stay None and 0, so that a mapping can read it like a lock.
        """

        __slots__ = ()
        owner = None
        depth = 0

        def acquire(self, blocking: bool = True) -> bool:
            if scheduler.running is not None:
                point("lock" if blocking else "try", True)
            return True

        def release(self) -> None:
            if scheduler.running is not None:
                point("unlock", True)

        def __enter__(self) -> None:
            if scheduler.running is not None:
                point("lock", True)

        def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
            if scheduler.running is not None:
                if error is not None:
                    scheduler.note_unwinding(error)
                point("unlock", True)

    return NoMonitor


@primitive("Atomic")
def _atomic(scheduler: Scheduler, earlier: dict[str, type]) -> type:
    point = scheduler.point

    def acquired(atomic: object) -> None:
        if scheduler.race is not None and scheduler.running is not None:
            scheduler.race.acquire(scheduler.running, atomic)

    def released(atomic: object) -> None:
        if scheduler.race is not None and scheduler.running is not None:
            scheduler.race.release(scheduler.running, atomic)

    class Atomic:
        """An atomic variable; ``value`` is what it holds, for mappings to read."""

        __slots__ = ("value",)

        def __init__(self, value: object) -> None:
            self.value = value

        def __class_getitem__(cls, item: object) -> type:
            return cls

        def get(self) -> object:
            point("read", True)
            acquired(self)
            return self.value

        def set(self, value: object) -> None:
            point("write", True)
            released(self)
            self.value = value

        def get_and_set(self, value: object) -> object:
            point("swap", True)
            acquired(self)
            released(self)
            old, self.value = self.value, value
            return old

        def compare_and_set(self, expected: object, value: object) -> bool:
            point("cas", True)
            acquired(self)
            current = self.value
            if current is not expected and not (type(current) is type(expected) is int and current == expected):
                return False
            released(self)
            self.value = value
            return True

        def add_and_get(self, delta: object) -> object:
            point("update", True)
            acquired(self)
            released(self)
            self.value += delta
            return self.value

    return Atomic
