"""All runs by their preemptions: those without one, then those with one, and so on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelproof.plain.operations import Ending
from wheelproof.plain.schedulers.base import Scheduler
from wheelproof.plain.schedulers.bounded import Bounded

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.happens_before import Location
    from wheelproof.plain.operations import Thread


class Deepening(Scheduler):
    """Every run with at most ``limit`` preemptions, those with fewer first; None: every run.

    ``refused``: runs with more preemptions are left out. ``complete``: up to so many preemptions
    all runs have been made, to their ends; -1 at first.
    """

    exhaustive = True

    def __init__(self, limit: int | None = None) -> None:
        self._most = limit
        self._level, self._bound = Bounded(0), 0
        self.over = self.refused = self._cut = False
        self.complete = -1

    def begin(self, execution: Execution) -> None:
        self._level.begin(execution)

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        return self._level.choose(execution, thread, enabled)

    def performed(
        self,
        execution: Execution,
        thread: Thread,
        index: int,
        location: Location | None,
        conflicts: list[int],
        writes: bool,
    ) -> None:
        self._level.performed(execution, thread, index, location, conflicts, writes)

    def finish(self, execution: Execution) -> None:
        self._level.finish(execution)
        self._cut = self._cut or execution.ending is Ending.CUT
        if not self._level.over:
            return
        self.refused = self._level.refused
        if not self._cut:
            self.complete = self._bound
        self.over = not self.refused or self._bound == self._most
        if not self.over:
            self._bound += 1
            self._level = Bounded(self._bound)
