"""`python -m benchmarks.outcomes [EVENTS]`: the outcome of a row as one long, with two bits for
each rule, beside two boolean columns for each rule. Prints Markdown, of one run of Spark.

Both group the same rows and write the groups. They take turns, so that other work of the machine
falls on both.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from benchmarks import bulk, generate
from traces.bulk import FAMILIES
from wheelproof.pipeline import ingest, on_spark, outcomes
from wheelproof.pipeline.rule import Family
from wheelproof.pipeline.tally import TIMES

MEASURED = ("rows", "entries", "program")
TURNS = 3
"""Measured turns of each, after one that is not."""


def as_long(family: Family, rows: Any) -> Any:
    """As the pipeline does it."""
    return outcomes.tallied(family, outcomes.marked(family, rows))


def as_columns(family: Family, rows: Any) -> Any:
    """The same groups, by columns ``applies_N`` and ``broken_N``."""
    from pyspark.sql import functions as F

    marks, applies, breach_names = rows, [], []
    for index, rule in enumerate(family.rules):
        is_checked = F.coalesce(on_spark.column(rule.applies), F.lit(False))
        holds = F.coalesce(on_spark.column(rule.holds), F.lit(False))
        applies.append(f"applies_{index}")
        breach_names.append(f"broken_{index}")
        marks = marks.withColumn(applies[-1], is_checked).withColumn(
            breach_names[-1], is_checked & ~holds
        )
    breaks = reduce(
        lambda left_side, right_side: left_side | right_side, [F.col(name) for name in breach_names]
    )
    row = F.when(breaks, F.struct(*[F.col(name) for name in rows.columns])).alias("row")
    by = [on_spark.column(column).alias(name) for name, column in family.grouped.items()]
    return marks.groupBy(*applies, *breach_names, *by, row).agg(F.count("*").alias(TIMES))


def groups_of(way: Callable[[Family, Any], Any], family: Family, rows: Any) -> int:
    return len(way(family, rows).collect())


def main(events: int) -> None:
    shutil.rmtree(bulk.HERE, ignore_errors=True)
    base = generate.block(1, bulk.OPERATIONS)
    path, event_count = bulk.quiet(base, events)
    print("| family | rules | as | CPU s, each turn | groups |\n|---|---|---|---|---|", flush=True)
    with bulk.spark_on(2) as spark:
        meter = bulk.Meter(spark)
        inputs = ingest.read(spark, [path], bulk.HERE / "checked").inputs
        for family in [family for family in FAMILIES if family.name in MEASURED]:
            rows = outcomes.prepared(family, inputs)
            ways: dict[str, Callable[[Family, Any], Any]] = {
                "one long": as_long,
                "columns": as_columns,
            }
            costs: dict[str, list[float]] = {name: [] for name in ways}
            groups: dict[str, int] = {}
            for _ in range(TURNS + 1):
                for name, way in ways.items():
                    _, cpu, _, groups[name] = meter.measure(partial(groups_of, way, family, rows))
                    costs[name].append(cpu)
            for name, times in costs.items():
                turns = ", ".join(f"{cpu:.2f}" for cpu in times[1:])
                bulk.row(family.name, len(family.rules), name, turns, groups[name])
            ratio = min(costs["columns"][1:]) / min(costs["one long"][1:])
            print(f"| {family.name} | | columns / one long | {ratio:.2f} | |", flush=True)
    print(f"\n{event_count:,} events")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
