"""The needs of each rule in a trace: the kinds of event, the columns and the parts of header and
footer without which it has nothing to look at.

``needs.json`` of the project is measured, not written by hand: sound traces are made in which every
rule applies, one kind, column or part at a time is taken away, and the rows are counted that each
rule still applies to (``python tests/wheelproof/pipeline/needs_table.py --write``). A check says
with it why a rule was vacuous.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from wheelproof.trace import declared

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SCHEMA = "wheelproof.needs/1"


@dataclass(frozen=True)
class Needs:
    """The needs of a rule. ``kinds``: each of them; ``one_of``: one of them at least, where there
    are several that will do; ``columns``: (kinds, column), filled in an event of one of the kinds;
    ``parts``: of header and footer, such as ``header.config``."""

    kinds: tuple[str, ...]
    one_of: tuple[str, ...]
    columns: tuple[tuple[tuple[str, ...], str], ...]
    parts: tuple[str, ...]


@cache
def load() -> Mapping[str, Needs]:
    """Rule -> its needs; empty where the project has measured nothing."""
    declared.part("bulk")
    file = resources.files(f"{declared.PACKAGE}.bulk") / "needs.json"
    if not file.is_file():
        return {}
    rules = json.loads(file.read_text(encoding="utf-8"))["rules"]
    return {
        name: Needs(
            tuple(entry["kinds"]),
            tuple(entry["one_of"]),
            tuple((tuple(kinds), column) for kinds, column in entry["columns"]),
            tuple(entry["parts"]),
        )
        for name, entry in rules.items()
    }


def missing(
    events: DataFrame, counts: Mapping[str, int], rules: Iterable[str]
) -> dict[str, list[str]]:
    """For each of the rules its missing needs, as sentences without an end; nothing of one that
    lacks no kind and no column. ``counts``: events by kind.

    One pass over the events, for all columns that one of the rules needs; none where no rule does.
    """
    from pyspark.sql import functions as F

    table = load()
    table_rules = [name for name in rules if name in table]
    columns = columns_of(table_rules)
    fill_counts: dict[tuple[tuple[str, ...], str], int] = {}
    if columns:
        row = (
            events.where(F.col("lc") > 0)
            .agg(
                *[
                    F.count_if(_has_value(*pair)).alias(str(index))
                    for index, pair in enumerate(columns)
                ]
            )
            .first()
        )
        assert row is not None
        fill_counts = {pair: row[index] for index, pair in enumerate(columns)}
    return lacking(table_rules, counts, fill_counts)


Pair = tuple[tuple[str, ...], str]
"""Kinds of event and a column of theirs."""


def columns_of(rules: Iterable[str]) -> list[Pair]:
    """The columns that one of the rules needs, each with the kinds that must have it."""
    table = load()
    return sorted({pair for name in rules if name in table for pair in table[name].columns})


def lacking(
    rules: Iterable[str], counts: Mapping[str, int], fill_counts: Mapping[Pair, int]
) -> dict[str, list[str]]:
    """As :func:`missing`. ``fill_counts``: in how many events each of the columns is."""
    table = load()
    all_lacks = {name: _lacks(table[name], counts, fill_counts) for name in rules if name in table}
    return {name: lacks for name, lacks in all_lacks.items() if lacks}


def _has_value(kinds: tuple[str, ...], column: str) -> Column:
    from pyspark.sql import functions as F

    value = F.col(column).isNotNull() if column != "ord" else F.size("ord") > 0
    return F.col("k").isin(*kinds) & value


def _lacks(
    needs: Needs, counts: Mapping[str, int], fill_counts: Mapping[tuple[tuple[str, ...], str], int]
) -> list[str]:
    absent = [f"no event {kind}" for kind in needs.kinds if not counts.get(kind)]
    if needs.one_of and not any(counts.get(kind) for kind in needs.one_of):
        absent.append(f"no event {' or '.join(needs.one_of)}")
    for kinds, column in needs.columns:
        there = [kind for kind in kinds if counts.get(kind)]
        if there and not fill_counts[kinds, column]:
            absent.append(f"no {column} on {' or '.join(there)}")
    return absent or [f"no {part}" for part in needs.parts]
