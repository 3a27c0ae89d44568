"""interleave-test: its three strategies one after the other, each for a third of the time."""

from __future__ import annotations

import time
from types import ModuleType
from typing import Any

import interleave_test as peer

from benchmarks.races.checkers.outcome import (
    BUG,
    CANNOT,
    DEADLOCK,
    HOLDS,
    NOTHING,
    Outcome,
    named,
    report,
)

PREEMPTIONS = 2
SEED = 0
HANG = 10.0
"""Seconds after which the peer gives an execution up."""


def timed(strategy: type[Any], end: float, **options: int) -> Any:
    """A strategy that has no more schedules after some time."""

    class Timed(strategy):  # type: ignore[misc]
        def more(self) -> bool:
            return time.process_time() < end and super().more() is not False

    return Timed(**options)


def check(module: ModuleType, seconds: float) -> Outcome:
    executions = 0
    begin = time.process_time()
    strategies: list[tuple[type[Any], dict[str, int]]] = [
        (peer.PCTStrategy, {}),
        (peer.RandomStrategy, {}),
        (peer.DFSStrategy, {"max_preemptions": PREEMPTIONS}),
    ]
    result = None
    for turn, (strategy, options) in enumerate(strategies, start=1):
        result = peer.explore(
            module.program,
            strategy=timed(strategy, begin + seconds * turn / len(strategies), **options),
            iterations=10**9,
            seed=SEED,
            timeout=HANG,
            raise_on_failure=False,
        )
        executions += result.schedules_run
        failure = result.failure
        if failure is not None and failure.kind == "hang":
            return Outcome(CANNOT, executions, reason="it met a lock that it does not control")
        if failure is not None:
            dead = failure.kind == "deadlock"
            return Outcome(BUG, executions, DEADLOCK if dead else named(failure.exception))
    if result is not None and result.exhausted:
        return Outcome(HOLDS, executions, bound=PREEMPTIONS)
    return Outcome(NOTHING, executions, reason="its depth-first search was not through")


if __name__ == "__main__":
    report(check)
