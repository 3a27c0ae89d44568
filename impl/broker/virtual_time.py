"""A timer in virtual time: it fires when the program lets time pass, and nothing sleeps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from impl.clock import VirtualClock
from impl.system_timer import SystemTimer


class Later(Executor):
    """An executor that keeps calls until ``run`` makes them.

    A timer hands tasks over with its lock held, and what they do may enter the timer again.
    """

    def __init__(self) -> None:
        self.calls: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()

    def submit(  # type: ignore[override]  # the timer reads no future
        self, call: Callable[..., Any], /, *arguments: Any
    ) -> Future[Any]:
        self.calls.append((call, arguments))
        return Future()

    def run(self) -> None:
        """Make the calls, with those that they bring."""
        while self.calls:
            call, arguments = self.calls.popleft()
            call(*arguments)


class VirtualTime:
    """A clock, and a timer that follows it. ``timer``: for any number of purgatories."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.executor = Later()
        self.timer = SystemTimer(self.executor, clock=self.clock)

    def now_ms(self) -> int:
        return self.clock.hi_res_clock_ms()

    def advance(self, ms: int) -> None:
        """Let ``ms`` >= 0 milliseconds pass, one by one: what is due runs at its own time."""
        self._expire()
        for _ in range(ms):
            self.clock.advance(1)
            self._expire()

    def _expire(self) -> None:
        self.executor.run()
        while self.timer.advance_clock(0):
            self.executor.run()
