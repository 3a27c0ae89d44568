"""What a rule is: a name, the events that it applies to, and what must hold of each of them; and a family of rules with one key.

Everything is a native expression over the columns that the family prepares, so that Spark runs it without Python. The columns of a
family are made once, with at most one shuffle, and all its rules are asked in the same pass: how many events each applied to is
counted as the events go by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wheelproof.pipeline.schema import VIOLATION

Expression = Callable[[], Column]
"""Made when it is asked for: a column cannot be made before Spark runs."""


class Finding(StrEnum):
    """What it means when a rule is broken."""

    VIOLATION = "violation"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Rule:
    """``holds`` must be true wherever ``applies`` is; an unknown (null) counts as broken. ``detail``: a text for people.

    ``alone``: the rule looks at what the event itself says, or at things that occur too often, so that it can be trusted although
    other events were lost. A broken rule that is not so is only a sign of the loss in a run that is known to have one.
    """

    name: str
    says: str
    applies: Expression
    holds: Expression
    detail: Expression
    alone: bool = False
    finding: Finding = Finding.VIOLATION


@dataclass(frozen=True)
class Inputs:
    """What is checked. ``events``: EVENT and PLACE columns; ``runs``: one row for each run (run, tick_ms, wheel_size, start_ms, variant,
    whole, kinds: those that occur in it); ``ends``: what the footers say (run, kind thread or token, id, last)."""

    events: DataFrame
    runs: DataFrame
    ends: DataFrame


@dataclass(frozen=True)
class Family:
    """Rules over one key. ``prepare`` selects and shuffles; its frame has ``run`` and what the rules name.

    ``unit``: what one row of the frame is. ``measures``: further aggregates of the same pass, by name.
    """

    name: str
    unit: str
    key: tuple[str, ...]
    prepare: Callable[[Inputs], DataFrame]
    rules: tuple[Rule, ...]
    measures: Callable[[], dict[str, Column]] = dict

    def marked(self, prepared: DataFrame) -> DataFrame:
        """The frame that ``prepare`` made with two sets of rules as bits: ``applied`` and ``broken``. Nothing else is made of most rows."""
        applied, broken = F.lit(0).cast("long"), F.lit(0).cast("long")
        for bit, rule in enumerate(self.rules):
            applies = F.coalesce(rule.applies(), F.lit(False))
            applied = applied + F.when(applies, F.lit(1 << bit)).otherwise(F.lit(0))
            broken = broken + F.when(applies & ~F.coalesce(rule.holds(), F.lit(False)), F.lit(1 << bit)).otherwise(F.lit(0))
        return prepared.withColumn("applied", applied).withColumn("broken", broken)

    def violations(self, marked: DataFrame) -> DataFrame:
        """The VIOLATION rows in a frame that ``marked`` made; what is said of each is made for these only."""
        said = [F.when(_has("broken", bit), F.struct(F.lit(rule.name).alias("rule"), rule.detail().cast("string").alias("detail"))) for bit, rule in enumerate(self.rules)]
        each = F.explode(F.filter(F.array(*said), lambda one: one.isNotNull()))
        found = marked.where(F.col("broken") != 0).withColumn("said", each)
        columns = [F.col(f"said.{field.name}") if field.name in ("rule", "detail")
                   else F.col(field.name) if field.name in marked.columns else F.lit(None) for field in VIOLATION]
        return found.select(*[column.cast(field.dataType).alias(field.name) for column, field in zip(columns, VIOLATION)])

    def counts(self) -> list[Column]:
        """Aggregates over the marked frame: for each rule the rows that it applied to, then the measures."""
        return ([F.count_if(_has("applied", bit)).alias(rule.name) for bit, rule in enumerate(self.rules)]
                + [column.alias(name) for name, column in self.measures().items()])


def _has(name: str, bit: int) -> Column:
    return F.col(name).bitwiseAND(F.lit(1 << bit)) != 0


def text(*parts: Column | str | int) -> Column:
    """Parts put together; an absent one reads "none"."""
    return F.concat(*[F.lit(part) if isinstance(part, (str, int)) else F.coalesce(part.cast("string"), F.lit("none")) for part in parts])


def is_one_of(*kinds: str) -> Column:
    return F.col("k").isin(*kinds)


def recorded(*kinds: str) -> Column:
    """Whether the run has events of each of the kinds: what it never has may not have been recorded. Needs the columns of :func:`has`."""
    condition = F.lit(True)
    for kind in kinds:
        condition = condition & F.col(f"has_{kind}")
    return condition


def has(*kinds: str) -> list[Column]:
    """Columns over the runs that say whether each has events of a kind: asked once for each run, not for each event."""
    return [F.array_contains("kinds", kind).alias(f"has_{kind}") for kind in kinds]
