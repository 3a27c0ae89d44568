"""Runs that are given: a list of threads, or a schedule in terms of places."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING

from wheelproof.plain.answers import Schedule
from wheelproof.plain.operations import END
from wheelproof.plain.schedulers.base import DIFFERENT, Scheduler, lowest

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.happens_before import Location
    from wheelproof.plain.operations import Thread


class Repeat(Scheduler):
    """The threads in this order; afterwards the running thread goes on."""

    def __init__(self, order: Sequence[int]) -> None:
        self._order = order

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        depth = execution.depth
        if depth < len(self._order):
            number = self._order[depth]
            return number if enabled >> number & 1 else DIFFERENT
        return thread.number if enabled >> thread.number & 1 else lowest(enabled)


class Follow(Scheduler):
    """The switches of a schedule, which name threads and places.

    ``place`` gives the key of the place of a frame. ``possible``: so far the run has come to every
    switch. ``followed`` counts the switches that were made.
    """

    def __init__(self, schedule: Schedule, place: Callable[[FrameType | None], str]) -> None:
        self._switches, self._place = schedule.switches, place
        self.followed, self.possible = 0, True
        self._visits: Counter[tuple[str, str]] = Counter()
        self._keys: dict[int, str] = {}

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        key = ""
        if not thread.done and thread.kind != END:
            frame = thread.greenlet.gr_frame or sys._getframe(2)
            key = thread.site.key if thread.site else self._place(frame)
        self._keys[thread.number] = key
        if self.followed < len(self._switches):
            switch = self._switches[self.followed]
            able = enabled >> thread.number & 1
            here = switch.thread == thread.name and (
                (switch.place == key and self._visits[thread.name, key] + 1 == switch.visit)
                or (not switch.place and (not able or thread.kind == END))
            )
            if here:
                for number, peer in enumerate(execution.threads):
                    if peer.name == switch.following and enabled >> number & 1:
                        self.followed += 1
                        return number
                self.possible = False
                return DIFFERENT
            if not able:
                self.possible = False
                return DIFFERENT
            return thread.number
        return thread.number if enabled >> thread.number & 1 else lowest(enabled)

    def performed(
        self,
        execution: Execution,
        thread: Thread,
        index: int,
        location: Location | None,
        conflicts: list[int],
        writes: bool,
    ) -> None:
        key = thread.site.key if thread.site else self._keys.get(thread.number)
        if key is None:  # its first operation
            key = self._place(sys._getframe(3))
        self._visits[thread.name, key] += 1

    def finish(self, execution: Execution) -> None:
        self.possible = self.possible and self.followed == len(self._switches)
