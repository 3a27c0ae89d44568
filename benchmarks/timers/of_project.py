"""This project's timers, with their reaper."""

from __future__ import annotations

from collections.abc import Callable

from impl.parted_timer import PartedTimer
from impl.system_timer import KafkaTimer, SystemTimer
from impl.system_timer_reaper import SystemTimerReaper
from impl.timer_task_list import TimerTask


class Task(TimerTask):
    """Calls an action."""

    __slots__ = ("action",)

    def __init__(self, delay_ms: int, action: Callable[[], object]) -> None:
        super().__init__(delay_ms)
        self.action = action

    def run(self) -> None:
        self.action()


class OfSystemTimer:
    """``SystemTimer``, which a reaper drives."""

    kind = SystemTimer

    def __init__(self) -> None:
        self.timer = self.kind()
        self.reaper = SystemTimerReaper("reaper", self.timer)

    def add(self, delay_ms: int, action: Callable[[], object]) -> Task:
        task = Task(delay_ms, action)
        self.reaper.add(task)
        return task

    def cancel(self, task: Task) -> None:
        task.cancel()

    def size(self) -> int:
        return self.timer.size()


class OfPartedTimer(OfSystemTimer):
    """``PartedTimer``, the same way."""

    kind = PartedTimer


class OfKafkaTimer(OfSystemTimer):
    """``KafkaTimer``, with Kafka's order of steps."""

    kind = KafkaTimer
