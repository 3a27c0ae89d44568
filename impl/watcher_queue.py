"""The operations that wait for one key, in the order in which they came.

Each method has its effect at one moment, under the queue's own lock, which is held for no longer. A
traversal of a queue is weakly consistent, as an iterator of ``java.util.concurrent``'s
``ConcurrentLinkedQueue`` is: ``after(0)`` gives what is there, and ``after`` of the last place what
has come since.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Generic, TypeVar

from impl.runtime import Lock, Plain

T = TypeVar("T")


class WatcherQueue(Generic[T]):
    """Operations by their place. ``added`` is the last place that was given, and never goes down.

    Adding and discarding cost the same for any number of operations.
    """

    __slots__ = ("lock", "operations", "added")

    operations: Plain[dict[int, T]]
    added: Plain[int]

    def __init__(self) -> None:
        self.lock = Lock()
        self.operations = {}
        self.added = 0

    def add(self, operation: T) -> None:
        """Give the operation the next place."""
        with self.lock:
            place = self.added + 1
            self.added = place
            self.operations[place] = operation

    def after(self, place: int) -> tuple[tuple[int, T], ...]:
        """The operations behind a place, 0 for all of them, each with its own place."""
        with self.lock:
            if place == 0:
                return tuple(self.operations.items())
            newest = takewhile(lambda item: item[0] > place, reversed(self.operations.items()))
            return tuple(newest)[::-1]

    def discard(self, place: int) -> None:
        """Free a place, if it is not free."""
        with self.lock:
            self.operations.pop(place, None)

    def size(self) -> int:
        """The number of operations."""
        with self.lock:
            return len(self.operations)
