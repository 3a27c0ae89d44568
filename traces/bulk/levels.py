"""Rules of one level of a timer: its maker publishes it, before an entry is placed there."""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import Family, Rule, has, is_one_of, recorded, text

_KINDS = ("wheel_new", "overflow_create", "wheel_place")


def prepare() -> Frame:
    """One row for each level above the lowest: where it was first made, published and used."""
    events = EVENTS.where((F.col("lc") > 0) & is_one_of(*_KINDS) & (F.col("level") > 1)).select(
        "run", F.coalesce(F.col("timer"), F.lit(0)).alias("timer"), "level", "k", "lc", "tid"
    )

    def first(kind: str) -> Column:
        return F.min(F.when(is_one_of(kind), F.struct("lc", "tid")))

    levels = events.groupBy("run", "timer", "level").agg(
        first("wheel_new").alias("made"),
        first("overflow_create").alias("published"),
        first("wheel_place").alias("used"),
    )
    return levels.join(broadcast(RUNS.select("run", has(*_KINDS))), "run")


RULES = (
    Rule(
        "MadeBeforePublished",
        "a level is published by the thread that has made it",
        F.col("published").isNotNull() & recorded("wheel_new"),
        (F.col("made.lc") < F.col("published.lc")) & (F.col("made.tid") == F.col("published.tid")),
        text("level {level} is made at lc {made.lc}, published at lc {published.lc}"),
    ),
    Rule(
        "SafePublication",
        "an entry is placed in a level that was made in the run only after its publication",
        F.col("used").isNotNull() & F.col("made").isNotNull() & recorded("overflow_create"),
        F.col("published.lc") < F.col("used.lc"),
        text("level {level} is published at lc {published.lc}, used at lc {used.lc}"),
    ),
)

FAMILY = Family("levels", "level of a timer", ("run", "timer", "level"), prepare(), RULES)
