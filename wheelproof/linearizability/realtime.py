"""Which operations could have returned before others were called, in a run that is equivalent.

A search makes one run of those that differ in the order of independent steps. Their results are
the same, but not the times of their operations. So all those times are judged: an operation can
come wholly before another one unless a step of that one must precede a step of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wheelproof.linearizability.histories import Operation
from wheelproof.linearizability.running import Driver
from wheelproof.plain.execution import Execution
from wheelproof.plain.happens_before import Clock, Location, stamp
from wheelproof.plain.operations import Thread
from wheelproof.plain.schedulers.replay import Repeat

Pair = tuple[int, int]
"""Two operations by their positions in a history: the first returns before the second is called."""


class Times:
    """The operations of a run, and which steps of them must come before others.

    ``precedes[x]`` are the operations whose last step comes after the first step of x, and x with
    those that its thread calls later.
    """

    def __init__(self, driver: Driver, operations: Sequence[Operation]) -> None:
        run, order = driver.run, driver.execution.order
        self._operations = operations
        firsts, self._lasts, self._firsts = [], [], []
        for operation in operations:
            number = operation.number
            thread, begin = run.numbers[operation.thread], run.begun[number]
            end_position = run.ended[number]
            later = (at for at in range(begin, len(order)) if order[at] == thread)
            earlier = (at for at in range(end_position - 1, -1, -1) if order[at] == thread)
            firsts.append((thread, next(later, None)))
            self._lasts.append(None if operation.is_pending else next(earlier, None))
        self._firsts = [first for _, first in firsts]
        self.precedes = tuple(
            frozenset(
                y
                for y, second in enumerate(operations)
                if (operations[x].thread == second.thread and x <= y)
                or (
                    first is not None
                    and not second.is_pending
                    and run.clocks[second.number][thread] >= stamp(first)
                )
            )
            for x, (thread, first) in enumerate(firsts)
        )

    def pairs(self, order: Sequence[int]) -> Iterator[Pair]:
        """The pairs of threads' operations that an order has the other way round."""
        at = {number: position for position, number in enumerate(order)}
        for x, earlier in enumerate(self._operations):
            for y, second in enumerate(self._operations):
                if earlier.thread == second.thread or not earlier.thread or not second.thread:
                    continue
                if earlier.is_pending or earlier.number not in at:
                    continue
                if second.number in at and at[second.number] < at[earlier.number]:
                    yield x, y

    def is_possible(self, pair: Pair, pairs: frozenset[Pair]) -> bool:
        """Whether a run has a pair beside others."""
        first, second = pair
        pending, visits = [second], {second}
        while pending:
            for y in self.precedes[pending.pop()]:
                if y == first:
                    return False
                for before, after in pairs:
                    if before == y and after not in visits:
                        visits.add(after)
                        pending.append(after)
        return True

    def steps(self, pairs: frozenset[Pair]) -> list[Pair]:
        """Pairs of steps: the last one of an operation, and the first one of another."""
        steps = [(self._lasts[x], self._firsts[y]) for x, y in pairs]
        return [(x, y) for x, y in steps if x is not None and y is not None]


class Clocks(Repeat):
    """Repeats a run, and keeps the clock of each step."""

    def __init__(self, order: Sequence[int]) -> None:
        super().__init__(order)
        self.clocks: list[Clock] = []

    def performed(
        self,
        execution: Execution,
        thread: Thread,
        index: int,
        location: Location | None,
        conflicts: list[int],
        writes: bool,
    ) -> None:
        self.clocks.append(thread.clock[:])


def reordered(order: Sequence[int], clocks: Sequence[Clock], steps: Sequence[Pair]) -> list[int]:
    """The threads of an equivalent run that has pairs of steps in their order."""
    count = len(order)
    before = [
        {i for i in range(j) if clocks[j][order[i]] >= stamp(i) and i != j} for j in range(count)
    ]
    for first, second in steps:
        before[second].add(first)
    placed_steps: set[int] = set()
    threads: list[int] = []
    while len(placed_steps) < count:
        ready = [j for j in range(count) if j not in placed_steps and before[j] <= placed_steps]
        following = next((j for j in ready if threads and order[j] == threads[-1]), ready[0])
        placed_steps.add(following)
        threads.append(order[following])
    return threads
