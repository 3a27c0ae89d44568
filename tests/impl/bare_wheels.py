"""Bare wheels on virtual time, and the places of entries in them."""

from __future__ import annotations

from impl.clock import VirtualClock
from impl.delay_queue import DelayQueue
from impl.runtime import Atomic
from impl.timer_task_list import TimerTask, TimerTaskEntry
from impl.timing_wheel import TimingWheel
from tests.impl.timing import place


def bare(wheel: type[TimingWheel], tick_ms: int, wheel_size: int, start_ms: int = 0) -> TimingWheel:
    return wheel(
        tick_ms, wheel_size, start_ms, Atomic(0), DelayQueue(), VirtualClock(max(start_ms, 0))
    )


def entered(wheel: TimingWheel, deadline: int) -> TimerTaskEntry:
    """An entry that the wheel has been given; whether it took it is for ``place`` to say."""
    entry = TimerTaskEntry(TimerTask(0), deadline)
    wheel.add(entry)
    return entry


def places(wheel: TimingWheel, *deadlines: int) -> list[tuple[int, int, int] | None]:
    return [place(wheel, entered(wheel, deadline)) for deadline in deadlines]
