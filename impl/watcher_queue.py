"""The operations that wait for one key, in the order in which they came.

Each method has its effect at one moment, under the queue's own lock, which is held for no longer. A
traversal of a queue is weakly consistent, as an iterator of ``java.util.concurrent``'s
``ConcurrentLinkedQueue`` is: it asks for one operation at a time, the first one with ``after(0)``
and each other one with ``after`` of the place that it has.

A change makes no call once it has begun: CPython looks for interrupts at calls, and one that came
there would leave neighbours that do not fit.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from impl.runtime import Lock, Plain

T = TypeVar("T")


class WatcherQueue(Generic[T]):
    """Operations by their place. ``added`` is the last place that was given, and never goes down.

    ``following`` and ``before`` have the neighbours of each place that is not free; 0 is the
    neighbour at both ends. Every method but ``after`` costs the same for any number of operations.
    """

    __slots__ = ("lock", "operations", "following", "before", "added")

    operations: Plain[dict[int, T]]
    following: Plain[dict[int, int]]
    before: Plain[dict[int, int]]
    added: Plain[int]

    def __init__(self) -> None:
        self.lock = Lock()
        self.operations = {}
        self.following, self.before = {0: 0}, {0: 0}
        self.added = 0

    def add(self, operation: T) -> None:
        """Give the operation the next place."""
        with self.lock:
            place, last = self.added + 1, self.before[0]
            self.added = place
            self.operations[place] = operation
            self.following[last], self.before[place] = place, last
            self.following[place], self.before[0] = 0, place

    def after(self, place: int) -> tuple[int, T] | None:
        """The first operation behind a place, 0 for the first of all, with its own place.

        Behind a place that was freed meanwhile the places are looked at one by one.
        """
        with self.lock:
            nearest = self.following.get(place)
            if nearest is None:
                rest = range(place + 1, self.added + 1)
                nearest = next((each for each in rest if each in self.operations), 0)
            return (nearest, self.operations[nearest]) if nearest else None

    def discard(self, place: int) -> None:
        """Free a place, if it is not free."""
        with self.lock:
            if place in self.operations:
                last, nearest = self.before[place], self.following[place]
                self.following[last], self.before[nearest] = nearest, last
                del self.before[place], self.following[place], self.operations[place]

    def size(self) -> int:
        """The number of operations."""
        with self.lock:
            return len(self.operations)
