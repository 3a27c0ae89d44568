"""A rule is a name, the rows that it applies to, and a condition that each of them must meet.

Rules with one key are a family, which defines their rows. Both are data: expressions over
declared columns. ``outcomes`` asks Spark, and ``answers`` DuckDB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from string import Formatter

from wheelproof.pipeline import codes
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.frames import Frame
from wheelproof.pipeline.tally import TIMES

STAMP = ("lc", "tid", "tseq")
"""The order of a run's events. Only a broken trace has two events of one stamp. They are sorted by
all that a family looks at, so that the order of the files does not matter."""

WHICH = ("run", "tid", "tseq", "lc", "k")
"""The columns that say which event a row is."""

MOST = 31
"""Rules of one family: the outcome of each is two bits of one long (:func:`outcome`)."""

APPLIES, BROKEN = 1, 2
"""The bits of the first rule; those of each further one are two places higher."""


class Finding(StrEnum):
    """The meaning of a broken rule."""

    VIOLATION = "violation"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Rule:
    """``holds`` must be true wherever ``applies`` is true; an unknown (null) counts as broken.

    ``detail``: a text for people. ``alone``: the rule looks at one event, or at things that occur
    too often, so that it can be trusted although other events were lost. If any other rule is
    broken in a run that has lost events, that is only a sign of the loss.
    """

    name: str
    says: str
    applies: Column
    holds: Column
    detail: Column
    alone: bool = False
    finding: Finding = Finding.VIOLATION


@dataclass(frozen=True)
class Family:
    """Rules over one key. ``rows``: the events that they apply to, with ``run`` and the columns
    that they name.

    ``unit``: the noun for one row. ``grouped``: further columns by which rows are counted, of few
    values each. ``measures``: aggregates over those counts, where :data:`TIMES` is the number of
    rows of a group. ``made``: columns of VIOLATION, made where a rule is broken. ``shuffles``: how
    often Spark shuffles the events at most: once by the key, and more where objects of several keys
    are compared. Raises ValueError for a column that the rows do not have.
    """

    name: str
    unit: str
    key: tuple[str, ...]
    rows: Frame
    rules: tuple[Rule, ...]
    grouped: Mapping[str, Column] = field(default_factory=dict)
    measures: Mapping[str, Column] = field(default_factory=dict)
    made: Mapping[str, Column] = field(default_factory=dict)
    shuffles: int = 1

    def __post_init__(self) -> None:
        if len(self.rules) > MOST:
            raise ValueError(f"{self.name}: a family has {MOST} rules at most")
        for rule in self.rules:
            self.rows.check(rule.applies, rule.holds, rule.detail)
        self.rows.check(*self.grouped.values(), *self.made.values())
        for measure in self.measures.values():
            if unknown := {*measure.roots()} - {*self.grouped, TIMES}:
                raise ValueError(f"{self.name}: no counts by {', '.join(sorted(unknown))}")


def outcome(rules: Sequence[Rule]) -> Column:
    """The outcome of a row: for each rule whether it applies and whether it is broken."""
    bits = F.lit(0).cast("long")
    for index, rule in enumerate(rules):
        hold_bits, break_bits = APPLIES << 2 * index, (APPLIES | BROKEN) << 2 * index
        bits = bits + F.when(
            rule.applies, F.when(rule.holds, hold_bits).otherwise(break_bits)
        ).otherwise(0)
    return bits


def text(template: str, **parts: Column) -> Column:
    """A text with values in it: in braces a column, or one of ``parts``; an absent one reads
    "none". Raises ValueError for a part that has no place."""
    pieces: list[Column] = []
    names = []
    for literal, name, _, _ in Formatter().parse(template):
        pieces += [F.lit(literal)] if literal else []
        if name is not None:
            value = parts.get(name, F.col(name))
            pieces.append(F.coalesce(value.cast("string"), F.lit("none")))
            names.append(name)
    if surplus := parts.keys() - names:
        raise ValueError(f"{template!r} has no place for {', '.join(sorted(surplus))}")
    return F.concat(*pieces)


def is_one_of(*kinds: str) -> Column:
    """An event is of one of the kinds."""
    return F.col("k").isin(*kinds)


def recorded(*kinds: str) -> Column:
    """Whether the run has events of each of the kinds; needs the column of :func:`has`.

    A kind that a run never has may not have been recorded.
    """
    column = sum(_bit(kind) for kind in kinds)
    return F.col("recorded").bitwiseAND(F.lit(column)) == column


def has(*kinds: str) -> Column:
    """A column over the runs: which of the kinds each has events of, a bit for each.

    It is worked out once for each run instead of for each event.
    """
    return reduce(
        lambda bits, kind: (
            bits + F.when(F.array_contains("kinds", kind), F.lit(_bit(kind))).otherwise(F.lit(0))
        ),
        kinds,
        F.lit(0).cast("long"),
    ).alias("recorded")


def _bit(kind: str) -> int:
    return 1 << codes.KIND[kind]
