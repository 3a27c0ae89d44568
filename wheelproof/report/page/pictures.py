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
    """A label. ``path``: its squares, one for each scenario that runs it; ``count``: of those."""

    label: str
    y: int
    path: str
    count: int


@dataclass(frozen=True)
class Grid:
    """Labels by scenarios. ``columns``: scenario and the middle of its column."""

    lines: tuple[Line, ...]
    columns: tuple[tuple[str, int], ...]
    left: int
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
    """One bar. ``text``: what it says in words; ``parts``: (kind, from, length)."""

    name: str
    text: str
    parts: tuple[tuple[str, float, float], ...]


def grid(part: Part) -> Grid | None:
    """The labels of a mechanism by its scenarios; None where the results do not have them."""
    scenarios = next(
        (
            found
            for row in part.rows
            if row.layer == "coverage" and row.name == "labels" and (found := _scenarios(row))
        ),
        None,
    )
    if scenarios is None:
        return None
    declared = part.mechanism.labels if part.mechanism else {}
    labels = sorted({*declared, *(each for ran in scenarios.values() for each in ran)}, key=_order)
    left = round(LETTER * max(map(len, labels), default=0) + 12)
    top = round(LETTER * max(map(len, scenarios)) + 10)
    lines = []
    for number, label in enumerate(labels):
        y = top + CELL * number
        ran = [at for at, found in enumerate(scenarios.values()) if label in found]
        path = "".join(
            f"M{left + CELL * at} {y}h{CELL - GAP}v{CELL - GAP}h-{CELL - GAP}z" for at in ran
        )
        lines.append(Line(label, y, path, len(ran)))
    columns = tuple((name, left + CELL * at + 9) for at, name in enumerate(scenarios))
    width = left + CELL * len(columns) + 40
    return Grid(tuple(lines), columns, left, top, width, top + CELL * len(labels) + 4)


def _scenarios(row: Row) -> dict[str, list[str]] | None:
    """scenario -> labels, of the figure of a row; None for older results and for other ones."""
    found: Any = row.figures.get("scenarios")
    if not isinstance(found, Mapping) or not found:
        return None
    if not all(isinstance(each, str) for each in found.values()):
        return None
    return {str(name): [each for each in ran.split(", ") if each] for name, ran in found.items()}


def _order(label: str) -> list[tuple[str, int]]:
    """A2 before A10."""
    return [(word, int(number or 0)) for word, number in re.findall(r"(\D+|^)(\d*)", label)]


COVERED = {
    "labels": ("exercised", "", "declared"),
    "branches": ("run", "excepted", "declared"),
    "fields": ("read", "excepted", "changed"),
}
"""Row of layer coverage -> the figures of what is covered, of the exceptions, and of all."""


def bars(part: Part) -> list[Bar]:
    """A bar for each row of coverage that counts something."""
    made = []
    for row in part.rows:
        if row.layer != "coverage" or row.name not in COVERED:
            continue
        done, excepted, every = (_count(row, name) for name in COVERED[row.name])
        if not every:
            continue
        words = COVERED[row.name]
        text = f"{done} of {every} {words[0]}" + (f", {excepted} excepted" if excepted else "")
        made.append(_bar(row.name, text, {"done": done, "except": excepted}, every))
    return made


def _count(row: Row, name: str) -> int:
    found = row.figures.get(name, 0)
    return found if type(found) is int and found > 0 else 0


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


def lateness(recorded: Recorded) -> list[Bar]:
    """The histogram of a check of traces: a bar for each class, the fullest one the longest.

    A class with any entry has a bar that can be seen.
    """
    most = max((each.count for each in recorded.late), default=0)
    return [
        Bar(
            each.name,
            f"{each.count:,}",
            (("done", 0.0, round(max(1.0, BAR * each.count / most), 2)),) if each.count else (),
        )
        for each in recorded.late
    ]


def seen(recorded: Recorded) -> list[Bar]:
    """What the traces exercised, a bar for each kind of thing."""
    return [
        _bar(name, f"{done} of {every}", {"done": done}, every)
        for name, (done, every) in recorded.seen.items()
        if every
    ]
