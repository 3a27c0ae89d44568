"""The questions of an execution to a scheduler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.happens_before import Location
    from wheelproof.plain.operations import Thread

BLOCKED = -1
"""Chosen: every thread sleeps, the run is redundant."""

DIFFERENT = -2
"""Chosen: the run is not the one that was to be repeated."""


def members(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


class Repeated(Protocol):
    """A state of the present run, as an earlier run has left it."""

    enabled: int
    accesses: int
    number: int
    kind: int
    site: object


class Scheduler:
    """Chooses the thread that performs the next visible operation.

    ``exhaustive``: it ends after all runs that it covers, and then ``over`` holds. ``reverses``:
    it wants the earlier operations that each operation can be reversed with.
    """

    exhaustive = False
    reverses = False
    over = False

    def begin(self, execution: Execution) -> None:
        """A run begins."""

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        """The number of a thread in ``enabled``, BLOCKED or DIFFERENT; ``thread`` ran last."""
        raise NotImplementedError

    def performed(
        self,
        execution: Execution,
        thread: Thread,
        index: int,
        location: Location | None,
        conflicts: list[int],
        writes: bool,
    ) -> None:
        """``thread`` performs operation ``index``; ``conflicts`` are operations it can precede."""

    def finish(self, execution: Execution) -> None:
        """The run has ended, with ``execution.ending``."""


class Backtracking(Scheduler):
    """A scheduler whose next run repeats the beginning of the last one.

    ``redundant`` counts runs that were ended because all threads sleep.
    """

    exhaustive = True
    reverses = True

    def __init__(self) -> None:
        self.over = False
        self.redundant = 0
        self._repeated = 0  # states of the last run that the next one repeats

    def differs(self, execution: Execution, node: Repeated, enabled: int) -> bool:
        """Whether the run has come to another state than the last one had here."""
        if node.enabled != enabled or node.accesses != execution.progress:
            return True
        if execution.depth >= self._repeated:
            return False
        thread = execution.threads[node.number]
        return thread.kind != node.kind or thread.site is not node.site
