"""When a scenario is over, for whoever would otherwise wait at the delay queue for what can never come."""

from __future__ import annotations

from typing import Any

from impl import delay_queue


class Progress:
    """How many adds have not returned: part of the scenario, not of the timer."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


class Queue(delay_queue.DelayQueue):
    """The delay queue, at which nobody waits once ``progress`` and ``task_counter`` say that nothing can come."""

    __slots__ = ("progress", "task_counter")

    def over(self) -> bool:
        """Nothing is linked, and nobody will add anything."""
        return self.progress.left == 0 and present(self.task_counter) == 0

    def wait_ms(self) -> int:
        return 0 if self.over() else super().wait_ms()

    def due(self, timeout_ms: int) -> bool:
        """Wait for a due head, and leave it there; whether there is one."""
        self.gate.acquire_when(self.wait_ms, timeout_ms)
        try:
            return len(self.heap) > 0 and super().wait_ms() <= 0
        finally:
            self.gate.release()


def present(atomic: Any) -> Any:
    """What an atomic variable holds now, seen from outside: no step of any thread."""
    return atomic.value if hasattr(atomic, "value") else atomic._value
