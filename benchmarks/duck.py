"""The rules of the table on DuckDB: the yardstick of the benchmark, and a third engine for tests.

Each family is one query, as it is one pass of Spark: rows are counted by what became of them, and
those that break a rule are listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import duck_sql
from wheelproof.pipeline import columns as F
from wheelproof.pipeline import in_memory, local, runs
from wheelproof.pipeline.rule import APPLIES, BROKEN, Family, outcome
from wheelproof.pipeline.runs import Run
from wheelproof.pipeline.tally import TIMES
from wheelproof.trace import declared
from wheelproof.trace.format import parquet, schema

PLACE = ("run", "tid", "tseq", "lc", "op", "token")
"""What says where a rule is broken: None where a row has no such column."""


@dataclass
class Answers:
    """What the rules gave. ``applied``: rule -> rows; ``violations``: (rule, :data:`PLACE`) ->
    rows; ``measured``: of coverage and lateness, by name."""

    applied: Counter[str] = field(default_factory=Counter)
    violations: Counter[tuple[Any, ...]] = field(default_factory=Counter)
    measured: dict[str, int] = field(default_factory=dict)


def load(database: Any, paths: Iterable[Path], kept: bool = False) -> list[Run]:
    """Make the tables that the rules read, of traces in Parquet. ``kept``: the events are copied
    into the database; otherwise each query reads the files.

    Raises as :func:`wheelproof.pipeline.runs.find` and ``gather`` do.
    """
    found = runs.gather(runs.find(paths), {})
    given = local.sources((run, ()) for run in found)
    parts = [
        f"SELECT {run.index} AS run, * FROM read_parquet({[str(each.path) for each in run.files]})"
        for run in found
    ]
    if given["events"]:
        _table(database, "initial", _event_types(), given["events"])
        parts.append("SELECT * FROM initial")
    events = " UNION ALL BY NAME ".join(parts)
    database.execute(f"CREATE {'TABLE' if kept else 'VIEW'} events AS {events}")
    named = duck_sql.expression(declared.part("bulk").start.named())
    seen = database.execute(
        "SELECT run, list(DISTINCT k) FILTER (WHERE lc > 0), bool_or(lc > 0 AND "
        f"coalesce({named}, FALSE)) FROM events AS given GROUP BY run"
    ).fetchall()
    for run, kinds, ran in seen:
        given["runs"][run] |= {"kinds": sorted(kinds or ()), "ran": ran}
    _table(database, "runs", _run_types(), given["runs"])
    _table(database, "ends", _end_types(), given["ends"])
    return found


def ask(database: Any, families: Iterable[Family]) -> Answers:
    """Every rule of every row of what :func:`load` made."""
    answers = Answers()
    for family in families:
        _ask(database, family, answers)
    return answers


def query(family: Family) -> str:
    """One SELECT: what became of rows, by what they are counted by, how many, and the places of
    those that break a rule."""
    there = {name: F.col(name) for name in family.rows.columns} | dict(family.made)
    marked = family.rows.select(
        outcome(family.rules).alias("outcome"),
        *[column.alias(f"by_{name}") for name, column in family.grouped.items()],
        *[there.get(name, F.lit(None)).alias(f"at_{name}") for name in PLACE],
    )
    tables, last = duck_sql.frame(marked)
    by = ["outcome", *[f'"by_{name}"' for name in family.grouped]]
    broken = sum(BROKEN << 2 * index for index in range(len(family.rules)))
    places = ", ".join(f"at_{name}" for name in PLACE)
    return (
        f"WITH {tables}\nSELECT {', '.join(by)}, count(*), "
        f"list(row({places})) FILTER (WHERE outcome & {broken} <> 0) FROM {last} GROUP BY ALL"
    )


def _ask(database: Any, family: Family, answers: Answers) -> None:
    groups = []
    for became, *by, times, places in database.execute(query(family)).fetchall():
        for index, rule in enumerate(family.rules):
            if became & APPLIES << 2 * index:
                answers.applied[rule.name] += times
            if became & BROKEN << 2 * index:
                answers.violations.update((rule.name, *place) for place in places)
        groups.append(dict(zip(family.grouped, by, strict=True)) | {TIMES: times})
    for rule in family.rules:
        answers.applied.setdefault(rule.name, 0)
    if family.measures:
        measures = tuple(column.alias(name) for name, column in family.measures.items())
        answers.measured |= in_memory.aggregated(groups, (), measures)[0]


def _event_types() -> Any:
    import pyarrow

    return parquet.schema().insert(0, pyarrow.field("run", pyarrow.int32()))


def _run_types() -> Any:
    import pyarrow

    whole = {"run": pyarrow.int32(), **dict.fromkeys(schema.MEASURES, pyarrow.int64())}
    texts = dict.fromkeys(("variant", "module"), pyarrow.string())
    known = dict.fromkeys(("whole", "ran", "totalled"), pyarrow.bool_())
    kinds = {"kinds": pyarrow.list_(pyarrow.string())}
    return pyarrow.schema(list({**whole, **texts, **known, **kinds}.items()))


def _end_types() -> Any:
    import pyarrow

    whole = {"run": pyarrow.int32(), "last": pyarrow.int64()}
    texts = dict.fromkeys(("kind", "id"), pyarrow.string())
    return pyarrow.schema(list({**whole, **texts}.items()))


def _table(database: Any, name: str, types: Any, rows: list[dict[str, Any]]) -> None:
    import pyarrow

    made = pyarrow.Table.from_pylist(rows, types)
    database.register("made", made)
    database.execute(f"CREATE TABLE {name} AS SELECT * FROM made")
    database.unregister("made")
