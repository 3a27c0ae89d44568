"""This project's timers, with their reaper, and its purgatory as a timer."""

from __future__ import annotations

from collections.abc import Callable

from impl.delayed_operation import DelayedOperation
from impl.delayed_operation_purgatory import DelayedOperationPurgatory
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


class Operation(DelayedOperation):
    """Waits for its cancellation. Its action is called where its time is up before."""

    __slots__ = ("action", "cancelled")

    def __init__(self, delay_ms: int, action: Callable[[], object]) -> None:
        super().__init__(delay_ms)
        self.action, self.cancelled = action, False

    def try_complete(self) -> bool:
        return self.cancelled and self.force_complete()

    def on_complete(self) -> None:
        """Nothing waits for it."""

    def on_expiration(self) -> None:
        self.action()


class OfPurgatory:
    """The purgatory: its deadlines are those of a timer, and a cancellation is an event."""

    KEY = "key"

    def __init__(self) -> None:
        self.purgatory = DelayedOperationPurgatory("timer", shards=1)

    def add(self, delay_ms: int, action: Callable[[], object]) -> Operation:
        operation = Operation(delay_ms, action)
        self.purgatory.try_complete_else_watch(operation, [self.KEY])
        return operation

    def cancel(self, operation: Operation) -> None:
        operation.cancelled = True
        self.purgatory.check_and_complete(self.KEY)

    def size(self) -> int:
        return self.purgatory.num_delayed()
