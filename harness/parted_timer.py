"""How a scenario of PartedTimer runs on the implementation: as one of SystemTimer."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness import system_timer
from impl import parted_timer

SUBJECT = ("impl.parted_timer",)
"""The modules whose steps are the mechanism's."""

STAND_INS = {"time": "harness.standard_time"}
"""What production takes from the standard library, and what stands in for it under control."""

NOT_RUN = {
    "impl.parted_timer: PartedTimer.__init__: ": (
        "a part size below 1 raises ValueError; tests/impl/test_parted_timer.py gives such sizes"
    ),
    (
        "impl.parted_timer: PartedTimer.flush_part: "
        "self.queue.poll_now() not in (bucket, None) is true"
    ): ("what wake() has queued comes first; tests/impl/test_parted_timer.py wakes in a flush"),
}
"""Branches that no scenario runs, and why."""

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

WAITS = system_timer.WAITS
"""Steps that link or unlink an entry, and wait while a flush holds the bucket's monitor."""

UNREAD = {
    name: why for name, why in system_timer.UNREAD.items() if name != "TimerTaskList.monitor.depth"
}
"""Slots that change and are not compared, and why."""

waits = system_timer.waits
shared = system_timer.shared


class Harness(system_timer.Harness):
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = parted_timer) -> None:
        """``impl`` has the implementation's classes; a mutant puts its own in their place."""
        super().__init__({**scenario, "timer": "PartedTimer"}, impl)
        self.timer.part_size = scenario["part"]
