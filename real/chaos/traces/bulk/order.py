"""Rules of a history's threads: no event of one is missing or given twice."""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Window
from wheelproof.pipeline.frames import ENDS, EVENTS, Frame
from wheelproof.pipeline.rule import WHICH, Family, Finding, Rule, text


def prepare() -> Frame:
    """The events of a thread, each beside the one before it, and last the counts of the footer."""
    events = EVENTS.where(F.col("lc") > 0).select(*WHICH, F.lit(False).alias("end"))
    ends = ENDS.where(F.col("kind") == "thread").select(
        "run",
        F.col("id").cast("int").alias("tid"),
        F.col("last").alias("tseq"),
        F.lit(None).cast("long").alias("lc"),
        F.lit("footer").alias("k"),
        F.lit(True).alias("end"),
    )
    order = Window.partitionBy("run", "tid").orderBy("end", "tseq", "lc", "k")
    return (
        events.unionByName(ends)
        .withColumn("was", F.coalesce(F.lag("tseq").over(order), F.lit(0)))
        .withColumn("was_lc", F.coalesce(F.lag("lc").over(order), F.lit(0)))
    )


RULES = (
    Rule(
        "ThreadWhole",
        "the numbers of a thread's events have no gap, and none is given twice",
        ~F.col("end"),
        F.col("tseq") == F.col("was") + 1,
        text("event {tseq} comes after {was}"),
        finding=Finding.INCOMPLETE,
        alone=True,
    ),
    Rule(
        "ThreadClock",
        "the order of a history is that of each thread",
        ~F.col("end"),
        F.col("lc") > F.col("was_lc"),
        text("lc {lc} comes after {was_lc}"),
        alone=True,
    ),
    Rule(
        "ThreadEnd",
        "a thread ends where the footer says",
        F.col("end"),
        F.col("tseq") == F.col("was"),
        text("footer says {tseq}, last is {was}"),
        finding=Finding.INCOMPLETE,
        alone=True,
    ),
)

THREADS = Family("threads", "event", ("run", "tid"), prepare(), RULES)
