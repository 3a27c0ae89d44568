"""The outcomes of the last run of each row, side and checker, in `results.json`.

An outcome counts as long as it is of the same program, packages, patches and Python. Each run of
`make races` replaces those that it renews, row by row.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.races import table
from benchmarks.races.checkers.outcome import Outcome
from benchmarks.races.scores import Result, cleaned
from benchmarks.races.table import BUGGY, FIXED, HERE, Row
from wheelproof import documents, reading

SCHEMA = "wheelproof.races/1"
FILE = HERE / "results.json"

Key = tuple[str, str, str]
"""Row, side and checker."""


@dataclass(frozen=True)
class Kept:
    """An outcome, the CPU seconds that its run had, and a digest of the subject."""

    outcome: Outcome
    seconds: float
    subject: str


def subject(row: Row, side: str) -> str:
    """A digest of the subject of a run of a side."""
    release = row.side(side)
    parts = [
        reading.text(table.PROGRAMS / f"{row.program}.py"),
        *(reading.text(patch) for patch in release.patches),
        *(row.kind, row.package, row.python, release.version, *row.needs),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def read(path: Path = FILE) -> dict[Key, Kept]:
    """The stored results. UsageError for a file that is none."""
    if not path.is_file():
        return {}
    return {
        (entry.text("row"), entry.text("side"), entry.text("checker")): Kept(
            Outcome(
                entry.text("answer"),
                int(entry.number("executions")),
                entry.text("failure"),
                entry.text("reason"),
                entry.optional_index("bound", 10**6),
                entry.optional_index("preemptions", 10**6),
                entry.number("cpu"),
                entry.optional_index("rate", 10**9),
            ),
            entry.number("seconds"),
            entry.text("subject"),
        )
        for entry in documents.read(path, SCHEMA).objects("results")
    }


def keep(results: Iterable[Result], seconds: float, path: Path = FILE) -> None:
    """Write these outcomes in the place of older ones."""
    outcomes = read(path)
    for result in results:
        outcome = replace(result.outcome, reason=cleaned(result.outcome.reason))
        key = result.row.name, result.side, result.checker
        outcomes[key] = Kept(outcome, seconds, subject(result.row, result.side))
    lines = ",\n".join(f"  {json.dumps(_plain(key, outcomes[key]))}" for key in sorted(outcomes))
    documents.write_text(path, f'{{\n "schema": "{SCHEMA}",\n "results": [\n{lines}\n ]\n}}\n')


def _plain(key: Key, entry: Kept) -> Mapping[str, object]:
    row, side, checker = key
    head = {"row": row, "side": side, "checker": checker, "subject": entry.subject}
    fields = {**head, "seconds": entry.seconds, **vars(entry.outcome)}
    if entry.outcome.rate is None:
        del fields["rate"]
    return fields


def current(
    rows: Sequence[Row], checkers: Sequence[str], outcomes: Mapping[Key, Kept]
) -> tuple[list[Result], list[Key]]:
    """The outcomes of these rows in their order, and the keys without one of the same subject."""
    results: list[Result] = []
    absent: list[Key] = []
    for row in rows:
        for side in (BUGGY, FIXED):
            for checker in checkers:
                key = row.name, side, checker
                entry = outcomes.get(key)
                if entry is None or entry.subject != subject(row, side):
                    absent.append(key)
                else:
                    results.append(Result(row, side, checker, entry.outcome))
    return results, absent
