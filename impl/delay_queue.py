"""A queue of elements that can be taken when their delay is over, as a binary heap.

Java: ``java.util.concurrent.DelayQueue``. An element has ``get_delay()``, the milliseconds left, at
most 0 when it is due, and ``compare_to(other)``, negative, zero or positive in the order of the due
times. The two must agree, and neither may change while the element is queued: the heap does not
notice it. A timer that gives a new key to a queued bucket breaks this rule.

Labels are those of ``spec/DelayQueue.tla``.
"""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from impl.runtime import Gate, Plain

FOREVER_MS = 1 << 62


class Delayed(Protocol):
    """An element of the queue. Java: ``java.util.concurrent.Delayed``."""

    def get_delay(self) -> int: ...

    def compare_to(self, other: Any) -> int: ...


E = TypeVar("E", bound=Delayed)


class DelayQueue(Generic[E]):
    """Unbounded and thread-safe. ``heap`` is the tree in breadth-first order."""

    __slots__ = ("gate", "heap")

    heap: Plain[list[E]]

    def __init__(self) -> None:
        self.gate = Gate()
        self.heap = []

    def __len__(self) -> int:
        return len(self.heap)

    def offer(self, element: E) -> None:
        """Queue an element. A waiting ``poll`` looks again if it is now the first."""
        with self.gate:
            self.heap.append(element)  # change P1
            self._up(len(self.heap) - 1, element)
            if self.heap[0] is element:
                self.gate.notify()

    def poll(self, timeout_ms: int) -> E | None:
        """Take the first element, waiting up to ``timeout_ms`` for it to be due; else None."""
        self.gate.acquire_when(self.wait_ms, timeout_ms)
        try:
            taken = self._take()
        finally:
            self.gate.release()
        return taken

    def poll_now(self) -> E | None:
        """Take the first element if it is due; None otherwise."""
        with self.gate:
            taken = self._take()
        return taken

    def due(self, timeout_ms: int) -> bool:
        """Wait up to ``timeout_ms`` for the first element to be due, and leave it in the queue.

        Returns False if none is. Another thread may take the element before this one does.
        """
        self.gate.acquire_when(self.wait_ms, timeout_ms)
        try:
            found = self.wait_ms() <= 0
        finally:
            self.gate.release()
        return found

    def peek_now(self) -> E | None:
        """The first element if it is due, which stays in the queue; None otherwise."""
        with self.gate:
            heap = self.heap
            first = heap[0] if heap and heap[0].get_delay() <= 0 else None
        return first

    def take_first(self, element: E) -> bool:
        """Take ``element``, which is due, if it is the first. Returns whether it was."""
        with self.gate:
            found = len(self.heap) > 0 and self.heap[0] is element
            if found:
                self._take()
        return found

    def let_go(self) -> None:
        """Release the queue's lock if an interrupt has let the calling thread keep it."""
        self.gate.let_go()

    def wait_ms(self) -> int:
        """Milliseconds until the first element is due; ``FOREVER_MS`` if there is none."""
        heap = self.heap
        if not heap:
            return FOREVER_MS
        return heap[0].get_delay()  # read Q1

    def _take(self) -> E | None:
        heap = self.heap
        if not heap:
            return None
        delay = heap[0].get_delay()  # read K1
        if delay > 0:
            return None
        first = heap[0]
        last = self.heap.pop()  # change K2
        if heap:
            self._down(0, last)
        return first

    def _up(self, index: int, element: E) -> None:
        heap = self.heap
        while index > 0:
            above = (index - 1) // 2
            if element.compare_to(heap[above]) >= 0:
                break
            heap[index] = heap[above]
            index = above
        heap[index] = element

    def _down(self, index: int, element: E) -> None:
        heap = self.heap
        size = len(heap)
        while (below := 2 * index + 1) < size:
            if below + 1 < size and heap[below].compare_to(heap[below + 1]) > 0:
                below += 1
            if element.compare_to(heap[below]) <= 0:
                break
            heap[index] = heap[below]
            index = below
        heap[index] = element
