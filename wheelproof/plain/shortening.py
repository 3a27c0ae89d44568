"""The counterexample that is shown: of the failing runs, one with the fewest preemptions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wheelproof.plain.answers import Failure, FailureKind, Schedule
from wheelproof.plain.operations import Ending
from wheelproof.plain.reading import Recorder
from wheelproof.plain.schedulers.bounded import Bounded
from wheelproof.plain.schedulers.replay import Repeat

if TYPE_CHECKING:
    from wheelproof.plain.exploration import Explorer

SHORTENING = 5_000
"""Runs that look for a counterexample with fewer preemptions, at most."""

LOST = "the failing run did not fail again"


def counterexample(explorer: Explorer) -> tuple[Failure | None, Schedule | None]:
    """The failing run with the fewest preemptions, of those with a kind of failure.

    Where a limit ends the search for it, the best so far, which is not reported as minimal.
    """
    assert explorer.failing is not None
    order, kind = explorer.failing
    best = recorded(explorer, order)
    if best is None:
        explorer.differs(LOST)
        return None, None
    limit = explorer.execution.executions + SHORTENING
    shorter, complete = _fewest(explorer, kind, best.preemptions - 1, limit, gil=False)
    best = shorter or best
    only: bool | None = False
    if not best.gil_allows:
        limit = explorer.execution.executions + SHORTENING
        possible, _ = _fewest(explorer, kind, best.preemptions, limit, gil=True)
        if possible is not None:
            best = possible
        else:
            possible, is_none = _fewest(explorer, kind, None, limit, gil=True)
            only = False if possible is not None else True if is_none else None
    return best.failure(complete, only), best.schedule()


def _fewest(
    explorer: Explorer, kind: FailureKind, maximum: int | None, limit: int, gil: bool
) -> tuple[Recorder | None, bool]:
    """A failing run with the fewest preemptions, up to ``maximum``; None: any number of them.

    With it, whether all runs with fewer have been searched.
    """
    bounds: Sequence[int | None] = [None] if maximum is None else range(maximum + 1)
    for bound in bounds:
        scheduler = Bounded(bound, gil)
        while not scheduler.over:
            if explorer.execution.executions >= limit or explorer.is_out_of_time():
                return None, False
            explorer.failing = None
            cut = explorer.run(scheduler) is Ending.CUT
            if explorer.failing is not None and explorer.failing[1] == kind:
                return recorded(explorer, explorer.failing[0]), True
            if explorer.grew():
                scheduler = Bounded(bound, gil)
                continue
            if cut or explorer.trouble is not None:
                explorer.trouble = None
                return None, False
    return None, True


def recorded(explorer: Explorer, order: Sequence[int]) -> Recorder | None:
    """Run a failing schedule again, and record it. None if it does not fail again."""
    execution = explorer.execution
    recorder = execution.recorder = Recorder(execution, explorer.world)
    explorer.failing = None
    try:
        explorer.world.seed()
        execution.run(explorer.program, Repeat(order))
        failing = recorder.finish(explorer.judge)
        execution.end_threads()
        explorer.restore()
    finally:
        execution.recorder = None
    return recorder if failing else None
