"""Faulty primitives: a run on real threads of any implementation has to notice each.

Each takes the place of the production primitive, under the observer, in a scenario that has just
run without a finding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

from wheelproof.stress.library import (
    generous_queue,
    generous_simple_queue,
    hasty_event,
    open_barrier,
    open_queue,
    open_semaphore,
)


def open_lock(production: ModuleType) -> type:
    """A lock that excludes no thread."""

    class OpenLock:
        __slots__ = ()

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
            return True

        def release(self) -> None:
            pass

        def locked(self) -> bool:
            return False

        def __enter__(self) -> None:
            pass

        def __exit__(self, *exception: object) -> None:
            pass

    return OpenLock


def open_read_write_lock(production: ModuleType) -> type:
    """A read/write lock that excludes no thread."""
    half = open_lock(production)

    lock: Any = production.ReadWriteLock

    class OpenReadWriteLock(lock):  # type: ignore[misc]  # the project's own class
        __slots__ = ()

        def __init__(self) -> None:
            super().__init__()
            lock: Any = self
            lock.read_lock, lock.write_lock = half(), half()

    return OpenReadWriteLock


def open_gate(production: ModuleType) -> type:
    """A gate that does not close for a thread that enters by ``with``.

    Threads that come through ``acquire_when`` still exclude each other.
    """

    gate: Any = production.Gate

    class OpenGate(gate):  # type: ignore[misc]  # the project's own class
        __slots__ = ()

        def __enter__(self) -> None:
            super().__enter__()
            super().__exit__(None, None, None)

        def __exit__(self, *exception: object) -> None:
            pass

        def notify(self) -> None:
            super().__enter__()
            super().notify()
            super().__exit__(None, None, None)

    return OpenGate


def torn_atomic(production: ModuleType) -> type:
    """An atomic variable whose operations are a read and a write."""

    atomic: Any = production.Atomic

    class TornAtomic(atomic):  # type: ignore[misc]  # the project's own class
        __slots__ = ()

        def get_and_set(self: Any, value: Any) -> Any:
            old = self._value
            self._value = value
            return old

        def compare_and_set(self: Any, old: Any, value: Any) -> bool:
            current = self._value
            if current is not old and not (type(current) is type(old) is int and current == old):
                return False
            self._value = value
            return True

        def add_and_get(self: Any, delta: Any) -> Any:
            total = self._value + delta
            self._value = total
            return total

    return TornAtomic


class Fault(NamedTuple):
    """One fault of a primitive."""

    primitive: str
    build: Callable[[ModuleType], type]
    """Makes the faulty class from the module that has the primitive."""
    operation: str = ""
    """The operation that a scenario must use; "" for any of the primitive's."""

    @property
    def needs(self) -> str:
        """The observer's note where a thread uses it."""
        return f"{self.primitive}.{self.operation}" if self.operation else self.primitive


FAULTS: dict[str, Fault] = {
    "Lock excludes no thread": Fault("Lock", open_lock),
    "Monitor excludes no thread": Fault("Monitor", open_lock),
    "ReadWriteLock excludes no thread": Fault("ReadWriteLock", open_read_write_lock),
    "Gate excludes no thread": Fault("Gate", open_gate),
    "Atomic reads and writes in two steps": Fault("Atomic", torn_atomic),
    "Event is waited for by no thread": Fault("Event", hasty_event),
    "Barrier lets each thread through": Fault("Barrier", open_barrier),
    "SimpleQueue keeps an item that it hands out": Fault("SimpleQueue", generous_simple_queue),
    **{
        f"{name} lets every thread in": Fault(name, partial(open_semaphore, name=name))
        for name in ("Semaphore", "BoundedSemaphore")
    },
    **{
        f"{name} is never shut down": Fault(name, partial(open_queue, name=name), "shutdown")
        for name in ("Queue", "LifoQueue", "PriorityQueue")
    },
    **{
        f"{name} keeps an item that it hands out": Fault(name, partial(generous_queue, name=name))
        for name in ("Queue", "LifoQueue", "PriorityQueue")
    },
}
