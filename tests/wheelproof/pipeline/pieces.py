"""Keys in pieces, beside the same keys in one window: cuts at chosen places, and which families
give other rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from checked import Trace

from traces.bulk import FAMILIES
from wheelproof.pipeline import in_memory, local, splitting
from wheelproof.pipeline.row_values import Row, order
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.splitting import Cut

SPLIT = [family for family in FAMILIES if splitting.sorting(family.rows)]
"""The families whose keys can be cut."""

Cutting = Callable[[Family, dict[str, list[Row]]], list[Cut]]


def every(size: int, offset: int = 0) -> Cutting:
    """All keys in pieces of so many rows, the first of ``offset`` rows if that is not 0."""

    def cuts(family: Family, given: dict[str, list[Row]]) -> list[Cut]:
        found = []
        for key, places in _places(family, given).items():
            if at := tuple(dict.fromkeys(places[offset or size :: size])):
                found.append(Cut(key, at))
        return found

    return cuts


def once(place: int) -> Cutting:
    """All keys in two pieces, the first of so many rows."""

    def cuts(family: Family, given: dict[str, list[Row]]) -> list[Cut]:
        return [
            Cut(key, (places[place],))
            for key, places in _places(family, given).items()
            if len(places) > place
        ]

    return cuts


def _places(family: Family, given: dict[str, list[Row]]) -> dict[Any, list[tuple[Any, ...]]]:
    found = splitting.sorting(family.rows)
    assert found is not None
    by_key = defaultdict(list)
    for row in in_memory.frame(found.rows, given):
        key = tuple(row[name] for name in found.key)
        by_key[key].append(tuple(row[name] for name in found.place))
    return {
        key: sorted(places, key=lambda place: [*map(order, place)])
        for key, places in by_key.items()
    }


def longest(trace: Trace) -> int:
    """The most rows that a key of a trace has."""
    given = sources(trace)
    return max(len(places) for family in SPLIT for places in _places(family, given).values())


def sources(trace: Trace) -> dict[str, list[Row]]:
    head, events, footer = trace
    return local.sources([(local.run_of(0, head, footer), events)])


def in_pieces(family: Family, given: dict[str, list[Row]], cutting: Cutting) -> Family:
    """The family, whose rows are looked at in pieces."""
    return replace(family, rows=splitting.split(family.rows, cutting(family, given)))


def differing(
    trace: Trace, cuttings: Sequence[Cutting], families: Sequence[Family] = SPLIT
) -> set[str]:
    """The names of the families whose rows are others in pieces: what the rules say is made of the
    rows alone."""
    given, names = sources(trace), set()
    for family in families:
        whole = Counter(map(_text, in_memory.frame(family.rows, given)))
        for cutting in cuttings:
            cut = in_pieces(family, given, cutting)
            if whole != Counter(map(_text, in_memory.frame(cut.rows, given))):
                names.add(family.name)
    return names


def reported(
    trace: Trace, cutting: Cutting | None = None
) -> tuple[Counter[tuple[str, str]], dict[str, int]]:
    """Which rules are broken, with place and text, and how much each applied to: in pieces, or in
    one window."""
    given = sources(trace)
    families = [in_pieces(each, given, cutting) if cutting else each for each in SPLIT]
    answers = local.ask(families, given)
    broken = Counter((each["rule"], repr(each)) for each in answers.violations)
    return broken, dict(answers.applied)


def _text(row: Row) -> str:
    return repr(sorted(row.items()))
