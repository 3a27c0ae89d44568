"""Rules of a run as a whole: no event of a thread is missing or given twice, and the run ends where its footer says."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from wheelproof.pipeline.checks.rule import Family, Finding, Inputs, Rule, text


def prepare(inputs: Inputs) -> DataFrame:
    """The events of a thread, each beside the one before it; what the footer says of the thread comes last."""
    events = inputs.events.where(F.col("lc") > 0).select("run", "tid", "tseq", "lc", "k", F.lit(False).alias("end"), F.col("count").alias("lost"))
    ends = inputs.ends.where(F.col("kind") == "thread").select(
        "run", F.col("id").cast("int").alias("tid"), F.col("last").alias("tseq"), F.lit(None).cast("long").alias("lc"), F.lit("footer").alias("k"),
        F.lit(True).alias("end"), F.lit(None).cast("long").alias("lost"))
    order = Window.partitionBy("run", "tid").orderBy("end", "tseq", "lc", "k")
    rows = events.unionByName(ends)
    return rows.withColumn("was", F.lag("tseq").over(order)).withColumn("was_lc", F.lag("lc").over(order))


def _now() -> Column:
    return text("event ", F.col("tseq"), " at lc ", F.col("lc"), " after ", F.col("was"), " at lc ", F.col("was_lc"))


RULES = (
    Rule("ThreadNoGap", "the numbers of a thread's events have no gap", lambda: ~F.col("end"), lambda: F.col("tseq") <= F.coalesce(F.col("was"), F.lit(0)) + 1, _now,
         finding=Finding.INCOMPLETE, alone=True),
    Rule("ThreadOnce", "no number of a thread is given to two events", lambda: ~F.col("end"), lambda: F.col("was").isNull() | (F.col("tseq") > F.col("was")), _now, alone=True),
    Rule("ThreadClock", "the Lamport clock rises along a thread", lambda: ~F.col("end") & F.col("was").isNotNull(), lambda: F.col("lc") > F.col("was_lc"), _now, alone=True),
    Rule("NothingDropped", "no event says that others were lost", lambda: ~F.col("end"), lambda: F.col("k") != "drop", lambda: text(F.col("lost"), " events were lost here"),
         finding=Finding.INCOMPLETE, alone=True),
    Rule("ThreadEnd", "a thread ends where the footer says", lambda: F.col("end"), lambda: F.coalesce(F.col("was"), F.lit(0)) == F.col("tseq"),
         lambda: text("footer says ", F.col("tseq"), ", last is ", F.col("was")), finding=Finding.INCOMPLETE, alone=True),
)

FAMILY = Family("threads", "event", ("run", "tid"), prepare, RULES)
