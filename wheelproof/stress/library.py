"""Python's own synchronizers and queues: noted where threads use them, and with planted faults.

Their contracts are the standard library's and are not observed. A fault must show in how a round
ends. An observed class has the attributes that harnesses read under control, for threads at rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import get_ident
from types import ModuleType
from typing import Any

Shown = Mapping[str, Callable[[Any], Any]]
"""Attribute of the controlled class -> how the production object has it at rest."""

_SEMAPHORE: Shown = {"value": lambda semaphore: semaphore._value}
_EVENT: Shown = {"flag": lambda event: event.is_set(), "asleep": lambda event: ()}
_BARRIER: Shown = {
    "phase": lambda barrier: "broken" if barrier.broken else "filling",
    "inside": lambda barrier: (),
}
_QUEUE: Shown = {
    "items": lambda queue: tuple(queue.queue),
    "unfinished": lambda queue: queue.unfinished_tasks,
    "shut": lambda queue: getattr(queue, "is_shutdown", False),
}


def _items(queue: Any) -> tuple[Any, ...]:
    """The items of a queue that does not show them. They are taken out, and put back."""
    items = tuple(queue.get_nowait() for _ in range(queue.qsize()))
    for item in items:
        queue.put(item)
    return items


CLASSES: Mapping[str, tuple[tuple[str, ...], Shown]] = {
    "Semaphore": (("acquire", "__enter__"), _SEMAPHORE),
    "BoundedSemaphore": (("acquire", "__enter__"), _SEMAPHORE),
    "Event": (("wait",), _EVENT),
    "Barrier": (("wait",), _BARRIER),
    "Queue": (("get", "shutdown"), _QUEUE),
    "LifoQueue": (("get", "shutdown"), _QUEUE),
    "PriorityQueue": (("get", "shutdown"), _QUEUE),
    "SimpleQueue": (("get",), {"items": _items}),
}
"""Class -> the methods that a fault changes, and the attributes for harnesses."""


def recorder(name: str, inner: Any, kinds: set[str]) -> type:
    """A class whose methods add to ``used``, with the attributes that harnesses read.

    They add ``name``, and ``name.method``.
    """
    methods, results = CLASSES[name]

    def noting(method: str) -> Callable[..., Any]:
        inside = getattr(inner, method)

        def call(self: Any, *arguments: Any, **options: Any) -> Any:
            kinds.update((name, f"{name}.{method}"))
            return inside(self, *arguments, **options)

        return call

    members: dict[str, Any] = {
        method: noting(method) for method in methods if hasattr(inner, method)
    }
    members |= {attribute: property(read) for attribute, read in results.items()}
    return type(name, (inner,), members)


def open_semaphore(production: ModuleType, name: str) -> type:
    """A semaphore that lets every thread in, and counts none."""
    semaphore: Any = getattr(production, name)

    class OpenSemaphore(semaphore):  # type: ignore[misc]  # the project's own class
        def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
            return True

        __enter__ = acquire

        def release(self, n: int = 1) -> None:
            pass

    return OpenSemaphore


def hasty_event(production: ModuleType) -> type:
    """An event for which no thread waits."""
    event: Any = production.Event

    class HastyEvent(event):  # type: ignore[misc]  # the project's own class
        def wait(self, timeout: float | None = None) -> bool:
            return True

    return HastyEvent


def open_barrier(production: ModuleType) -> type:
    """A barrier that lets each thread through, as the first of a round of its own."""
    barrier: Any = production.Barrier

    class OpenBarrier(barrier):  # type: ignore[misc]  # the project's own class
        def wait(self, timeout: float | None = None) -> int:
            return 0

    return OpenBarrier


def generous_queue(production: ModuleType, name: str) -> type:
    """A queue that keeps the item that it hands out, once for each thread."""
    queue: Any = getattr(production, name)

    class GenerousQueue(queue):  # type: ignore[misc]  # the project's own class
        def _init(self, maxsize: int) -> None:
            super()._init(maxsize)
            self.takers: set[int] = set()

        def _get(self) -> Any:
            item = super()._get()
            if get_ident() not in self.takers:
                self.takers.add(get_ident())
                self._put(item)
            return item

    return GenerousQueue


def open_queue(production: ModuleType, name: str) -> type:
    """A queue that goes on as before when it is shut down."""
    queue: Any = getattr(production, name)

    class OpenQueue(queue):  # type: ignore[misc]  # the project's own class
        def shutdown(self, immediate: bool = False) -> None:
            pass

    return OpenQueue


def generous_simple_queue(production: ModuleType) -> type:
    """A queue without bound that keeps the item that it hands out first."""
    queue: Any = production.SimpleQueue

    class GenerousQueue(queue):  # type: ignore[misc]  # the project's own class
        def get(self, block: bool = True, timeout: float | None = None) -> Any:
            item = super().get(block, timeout)
            if not hasattr(self, "kept"):
                self.kept = True
                self.put(item)
            return item

    return GenerousQueue
