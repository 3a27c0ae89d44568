"""Objects that threads create: each gets a name that is the same in every run of the same steps.

The name consists of the creating thread, the number of operations that it has begun, the class, and
the object's number among the objects of that class there. An object that is created while no thread
runs (in ``Harness.__init__``) is named by its path (:mod:`wheelproof.python.state.fingerprint`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.style import finalizers


class Created:
    """The objects that the threads of one run have created."""

    __slots__ = ("_counts", "finalized", "objects")

    def __init__(self) -> None:
        self.objects: list[tuple[str, object]] = []
        """(name, object), oldest first. The list keeps the ids from being used again."""
        self.finalized: list[object] = []
        """The objects that were created at first and whose classes have a finalizer."""
        self._counts: dict[tuple[int, int, str], int] = {}

    def add(self, value: object, scheduler: Scheduler) -> None:
        """Name an object that the running thread has just created."""
        thread, kind = scheduler.running, type(value).__name__
        assert thread is not None
        key = (thread.index, thread.position, kind)
        number = self._counts[key] = self._counts.get(key, 0) + 1
        self.objects.append((f"new {kind} {thread.name}.{thread.position}.{number}", value))


def watch(classes: Iterable[type], scheduler: Scheduler) -> list[type]:
    """Note in ``scheduler.created`` every instance of these classes that a thread creates.

    The same for subclasses. Finalizers are taken away, see
    :mod:`wheelproof.python.style.finalizers`.

    Classes that are made in another way than by ``object.__new__`` (exceptions, enumerations,
    tuples) are left as they are: their instances are values. Returns those that are noted.
    """
    cls: Any
    watched_classes = []
    for cls in classes:
        finalizers.taken_from(cls)
        if cls.__new__ is object.__new__:
            cls.__new__ = staticmethod(_noting(scheduler))
        if getattr(cls.__new__, "__globals__", None) is globals():
            watched_classes.append(cls)
    return watched_classes


def _noting(scheduler: Scheduler) -> Callable[..., object]:
    new = object.__new__

    def __new__(cls: type, *arguments: object, **keywords: object) -> object:
        if hasattr(cls, finalizers.MARKED):
            return with_finalizer(cls)
        value: object = new(cls)
        if scheduler.running is not None and scheduler.created is not None:
            scheduler.created.add(value, scheduler)
        return value

    def with_finalizer(cls: type) -> object:
        value: object = new(cls)
        if scheduler.running is not None:
            place = scheduler.place_of(sys._getframe(2))
            scheduler.fail(f"{place}: {finalizers.created_by_thread(cls)}")
        if scheduler.created is not None:
            scheduler.created.finalized.append(value)
        return value

    return __new__
