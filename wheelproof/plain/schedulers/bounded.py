"""All runs with at most a number of preemptions, depth first, each state once.

M. Musuvathi, S. Qadeer: Iterative Context Bounding for Systematic Testing of Multithreaded
Programs, PLDI 2007. A state is known by the partial order of the operations before it: M.
Musuvathi, S. Qadeer: Partial-Order Reduction for Context-Bounded State Exploration, MSR-TR-2007-12.
Departures: only the visible operations are scheduling points, which loses no run, as the accesses
between them are ordered; with ``gil`` a preemption needs a place where an interpreter with a global
lock switches threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelproof.plain.operations import JOIN
from wheelproof.plain.schedulers.base import BLOCKED, DIFFERENT, Scheduler, members

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.happens_before import Location
    from wheelproof.plain.operations import Thread


class Bounded(Scheduler):
    """Every run with at most ``bound`` preemptions; None: every run.

    ``gil``: only preemptions that a global interpreter lock allows. ``refused``: the bound has kept
    a run away. A run ends where another one came with as few preemptions to the same state, and to
    the same running thread; without ``remembers`` each is made.
    """

    exhaustive = True
    remembers = True

    def __init__(self, bound: int | None = None, gil: bool = False) -> None:
        self.bound, self.gil = bound, gil
        self.over = self.refused = False
        self._stack: list[tuple[int, list[int], int, int]] = []
        self._fewest: dict[int, int] = {}

    def begin(self, execution: Execution) -> None:
        self._threads: dict[int, int] = {}
        self._writes: dict[Location, int] = {}
        self._reads: dict[Location, int] = {}

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        depth = execution.depth
        if depth < len(self._stack):
            number, _, enabled_before, accesses = self._stack[depth]
            if enabled_before != enabled or (accesses != execution.progress and accesses >= 0):
                return DIFFERENT
            return number
        own_bit = 1 << thread.number
        if self.remembers and self._is_known(execution, thread.number if enabled & own_bit else -1):
            return BLOCKED
        if not enabled & own_bit:
            choices = list(members(enabled))
        else:
            choices = [thread.number]
            rest = enabled & ~own_bit
            if rest and self.may_preempt(thread):
                if self.bound is None or execution.preemptions < self.bound:
                    choices.extend(members(rest))
                else:
                    self.refused = True
        self._stack.append((choices[0], choices[1:], enabled, execution.progress))
        return choices[0]

    def may_preempt(self, thread: Thread) -> bool:
        """Whether a thread that could go on may be preempted where it stands."""
        return thread.switchable or not self.gil

    def _is_known(self, execution: Execution, running: int) -> bool:
        """Whether all runs from here have been, or will be, made from an equal state."""
        states = self._threads
        state = hash((running, *(states.get(t.number, t.origin) for t in execution.threads)))
        preemptions = 0 if self.bound is None else execution.preemptions
        fewest = self._fewest.get(state)
        if fewest is not None and fewest <= preemptions:
            return True
        self._fewest[state] = preemptions
        return False

    def performed(
        self,
        execution: Execution,
        thread: Thread,
        index: int,
        location: Location | None,
        conflicts: list[int],
        writes: bool,
    ) -> None:
        """Identify the operation with those that it depends on, in their order."""
        number = thread.number
        before = self._threads.get(number, thread.origin)
        if location is None:
            target_thread = thread.target.owner if thread.kind == JOIN else None
            after = (
                0
                if target_thread is None
                else self._threads.get(target_thread.number, target_thread.origin)
            )
        else:
            after = self._writes.get(location, 0)
        if location is not None and writes:
            after = hash((after, self._reads.pop(location, 0)))
        event = hash((number, thread.kind, writes, before, after))
        self._threads[number] = event
        if location is not None:
            if writes:
                self._writes[location] = event
            else:
                self._reads[location] = self._reads.get(location, 0) ^ hash((event, 1))

    def finish(self, execution: Execution) -> None:
        stack = self._stack
        while stack and not stack[-1][1]:
            stack.pop()
        if not stack:
            self.over = True
            return
        _, remaining, enabled, accesses = stack.pop()
        stack.append((remaining[0], remaining[1:], enabled, accesses))
