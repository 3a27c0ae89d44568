"""Wheelproof: the program as it is, explored to the end, or else up to two preemptions."""

from __future__ import annotations

import time
from types import ModuleType

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
from wheelproof.plain.answers import Answer, Exploration, FailureKind
from wheelproof.plain.exploration import Explorer

PREEMPTIONS = 2
WAITING = {FailureKind.DEADLOCK, FailureKind.LOST_WAKE_UP}
EXECUTIONS = 10**9
"""The time ends an exploration, not their number."""


def check(module: ModuleType, seconds: float) -> Outcome:
    executions = 0
    for bound in (None, PREEMPTIONS):
        end = time.process_time() + seconds / 2
        explorer = Explorer(module.program, bound=bound, executions=EXECUTIONS)
        explorer.ends = lambda end=end: time.process_time() > end  # type: ignore[misc]
        result = explorer.explore()
        if result.answer is not Answer.BUDGET or not explorer.ends():
            return outcome(result, executions)
        executions += result.executions
    return Outcome(NOTHING, executions, reason=f"not through in {seconds:g} CPU s")


def outcome(result: Exploration, before: int) -> Outcome:
    """What an exploration says, after so many executions of another one."""
    executions, failure = before + result.executions, result.failure
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
