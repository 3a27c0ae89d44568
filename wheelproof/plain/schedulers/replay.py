"""Runs that are given: a list of threads, or a schedule in terms of places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wheelproof.plain.schedulers.base import DIFFERENT, Scheduler, lowest

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
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
