"""Purgatories on virtual time for tests: the one place that makes a purgatory and its operations.

``classes`` has ``Purgatory`` and ``DelayedOperation``: the module of the implementation, or one
with a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from impl import purgatory
from impl.system_timer import SystemTimer
from tests.impl.timers import RecordingWheel, build


class Held:
    """A purgatory with a real timer of ticks of ``tick_ms``, whose time a test lets pass.

    What is due runs in :meth:`run_due`, not inside an operation of the timer.
    """

    def __init__(self, classes: ModuleType = purgatory, interval: int = 0, tick_ms: int = 1):
        self.tick_ms = tick_ms
        self.timer = build(SystemTimer, RecordingWheel, tick_ms=tick_ms, wheel_size=4)
        self.purgatory = classes.Purgatory(self.timer, interval, 2)
        self.base = classes.DelayedOperation

    @property
    def now(self) -> int:
        return int(self.timer.clock.hi_res_clock_ms())

    def operation(self, delay_ms: int, **methods: Callable[..., Any]) -> Any:
        """An operation whose methods call these functions, without an argument."""
        bound = {
            name: lambda self, call=call: call()  # type: ignore[misc]
            for name, call in methods.items()
        }
        return type("Operation", (self.base,), bound)(delay_ms)

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
