"""Rows that are not in order, by cause: a row, those with the same reason, those that may follow.

A row may follow from another one where its check has no meaning otherwise: coverage, mutants and
runs of an implementation that does not do the model's steps. A group hides no row: each is counted
and named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wheelproof.verdict import Row, Verdict

AFTER_BISIMULATION = frozenset({"composition", "coverage", "mutant", "random", "stress"})
"""The layers whose rows may follow from a bisimulation that is not in order."""

_DIFFERS = (Verdict.VIOLATED, Verdict.REFUSED)


@dataclass
class Cause:
    """A row that is not in order, with those that it may explain."""

    row: Row
    same: list[Row]
    """Other rows with the same reason. A row with a counterexample has one of its own."""
    follow: list[Row]
    """Other rows that may follow from it."""


def causes(rows: Sequence[Row]) -> list[Cause]:
    """The causes of the rows that are not in order, each such row in one of them."""
    by_reason: dict[str, Cause] = {}
    faults = [row for row in rows if not row.ok]
    for row in faults:
        key = row.title() if row.trace else _message(row) or row.title()
        if key in by_reason:
            by_reason[key].same.append(row)
        else:
            by_reason[key] = Cause(row, [], [])
    first = {
        cause.row.mechanism: cause
        for cause in reversed(by_reason.values())
        if cause.row.layer == "bisimulation" and cause.row.verdict in _DIFFERS
    }
    out = []
    for cause in by_reason.values():
        lead = first.get(cause.row.mechanism)
        if lead is not None and lead is not cause and _may_follow(cause.row):
            lead.follow += [cause.row, *cause.same]
        else:
            out.append(cause)
    return out


def _may_follow(row: Row) -> bool:
    return row.layer in AFTER_BISIMULATION and row.verdict is not Verdict.INCONCLUSIVE


def _message(row: Row) -> str:
    """A reason without the verdicts of its own row."""
    head, _, rest = row.why.partition("; ")
    return rest if head.startswith("expected ") else row.why


def named(rows: Sequence[Row], mechanism: str) -> str:
    """The names of rows, without the mechanism where it is this one."""
    return ", ".join(
        f"{row.layer} / {row.name}" if row.mechanism == mechanism else row.title() for row in rows
    )
