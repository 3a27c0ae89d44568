"""A queue, first in first out, at which its consumer waits until something is there.

Java: ``java.util.concurrent.LinkedBlockingQueue``, as far as the event manager needs it.

Labels are those of ``spec/EventQueue.tla``.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from impl.runtime import Condition, Monitor, Plain

T = TypeVar("T")


class BlockingQueue(Generic[T]):
    """Many threads put, one takes. Each operation takes effect at one moment."""

    __slots__ = ("changed", "waiting")

    waiting: Plain[deque[T]]

    def __init__(self) -> None:
        self.changed = Condition(Monitor())
        self.waiting = deque()

    def put(self, item: T) -> None:
        """Put an item behind all that wait, and wake the consumer."""
        with self.changed:  # lock Q1, unlock Q4
            self.waiting.append(item)  # change Q2
            self.changed.notify()  # notify Q3

    def take(self) -> T:
        """Take the first item, once there is one."""
        with self.changed:  # lock Y1, unlock Y6
            while not self.waiting:
                self.changed.wait()  # wait Y2, wake Y3, lock Y4
            item = self.waiting.popleft()  # change Y5
        return item

    def drain(self) -> tuple[T, ...]:
        """Take all items at one moment."""
        with self.changed:  # lock D1, unlock D3
            drained, self.waiting = tuple(self.waiting), deque()  # write D2
        return drained

    def look(self) -> tuple[T, ...]:
        """The items that wait now, which go on waiting."""
        with self.changed:  # lock K1, unlock K2
            seen = tuple(self.waiting)
        return seen

    def clear(self) -> None:
        """Forget all items."""
        nothing: deque[T] = deque()
        with self.changed:  # lock K3, unlock K5
            self.waiting = nothing  # write K4
