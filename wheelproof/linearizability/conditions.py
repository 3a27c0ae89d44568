"""Conditions of correctness: which operations of a history keep their order."""

from __future__ import annotations

from collections.abc import Sequence

from wheelproof.linearizability.histories import Operation


class Condition:
    """A rule that an order which explains a history has to respect.

    ``judges``: results are compared at all. ``by_time``: all times at which equivalent runs can
    call operations are judged, not only those of the run.
    """

    name = "linearizable"
    judges = True
    by_time = False

    def is_before(self, first: Operation, second: Operation) -> bool:
        """Whether one operation must come before another first."""
        raise NotImplementedError

    def before(self, operations: Sequence[Operation]) -> list[int]:
        """For each operation, a mask of those that must be done when it begins."""
        return [
            sum(1 << at for at, first in enumerate(operations) if self.is_before(first, second))
            for second in operations
        ]

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _is_called_before(first: Operation, second: Operation) -> bool:
    """Whether the program has one operation before another. Both may take no time."""
    together = first.thread == second.thread or 0 in (first.thread, second.thread)
    return together and first.number < second.number


class Linearizable(Condition):
    """An operation that returns before another one is called comes before it.

    M. Herlihy, J. Wing: Linearizability: A Correctness Condition for Concurrent Objects, ACM
    TOPLAS 12(3), 1990.
    """

    by_time = True

    def is_before(self, first: Operation, second: Operation) -> bool:
        return first.returned < second.called or _is_called_before(first, second)


class SequentiallyConsistent(Condition):
    """The operations of a thread keep their order, those of different threads need not.

    L. Lamport: How to Make a Multiprocessor Computer That Correctly Executes Multiprocess
    Programs, IEEE Transactions on Computers C-28(9), 1979. The first thread's operations before
    it starts the others, and after it has joined them, keep their places.
    """

    name = "sequentially consistent"

    def is_before(self, first: Operation, second: Operation) -> bool:
        return _is_called_before(first, second)


class QuiescentlyConsistent(Condition):
    """Operations keep their order where a moment lies between them at which none is under way.

    J. Aspnes, M. Herlihy, N. Shavit: Counting Networks, J. ACM 41(5), 1994.
    """

    name = "quiescently consistent"

    def before(self, operations: Sequence[Operation]) -> list[int]:
        groups, latest, group = {}, float("-inf"), 0
        for at in sorted(range(len(operations)), key=lambda at: operations[at].called):
            group += operations[at].called > latest
            latest = max(latest, operations[at].returned)
            groups[at] = group
        return [
            sum(1 << at for at in groups if groups[at] < groups[second])
            for second in range(len(operations))
        ]


class CrashesAlone(Condition):
    """Results are not compared: only deadlocks, endless loops and errors of threads count."""

    name = "free of deadlocks"
    judges = False

    def is_before(self, first: Operation, second: Operation) -> bool:
        return False
