"""Wheelproof: the program as it is, explored to the end, or else up to two preemptions."""

from __future__ import annotations

import time
from functools import partial
from types import ModuleType

from benchmarks.races.checkers.outcome import (
    BUG,
    CANNOT,
    DEADLOCK,
    HOLDS,
    NOTHING,
    Outcome,
    executed,
    named,
    report,
)
from wheelproof.plain.answers import Answer, Exploration, FailureKind
from wheelproof.plain.exploration import Explorer

PREEMPTIONS = 2
WAITING = {FailureKind.DEADLOCK, FailureKind.LOST_WAKE_UP}
EXECUTIONS = 10**9
"""The time ends an exploration, not their number."""


def check(module: ModuleType, seconds: float) -> Outcome:
    explorer = Explorer(module.program, progress=lambda *_: executed())
    start = time.process_time()
    for bound, share in ((None, 2 / 3), (PREEMPTIONS, 1)):
        explorer.bound = bound
        explorer.renew(EXECUTIONS)
        explorer.ends = partial(_is_late, start + share * seconds)
        result = explorer.explore()
        if result.answer is not Answer.BUDGET or not explorer.ends():
            return outcome(result)
    return Outcome(NOTHING, result.executions, reason=f"not through in {seconds:g} CPU s")


def _is_late(end: float) -> bool:
    return time.process_time() > end


def outcome(result: Exploration) -> Outcome:
    """The outcome of an exploration."""
    executions, failure = result.executions, result.failure
    if result.answer is Answer.BUG and failure is not None:
        kind = DEADLOCK if failure.kind in WAITING else failure.kind.value
        if isinstance(failure.exception, BaseException):
            kind = named(failure.exception)
        return Outcome(BUG, executions, kind, failure.message, preemptions=failure.preemptions)
    if result.answer in (Answer.EXHAUSTED, Answer.BOUNDED):
        return Outcome(HOLDS, executions, bound=result.bound)
    answer = NOTHING if result.answer is Answer.BUDGET else CANNOT
    return Outcome(answer, executions, reason=f"{result.answer}: {result.reason}"[:200])


if __name__ == "__main__":
    report(check)
