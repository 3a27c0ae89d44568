"""Keys in pieces, beside the same keys in one window: cuts at chosen places, and which families
give other rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import checked
import duckdb
from checked import Trace

from traces.bulk import FAMILIES
from wheelproof.pipeline import answers, database, on_duckdb, splitting
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.frames import Frame
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.skew import order
from wheelproof.pipeline.splitting import Cut

SPLIT = [family for family in FAMILIES if splitting.sorting(family.rows)]
"""The families whose keys can be cut."""

Connection = duckdb.DuckDBPyConnection
Cutting = Callable[[Family, Connection], list[Cut]]


def every(size: int, offset: int = 0) -> Cutting:
    """All keys in pieces of so many rows, the first of ``offset`` rows if that is not 0."""

    def cuts(family: Family, given: Connection) -> list[Cut]:
        chosen = []
        for key, places in _places(family, given).items():
            if at := tuple(dict.fromkeys(places[offset or size :: size])):
                chosen.append(Cut(key, at))
        return chosen

    return cuts


def once(place: int) -> Cutting:
    """All keys in two pieces, the first of so many rows."""

    def cuts(family: Family, given: Connection) -> list[Cut]:
        return [
            Cut(key, (places[place],))
            for key, places in _places(family, given).items()
            if len(places) > place
        ]

    return cuts


def _places(family: Family, given: Connection) -> dict[Any, list[tuple[Any, ...]]]:
    sorting = splitting.sorting(family.rows)
    assert sorting is not None
    by_key, width = defaultdict(list), len(sorting.key)
    names = (*sorting.key, *sorting.place)
    columns = [F.col(name).alias(f"column_{number}") for number, name in enumerate(names)]
    for row in _rows(sorting.rows.select(*columns), given):
        by_key[row[:width]].append(row[width:])
    return {key: sorted(places, key=order) for key, places in by_key.items()}


def _rows(frame: Frame, given: Connection) -> list[tuple[Any, ...]]:
    tables, last = on_duckdb.frame(frame)
    return given.execute(f"WITH {tables}\nSELECT * FROM {last}").fetchall()


def longest(trace: Trace) -> int:
    """The most rows that a key of a trace has."""
    with sources(trace) as given:
        return max(len(places) for family in SPLIT for places in _places(family, given).values())


@contextmanager
def sources(trace: Trace) -> Iterator[Connection]:
    """A database that has one trace."""
    with database.opened() as tables:
        for event in trace[1]:
            tables.add(0, None, event)
        tables.complete([checked.run_of(0, trace)])
        yield tables.connection


def in_pieces(family: Family, given: Connection, cutting: Cutting) -> Family:
    """The family, whose rows are looked at in pieces."""
    return replace(family, rows=splitting.split(family.rows, cutting(family, given)))


def differing(
    trace: Trace, cuttings: Sequence[Cutting], families: Sequence[Family] = SPLIT
) -> set[str]:
    """The names of the families whose rows are others in pieces: what the rules say is made of the
    rows alone."""
    with sources(trace) as given:
        return {
            family.name
            for family in families
            if any(
                _counted(in_pieces(family, given, cutting), given) != whole
                for whole in [_counted(family, given)]
                for cutting in cuttings
            )
        }


def _counted(family: Family, given: Connection) -> Counter[str]:
    rows = family.rows
    return Counter(map(repr, _rows(rows.select(*sorted(rows.columns)), given)))


def reported(
    trace: Trace, cutting: Cutting | None = None
) -> tuple[Counter[tuple[str, str]], dict[str, int]]:
    """Which rules are broken, with place and text, and how much each applied to: in pieces, or in
    one window."""
    with sources(trace) as given:
        families = [in_pieces(each, given, cutting) if cutting else each for each in SPLIT]
        outcome = answers.ask(given, families, checked.ALL)
    broken = Counter((str(row["rule"]), repr(row)) for row in outcome.violations)
    return broken, dict(outcome.by_rule())
