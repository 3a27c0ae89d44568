"""The worth of an answer, and the table of all answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.races.checkers.outcome import BUG, CANNOT, HOLDS, NOTHING, Outcome
from benchmarks.races.table import BUGGY, FIXED, Omitted, Row

FOUND = "found"
MISSED = "missed"
FALSE_PASS = "**false pass**"
OTHER = "other failure"
FALSE_ALARM = "**false alarm**"
EXHAUSTED = "exhausted"
BOUNDED = "bounded"
NO_CLAIM = "no claim"
NOT_RUN = "not run"

MOST = 160
"""Characters of a reason."""

_FOLDER = re.compile(r"(?:/[\w.@+-]+)+/")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")

ENOUGH = 20
"""Executions behind a rate, at least."""

ON_BUGGY = (FOUND, FALSE_PASS, OTHER, MISSED)
ON_FIXED = (EXHAUSTED, BOUNDED, NO_CLAIM, FALSE_ALARM, NOT_RUN)


@dataclass(frozen=True)
class Result:
    """The outcome of a checker on one side of a row."""

    row: Row
    side: str
    checker: str
    outcome: Outcome

    @property
    def score(self) -> str:
        answer = self.outcome.answer
        if self.side == BUGGY:
            if answer == BUG:
                return FOUND if self.outcome.failure in self.row.failures else OTHER
            return FALSE_PASS if answer == HOLDS else MISSED
        if answer == HOLDS:
            return EXHAUSTED if self.outcome.bound is None else BOUNDED
        return {BUG: FALSE_ALARM, NOTHING: NO_CLAIM, CANNOT: NOT_RUN}[answer]

    @property
    def reason(self) -> str:
        """Why there is no better score, or nothing. It names no folder and no address."""
        if self.score in (FOUND, EXHAUSTED, BOUNDED):
            return ""
        failure = self.outcome.failure if self.score in (OTHER, FALSE_ALARM) else ""
        return cleaned(f"{failure} {self.outcome.reason}".strip())


def cleaned(reason: str) -> str:
    """A reason in one line that names no folder and no address."""
    text = _ADDRESS.sub("", _FOLDER.sub("", reason))
    return " ".join(text.replace("|", " ").split())[:MOST]


def unrun(absent: Iterable[tuple[str, str, str]]) -> str:
    """The rows and sides that a checker has not run, one line for each row and side."""
    checkers: dict[tuple[str, str], list[str]] = {}
    for row, side, checker in absent:
        checkers.setdefault((row, side), []).append(checker)
    lines = [[row, side, ", ".join(names)] for (row, side), names in checkers.items()]
    return lined(["row", "side", "not run by"], lines) if lines else "Each row has run."


def summary(results: Sequence[Result], checkers: Sequence[str]) -> str:
    """One line for each checker: how often it has which score."""
    head = ["checker", *(f"{score}" for score in (*ON_BUGGY, *ON_FIXED)), "CPU s"]
    lines = []
    for checker in checkers:
        checker_results = [result for result in results if result.checker == checker]
        scores = Counter(result.score for result in checker_results)
        cpu = sum(result.outcome.cpu for result in checker_results)
        counts = [str(scores[score]) for score in (*ON_BUGGY, *ON_FIXED)]
        lines.append([checker, *counts, f"{cpu:.1f}"])
    return lined(head, lines)


def table(results: Sequence[Result], checkers: Sequence[str]) -> str:
    """One line for each row and side: score, executions and CPU seconds of each checker."""
    head = ["row", "release", *checkers]
    cells: dict[tuple[str, str], list[str]] = {}
    for result in results:
        row = result.row
        key = (row.name, result.side)
        release = f"{'Python' if row.kind == 'stdlib' else row.package} {row.side(result.side)}"
        cells.setdefault(key, [row.name if result.side == BUGGY else "", release])
        cells[key].append(_cell(result))
    return lined(head, cells.values())


def rates(results: Sequence[Result], checkers: Sequence[str]) -> str:
    """The rates on fixed sides, where each checker has made enough executions."""
    lines = []
    for row in dict.fromkeys(result.row for result in results if result.side == FIXED):
        outcomes = {r.checker: r.outcome for r in results if r.row == row and r.side == FIXED}
        rate = [
            outcomes[name].rate
            for name in checkers
            if name in outcomes and outcomes[name].executions >= ENOUGH
        ]
        first, *rest = [number or 0 for number in rate] or [0]
        if rest and len(rate) == len(checkers) and min(rest) > 0:
            times = [f"{first / divisor:.1f}" for divisor in rest]
            lines.append([row.name, *map("{:,}".format, (first, *rest)), *times])
    if not lines:
        return "No row has rates."
    return lined(["row", *checkers, *(f"{checkers[0]} / {name}" for name in checkers[1:])], lines)


def reasons(results: Iterable[Result], checker: str) -> str:
    """The rows that a checker did not solve, each with its reason."""
    lines = [
        f"* {result.row.name}, {result.side}: {result.score}: {result.reason}"
        for result in results
        if result.checker == checker and result.reason
    ]
    return "\n".join(lines)


def races(rows: Iterable[Row]) -> str:
    """The race of each row."""
    lines = [[row.name, row.symptom, ", ".join(row.failures), row.source] for row in rows]
    return lined(["row", "race", "ends in", "source"], lines)


def left_out(omitted: Iterable[Omitted]) -> str:
    lines = [[entry.code, entry.source, entry.reason] for entry in omitted]
    return lined(["left out", "source", "why"], lines)


def _cell(result: Result) -> str:
    outcome = result.outcome
    notes = [f"{outcome.executions:,} / {outcome.cpu:.2f}"] if outcome.executions else []
    if outcome.preemptions is not None:
        notes.append(f"{outcome.preemptions} pr.")
    bound = f" at {outcome.bound}" if result.score == BOUNDED else ""
    return ", ".join([f"{result.score}{bound}", *notes])


def lined(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
