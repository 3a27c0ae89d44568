"""Purgatories on virtual time for tests: the one place that makes a purgatory and its operations.

``classes`` has ``DelayedOperationPurgatory`` and ``WatchedOperation``: the module of the
implementation, or one with a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from impl import purgatory
from impl.system_timer import SystemTimer
from impl.timer_task_list import TimerTask
from tests.impl.timers import RecordingWheel, build


class Timeout(TimerTask):
    """An operation's timer task."""

    def __init__(self, delay_ms: int) -> None:
        super().__init__(delay_ms)
        self.operation: Any = None

    def run(self) -> None:
        self.operation.run()


class Held:
    """A purgatory with a real timer of ticks of ``tick_ms``, whose time a test lets pass.

    What is due runs in :meth:`run_due`, not inside an operation of the timer.
    """

    def __init__(self, classes: ModuleType = purgatory, interval: int = 0, tick_ms: int = 1):
        self.tick_ms = tick_ms
        self.timer = build(SystemTimer, RecordingWheel, tick_ms=tick_ms, wheel_size=4)
        self.purgatory = classes.DelayedOperationPurgatory(
            self.timer, purge_interval=interval, shards=2
        )
        self.base = classes.WatchedOperation

    @property
    def now(self) -> int:
        return int(self.timer.clock.hi_res_clock_ms())

    def operation(self, delay_ms: int, **methods: Callable[..., Any]) -> Any:
        """An operation whose methods call these functions, without an argument."""
        bound = {
            name: lambda self, call=call: call()  # type: ignore[misc]
            for name, call in methods.items()
        }
        task = Timeout(delay_ms)
        operation = type("Operation", (self.base,), bound)(task)
        task.operation = operation
        return operation

    def leap(self, ms: int) -> None:
        """Time passes. What is due is run by :meth:`run_due`."""
        self.timer.clock.advance(ms)

    def hand_over(self) -> None:
        """Hand what is due to the executor."""
        while self.timer.advance_clock(0):
            pass

    def run_due(self) -> None:
        """Run what is due, and what that makes due."""
        executor = self.timer.executor.executor
        while self.timer.advance_clock(0) or executor.waiting:
            executor.drain()

    def lists(self) -> dict[Any, list[Any]]:
        """Each key that has a watcher list, with the operations in the list's order."""
        return {
            key: list(watchers.queue.operations.values())
            for shard in self.purgatory.shards
            for key, watchers in shard.watchers_by_key.items()
        }
