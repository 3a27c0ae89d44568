"""The end of a scenario, for a thread that waits at a delay queue to which nothing will come."""

from __future__ import annotations

from typing import Any

from harness.outside import present
from impl import delay_queue
from impl.runtime import Atomic


class Progress:
    """The number of adds that have not returned."""

    __slots__ = ("left",)

    def __init__(self, count: int) -> None:
        self.left = count


class Queue(delay_queue.DelayQueue[Any]):
    """A delay queue at which no thread waits once ``progress`` shows that nothing can come."""

    __slots__ = ("progress", "task_counter")

    progress: Progress
    task_counter: Atomic[int]

    def over(self) -> bool:
        """No entry is linked, and none will be."""
        return bool(self.progress.left == 0 and present(self.task_counter) == 0)

    def wait_ms(self) -> int:
        return 0 if self.over() else super().wait_ms()

    def poll(self, timeout_ms: int) -> Any:
        """Take the first element; None only where none is due and nothing can come.

        A real wait may end by its time just before the last offer: hence the second look.
        """
        while (first := super().poll(timeout_ms)) is None and not self.over():
            pass
        return self.poll_now() if first is None else first

    def due(self, timeout_ms: int) -> bool:
        """Wait for a due head, and leave it there; False only where ``poll`` gives None."""
        while not (is_due := self._due(timeout_ms)) and not self.over():
            pass
        return is_due or self._due(0)

    def _due(self, timeout_ms: int) -> bool:
        self.gate.acquire_when(self.wait_ms, timeout_ms)
        try:
            return len(self.heap) > 0 and super().wait_ms() <= 0
        finally:
            self.gate.release()
