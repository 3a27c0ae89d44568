"""SystemTimer in the place of the abstract timer: the same operations, each with its own steps.

In a composed run every step of the timer, the wheel and the lists is on. The labels here are those
of the thread that lets time pass; they are part of the step that takes a task out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.abstract_timer import POLL_MS
from harness.outside import present
from impl.clock import VirtualClock
from impl.delay_queue import FOREVER_MS, DelayQueue
from impl.runtime import Atomic, Gate
from impl.system_timer import SystemTimer
from impl.task_executor import TaskExecutor
from impl.timer_task_list import TimerTask


class Due(TimerTask):
    """The real task behind a scenario's. ``queue``: the timer's, with a bucket for each deadline.

    ``entering``: a thread may still add it.
    """

    __slots__ = ("entering", "queue")

    def __init__(self, delay_ms: int, queue: DelayQueue[Any]) -> None:
        super().__init__(delay_ms)
        self.entering, self.queue = True, queue

    def run(self) -> None:
        pass

    def waits(self) -> bool:
        """Whether the task is in a list of the wheel."""
        entry = self.timer_task_entry  # read G6
        if entry is None:
            return False
        bucket = entry.list  # read G7
        return bucket is not None

    def over(self) -> bool:
        """The task is in no list, and will be in none."""
        return not self.entering and not self.waits()

    def wait_ms(self) -> float:
        return 0 if self.queue.heap or self.over() else FOREVER_MS


class Hand(TaskExecutor):
    """Keeps the entries that it is handed."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: Any = Atomic(())

    def submit(self, entry: Any) -> None:
        self.entries.add_and_get((entry,))

    def has(self, task: Due) -> bool:
        """Whether a task was handed over."""
        tasks = [entry.timer_task for entry in present(self.entries)]
        return task in tasks


class Timer:
    """A scenario's timer. The task of number n, from 1, is due n milliseconds after the start.

    The clock moves only when a thread takes a task out: an add reads 0.
    """

    __slots__ = ("gate", "clock", "queue", "hand", "timer", "tasks")

    def __init__(self, tasks: Sequence[Any]) -> None:
        self.gate, self.clock = Gate(), VirtualClock()
        self.queue: DelayQueue[Any] = DelayQueue()
        self.hand = Hand()
        self.timer = SystemTimer(self.hand, 1, len(tasks) + 1, 0, self.clock, self.queue)
        self.tasks = tuple(tasks)
        for delay_ms, task in enumerate(tasks, 1):
            task.due = Due(delay_ms, self.queue)

    def has(self, task: Any) -> bool:
        """Whether the timer has a task."""
        return bool(task.due.waits())

    def enters(self, task: Any) -> bool:
        """Whether a thread may still add a task."""
        return bool(task.due.entering)

    def add(self, task: Any) -> None:
        self.timer.add(task.due)

    def cancel(self, task: Any) -> None:
        task.due.cancel()

    def entered(self, task: Any) -> None:
        """No thread will add the task any more."""
        with self.gate:  # lock G1, unlock G2
            task.due.entering = False

    def size(self) -> int:
        return self.timer.size()

    def take(self, task: Any) -> bool:
        """Let time pass to a task's deadline; False if the task is not handed over by then."""
        due = task.due
        while True:
            self.gate.acquire_when(due.wait_ms, POLL_MS)  # lock G3
            try:
                over = due.over()
            finally:
                self.gate.release()  # unlock G4
            if over:
                return False
            left_ms = due.delay_ms - present(self.clock.time_ms)
            if left_ms > 0:
                self.clock.advance(left_ms)  # update G5
            came = self.timer.advance_clock(0)
            if came and self.hand.has(due):
                return True
