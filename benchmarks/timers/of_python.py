"""Timers of Python's library."""

from __future__ import annotations

import asyncio
import sched
import threading
import time
from collections.abc import Callable
from typing import Any


class OfThreading:
    """``threading.Timer``: a thread for each action."""

    def add(self, delay_ms: int, action: Callable[[], object]) -> threading.Timer:
        timer = threading.Timer(delay_ms / 1000, action)
        timer.daemon = True
        timer.start()
        return timer

    def cancel(self, timer: threading.Timer) -> None:
        timer.cancel()


class OfSched:
    """``sched``, polled by a thread each millisecond, because it cannot be woken."""

    def __init__(self) -> None:
        self.scheduler = sched.scheduler(time.monotonic, time.sleep)
        threading.Thread(target=self._poll, name="poller", daemon=True).start()

    def _poll(self) -> None:
        while True:
            self.scheduler.run(blocking=False)
            time.sleep(0.001)

    def add(self, delay_ms: int, action: Callable[[], object]) -> sched.Event:
        return self.scheduler.enter(delay_ms / 1000, 0, action)

    def cancel(self, event: sched.Event) -> None:
        try:
            self.scheduler.cancel(event)
        except ValueError:  # it is documented: the event is not in the queue
            return

    def size(self) -> int:
        return len(self.scheduler.queue)


class Loop(asyncio.BaseEventLoop):
    """asyncio's loop over an event instead of sockets, which the time of an exploration can end."""

    def __init__(self) -> None:
        super().__init__()
        self._selector: Any = self
        self._woken = threading.Event()

    def select(self, timeout: float | None) -> list[Any]:
        self._woken.wait(timeout)
        self._woken.clear()
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        self._woken.set()

    def live(self) -> None:
        """Run for ever, without the hooks of ``run_forever``."""
        while True:
            self._run_once()  # type: ignore[attr-defined]


class OfAsyncio:
    """A loop in a thread of its own. A caller waits until the loop has served it."""

    def __init__(self) -> None:
        self.loop = Loop()
        threading.Thread(target=self.loop.live, name="loop", daemon=True).start()

    def add(self, delay_ms: int, action: Callable[[], object]) -> asyncio.TimerHandle:
        handle = self._in_loop(lambda: self.loop.call_later(delay_ms / 1000, action))
        assert isinstance(handle, asyncio.TimerHandle)
        return handle

    def cancel(self, handle: asyncio.TimerHandle) -> None:
        self._in_loop(handle.cancel)

    def _in_loop(self, call: Callable[[], Any]) -> Any:
        ready = threading.Event()
        result = []

        def calling() -> None:
            result.append(call())
            ready.set()

        self.loop.call_soon_threadsafe(calling)
        ready.wait()
        return result[0]
