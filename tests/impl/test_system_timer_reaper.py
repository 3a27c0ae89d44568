"""SystemTimerReaper in production: its thread's name and kind, and what it asks of its timer."""

from __future__ import annotations

import time

import pytest

from impl.system_timer_reaper import POLL_MS, SystemTimerReaper

KAFKAS_MS = 200
"""How long Kafka's reaper waits at a time, in milliseconds."""


class Timer:
    """Notes its calls, the times to wait and whether its reaper lived when it closed."""

    def __init__(self) -> None:
        self.waits: set[int] = set()
        self.closed: list[bool] = []
        self.reaper: SystemTimerReaper | None = None

    def advance_clock(self, timeout_ms: int) -> bool:
        self.waits.add(timeout_ms)
        time.sleep(0.001)
        return False

    def close(self) -> None:
        self.closed.append(self.reaper.thread.is_alive())


@pytest.mark.parametrize(("arguments", "name"), [((), "reaper"), (("expirations",), "expirations")])
def test_its_thread_has_the_name_and_keeps_no_process_from_ending(arguments, name):
    timer = Timer()
    reaper = timer.reaper = SystemTimerReaper(timer, *arguments)
    assert (reaper.thread.name, reaper.thread.daemon) == (name, True)
    while not timer.waits:
        time.sleep(0.001)
    reaper.close()
    assert timer.waits == {KAFKAS_MS} == {POLL_MS} and timer.closed == [False]
