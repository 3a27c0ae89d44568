"""Optimal DPOR: one run for each order of the operations that matter, and few in vain.

P. Abdulla, S. Aronis, B. Jonsson, K. Sagonas: Source Sets: A Foundation for Optimal Dynamic Partial
Order Reduction, J. ACM 64(4), 2017, section 6: wakeup trees. Departures: those of
source-DPOR; a thread's next operation is taken from the present run, and counts as dependent where
that run does not show it. So there are a few runs in vain, and where threads wait for locks. And a
leaf of a wakeup tree may be a sequence that a finished branch covers in part. Its subtree then
lacks sequences that begin with it, since the thread of the finished branch sleeps there. So a
sequence is added below the leaf with which it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from wheelproof.plain.happens_before import STAMP
from wheelproof.plain.operations import ACQUIRE, END, JOIN, RELEASE, SLEEP, WRITE, Ending
from wheelproof.plain.schedulers.base import BLOCKED, DIFFERENT, Backtracking, lowest, members

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.happens_before import Clock, Location
    from wheelproof.plain.operations import Thread


SILENT = frozenset({WRITE, ACQUIRE, RELEASE, END, SLEEP, JOIN})
"""Kinds of operations that return nothing to their thread."""


class Branch:
    """A thread that is to run next, and those to follow: none where that is open."""

    __slots__ = ("branches", "number")

    def __init__(self, number: int) -> None:
        self.number = number
        self.branches: list[Branch] = []


class Pending(NamedTuple):
    """An operation that a thread stands in front of."""

    location: Location | None
    writes: bool


class Event(NamedTuple):
    """An operation of a run.

    ``clock``: that of its thread, right after it. ``tells``: the thread learns something by it.
    ``reversed``: it is to come before a race, and has the clock of its thread before it.
    """

    number: int
    stamp: int
    clock: Clock
    pending: Pending
    tells: bool
    reversed: bool = False

    def follows(self, earlier: Event) -> bool:
        """Whether it depends on an earlier one, perhaps by others between them."""
        return self.clock[earlier.number] >= earlier.stamp

    def depends(self, pending: Pending) -> bool:
        """Whether an operation of another thread cannot be exchanged with it."""
        location, writes = self.pending
        return location is not None and location is pending.location and (writes or pending.writes)


class _Node:
    """A state of the present run, with the operation that was performed in it.

    ``branches``: the wakeup tree, without the present one, whose rest is ``rest``. ``pending``: the
    operations that threads stand in front of in the present run. ``clock``: the chosen thread's,
    before its operation.
    """

    __slots__ = (
        "accesses",
        "asleep",
        "asleep_after",
        "branches",
        "clock",
        "done",
        "enabled",
        "event",
        "kind",
        "number",
        "pending",
        "rest",
        "site",
    )

    def __init__(self, enabled: int, asleep: int, accesses: int, branches: list[Branch]) -> None:
        self.enabled, self.asleep, self.accesses = enabled, asleep, accesses
        self.branches = branches
        self.rest: list[Branch] = []
        self.number, self.done, self.asleep_after = -1, 0, 0
        self.pending: dict[int, Pending] = {}
        self.event: Event | None = None
        self.clock: Clock = []
        self.kind = -1
        self.site: object = None

    def advance(self) -> bool:
        """Turn to the next branch; False if there is none."""
        while self.branches:
            branch = self.branches.pop(0)
            if not (self.asleep | self.done) >> branch.number & 1:
                self.number, self.rest = branch.number, branch.branches
                return True
        return False


class OptimalDPOR(Backtracking):
    """All runs up to exchanges of independent operations, each once."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[_Node] = []
        self._races: list[tuple[int, int]] = []

    def begin(self, execution: Execution) -> None:
        self._races = []

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        depth, stack = execution.depth, self.stack
        if depth < len(stack):
            node = stack[depth]
            number = node.number
            if self.differs(execution, node, enabled):
                return DIFFERENT
            node.pending, node.clock = _pending(execution), execution.threads[number].clock[:]
            return number
        asleep = stack[-1].asleep_after if depth else 0
        awake = enabled & ~asleep
        if not awake:
            self.redundant += 1
            return BLOCKED
        node = _Node(enabled, asleep, execution.progress, stack[-1].rest if depth else [])
        node.pending = _pending(execution)
        has_plan = bool(node.branches)
        if not node.advance() or not enabled >> node.number & 1:
            if has_plan:  # what was planned cannot be run: try all
                node.branches = [Branch(number) for number in members(awake)]
            node.number = thread.number if awake >> thread.number & 1 else lowest(awake)
            node.rest = []
        node.clock = execution.threads[node.number].clock[:]
        stack.append(node)
        return node.number

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
        pending = Pending(location, writes)
        node.event = Event(
            thread.number, (index + 1) * STAMP, thread.clock[:], pending, thread.kind not in SILENT
        )
        self._races.extend((earlier, index) for earlier in conflicts)
        if index < self._repeated:
            return
        node.kind, node.site = thread.kind, thread.site
        after = 0
        for number in members((node.asleep | node.done) & ~(1 << thread.number)):
            if not node.event.depends(node.pending[number]):
                after |= 1 << number
        node.asleep_after = after

    # -- races

    def finish(self, execution: Execution) -> None:
        events = [node.event for node in self.stack[: execution.depth] if node.event is not None]
        for earlier, index in self._races:
            later = events[index]._replace(clock=self.stack[index].clock, reversed=True)
            self._reverse(execution, events, earlier, later)
        if execution.ending is not Ending.DIFFERENT:
            for thread in execution.threads:
                if not thread.done and thread.kind == ACQUIRE:
                    pending = Pending(thread.target, True)
                    stamp = (len(events) + 1) * STAMP
                    event = Event(thread.number, stamp, thread.clock, pending, True, True)
                    for earlier in execution.conflicts(thread, True):
                        if earlier == thread.target.last_acquire:  # before it the lock is free
                            self._reverse(execution, events, earlier, event)
        stack = self.stack
        del stack[execution.depth :]
        while stack:
            node = stack[-1]
            node.done |= 1 << node.number
            if node.advance():
                self._repeated = len(stack) - 1
                return
            stack.pop()
        self.over = True

    def _reverse(
        self, execution: Execution, events: Sequence[Event], earlier: int, later: Event
    ) -> None:
        """Have some run perform an operation before an earlier one that it depends on."""
        node, first = self.stack[earlier], events[earlier]
        rest = [event for event in events[earlier + 1 :] if not event.follows(first)]
        plan = [*rest, later]
        for number in members(node.asleep | node.done):
            if _is_weak_initial(number, plan, node.pending.get(number)):
                return
        self.insert(execution, node, events[earlier:], plan)

    def insert(
        self,
        execution: Execution,
        node: _Node,
        events: Sequence[Event],
        plan: list[Event],
    ) -> None:
        """Add a sequence to a wakeup tree, below the branches with which it may begin.

        ``events``: those of the present run from the tree's state on.
        """
        branches, pending = node.branches, dict(node.pending)
        ahead: dict[int, list[Event]] = {}
        for event in events:
            ahead.setdefault(event.number, []).append(event)
        while plan:
            for branch in branches:
                if _is_weak_initial(branch.number, plan, pending.get(branch.number)):
                    break
            else:
                _append(branches, plan)
                return
            number = branch.number
            following = _following(execution, number, ahead.get(number, []), plan)
            pending.pop(number, None)
            if following is not None:
                pending[number] = following
            first = next((event for event in plan if event.number == number), None)
            plan = [event for event in plan if event is not first]
            if not branch.branches:
                _lengthen(branch, plan)
                return
            branches = branch.branches


def _append(branches: list[Branch], plan: Sequence[Event]) -> None:
    """Add a branch with the threads of a sequence."""
    for event in plan:
        branches.append(Branch(event.number))
        branches = branches[-1].branches


def _lengthen(leaf: Branch, plan: Sequence[Event]) -> None:
    """Have a leaf go on as a sequence does that begins with it."""
    _append(leaf.branches, plan)


def _pending(execution: Execution) -> dict[int, Pending]:
    return {
        thread.number: Pending(
            thread.target if thread.kind >= 0 else None,
            thread.kind >= 0 and execution.writes(thread),
        )
        for thread in execution.threads
        if not thread.done
    }


def _following(
    execution: Execution, number: int, ahead: list[Event], plan: Sequence[Event]
) -> Pending | None:
    """A thread's operation after its next one; None where that may depend on the order.

    ``ahead``: its operations in the present run, of which the next one is taken away.
    """
    if not ahead:
        return None
    event = ahead.pop(0)
    if event.tells and not any(event is planned_event for planned_event in plan[:-1]):
        ahead.clear()
        return None
    if ahead:
        return Pending(ahead[0].pending.location, True)
    thread = execution.threads[number]
    return None if thread.done else Pending(thread.target, True)


def _is_weak_initial(number: int, plan: Sequence[Event], pending: Pending | None) -> bool:
    """Whether a thread's next operation can stand before a sequence, or is independent of it."""
    for index, event in enumerate(plan):
        if event.number == number:
            return not any(
                event.follows(earlier) or (event.reversed and earlier.depends(event.pending))
                for earlier in plan[:index]
            )
    return pending is not None and not any(event.depends(pending) for event in plan)
