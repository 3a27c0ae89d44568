"""Random priorities that change at few random points.

S. Burckhardt, P. Kothari, M. Musuvathi, S. Nagarakatte: A Randomized Scheduler with Probabilistic
Guarantees of Finding Bugs, ASPLOS 2010. Departure: the number of operations is not given; it is
learned from earlier runs.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from wheelproof.plain.schedulers.base import Scheduler, members

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.operations import Thread


class PCT(Scheduler):
    """The thread of the highest priority runs; at ``depth - 1`` points it becomes the lowest."""

    def __init__(self, draw: random.Random, depth: int = 3, length: int = 60) -> None:
        self._draw, self._depth, self._length = draw, depth, length

    def begin(self, execution: Execution) -> None:
        self._priorities: dict[int, float] = {}
        self._lowest = 0.0
        length = max(1, self._length)
        self._changes = {self._draw.randrange(length) for _ in range(self._depth - 1)}

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        if execution.depth in self._changes:
            self._lowest -= 1
            self._priorities[thread.number] = self._lowest
        for number in members(enabled):
            if number not in self._priorities:
                self._priorities[number] = self._draw.random()
        return max(members(enabled), key=self._priorities.__getitem__)

    def finish(self, execution: Execution) -> None:
        self._length = max(self._length // 2, execution.depth)
