"""Random priorities of operations.

X. Yuan, J. Yang, R. Gu: Partial Order Aware Concurrency Sampling, CAV 2018. After each operation,
those that it conflicts with get a new priority.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from wheelproof.plain.schedulers.base import Scheduler, members

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.operations import Thread


class POS(Scheduler):
    """The pending operation of the highest priority is performed."""

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw

    def begin(self, execution: Execution) -> None:
        self._priorities: dict[int, float] = {}

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        priorities = self._priorities
        for number in members(enabled):
            if number not in priorities:
                priorities[number] = self._draw.random()
        winner = max(members(enabled), key=priorities.__getitem__)
        del priorities[winner]
        operation = execution.threads[winner]
        writes = execution.writes(operation)
        for number in members(enabled & ~(1 << winner)):
            peer = execution.threads[number]
            if peer.target is operation.target and (writes or execution.writes(peer)):
                del priorities[number]
        return winner
