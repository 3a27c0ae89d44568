"""One pass of Spark over the rows of a family: rules that apply, broken ones, and their rows.

The outcome of a row is one long: two bits for each rule. So one aggregation gives the counts and
the violations, and all rows that break nothing become a few dozen groups. Boolean columns in its
place take up to 1.3 times the CPU seconds (`python -m benchmarks.outcomes`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wheelproof.pipeline import on_spark, splitting
from wheelproof.pipeline.rule import APPLIES, BROKEN, Family, outcome
from wheelproof.pipeline.schema import VIOLATION
from wheelproof.pipeline.splitting import Cut
from wheelproof.pipeline.tally import TIMES


@dataclass(frozen=True)
class Inputs:
    """The data to check, with the columns of ``frames.EVENTS``, ``RUNS`` and ``ENDS``.

    The events have those of ``schema.PLACE`` beside.
    """

    events: DataFrame
    runs: DataFrame
    ends: DataFrame


def prepared(family: Family, inputs: Inputs, cuts: Sequence[Cut] = ()) -> DataFrame:
    """The rows of a family, looked at in pieces where ``cuts`` says so."""
    return on_spark.frame(splitting.split(family.rows, cuts), vars(inputs))


def marked(family: Family, rows: DataFrame) -> DataFrame:
    """The rows with ``outcome``: for each rule whether it applies and whether it is broken."""
    return rows.withColumn("outcome", on_spark.column(outcome(family.rules)))


def tallied(family: Family, marks: DataFrame) -> DataFrame:
    """How many rows of each outcome (:data:`TIMES`) a frame that :func:`marked` made has.

    Rows that break a rule are groups of their own, with all their columns in ``row``.
    """
    row = F.when(
        _breaks(range(len(family.rules))), F.struct(*[F.col(name) for name in marks.columns])
    )
    by = [on_spark.column(column).alias(name) for name, column in family.grouped.items()]
    groups = marks.groupBy(F.col("outcome"), *by, row.alias("row"))
    return groups.agg(F.count("*").alias(TIMES))


def breaking(tally: DataFrame) -> DataFrame:
    """The rows that break a rule, made by :func:`marked`, out of a tally of :func:`tallied`."""
    times = F.explode(F.array_repeat(F.lit(0), F.col(TIMES).cast("int"))).alias("again")
    return tally.where(F.col("row").isNotNull()).select("row.*", times).drop("again")


def broken(family: Family, tally: DataFrame) -> dict[tuple[int, str], int]:
    """Violations by (run, rule), counted in a frame that :func:`tallied` made."""
    counts: Counter[tuple[int, str]] = Counter()
    rows = tally.where(F.col("row").isNotNull()).groupBy("row.run", "outcome")
    for row in rows.agg(F.sum(TIMES).alias(TIMES)).collect():
        for index, rule in enumerate(family.rules):
            if row.outcome & BROKEN << 2 * index:
                counts[row.run, rule.name] += row[TIMES]
    return counts


def violations(family: Family, marks: DataFrame, names: Collection[str] | None = None) -> DataFrame:
    """The VIOLATION rows in a frame that :func:`marked` made, each with its text.

    ``names``: the rules that are known to be broken, if they are.
    """
    messages = [
        F.when(
            _breaks([index]),
            F.struct(
                F.lit(rule.name).alias("rule"),
                on_spark.column(rule.detail).cast("string").alias("detail"),
            ),
        )
        for index, rule in enumerate(family.rules)
        if names is None or rule.name in names
    ]
    message = F.explode(F.filter(F.array(*messages), lambda detail: detail.isNotNull()))
    frame = marks.where(_breaks(range(len(family.rules)))).withColumn("message", message)
    expressions = {name: on_spark.column(column) for name, column in family.made.items()}
    expressions |= {name: F.col(f"message.{name}") for name in ("rule", "detail")}
    columns = [
        expressions[field.name]
        if field.name in expressions
        else F.col(field.name)
        if field.name in marks.columns
        else F.lit(None)
        for field in VIOLATION
    ]
    return frame.select(
        *[
            column.cast(field.dataType).alias(field.name)
            for column, field in zip(columns, VIOLATION, strict=True)
        ]
    )


def counts(family: Family) -> list[Column]:
    """Aggregates over a frame that :func:`tallied` made: how much each rule applied to,
    measures."""
    applications = [
        F.expr(f"coalesce(sum(if((outcome & {APPLIES << 2 * index}L) != 0, {TIMES}, 0)), 0)").alias(
            rule.name
        )
        for index, rule in enumerate(family.rules)
    ]
    return applications + [
        on_spark.column(column).alias(name) for name, column in family.measures.items()
    ]


def _has(bits: int) -> Column:
    return F.col("outcome").bitwiseAND(F.lit(bits)) != 0


def _breaks(rules: Iterable[int]) -> Column:
    """One of the rules, by their places in the family, is broken."""
    return _has(sum(BROKEN << 2 * index for index in rules))
