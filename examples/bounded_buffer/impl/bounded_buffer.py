"""A buffer with room for a fixed number of items, between threads."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from wheelproof_runtime import Condition, Plain

T = TypeVar("T")


class BoundedBuffer(Generic[T]):
    """First in, first out. ``capacity``: the number of items that it has room for."""

    __slots__ = ("capacity", "changed", "items")

    items: Plain[deque[T]]

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.changed = Condition()
        self.items = deque()

    def put(self, item: T) -> None:
        """Append an item; wait for room."""
        with self.changed:  # lock P1, unlock P8
            while len(self.items) == self.capacity:  # read P2
                self.changed.wait()  # wait P3, wake P4, lock P5
            self.items.append(item)  # change P6
            self.changed.notify_all()  # notify P7

    def get(self) -> T:
        """Take the oldest item; wait for one."""
        with self.changed:  # lock G1, unlock G8
            while len(self.items) == 0:  # read G2
                self.changed.wait()  # wait G3, wake G4, lock G5
            item = self.items.popleft()  # change G6
            self.changed.notify_all()  # notify G7
        return item
