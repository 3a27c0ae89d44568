"""The file of a check of recorded traces beside the results: lateness and coverage.

The file is of another command than ``verify``, and no part of its verdict.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from wheelproof import documents
from wheelproof.errors import UsageError

FILE = "trace-check.json"
SCHEMA = "wheelproof.trace-check/1"


@dataclass(frozen=True)
class Late:
    """How many entries were handed over how late: ``low`` <= milliseconds < ``high``.

    None: no bound on that side.
    """

    low: int | None
    high: int | None
    count: int

    @property
    def name(self) -> str:
        if self.low is None:
            return f"below {self.high} ms"
        return f"{self.low} ms and more" if self.high is None else f"{self.low} to {self.high} ms"


@dataclass(frozen=True)
class Recorded:
    """A check of traces."""

    events: int
    runs: dict[str, int]
    """Verdict -> count."""
    late: tuple[Late, ...]
    """Classes of lateness without a gap, in order."""
    least: int
    greatest: int
    covered: dict[str, tuple[int, int]]
    """Kind of coverage -> (exercised, total)."""
    unseen: tuple[str, ...]
    """Names that no trace exercised."""

    @property
    def handed(self) -> int:
        """The entries that were handed over."""
        return sum(late.count for late in self.late)


def read(output: Path) -> Recorded | str | None:
    """The check that lies in the output folder of a run.

    None where there is none, and a text where it cannot be read: a verification does not fail by
    a file that is not its own.
    """
    file = output / FILE
    if not file.is_file():
        return None
    try:
        return _read(documents.read(file, SCHEMA))
    except UsageError as error:
        return str(error).splitlines()[0]


def _read(document: documents.Record) -> Recorded:
    runs = Counter(run.text("verdict") for run in document.objects("runs"))
    coverage, late = document.object("coverage"), document.object("lateness")
    kinds, edges = coverage.object("kinds").value, coverage.object("edges").value
    no_kinds, no_edges = coverage.texts("kinds_unseen"), coverage.texts("edges_untaken")
    classes = _classes(late) if late.value.get("count") else ()
    return Recorded(
        events=int(document.number("events")),
        runs=dict(sorted(runs.items())),
        late=classes,
        least=_bound(late, "least_ms") or 0 if classes else 0,
        greatest=_bound(late, "greatest_ms") or 0 if classes else 0,
        covered={
            "kinds of event": (len(kinds), len(kinds) + len(no_kinds)),
            "(abstract state, action) edges": (len(edges), len(edges) + len(no_edges)),
        },
        unseen=(*no_kinds, *no_edges),
    )


def _classes(late: documents.Record) -> tuple[Late, ...]:
    """The classes with those between them that have no entry."""
    rows: list[Late] = []
    for entry in late.objects("classes"):
        row = Late(_bound(entry, "from_ms"), _bound(entry, "below_ms"), int(entry.number("count")))
        above = rows[-1].high if rows else row.low
        if row.low is not None and above is not None and above < row.low:
            rows.append(Late(above, row.low, 0))
        rows.append(row)
    return tuple(rows)


def _bound(record: documents.Record, name: str) -> int | None:
    """A whole number, which may be negative, or null."""
    field = record.value.get(name)
    if field is not None and type(field) is not int:
        raise record.fault(name, "must be a whole number or null")
    return field
