"""OverflowWheel with one decision taken away at a time; see ``mutants/timer_task_list.py`` for the rules.

A field that a class marks anew, as plain, hides the volatile one of its base.
"""
from __future__ import annotations

from typing import Self

from impl import overflow_wheel as wheels
from impl import timer_task_list as lists
from impl.runtime import Plain


class PlainWheel:
    """overflow_wheel is no volatile field: the reference may come to memory before the wheel does."""

    switch = "WheelVolatile"

    class Overflowing(wheels.Overflowing):
        __slots__ = ("overflow_wheel",)

        overflow_wheel: Plain[Self | None]


class M16:
    """Under the monitor nobody looks whether the wheel has been made meanwhile."""

    switch = "LooksAgain"

    class Overflowing(wheels.Overflowing):
        __slots__ = ()

        def parent(self):
            if self.overflow_wheel is None:  # read O1
                with self.monitor:  # lock O2, unlock O5
                    self.overflow_wheel  # read O3
                    wheel = self.new_parent()
                    self.overflow_wheel = wheel  # write O4
            return self.overflow_wheel  # read O6


class KeepsMonitor:
    """Who comes too late leaves with the monitor."""

    switch = "GivesBack"

    class Overflowing(wheels.Overflowing):
        __slots__ = ()

        def parent(self):
            if self.overflow_wheel is None:  # read O1
                self.monitor.acquire()  # lock O2
                if self.overflow_wheel is None:  # read O3
                    wheel = self.new_parent()
                    self.overflow_wheel = wheel  # write O4
                    self.monitor.release()  # unlock O5
            return self.overflow_wheel  # read O6


class M6:
    """list is no volatile field: remove may read one that has long been replaced."""

    switch = "ListVolatile"

    class TimerTaskEntry(lists.TimerTaskEntry):
        __slots__ = ("list",)

        list: Plain[lists.TimerTaskList | None]


class M7:
    """timer_task_entry is no volatile field: a check may read one that cancel has replaced."""

    switch = "PointerVolatile"

    class TimerTask(lists.TimerTask):
        __slots__ = ("timer_task_entry",)

        timer_task_entry: Plain[lists.TimerTaskEntry | None]
