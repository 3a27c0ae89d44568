"""The waits of a deadlock, as plain geometry: boxes and arrows.

The circle lies in two rows, so that its arrows go round. Everything else stands in rows above and
below, each beside the node that it waits for. The template draws it as SVG. Sizes are in pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from wheelproof.console import visible
from wheelproof.counterexample.wait_graph import Arrow, Node, WaitGraph
from wheelproof.report.page.pictures import LETTER

MOST = 26
"""Letters of a name; its tooltip has the others."""

HIGH, APART, BESIDE, SPOKEN = 26, 74, 24, 96
"""The height of a box, from row to row, between boxes, and between those with an arrow."""

WORDS = 66
"""The width of an arrow's words."""

HEAD = 8
"""The length of an arrow's head."""


@dataclass(frozen=True)
class Box:
    """One node."""

    kind: str
    name: str
    text: str
    x: float
    """The x of its middle."""
    y: float
    """The y of its middle."""
    width: float
    inside: bool
    """Whether it is part of the circle."""


@dataclass(frozen=True)
class Line:
    """One arrow: its path, the points of its head, and the place of its words."""

    says: str
    path: str
    head: str
    x: float
    y: float
    inside: bool


@dataclass(frozen=True)
class Picture:
    """The boxes and arrows."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    width: int
    height: int
    text: str
    """All of it in words."""


def picture(graph: WaitGraph) -> Picture:
    """The picture of a graph."""
    texts = {node: _shorten(node[1]) for node in graph.nodes}
    widths = {node: LETTER * cell_len(text) + 22 for node, text in texts.items()}
    rows = _ring(graph.ring)
    for number, row in _rows(graph).items():
        rows[number] = [*rows.get(number, ()), *row]
    middles = _middles(graph, rows, widths)
    margin = WORDS if len(graph.ring) == 2 else WORDS / 2
    start = min(middles[node] - widths[node] / 2 for node in graph.nodes) - margin
    right = max(middles[node] + widths[node] / 2 for node in graph.nodes) + margin
    top = min(rows)
    places = {
        node: (middles[node] - start, (number - top) * APART + HIGH)
        for number, row in rows.items()
        for node in row
    }
    inside = _turns(graph.ring)
    boxes = tuple(
        Box(node[0], node[1], texts[node], *places[node], widths[node], node in graph.ring)
        for node in graph.nodes
    )
    lines = tuple(
        _line(arrow, places, widths, (arrow.start, arrow.end) in inside, graph.arrows)
        for arrow in graph.arrows
    )
    height = (max(rows) - top) * APART + 2 * HIGH
    return Picture(boxes, lines, math.ceil(right - start), height, _in_words(graph))


def _shorten(name: str) -> str:
    text = visible(name)
    return text if cell_len(text) <= MOST else set_cell_size(text, MOST - 1).rstrip() + "…"


def _in_words(graph: WaitGraph) -> str:
    sentences = [f"{arrow.start[1]} {arrow.says} {arrow.end[1]}" for arrow in graph.arrows]
    if graph.ring:
        names = [node[1] for node in (*graph.ring, graph.ring[0])]
        sentences.append(f"a circle: {', '.join(names)}")
    return "; ".join(sentences)


def _turns(ring: Sequence[Node]) -> set[tuple[Node, Node]]:
    """The arrows of the circle."""
    return set(zip(ring, [*ring[1:], *ring[:1]], strict=True))


def _ring(ring: Sequence[Node]) -> dict[int, list[Node]]:
    """The rows of the circle: from left to right, and back."""
    half = len(ring) // 2
    return {0: list(ring[:half]), 1: list(reversed(ring[half:]))} if ring else {}


def _middles(
    graph: WaitGraph, rows: Mapping[int, Sequence[Node]], widths: Mapping[Node, float]
) -> dict[Node, float]:
    """The middle of each box: the circle in columns, every other one near those that it joins."""
    middles: dict[Node, float] = {}
    x = 0.0
    for first, second in zip(rows[0], rows[1], strict=True) if graph.ring else ():
        width = max(widths[first], widths[second])
        middles[first] = middles[second] = x + width / 2
        x += width + SPOKEN
    numbers = [number for number in rows if not graph.ring or number not in (0, 1)]
    for number in sorted(numbers, key=lambda number: (number < 0, abs(number))):
        targets = {}
        for node in rows[number]:
            near = [middles[peer] for peer in _beside(graph.arrows, node) if peer in middles]
            targets[node] = sum(near) / len(near) if near else 0.0
        row = sorted(targets, key=targets.__getitem__)
        for before, node in zip([None, *row], row, strict=False):
            least = -math.inf
            if before is not None:
                room = (widths[before] + widths[node]) / 2 + BESIDE
                least = middles[before] + max(room, 2 * WORDS + 16)
            middles[node] = max(targets[node], least)
        shift = sum(targets[node] - middles[node] for node in row) / len(row)
        middles |= {node: middles[node] + shift for node in row}
    return middles


def _rows(graph: WaitGraph) -> dict[int, list[Node]]:
    """The rows of the nodes outside of the circle.

    Those that are joined to the circle stand above and below it, by their distance. The others
    stand below all of them, each below the nodes that wait for it.
    """
    levels: dict[Node, int] = {}
    half = len(graph.ring) // 2
    edge = {node: -1 if at < half else 1 for at, node in enumerate(graph.ring)}
    far = {node: 0 if side < 0 else 1 for node, side in edge.items()}
    while edge:
        following: dict[Node, int] = {}
        for node, side in edge.items():
            for peer in _beside(graph.arrows, node):
                if peer not in far and peer not in following:
                    following[peer] = side
                    levels[peer] = far[node] + side
        far |= {node: levels[node] for node in following}
        edge = following
    below = max(far.values(), default=-1) + 1
    depth = {node: 0 for node in graph.nodes if node not in far}
    for _ in depth:  # the longest way to each; a circle ends after as many rounds as nodes
        for arrow in graph.arrows:
            if arrow.start in depth and arrow.end in depth:
                deeper = max(depth[arrow.end], depth[arrow.start] + 1)
                depth[arrow.end] = min(deeper, len(depth) - 1)
    out: dict[int, list[Node]] = {}
    for node, row in {**levels, **{node: below + number for node, number in depth.items()}}.items():
        out.setdefault(row, []).append(node)
    return out


def _beside(arrows: Iterable[Arrow], node: Node) -> list[Node]:
    return [
        arrow.end if arrow.start == node else arrow.start
        for arrow in arrows
        if node in _ends(arrow)
    ]


def _ends(arrow: Arrow) -> tuple[Node, Node]:
    return arrow.start, arrow.end


def _line(
    arrow: Arrow,
    places: Mapping[Node, tuple[float, float]],
    widths: Mapping[Node, float],
    inside: bool,
    arrows: Iterable[Arrow],
) -> Line:
    """From the border of one box to that of the other."""
    (x, y), (to_x, to_y) = places[arrow.start], places[arrow.end]
    words = 0.0
    if y == to_y:
        way = 1 if to_x > x else -1
        x, to_x = x + way * widths[arrow.start] / 2, to_x - way * widths[arrow.end] / 2
    else:
        way = 1 if to_y > y else -1
        y, to_y = y + way * HIGH / 2, to_y - way * HIGH / 2
        if any(_ends(back) == (arrow.end, arrow.start) for back in arrows):
            x, to_x = x + way * 12, to_x + way * 12  # there is one back beside it
            words = way * (WORDS / 2 + 3)
    length = math.hypot(to_x - x, to_y - y) or 1.0
    along, over = (to_x - x) / length, (to_y - y) / length
    neck_x, neck_y = to_x - along * HEAD, to_y - over * HEAD
    points = (
        (to_x, to_y),
        (neck_x - over * HEAD / 2, neck_y + along * HEAD / 2),
        (neck_x + over * HEAD / 2, neck_y - along * HEAD / 2),
    )
    head = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    path = f"M{x:.1f} {y:.1f}L{neck_x:.1f} {neck_y:.1f}"
    return Line(arrow.says, path, head, (x + to_x) / 2 + words, (y + to_y) / 2, inside)
