"""Wheelproof: the program as it is, explored to the end, or else up to two preemptions."""

from __future__ import annotations

import time
from collections.abc import Callable
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
from wheelproof.plain.exploration import explore_program

PREEMPTIONS = 2
WAITING = {FailureKind.DEADLOCK, FailureKind.LOST_WAKE_UP}
EXECUTIONS = 10**9
"""The time ends an exploration, not their number."""


class TimeUp(Exception):
    """The time of an exploration is over."""


def explored(program: Callable[[], object], bound: int | None, seconds: float) -> Exploration | int:
    """The exploration of a program, or its executions so far where the time is over."""
    end, runs = time.process_time() + seconds, 0

    def progress(executions: int, places: int) -> None:
        nonlocal runs
        runs = executions
        if time.process_time() > end:
            raise TimeUp

    try:
        return explore_program(program, bound=bound, executions=EXECUTIONS, progress=progress)
    except TimeUp:
        return runs


def check(module: ModuleType, seconds: float) -> Outcome:
    executions = 0
    for bound in (None, PREEMPTIONS):
        result = explored(module.program, bound, seconds / 2)
        if not isinstance(result, int):
            return outcome(result, executions)
        executions += result
    return Outcome(NOTHING, executions, reason=f"not through in {seconds:g} CPU s")


def outcome(result: Exploration, before: int) -> Outcome:
    """What an exploration says, after so many executions of another one."""
    executions, failure = before + result.executions, result.failure
    if result.answer is Answer.BUG and failure is not None:
        kind = DEADLOCK if failure.kind in WAITING else failure.kind.value
        if failure.exception is not None:
            kind = named(failure.exception)
        return Outcome(BUG, executions, kind, failure.message, preemptions=failure.preemptions)
    if result.answer in (Answer.EXHAUSTED, Answer.BOUNDED):
        return Outcome(HOLDS, executions, bound=result.bound)
    answer = NOTHING if result.answer is Answer.BUDGET else CANNOT
    return Outcome(answer, executions, reason=f"{result.answer}: {result.reason}"[:200])


if __name__ == "__main__":
    report(check)
