"""How a scenario of PartedTimer runs on the implementation: as one of SystemTimer."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness import system_timer
from harness.conditions import owner
from impl import parted_timer

SUBJECT = ("impl.parted_timer",)
"""The modules whose steps are the mechanism's."""

STAND_INS = {"time": "harness.standard_time"}
"""Production's names from the standard library, and their stand-ins under control."""

ATOMIC = {
    "impl.timer_task_list": (),
    "impl.delay_queue": (),
    "impl.overflow_wheel": (),
    "impl.clock": (),
    "impl.task_executor": (),
    "impl.one_thread": (),
    "impl.timing_wheel": ("W1", "W2", "W3", "W4"),
    "impl.system_timer": ("A1", "A2", "A3", "A4", "K1", "K2", "B1"),
}
"""Modules whose operations are part of their caller's step, and the labels that stay steps."""

COMPOSED = {name: kept for name, kept in ATOMIC.items() if name != "impl.timer_task_list"}
"""The same for composed runs, in which every step of the lists is on."""

HALFWAY = system_timer.HALFWAY
"""Variables that are not compared in a composed run while a thread is inside an operation."""

WAITS = system_timer.WAITS
"""Steps that link or unlink an entry, and wait while a flush holds the bucket's monitor."""

UNREAD = {
    **{
        name: why
        for name, why in system_timer.UNREAD.items()
        if name != "TimerTaskList.monitor.depth"
    },
    "Atomic.value": "the key of a bucket that wake has queued: 0 until the bucket is taken out",
    "Monitor.": "that bucket's monitor, which no other thread takes",
}
"""Slots that change and are not compared, and why."""

waits = system_timer.waits


def shared(harness: system_timer.Harness) -> dict[str, tuple[Any, ...]]:
    """The model's shared variables. Bucket 0 stands for those of wake."""
    variables = system_timer.shared(harness)
    return {
        **variables,
        "content": ((), *variables["content"]),
        "key": (0, *variables["key"]),
        "expiring": (owner(harness.timer.expiring),),
    }


class Harness(system_timer.Harness):
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = parted_timer) -> None:
        """``impl`` has the implementation's classes; a mutant puts its own in their place."""
        super().__init__({**scenario, "timer": "PartedTimer"}, impl)
        self.timer.part_size = scenario["part"]

    def wake(self) -> None:
        self.timer.wake()  # update N1
