"""The very same rule expressions on DuckDB: sqlframe translates what the families prepare, and each
rule's conditions, into DuckDB's SQL.

It puts itself in the place of PySpark, so that this is a program of its own: `python duck_rules.py
TRACE...` prints, as JSON, the violations as [run, rule, tid, tseq, lc, op, token] of the traces
(Parquet, one file a run), and how many rows each rule applied to.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from sqlframe import activate
from sqlframe.duckdb import Column
from sqlframe.duckdb import functions as F
from sqlframe.duckdb.window import WindowSpec
from sqlglot import expressions as sql

ROOT = Path(__file__).resolve().parents[3]
OBJECT = ("tid", "tseq", "lc", "op", "token")
ORDERED, BINARY = WindowSpec.orderBy, Column.binary_op
"""The methods that are replaced."""


def activated(database: Any) -> Any:
    """A session on DuckDB that answers to PySpark's names, with what sqlframe lacks put in: each of
    the pieces below is plain SQL."""
    activate("duckdb", conn=database)
    from pyspark.sql import SparkSession

    F.broadcast = lambda frame: frame
    for piece in (last, exists, pmod, collect_set, get, xxhash64):
        setattr(F, piece.__name__, piece)
    WindowSpec.orderBy = sorted_by
    Column.binary_op, Column.bitwiseAND = parted, bitwise_and
    return SparkSession.builder.getOrCreate()


# -- functions of PySpark


def last(value: Any, ignorenulls: bool = False) -> Any:
    found = sql.LastValue(this=expression_of(value))
    return Column(sql.IgnoreNulls(this=found) if ignorenulls else found)


def exists(values: Any, holds: Any) -> Any:
    return F.coalesce(F.size(F.filter(values, holds)), F.lit(0)) > 0


def pmod(value: Any, by: Any) -> Any:
    return ((column(value) % column(by)) + column(by)) % column(by)


def collect_set(value: Any) -> Any:
    found = sql.ArrayAgg(this=sql.Distinct(expressions=[expression_of(value)]))
    is_null = sql.Is(this=expression_of(value), expression=sql.Null())
    kept = sql.Filter(this=found, expression=sql.Where(this=sql.Not(this=is_null)))
    return F.coalesce(Column(kept), Column(sql.Array(expressions=[])))


def get(values: Any, index: Any) -> Any:
    return Column(
        sql.Anonymous(
            this="list_extract",
            expressions=[expression_of(values), expression_of(column(index) + 1)],
        )
    )


def xxhash64(value: Any) -> Any:
    """Another hash: what is found must not depend on which."""
    return Column(sql.Anonymous(this="md5", expressions=[expression_of(value)]))


# -- methods of PySpark


def sorted_by(self: Any, *columns: Any) -> Any:
    """What is sorted by has no name."""
    made = ORDERED(self, *columns)
    order = made.expression.args["order"]
    order.set("expressions", [each.unalias() for each in order.expressions])
    return made


def parted(self: Any, kind: Any, other: Any, **options: Any) -> Any:
    """DuckDB takes no chain of comparisons, and sqlframe drops the parentheses that Python's
    operators had."""
    made = BINARY(self, kind, other, **options)
    if isinstance(made.expression, sql.Binary):
        made.expression.set("this", grouped(made.expression.this))
        made.expression.set("expression", grouped(made.expression.expression))
    return made


def bitwise_and(self: Any, other: Any) -> Any:
    return Column(
        sql.Paren(this=sql.BitwiseAnd(this=self.column_expression, expression=expression_of(other)))
    )


# -- columns and expressions


def column(value: Any) -> Any:
    """A column as it is, a name's column, or a value as one."""
    if isinstance(value, Column):
        return value
    return F.col(value) if isinstance(value, str) else F.lit(value)


def expression_of(value: Any) -> Any:
    return column(value).column_expression


def grouped(part: Any) -> Any:
    """An expression in parentheses, unless it needs none."""
    compound = isinstance(part, (sql.Binary, sql.Unary, sql.In, sql.Between))
    return sql.Paren(this=part) if compound and not isinstance(part, (sql.Paren, sql.Dot)) else part


def inputs(database: Any, session: Any, paths: list[Path]) -> Any:
    """What the families read, as tables: all events with the index of their run, those
    of their headers, the runs and what footers say."""
    import pyarrow

    from wheelproof.pipeline import on_spark, runs
    from wheelproof.trace import declared
    from wheelproof.trace.format import parquet, schema

    found = runs.gather(runs.find(paths), {})
    files = [run.files[0].path for run in found]
    database.execute(
        "create table events as "
        + " union all by name ".join(
            f"select {run.index} as run, * from read_parquet('{path}')"
            for run, path in zip(found, files)
        )
    )
    initial = [{"run": run.index, **event} for run in found for event in run.initial()]
    if initial:
        columns = parquet.schema().insert(0, pyarrow.field("run", pyarrow.int32()))
        database.register("initial", pyarrow.Table.from_pylist(initial, columns))
        database.execute("insert into events by name select * from initial")
    kinds: dict[int, list[str]] = dict(
        database.execute(
            "select run, list(distinct k order by k) from events where lc > 0 group by run"
        ).fetchall()
    )
    database.execute(
        "create table runs ("
        + ", ".join(("run int", *(f"{name} bigint" for name in schema.MEASURES)))
        + ", variant text, whole boolean, kinds text[], module text, ran boolean, "
        "totalled boolean)"
    )
    start = declared.part("bulk").start
    named = session.table("events").where(on_spark.column(start.named())).select("run").distinct()
    ran = {
        run for (run,) in database.execute(named.sql(dialect="duckdb", optimize=False)).fetchall()
    }
    database.executemany(
        f"insert into runs values (?, {'?, ' * len(schema.MEASURES)}?, ?, ?, ?, ?, ?)",
        [
            (
                run.index,
                *start.config(run.header),
                run.header.get("variant"),
                run.whole,
                kinds.get(run.index, []),
                run.module,
                run.index in ran,
                run.totalled,
            )
            for run in found
        ],
    )
    database.execute("create table ends (run int, kind text, id text, last bigint)")
    database.executemany(
        "insert into ends values (?, ?, ?, ?)",
        [end for run in found for end in run.ends()] or [(-1, "none", "", 0)],
    )
    return {name: session.table(name) for name in ("events", "runs", "ends")}, [
        run.run_id for run in found
    ]


def main(paths: list[Path]) -> dict[str, Any]:
    """Violations and counts of the traces' rules. Raises as :func:`wheelproof.pipeline.runs.find`
    does."""
    import duckdb

    with duckdb.connect(config={"threads": 2}) as database:
        session = activated(database)
        from wheelproof.pipeline import on_spark
        from wheelproof.trace import declared

        tables, names = inputs(database, session, paths)
        violations, applied = [], Counter()
        for family in declared.part("bulk").FAMILIES:
            # kept as a table, so that each rule reads plain columns
            database.execute(
                f"create table prepared_{family.name} as "
                f"{on_spark.frame(family.rows, tables).sql(dialect='duckdb', optimize=False)}"
            )
            prepared = session.table(f"prepared_{family.name}")
            made = {name: on_spark.column(column) for name, column in family.made.items()}
            place = [
                made[name]
                if name in made
                else F.col(name)
                if name in prepared.columns
                else F.lit(None)
                for name in OBJECT
            ]
            applies = [
                F.coalesce(on_spark.column(rule.applies), F.lit(False)) for rule in family.rules
            ]
            broken = [
                is_applied & ~F.coalesce(on_spark.column(rule.holds), F.lit(False))
                for rule, is_applied in zip(family.rules, applies)
            ]
            outcome = prepared.select(
                "run",
                *[column.alias(name) for column, name in zip(place, OBJECT)],
                *[column.alias(f"a{index}") for index, column in enumerate(applies)],
                *[column.alias(f"b{index}") for index, column in enumerate(broken)],
            )
            database.execute(
                "create or replace temp table outcome as "
                f"{outcome.sql(dialect='duckdb', optimize=False)}"
            )
            for index, rule in enumerate(family.rules):
                applied[rule.name] += database.execute(
                    f"select count(*) from outcome where a{index}"
                ).fetchone()[0]
                violations += [
                    (names[run], rule.name, *what)
                    for run, *what in database.execute(
                        f"select run, {', '.join(OBJECT)} from outcome where b{index}"
                    ).fetchall()
                ]
        return {"runs": names, "violations": violations, "applied": applied}


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    json.dump(main([Path(name) for name in sys.argv[1:]]), sys.stdout)
