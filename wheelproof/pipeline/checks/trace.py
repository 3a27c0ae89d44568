"""Rules of a run as a whole: no event of a thread is missing or given twice, and the run ends where its footer says."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from wheelproof.pipeline.checks.rule import Family, Finding, Inputs, Rule, has, recorded, text


def prepare(inputs: Inputs) -> DataFrame:
    """The events of a thread, each beside the one before it; what the footer says of the thread comes last."""
    events = inputs.events.where(F.col("lc") > 0).select(
        "run", "tid", "tseq", "lc", "k", F.lit(False).alias("end"), F.col("count").alias("lost"),
        F.exists("ord", lambda token: token.kind == "RW").alias("held"))
    ends = inputs.ends.where(F.col("kind") == "thread").select(
        "run", F.col("id").cast("int").alias("tid"), F.col("last").alias("tseq"), F.lit(None).cast("long").alias("lc"), F.lit("footer").alias("k"),
        F.lit(True).alias("end"), F.lit(None).cast("long").alias("lost"), F.lit(False).alias("held"))
    order = Window.partitionBy("run", "tid").orderBy("end", "tseq", "lc", "k", "held")
    rows = events.unionByName(ends)
    hold = F.when(F.col("k") == "rw_acquire", 1).when(F.col("k") == "rw_release", -1).otherwise(0)
    so_far = order.rowsBetween(Window.unboundedPreceding, 0)
    return rows.withColumn("was", F.lag("tseq").over(order)).withColumn("was_lc", F.lag("lc").over(order)).withColumn("holds", F.sum(hold).over(so_far)).join(
        F.broadcast(inputs.runs.select("run", *has("rw_acquire", "rw_release"))), "run")


def _now() -> Column:
    return text("event ", F.col("tseq"), " at lc ", F.col("lc"), " after ", F.col("was"), " at lc ", F.col("was_lc"))


RULES = (
    Rule("ThreadNoGap", "the numbers of a thread's events have no gap", lambda: ~F.col("end"), lambda: F.col("tseq") <= F.coalesce(F.col("was"), F.lit(0)) + 1, _now,
         finding=Finding.INCOMPLETE, alone=True),
    Rule("ThreadOnce", "no number of a thread is given to two events", lambda: ~F.col("end"), lambda: F.col("was").isNull() | (F.col("tseq") > F.col("was")), _now, alone=True),
    Rule("ThreadClock", "the Lamport clock rises along a thread", lambda: ~F.col("end") & F.col("was").isNotNull(), lambda: F.col("lc") > F.col("was_lc"), _now, alone=True),
    Rule("NothingDropped", "no event says that others were lost", lambda: ~F.col("end"), lambda: F.col("k") != "drop", lambda: text(F.col("lost"), " events were lost here"),
         finding=Finding.INCOMPLETE, alone=True),
    Rule("TimerLockBalanced", "a thread takes one half of the timer's lock, and gives it back", lambda: F.col("k").isin("rw_acquire", "rw_release"),
         lambda: F.col("holds") == F.when(F.col("k") == "rw_acquire", 1).otherwise(0), lambda: text(F.col("k"), " left ", F.col("holds"), " holds")),
    Rule("TimerLockHeld", "an event that says that a half of the timer's lock is held comes while its thread holds one",
         lambda: F.coalesce("held", F.lit(False)) & recorded("rw_acquire", "rw_release"), lambda: (F.col("holds") == 1) | (F.col("k") == "rw_release"),
         lambda: text(F.col("k"), " with ", F.col("holds"), " holds")),
    Rule("WheelUnderTimerLock", "the wheel is asked, its clock advanced and a bucket walked over only by who holds a half of the timer's lock",
         lambda: F.col("k").isin("wheel_place", "wheel_reject", "clock_advance", "flush_begin") & recorded("rw_acquire", "rw_release"), lambda: F.col("holds") == 1,
         lambda: text(F.col("k"), " with ", F.col("holds"), " holds")),
    Rule("TimerLockReturned", "no thread ends with a half of the timer's lock", lambda: F.col("end") & (F.col("tseq") > 0), lambda: F.col("holds") == 0,
         lambda: text("ended with ", F.col("holds"), " holds")),
    Rule("ThreadEnd", "a thread ends where the footer says", lambda: F.col("end"), lambda: F.coalesce(F.col("was"), F.lit(0)) == F.col("tseq"),
         lambda: text("footer says ", F.col("tseq"), ", last is ", F.col("was")), finding=Finding.INCOMPLETE, alone=True),
)

FAMILY = Family("threads", "event", ("run", "tid"), prepare, RULES)


def prepare_brackets(inputs: Inputs) -> DataFrame:
    """One row for each bracket: how often it was opened and closed, by whom, when, and about what."""
    about = F.struct("tid", F.regexp_replace("k", "_(begin|end)$", "").alias("what"), "list", "op", "key")
    events = inputs.events.where(F.col("span").isNotNull() & F.col("phase").isin("begin", "end"))
    begins, ends = F.col("phase") == "begin", F.col("phase") == "end"
    grouped = events.groupBy("run", "span").agg(
        F.count_if(begins).alias("begun"), F.count_if(ends).alias("ended"), F.min(F.when(begins, F.col("lc"))).alias("begun_at"), F.max(F.when(ends, F.col("lc"))).alias("ended_at"),
        F.min(about).alias("least"), F.max(about).alias("greatest"))
    return grouped.join(F.broadcast(inputs.runs.select("run", "whole")), "run", "inner")


BRACKET_RULES = (
    Rule("BracketOnce", "a bracket is opened and closed once at most, by one thread, about one thing", lambda: F.lit(True),
         lambda: (F.col("begun") <= 1) & (F.col("ended") <= 1) & F.col("least").eqNullSafe(F.col("greatest")),
         lambda: text("bracket ", F.col("span"), " of ", F.col("least.what"), ": opened ", F.col("begun"), " times, closed ", F.col("ended"), " times"), alone=True),
    Rule("BracketCloses", "in a whole trace every bracket is opened, and closed after that", lambda: F.col("whole"),
         lambda: (F.col("begun") >= 1) & (F.col("ended") >= 1) & (F.col("begun_at") < F.col("ended_at")),
         lambda: text("bracket ", F.col("span"), " of ", F.col("least.what"), ": opened at lc ", F.col("begun_at"), ", closed at lc ", F.col("ended_at"))),
)

BRACKETS = Family("brackets", "bracket", ("run", "span"), prepare_brackets, BRACKET_RULES)
