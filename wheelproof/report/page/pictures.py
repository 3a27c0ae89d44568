"""The page's pictures as plain geometry: labels by scenarios, bars of coverage, lateness.

The template draws them as SVG of the page itself. Fills are printed, and colours are those of the
style, so that dark mode and print need nothing of their own here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wheelproof.report.contents import Part
from wheelproof.report.recorded import Recorded
from wheelproof.verdict import Row

CELL, GAP = 13, 2
"""The side of a label's square in one scenario, and the gap in it. All sizes are in pixels."""

LETTER = 7
"""The width of a letter in the pictures' font."""

BAR = 260
"""The longest bar."""


@dataclass(frozen=True)
class Line:
    """A label."""

    label: str
    y: int
    path: str
    """Its squares, one for each scenario that runs it."""
    count: int
    """The number of these scenarios."""


@dataclass(frozen=True)
class Grid:
    """Labels by scenarios."""

    lines: tuple[Line, ...]
    columns: tuple[tuple[str, int], ...]
    """Each scenario with the middle of its column."""
    margin: int
    top: int
    width: int
    height: int

    @property
    def across(self) -> int:
        """The width of a line of squares."""
        return CELL * len(self.columns) - GAP

    @property
    def idle(self) -> list[str]:
        """The labels that no scenario runs."""
        return [line.label for line in self.lines if not line.count]


@dataclass(frozen=True)
class Bar:
    """One bar."""

    name: str
    text: str
    """Its text in words."""
    parts: tuple[tuple[str, float, float], ...]
    """(kind, from, length) of each part."""


def grid(part: Part) -> Grid | None:
    """The labels of a mechanism by its scenarios; None where the results do not have them."""
    scenarios = next(
        (
            scenarios_of_row
            for row in part.rows
            if row.layer == "coverage"
            and row.name == "labels"
            and (scenarios_of_row := _scenarios(row))
        ),
        None,
    )
    if scenarios is None:
        return None
    table = part.mechanism.labels if part.mechanism else {}
    labels = sorted({*table, *(label for ran in scenarios.values() for label in ran)}, key=_order)
    margin = round(LETTER * max(map(len, labels), default=0) + 12)
    top = round(LETTER * max(map(len, scenarios)) + 10)
    lines = []
    for number, label in enumerate(labels):
        y = top + CELL * number
        ran = [at for at, ran_there in enumerate(scenarios.values()) if label in ran_there]
        path = "".join(
            f"M{margin + CELL * at} {y}h{CELL - GAP}v{CELL - GAP}h-{CELL - GAP}z" for at in ran
        )
        lines.append(Line(label, y, path, len(ran)))
    columns = tuple((name, margin + CELL * at + 9) for at, name in enumerate(scenarios))
    width = margin + CELL * len(columns) + 40
    return Grid(tuple(lines), columns, margin, top, width, top + CELL * len(labels) + 4)


def _scenarios(row: Row) -> dict[str, list[str]] | None:
    """scenario -> labels, of the figure of a row; None for older results and for other ones."""
    figure: Any = row.figures.get("scenarios")
    if not isinstance(figure, Mapping) or not figure:
        return None
    if not all(isinstance(text, str) for text in figure.values()):
        return None
    return {
        str(name): [label for label in ran.split(", ") if label] for name, ran in figure.items()
    }


def _order(label: str) -> list[tuple[str, int]]:
    """A2 before A10."""
    return [(word, int(number or 0)) for word, number in re.findall(r"(\D+|^)(\d*)", label)]


COVERED = {
    "labels": ("exercised", "", "declared"),
    "branches": ("run", "excepted", "declared"),
    "fields": ("read", "excepted", "changed"),
}
"""Row of layer coverage -> the figures of coverage, of the exceptions, and of all."""


def bars(part: Part) -> list[Bar]:
    """A bar for each row of coverage that counts something."""
    bars = []
    for row in part.rows:
        if row.layer != "coverage" or row.name not in COVERED:
            continue
        count, exceptions, every = (_count(row, name) for name in COVERED[row.name])
        if not every:
            continue
        words = COVERED[row.name]
        text = f"{count} of {every} {words[0]}" + (f", {exceptions} excepted" if exceptions else "")
        bars.append(_bar(row.name, text, {"done": count, "except": exceptions}, every))
    return bars


def _count(row: Row, name: str) -> int:
    figure = row.figures.get(name, 0)
    return figure if type(figure) is int and figure > 0 else 0


def _bar(name: str, text: str, counts: Mapping[str, int], every: int) -> Bar:
    parts, at = [], 0.0
    for kind, count in counts.items():
        length = BAR * min(count, every) / every
        if count:
            parts.append((kind, round(at, 2), round(length, 2)))
        at += length
    if at < BAR:
        parts.append(("rest", round(at, 2), round(BAR - at, 2)))
    return Bar(name, text, tuple(parts))


def lateness(traces: Recorded) -> list[Bar]:
    """The histogram of a check of traces: a bar for each class, the fullest one the longest.

    A class with any entry has a bar that can be seen.
    """
    highest = max((late.count for late in traces.late), default=0)
    return [
        Bar(
            late.name,
            f"{late.count:,}",
            (("done", 0.0, round(max(1.0, BAR * late.count / highest), 2)),) if late.count else (),
        )
        for late in traces.late
    ]


def coverage(traces: Recorded) -> list[Bar]:
    """The coverage of traces, a bar for each kind."""
    return [
        _bar(name, f"{count} of {every}", {"done": count}, every)
        for name, (count, every) in traces.covered.items()
        if every
    ]
