"""A timer that may run any task that it has, at once. Each operation on it is one step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from impl.runtime import Gate

POLL_MS = 1
"""How long a thread waits for a task at a time where time is real."""


class Timer:
    """The gate of all tasks. A task is ``armed`` while the timer has it.

    It is ``entering`` while a thread may still add it.
    """

    __slots__ = ("gate", "tasks")

    def __init__(self, tasks: Sequence[Any]) -> None:
        self.gate = Gate()
        self.tasks = tuple(tasks)

    def has(self, task: Any) -> bool:
        """Whether the timer has a task."""
        return bool(task.armed)

    def enters(self, task: Any) -> bool:
        """Whether a thread may still add a task."""
        return bool(task.entering)

    def add(self, task: Any) -> None:
        with self.gate:
            task.armed = True
            self.gate.notify()

    def cancel(self, task: Any) -> None:
        with self.gate:
            task.armed = False

    def entered(self, task: Any) -> None:
        """No thread will add the task any more."""
        with self.gate:
            task.entering = False
            self.gate.notify()

    def size(self) -> int:
        with self.gate:
            return len([task for task in self.tasks if task.armed])

    def take(self, task: Any) -> bool:
        """Take a task out, waiting for it; False if it is not there and will not come.

        To take it and to see that it will not come is one moment.
        """
        while True:
            self.gate.acquire_when(task.wait_ms, POLL_MS)
            try:
                taken, over = task.armed, not task.entering
                task.armed = False
            finally:
                self.gate.release()
            if taken or over:
                return bool(taken)
