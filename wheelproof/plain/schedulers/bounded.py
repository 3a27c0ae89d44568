"""All runs with at most a number of preemptions, depth first.

M. Musuvathi, S. Qadeer: Iterative Context Bounding for Systematic Testing of Multithreaded
Programs, PLDI 2007. Departures: only the visible operations are scheduling points, which loses no
run, as what lies between them is ordered; with ``gil`` a preemption needs a place where an
interpreter with a global lock switches threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelproof.plain.schedulers.base import DIFFERENT, Scheduler, members

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.operations import Thread


class Bounded(Scheduler):
    """Every run with at most ``bound`` preemptions; None: every run.

    ``gil``: only preemptions that a global interpreter lock allows. ``refused``: the bound has kept
    a run away.
    """

    exhaustive = True

    def __init__(self, bound: int | None = None, gil: bool = False) -> None:
        self.bound, self.gil = bound, gil
        self.over = self.refused = False
        self._stack: list[tuple[int, list[int], int, int]] = []

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        depth = execution.depth
        if depth < len(self._stack):
            number, _, seen, accesses = self._stack[depth]
            if seen != enabled or (accesses != execution.accesses and accesses >= 0):
                return DIFFERENT
            return number
        mine = 1 << thread.number
        if not enabled & mine:
            choices = list(members(enabled))
        else:
            choices = [thread.number]
            others = enabled & ~mine
            if others and not (self.gil and thread.site and not thread.site.gil_switch):
                if self.bound is None or execution.preemptions < self.bound:
                    choices.extend(members(others))
                else:
                    self.refused = True
        self._stack.append((choices[0], choices[1:], enabled, execution.accesses))
        return choices[0]

    def finish(self, execution: Execution) -> None:
        stack = self._stack
        while stack and not stack[-1][1]:
            stack.pop()
        if not stack:
            self.over = True
            return
        _, remaining, enabled, accesses = stack.pop()
        stack.append((remaining[0], remaining[1:], enabled, accesses))
