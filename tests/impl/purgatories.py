"""Purgatories on virtual time for tests: the one place that makes a purgatory and its operations.

``classes``: the module ``impl.delayed_operation_purgatory``, or the same one with a fault.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from impl import delayed_operation_purgatory
from impl.clock import VirtualClock
from impl.one_thread import OneThread


class ByHand(OneThread):
    """The thread of a timer, whose calls a test runs in its own one."""

    __slots__ = ()

    def start(self) -> None:
        """Start none."""

    def shutdown(self, wait: bool = True) -> None:
        super().shutdown(wait)
        if wait:
            self.drain()

    def drain(self) -> None:
        """Run the calls that wait, and those that they give."""
        while self.calls:
            function, arguments = self.calls.popleft()
            function(*arguments)


class Held:
    """A purgatory with a real timer of ticks of ``tick_ms``, whose time a test lets pass.

    What is due runs in :meth:`run_due`, not inside an operation of the timer.
    """

    def __init__(
        self, classes: ModuleType = delayed_operation_purgatory, interval: int = 0, tick_ms: int = 1
    ):
        self.tick_ms = tick_ms
        self.timer = classes.SystemTimer(None, tick_ms, 4, 0, VirtualClock(0))
        self.thread = self.timer.executor.executor = ByHand("timer", lambda: None)
        self.purgatory = classes.DelayedOperationPurgatory(
            "held", self.timer, interval, reaper_enabled=False, shards=2
        )
        self.base = classes.DelayedOperation

    @property
    def now(self) -> int:
        return int(self.timer.clock.hi_res_clock_ms())

    def at_once(self, delay_ms: int) -> bool:
        """Whether the timer hands an operation with this delay over without letting it wait."""
        return bool(self.now + delay_ms < self.timer.wheel.current_time + self.tick_ms)

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
        while self.timer.advance_clock(0) or self.thread.calls:
            self.thread.drain()

    def lists(self) -> dict[Any, list[Any]]:
        """Each key that has a watcher list, with the operations in the list's order."""
        return {
            key: list(shard.watchers_by_key.lists[place].queue.operations.values())
            for shard in self.purgatory.shards
            for key, place in shard.watchers_by_key.places.items()
        }
