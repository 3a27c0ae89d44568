"""Source-DPOR: one run for each order of the operations that matter.

P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas: Source Sets: A Foundation for Optimal Dynamic Partial
Order Reduction, J. ACM 64(4), 2017. Sleep sets: P. Godefroid, 1996. Departures: attempts to acquire
that fail are reads of the lock, those that succeed are writes; an acquisition is reversed with the
one that held it up, also where it never comes to be performed because the run is stuck.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wheelproof.plain.happens_before import STAMP
from wheelproof.plain.operations import ACQUIRE, Ending
from wheelproof.plain.schedulers.base import (
    BLOCKED,
    DIFFERENT,
    Backtracking,
    lowest,
    members,
)

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.happens_before import Clock, Location
    from wheelproof.plain.operations import Thread


class _Node:
    """A state of the present run, with the operation that was performed in it."""

    __slots__ = (
        "accesses",
        "asleep",
        "asleep_after",
        "backtrack",
        "clock",
        "done",
        "enabled",
        "kind",
        "number",
        "site",
    )

    def __init__(self, number: int, enabled: int, asleep: int, accesses: int) -> None:
        self.number, self.enabled, self.asleep = number, enabled, asleep
        self.accesses = accesses
        self.backtrack, self.done, self.asleep_after = 1 << number, 0, 0
        self.clock: Clock = []
        self.kind = -1
        self.site: object = None


class SourceDPOR(Backtracking):
    """All runs up to exchanges of independent operations."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[_Node] = []

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        depth, stack = execution.depth, self.stack
        if depth < len(stack):
            node = stack[depth]
            number = node.number
            if self.differs(execution, node, enabled):
                return DIFFERENT
            return number
        asleep = stack[depth - 1].asleep_after if depth else 0
        awake = enabled & ~asleep
        if not awake:
            self.redundant += 1
            return BLOCKED
        number = thread.number if awake >> thread.number & 1 else lowest(awake)
        stack.append(_Node(number, enabled, asleep, execution.progress))
        return number

    def performed(
        self,
        execution: Execution,
        thread: Thread,
        index: int,
        location: Location | None,
        conflicts: list[int],
        writes: bool,
    ) -> None:
        node = self.stack[index]
        if index < self._repeated:
            return
        node.kind, node.site = thread.kind, thread.site
        node.clock = clock = thread.clock[:]
        for earlier in conflicts:
            self._reverse(earlier, index, thread.number, clock)
        asleep = (node.asleep | node.done) & ~(1 << thread.number)
        if asleep:
            after, threads = 0, execution.threads
            for number in members(asleep):
                sleeper = threads[number]
                if (
                    location is None
                    or sleeper.target is not location
                    or not (writes or execution.writes(sleeper))
                ):
                    after |= 1 << number
            node.asleep_after = after
        else:
            node.asleep_after = 0

    def _reverse(self, earlier: int, index: int, number: int, clock: Clock) -> None:
        """Have some run perform operation ``index`` of a thread before an earlier operation."""
        stack = self.stack
        node = stack[earlier]
        first, stamp = node.number, (earlier + 1) * STAMP
        passed_bits = initials = 0
        between: list[tuple[int, int]] = []  # not after the earlier operation: thread, stamp
        for position in range(earlier + 1, index):
            later = stack[position]
            after = later.clock
            if after[first] >= stamp:
                continue
            bit = 1 << later.number
            if not passed_bits & bit:
                passed_bits |= bit
                if not any(after[owner] >= when for owner, when in between):
                    initials |= bit
            between.append((later.number, (position + 1) * STAMP))
        if not passed_bits >> number & 1 and not any(
            clock[owner] >= when for owner, when in between
        ):
            initials |= 1 << number
        if initials & (node.backtrack | node.asleep):
            return
        possible = initials & node.enabled
        if not possible:
            node.backtrack |= node.enabled
        elif possible >> number & 1:
            node.backtrack |= 1 << number
        else:
            node.backtrack |= possible & -possible

    def finish(self, execution: Execution) -> None:
        if execution.ending is not Ending.DIFFERENT:
            for thread in execution.threads:
                if not thread.done and thread.kind == ACQUIRE:
                    for earlier in execution.conflicts(thread, True):
                        self._reverse(earlier, len(self.stack), thread.number, thread.clock)
        stack = self.stack
        while stack:
            node = stack[-1]
            node.done |= 1 << node.number
            remaining = node.backtrack & ~node.done & ~node.asleep
            if remaining:
                node.number = lowest(remaining)
                self._repeated = len(stack) - 1
                return
            stack.pop()
        self.over = True
