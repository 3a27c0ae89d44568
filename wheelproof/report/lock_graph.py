"""The graph of a project's locks: as text of 80 columns, as SVG, and as DOT.

An arrow leads from a lock that is held to one that is taken meanwhile. A lock stands below all that
are held before it. Where a lock is reached through others, the direct arrow is left out. Locks
without any edge are no part of the picture.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from wheelproof.console import visible
from wheelproof.project.lock_order import ARROW, Documented, between, cycle, ends, lock_of
from wheelproof.verdict import Row

COLUMNS = 80
CLOSES = "closes a cycle"
CHARACTER, SMALL, HIGH, GAP, MARGIN = 7.4, 6.8, 30, 44, 20
"""Sizes in the picture, in pixels: characters of both sizes, a box, between boxes, around all."""


@dataclass(frozen=True)
class LockGraph:
    """Locks and edges between them. Halves of a lock are one here."""

    says: Mapping[str, str]
    """Lock -> the state that it guards, "" where it is not declared."""
    edges: frozenset[tuple[str, str]]
    exempt: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Edge -> name of its exception, or ``CLOSES``."""

    @property
    def ranks(self) -> dict[str, int]:
        """Lock -> the most locks that are held before it, on one way."""
        ranks = dict.fromkeys(self.says, 0)
        for _ in ranks:
            for first, second in self.edges:
                ranks[second] = max(ranks[second], ranks[first] + 1)
        return ranks

    @property
    def joined(self) -> list[str]:
        """The locks that have an edge, by name."""
        return sorted({lock for edge in (*self.edges, *self.exempt) for lock in edge})

    @property
    def direct(self) -> list[tuple[str, str]]:
        """The edges that no way over another lock replaces, without the exceptions."""
        beyond: dict[str, set[str]] = {}
        for lock in sorted(self.says, key=lambda name: -self.ranks[name]):
            after = {second for first, second in self.edges if first == lock}
            beyond[lock] = after.union(*(beyond[later] for later in after))
        return sorted(
            (first, second)
            for first, second in self.edges
            if not any(
                (first, between) in self.edges and second in beyond[between]
                for between in self.says
            )
        )


def documentation(declaration: Documented) -> LockGraph:
    """The graph of a declaration, with the locks in whose place others stand."""
    stand_ins = declaration.stand_ins
    exempt = {
        pair: name
        for name, exception in declaration.exceptions.items()
        for edge in exception.edges
        for pair in between(edge, stand_ins)
    }
    edges = {pair for edge in declaration.edges for pair in between(edge, stand_ins)} - set(exempt)
    says = {lock: text for lock, text in declaration.classes.items() if lock not in stand_ins}
    return LockGraph(says, frozenset(edges), exempt)


def collection(rows: Iterable[Row]) -> LockGraph:
    """The graph that a verification has collected, from its rows ``lock_order``."""
    edges = {name for row in rows for name in row.figures if ARROW in name}
    exempt: dict[tuple[str, str], str] = {}
    rest = set(edges)
    while circle := cycle(rest):
        exempt[ends(circle[-1])] = CLOSES
        rest -= {edge for edge in rest if ends(edge) == ends(circle[-1])}
    says = {lock_of(lock): "" for edge in sorted(edges) for lock in edge.split(ARROW)}
    return LockGraph(says, frozenset(map(ends, rest)), exempt)


def text(graph: LockGraph) -> str:
    """The graph as text. ``->`` takes, ``=>`` takes by an exception; ``-`` has no edge."""
    out = []
    ranks, direct = graph.ranks, graph.direct
    names = sorted(graph.joined, key=lambda name: (ranks[name], name))
    for lock in [*names, *sorted(set(graph.says) - set(names))]:
        out.append(f"{ranks[lock] + 1 if lock in names else '-'}  {lock}")
        if graph.says[lock]:
            out += textwrap.wrap(
                " ".join(graph.says[lock].split()),
                COLUMNS,
                initial_indent="     ",
                subsequent_indent="     ",
            )
        out += [f"   -> {second}" for first, second in direct if first == lock]
        out += [
            f"   => {second}  ({name})"
            for (first, second), name in sorted(graph.exempt.items())
            if first == lock
        ]
    return "\n".join(out) + "\n"


def dot(graph: LockGraph) -> str:
    """The graph for Graphviz."""
    lines = ["digraph locks {", "  node [shape=box]"]
    lines += [f"  {_id(lock)}" for lock in graph.joined]
    lines += [f"  {_id(first)} -> {_id(second)}" for first, second in graph.direct]
    lines += [
        f"  {_id(first)} -> {_id(second)} [style=dashed, constraint=false, label={_id(name)}]"
        for (first, second), name in sorted(graph.exempt.items())
    ]
    return "\n".join([*lines, "}", ""])


def _escape(text: str) -> str:
    return escape(visible(text))


def _id(text: str) -> str:
    """A text as a quoted identifier of Graphviz, in which a backslash begins an escape."""
    text_ = visible(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text_}"'


# -- the picture


class _Layout:
    """Boxes in rows by rank; a long arrow has a place of its own in each row that it crosses."""

    def __init__(self, graph: LockGraph) -> None:
        ranks = graph.ranks
        self.rows: list[list[str]] = [[] for _ in range(max(ranks.values(), default=0) + 1)]
        for lock in graph.joined:
            self.rows[ranks[lock]].append(lock)
        self.ways: dict[tuple[str, str], list[str]] = {}
        for first, second in graph.direct:
            way = [first]
            for rank in range(ranks[first] + 1, ranks[second]):
                point = f"{first}{ARROW}{second} {rank}"
                self.rows[rank].append(point)
                way.append(point)
            self.ways[first, second] = [*way, second]
        self.boxes = frozenset(graph.joined)
        self._sort()
        self.x: dict[str, float] = {}
        widths = [sum(map(self.width, row)) + GAP * (len(row) - 1) for row in self.rows]
        self.wide = max(widths, default=0) + 2 * MARGIN
        for row, width in zip(self.rows, widths, strict=True):
            start = (self.wide - width) / 2
            for name in row:
                self.x[name] = start + self.width(name) / 2
                start += self.width(name) + GAP
        self.y = {
            name: MARGIN + place * (HIGH + 1.4 * GAP)
            for place, row in enumerate(self.rows)
            for name in row
        }
        self.high = MARGIN * 2 + HIGH + (len(self.rows) - 1) * (HIGH + 1.4 * GAP)

    def width(self, name: str) -> float:
        return len(name) * CHARACTER + 20 if name in self.boxes else 8

    def _sort(self) -> None:
        """Order each row by the mean place of its neighbours in the row before, a few times."""
        beside: dict[str, list[str]] = {}
        for way in self.ways.values():
            for here, two in itertools.pairwise(way):
                beside.setdefault(here, []).append(two)
                beside.setdefault(two, []).append(here)
        for _ in range(4):
            for rows in (self.rows, self.rows[::-1]):
                for before, row in itertools.pairwise(rows):
                    place = {name: i / max(1, len(before) - 1) for i, name in enumerate(before)}
                    places_in_row = {name: i / max(1, len(row) - 1) for i, name in enumerate(row)}

                    def mean(
                        name: str,
                        place: Mapping[str, float] = place,
                        places_in_row: Mapping[str, float] = places_in_row,
                    ) -> float:
                        neighbours = [
                            place[neighbour]
                            for neighbour in beside.get(name, ())
                            if neighbour in place
                        ]
                        return (
                            sum(neighbours) / len(neighbours) if neighbours else places_in_row[name]
                        )

                    row.sort(key=lambda name: (mean(name), name))


def svg(graph: LockGraph) -> str:
    """The picture: exceptions are dashed, each with its name."""
    at = _Layout(graph)
    shapes = []
    for way in at.ways.values():
        points = [(at.x[way[0]], at.y[way[0]] + HIGH)]
        path = f"M{points[0][0]:.0f},{points[0][1]:.0f}"
        for before, name in itertools.pairwise(way):
            x0, y0 = at.x[before], at.y[before] + HIGH
            x1, y1 = at.x[name], at.y[name] - (3 if name == way[-1] else 0)
            if before != way[0]:
                path += f" L{x0:.0f},{y0:.0f}"
            middle = (y0 + y1) / 2
            path += f" C{x0:.0f},{middle:.0f} {x1:.0f},{middle:.0f} {x1:.0f},{y1:.0f}"
        shapes.append(f'<path d="{path}" class="edge" marker-end="url(#end)"/>')
    right = at.wide
    for index, ((first, second), name) in enumerate(sorted(graph.exempt.items())):
        x0, y0 = at.x[first] + at.width(first) / 2, at.y[first] + HIGH / 2
        x1, y1 = at.x[second] + at.width(second) / 2, at.y[second] + HIGH / 2
        if first == second:
            start = at.x[first] - at.width(first) / 2
            path = f"M{start:.0f},{y0 - 8:.0f} c-26,-10 -26,26 -3,16"
            label = start + 4, y0 + HIGH / 2 + 13
        else:
            out = max(x0, x1) + 30 + 8 * index
            path = (
                f"M{x0:.0f},{y0:.0f} C{out:.0f},{y0:.0f} {out:.0f},{y1:.0f} {x1 + 3:.0f},{y1:.0f}"
            )
            label = out - 12, (y0 + y1) / 2 + 4
        shapes.append(f'<path d="{path}" class="exempt" marker-end="url(#out)"/>')
        shapes.append(
            f'<text x="{label[0]:.0f}" y="{label[1]:.0f}" class="name">{_escape(name)}</text>'
        )
        right = max(right, label[0] + len(name) * SMALL + MARGIN)
    for lock in graph.joined:
        x, y, wide = at.x[lock] - at.width(lock) / 2, at.y[lock], at.width(lock)
        shapes.append(
            f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{HIGH}" rx="4"/>'
            f'<text x="{at.x[lock]:.0f}" y="{y + 20:.0f}" class="lock">{_escape(lock)}'
            f"<title>{_escape(' '.join(graph.says[lock].split()))}</title></text>"
        )
    arrow = (
        '<marker id="{0}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{1}"/></marker>'
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right:.0f} {at.high:.0f}" '
            f'width="{right:.0f}" height="{at.high:.0f}" role="img">',
            "<title>The order of locks</title>",
            "<style>",
            "rect { fill: #f4f7fb; stroke: #39506b } .edge { fill: none; stroke: #39506b }",
            ".exempt { fill: none; stroke: #b3261e; stroke-dasharray: 5 3 }",
            "text { font: 12px ui-monospace, monospace; fill: #1d2733 }",
            ".lock { text-anchor: middle } .name { font-size: 11px; fill: #b3261e }",
            ".name { stroke: #fff; stroke-width: 4px; paint-order: stroke }",
            "</style>",
            f"<defs>{arrow.format('end', '#39506b')}{arrow.format('out', '#b3261e')}</defs>",
            f'<rect width="{right:.0f}" height="{at.high:.0f}" style="fill:#fff;stroke:none"/>',
            *shapes,
            "</svg>",
            "",
        ]
    )
