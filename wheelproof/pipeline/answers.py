"""The answers of the table of rules about the events in DuckDB: one query for each family.

Rows are counted by their outcome, as Spark counts them. A second query lists the rows that
break a rule, where there are any.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from wheelproof.pipeline import columns as F
from wheelproof.pipeline import on_duckdb
from wheelproof.pipeline.report import KEPT, ORDER
from wheelproof.pipeline.rule import APPLIES, BROKEN, Family, outcome
from wheelproof.pipeline.tally import TIMES
from wheelproof.trace.format import schema

if TYPE_CHECKING:
    import duckdb

Row = dict[str, object]

PLACE = ("run", "tid", "tseq", "lc", "k", *schema.OBJECTS, "token")
"""The columns of a violation beside its rule and its text."""

_FETCHED = 1000


@dataclass
class Answers:
    """The answers of all families."""

    applied: Counter[tuple[int, str]] = field(default_factory=Counter)
    """(run, rule) -> rows that the rule applied to."""
    broken: Counter[tuple[int, str]] = field(default_factory=Counter)
    """(run, rule) -> rows that break the rule."""
    violations: list[Row] = field(default_factory=list)
    """The first rows that break a rule, by ``report.ORDER``, without nulls."""
    measured: dict[str, int] = field(default_factory=dict)
    """Coverage and lateness, by name."""
    rules: list[str] = field(default_factory=list)
    """The rules, in their order."""

    def by_rule(self) -> Counter[str]:
        """Rule -> rows that it applied to, in all runs."""
        counts = Counter(dict.fromkeys(self.rules, 0))
        for (_, rule), count in self.applied.items():
            counts[rule] += count
        return counts


def ask(
    connection: duckdb.DuckDBPyConnection, families: Iterable[Family], limit: int = KEPT
) -> Answers:
    """The answers about ``events``, ``runs`` and ``ends`` of a connection. ``limit``: how many
    violations are listed."""
    answers = Answers()
    for family in families:
        answers.rules += [rule.name for rule in family.rules]
        _count(connection, family, answers)
        broken_rules = {name for _, name in answers.broken}
        indices = [index for index, rule in enumerate(family.rules) if rule.name in broken_rules]
        if indices:
            rows = violations(connection, family, indices)
            answers.violations = heapq.nsmallest(limit, chain(answers.violations, rows), key=_key)
    return answers


def _key(row: Row) -> list[tuple[bool, object]]:
    return [(row.get(name) is None, row.get(name)) for name in ORDER]


def counted(family: Family) -> str:
    """The query that counts the rows of a family by run, outcome and their groups."""
    marks = family.rows.select(
        "run",
        outcome(family.rules).alias("outcome"),
        *[column.alias(f"by_{name}") for name, column in family.grouped.items()],
    )
    tables, last = on_duckdb.frame(marks)
    groups = ", ".join(f'"by_{name}" AS "{name}"' for name in family.grouped)
    return (
        f"WITH {tables}\nSELECT run, outcome, {groups}{',' * bool(groups)} "
        f"count(*) AS {TIMES} FROM {last} GROUP BY ALL"
    )


def _count(connection: duckdb.DuckDBPyConnection, family: Family, answers: Answers) -> None:
    connection.execute(f"CREATE OR REPLACE TEMP TABLE counted AS {counted(family)}")
    rows = connection.execute(f"SELECT run, outcome, sum({TIMES}) FROM counted GROUP BY ALL")
    for run, became, times in rows.fetchall():
        for index, rule in enumerate(family.rules):
            if became & APPLIES << 2 * index:
                answers.applied[run, rule.name] += int(times)
            if became & BROKEN << 2 * index:
                answers.broken[run, rule.name] += int(times)
    if family.measures:
        measures = [column.alias(name) for name, column in family.measures.items()]
        row = connection.execute(f"SELECT {on_duckdb.select(*measures)} FROM counted AS given")
        (values,) = row.fetchall()
        answers.measured |= dict(zip(family.measures, values, strict=True))


def violations(
    connection: duckdb.DuckDBPyConnection, family: Family, indices: list[int]
) -> Iterator[Row]:
    """The rows that break one of the rules at the places ``indices`` of a family."""
    rules = [family.rules[index] for index in indices]
    bits = [BROKEN << 2 * index for index in indices]
    there = {name: F.col(name) for name in family.rows.columns} | dict(family.made)
    frame = family.rows.withColumn("outcome", outcome(family.rules)).where(
        F.col("outcome").bitwiseAND(sum(bits)) != 0
    )
    details = [
        F.when(F.col("outcome").bitwiseAND(bit) != 0, rule.detail.cast("string"))
        for rule, bit in zip(rules, bits, strict=True)
    ]
    selection = frame.select(
        "outcome",
        *[there.get(name, F.lit(None)).alias(f"at_{name}") for name in PLACE],
        *[detail.alias(f"detail_{number}") for number, detail in enumerate(details)],
    )
    tables, last = on_duckdb.frame(selection)
    result = connection.execute(f"WITH {tables}\nSELECT * FROM {last}")
    while rows := result.fetchmany(_FETCHED):
        for became, *values in rows:
            place = dict(zip(PLACE, values))
            for rule, bit, detail in zip(rules, bits, values[len(PLACE) :], strict=True):
                if became & bit:
                    row = {**place, "rule": rule.name, "detail": detail}
                    yield {name: value for name, value in row.items() if value is not None}
