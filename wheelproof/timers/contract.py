"""The contract of a timer, judged on the moments of a run.

An action runs once, less than a tick before its deadline at the earliest, and a tick after it at
the latest. Once a cancellation has returned, it does not begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from wheelproof.plain.moments import Moment

ADDS, ADDED, RUNS, CANCELS, CANCELLED = "is added", "is in", "runs", "is cancelled", "is out"
"""Moments of an action: ``add`` is called and returns, it begins, ``cancel`` is called and returns.
"""

EXACT_MS = 0.001
"""Milliseconds that are no difference: sums of floats are not exact."""


class Clause(StrEnum):
    """A part of the contract."""

    ONCE = "once"
    NOT_EARLY = "not early"
    IN_TIME = "late by at most a tick"
    CANCEL_WINS = "cancel wins"
    SIZE = "size counts what waits"


@dataclass(frozen=True)
class Breach:
    """A clause that a run breaks, and how."""

    clause: Clause
    reason: str

    def __str__(self) -> str:
        return f"{self.clause}: {self.reason}"


@dataclass
class Action:
    """The history of an action. Times are milliseconds from the beginning of the run.

    ``due``: its deadline. ``added``: when ``add`` returned; None if it has not. ``cancels`` and
    ``cancelled``: ``cancel`` has been called, and has returned. ``runs_cancelled``: it began later.
    """

    number: int
    due: float
    added: float | None = None
    runs: list[float] = field(default_factory=list)
    cancels: bool = False
    cancelled: bool = False
    runs_cancelled: bool = False


def actions(log: Sequence[Moment], delays: dict[int, int]) -> dict[int, Action]:
    """The actions of a run by their numbers. ``delays``: of each, in milliseconds."""
    result: dict[int, Action] = {}
    for moment in log:
        number, now = moment.number, moment.seconds * 1000
        if moment.what == ADDS:
            result[number] = Action(number, now + delays[number])
            continue
        action = result[number]
        if moment.what == ADDED:
            action.added = now
        elif moment.what == RUNS:
            action.runs.append(now)
            action.runs_cancelled = action.runs_cancelled or action.cancelled
        elif moment.what == CANCELS:
            action.cancels = True
        elif moment.what == CANCELLED:
            action.cancelled = True
    return result


def breaches(
    log: Sequence[Moment], delays: dict[int, int], tick_ms: float, end_ms: float
) -> list[Breach]:
    """The clauses that a run breaks. ``end_ms``: when it was looked at for the last time."""
    return [
        breach
        for action in actions(log, delays).values()
        for breach in _breaches(action, tick_ms, end_ms)
    ]


def _breaches(action: Action, tick_ms: float, end_ms: float) -> Iterator[Breach]:
    name, due = f"action {action.number}", action.due
    if action.runs_cancelled:
        yield Breach(Clause.CANCEL_WINS, f"{name} begins after its cancellation has returned")
    if len(action.runs) > 1:
        yield Breach(Clause.ONCE, f"{name} runs {len(action.runs)} times")
    if action.runs and action.runs[0] <= due - tick_ms + EXACT_MS:
        early = due - action.runs[0]
        yield Breach(Clause.NOT_EARLY, f"{name} runs {early:g} ms before it is due")
    if action.cancels or action.added is None:
        return
    latest = max(due, action.added) + tick_ms + EXACT_MS
    if not action.runs and end_ms > latest:
        yield Breach(Clause.ONCE, f"{name} has not run {end_ms - due:g} ms after it was due")
    elif action.runs and action.runs[0] > latest:
        yield Breach(Clause.IN_TIME, f"{name} runs {action.runs[0] - due:g} ms after it is due")
