"""What a rule is: a name, the events that it applies to, and what must hold of each of them; and a family of rules with one key.

Everything is a native expression over the columns that the family prepares, so that Spark runs it without Python. The columns of a
family are made once, with at most one shuffle, and all its rules are asked in the same pass, which counts the events by what the
rules made of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wheelproof.pipeline import codes
from wheelproof.pipeline.schema import VIOLATION
from wheelproof.pipeline.tally import TIMES

Expression = Callable[[], Column]
"""Made when it is asked for: a column cannot be made before Spark runs."""

STAMP = ("lc", "tid", "tseq")
"""The order of a run's events. Events of one stamp are in a broken trace only; they are sorted by all that a family looks at, so that the files' order does not matter."""


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
    whole, kinds: those that occur in it, module: the specification that it follows with all its kinds, ran: its runs of tasks name their entries,
    totalled: its footer has totals of tokens); ``ends``: what headers and footers say (run, kind, id, last), of a kind that ``Run.ends`` names."""

    events: DataFrame
    runs: DataFrame
    ends: DataFrame


@dataclass(frozen=True)
class Family:
    """Rules over one key. ``prepare`` selects and shuffles; its frame has ``run`` and what the rules name.

    ``unit``: what one row of the frame is. ``grouped``: further columns by which rows are counted, of few values each; ``measures``:
    aggregates over those counts, by name, where :data:`TIMES` is how many rows a group has. ``made``: columns of VIOLATION that are made
    of the frame's, and only where a rule is broken. ``shuffles``: how often its events are, at most: once by its key, and more where what is asked lies between objects of
    several keys.
    """

    name: str
    unit: str
    key: tuple[str, ...]
    prepare: Callable[[Inputs], DataFrame]
    rules: tuple[Rule, ...]
    grouped: Callable[[], dict[str, Column]] = dict
    measures: Callable[[], dict[str, Column]] = dict
    made: Callable[[], dict[str, Column]] = dict
    shuffles: int = 1

    def __post_init__(self) -> None:
        if 2 * len(self.rules) > 63:
            raise ValueError(
                f"{self.name}: a family has 31 rules at most, whose outcomes fit a long"
            )

    def marked(self, prepared: DataFrame) -> DataFrame:
        """The frame that ``prepare`` made with ``outcome``: two bits for each rule, whether it applies and whether it is broken. Nothing else is made of most rows."""
        outcome = F.lit(0).cast("long")
        for index, rule in enumerate(self.rules):
            outcome = outcome + F.when(
                rule.applies(),
                F.when(rule.holds(), F.lit(_APPLIES << 2 * index)).otherwise(
                    F.lit((_APPLIES | _BROKEN) << 2 * index)
                ),
            ).otherwise(F.lit(0))
        return prepared.withColumn("outcome", outcome)

    def tallied(self, marked: DataFrame) -> DataFrame:
        """How many rows of each outcome (:data:`TIMES`) a frame that ``marked`` made has. Rows that break a rule are groups of their own, with all their columns in ``row``.

        So one pass gives the counts and the violations, and what is kept of all other rows is a few dozen groups.
        """
        row = F.when(
            _breaks(range(len(self.rules))), F.struct(*[F.col(name) for name in marked.columns])
        )
        return marked.groupBy(
            F.col("outcome"),
            *[column.alias(name) for name, column in self.grouped().items()],
            row.alias("row"),
        ).agg(F.count("*").alias(TIMES))

    def blamed(self, tallied: DataFrame) -> DataFrame:
        """The rows that break a rule, as in the frame that ``marked`` made, from one that ``tallied`` made."""
        return (
            tallied.where(F.col("row").isNotNull())
            .select(
                "row.*",
                F.explode(F.array_repeat(F.lit(0), F.col(TIMES).cast("int"))).alias("again"),
            )
            .drop("again")
        )

    def broken(self, tallied: DataFrame) -> dict[tuple[int, str], int]:
        """Violations by (run, rule), counted in a frame that ``tallied`` made."""
        counts: Counter[tuple[int, str]] = Counter()
        blamed = (
            tallied.where(F.col("row").isNotNull())
            .groupBy("row.run", "outcome")
            .agg(F.sum(TIMES).alias(TIMES))
        )
        for row in blamed.collect():
            for index, rule in enumerate(self.rules):
                if row.outcome & _BROKEN << 2 * index:
                    counts[row.run, rule.name] += row[TIMES]
        return counts

    def violations(self, marked: DataFrame, names: Collection[str] | None = None) -> DataFrame:
        """The VIOLATION rows in a frame that ``marked`` made; what is said of each is made for these only. ``names``: the rules that are known to be broken, if they are."""
        said = [
            F.when(
                _breaks([index]),
                F.struct(
                    F.lit(rule.name).alias("rule"), rule.detail().cast("string").alias("detail")
                ),
            )
            for index, rule in enumerate(self.rules)
            if names is None or rule.name in names
        ]
        each = F.explode(F.filter(F.array(*said), lambda one: one.isNotNull()))
        found = marked.where(_breaks(range(len(self.rules)))).withColumn("said", each)
        made = self.made() | {name: F.col(f"said.{name}") for name in ("rule", "detail")}
        columns = [
            made[field.name]
            if field.name in made
            else F.col(field.name)
            if field.name in marked.columns
            else F.lit(None)
            for field in VIOLATION
        ]
        return found.select(
            *[
                column.cast(field.dataType).alias(field.name)
                for column, field in zip(columns, VIOLATION)
            ]
        )

    def counts(self) -> list[Column]:
        """Aggregates over a frame that ``tallied`` made: for each rule the rows that it applied to, then the measures."""
        return [
            F.expr(
                f"coalesce(sum(if((outcome & {_APPLIES << 2 * index}L) != 0, {TIMES}, 0)), 0)"
            ).alias(rule.name)
            for index, rule in enumerate(self.rules)
        ] + [column.alias(name) for name, column in self.measures().items()]


_APPLIES, _BROKEN = 1, 2


def _has(bits: int) -> Column:
    return F.col("outcome").bitwiseAND(F.lit(bits)) != 0


def _breaks(rules: Iterable[int]) -> Column:
    """One of the rules, by their places in the family, is broken."""
    return _has(sum(_BROKEN << 2 * index for index in rules))


def text(*parts: Column | str | int) -> Column:
    """Parts put together; an absent one reads "none"."""
    return F.concat(
        *[
            F.lit(part)
            if isinstance(part, (str, int))
            else F.coalesce(part.cast("string"), F.lit("none"))
            for part in parts
        ]
    )


def is_one_of(*kinds: str) -> Column:
    return F.col("k").isin(*kinds)


def recorded(*kinds: str) -> Column:
    """Whether the run has events of each of the kinds: what it never has may not have been recorded. Needs the column of :func:`has`."""
    wanted = sum(_bit(kind) for kind in kinds)
    return F.col("recorded").bitwiseAND(F.lit(wanted)) == wanted


def has(*kinds: str) -> Column:
    """A column over the runs that says of which of the kinds each has events, a bit for each: asked once for each run, not for each event."""
    return reduce(
        lambda made, kind: (
            made + F.when(F.array_contains("kinds", kind), F.lit(_bit(kind))).otherwise(F.lit(0))
        ),
        kinds,
        F.lit(0).cast("long"),
    ).alias("recorded")


def _bit(kind: str) -> int:
    return 1 << codes.KIND[kind]
