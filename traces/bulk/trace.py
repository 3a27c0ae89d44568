"""Rules of a run as a whole: no event of a thread is missing or given twice, and the run ends where
its footer says."""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import ENDS, EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import WHICH, Family, Finding, Rule, has, is_one_of, recorded, text

_KINDS = ("rw_acquire", "rw_release", "lock_acquire", "lock_release")

_WHEEL = "TimingWheel"
"""The specification whose users flush a bucket without the lock."""


def prepare() -> Frame:
    """The events of a thread, each beside the one before it, with ``half``: the last taking or
    giving back of a half of the timer's lock before it, and ``monitors``: how many monitors were
    taken and not given back before it. The footer's row of the thread comes last."""
    events = EVENTS.where(F.col("lc") > 0).select(
        *WHICH,
        F.lit(False).alias("end"),
        F.col("count").alias("lost"),
        F.exists("ord", lambda token: token.field("kind") == "RW").alias("held"),
        _monitors().alias("taken"),
        F.col("parent").isNotNull().alias("flushes"),
    )
    ends = ENDS.where(F.col("kind") == "thread").select(
        "run",
        F.col("id").cast("int").alias("tid"),
        F.col("last").alias("tseq"),
        F.lit(None).cast("long").alias("lc"),
        F.lit("footer").alias("k"),
        F.lit(True).alias("end"),
        F.lit(None).cast("long").alias("lost"),
        F.lit(False).alias("held"),
        F.lit(0).alias("taken"),
        F.lit(False).alias("flushes"),
    )
    order = Window.partitionBy("run", "tid").orderBy("end", "tseq", "lc", "k", "held", "taken")
    rows = events.unionByName(ends)
    before = order.before()
    half = F.when(is_one_of("rw_acquire", "rw_release"), F.col("k"))
    looks = {
        "was": F.lag("tseq").over(order),
        "was_lc": F.lag("lc").over(order),
        "was_kind": F.lag("k").over(order),
        "half": F.last(half).over(before),
        "monitors": F.sum("taken").over(before),
    }
    return rows.withColumns(looks).join(
        broadcast(RUNS.select("run", "module", has(*_KINDS))), "run"
    )


def _monitors() -> Column:
    """How many more monitors the thread has after the event, whose last token is the lock's.

    Operations do not count: the event that takes their lock is an attempt."""
    lock = F.get("ord", F.size("ord") - 1)
    of_monitor = (lock.field("kind") == "L") & ~lock.field("id").startswith("op:")
    step = F.when(is_one_of("lock_acquire"), 1).when(is_one_of("lock_release"), -1)
    return F.coalesce(F.when(of_monitor, step), F.lit(0))


def _now() -> Column:
    return text("event {tseq} at lc {lc} after {was} at lc {was_lc}")


def _holds() -> Column:
    """The thread has a half of the timer's lock before the event."""
    return F.col("half").eqNullSafe("rw_acquire")


def _of_half() -> Column:
    return text("{k}, of the timer's lock the last was {half}")


RULES = (
    Rule(
        "ThreadNoGap",
        "the numbers of a thread's events have no gap",
        ~F.col("end"),
        F.col("tseq") <= F.coalesce(F.col("was"), F.lit(0)) + 1,
        _now(),
        finding=Finding.INCOMPLETE,
        alone=True,
    ),
    Rule(
        "ThreadOnce",
        "no number of a thread is given to two events",
        ~F.col("end"),
        F.col("was").isNull() | (F.col("tseq") > F.col("was")),
        _now(),
        alone=True,
    ),
    Rule(
        "ThreadClock",
        "the Lamport clock rises along a thread",
        ~F.col("end") & F.col("was").isNotNull(),
        F.col("lc") > F.col("was_lc"),
        _now(),
        alone=True,
    ),
    Rule(
        "StopsLast",
        "no event of a thread comes after its end",
        ~F.col("end") & F.col("was").isNotNull(),
        F.col("was_kind") != "thread_stop",
        text("{k} at lc {lc} after the end at lc {was_lc}"),
        alone=True,
    ),
    Rule(
        "NothingDropped",
        "no event says that others were lost",
        ~F.col("end"),
        F.col("k") != "drop",
        text("{lost} events were lost here"),
        finding=Finding.INCOMPLETE,
        alone=True,
    ),
    # The last taking or giving back says what is held, and not a count of all: one that is missing
    # would be counted at every event that follows.
    Rule(
        "TimerLockBalanced",
        "a thread takes one half of the timer's lock, and gives it back",
        is_one_of("rw_acquire", "rw_release"),
        is_one_of("rw_release") == _holds(),
        _of_half(),
    ),
    Rule(
        "TimerLockHeld",
        "an event that says that a half of the timer's lock is held comes while its thread holds "
        "one",
        F.is_true("held") & recorded("rw_acquire", "rw_release"),
        _holds() | is_one_of("rw_acquire", "rw_release"),
        _of_half(),
    ),
    Rule(
        "WheelUnderTimerLock",
        "the wheel is read, its clock advanced and a bucket flushed only by a thread that holds a "
        "half of the timer's lock",
        (
            is_one_of("wheel_place", "wheel_reject", "clock_advance", "flush_begin")
            & ~((is_one_of("flush_begin") | F.col("flushes")) & F.col("module").eqNullSafe(_WHEEL))
            & recorded("rw_acquire", "rw_release")
        ),
        _holds(),
        _of_half(),
    ),
    Rule(
        "TimerLockReturned",
        "no thread ends with a half of the timer's lock",
        F.col("end") & (F.col("tseq") > 0),
        ~_holds(),
        _of_half(),
    ),
    Rule(
        "MonitorsReturned",
        "a thread that ends has given back every monitor that it took",
        is_one_of("thread_stop") & recorded("lock_acquire", "lock_release"),
        F.coalesce("monitors", F.lit(0)) <= 0,
        text("{monitors} monitors are held at the thread's end"),
    ),
    Rule(
        "ThreadEnd",
        "a thread ends where the footer says",
        F.col("end"),
        F.coalesce(F.col("was"), F.lit(0)) == F.col("tseq"),
        text("footer says {tseq}, last is {was}"),
        finding=Finding.INCOMPLETE,
        alone=True,
    ),
)

FAMILY = Family("threads", "event", ("run", "tid"), prepare(), RULES)


def prepare_brackets() -> Frame:
    """One row for each bracket: how often it was opened and closed, its thread, clock and object,
    and the steps that name it as theirs."""
    about = F.struct(
        "tid", F.regexp_replace("k", "_(begin|end)$", "").alias("what"), "list", "op", "key"
    )
    edges = EVENTS.where(F.col("span").isNotNull() & F.col("phase").isin("begin", "end")).select(
        "run", "span", "phase", "tid", "lc", about.alias("about")
    )
    inner = EVENTS.where(F.col("parent").isNotNull()).select(
        "run", F.col("parent").alias("span"), F.lit("inside").alias("phase"), "tid", "lc"
    )
    begins, ends = F.col("phase") == "begin", F.col("phase") == "end"
    inside = F.col("phase") == "inside"
    groups = (
        edges.unionByName(inner.withColumn("about", F.lit(None)))
        .groupBy("run", "span")
        .agg(
            F.count_if(begins).alias("begun"),
            F.count_if(ends).alias("ended"),
            F.min(F.when(begins, F.col("lc"))).alias("begun_at"),
            F.max(F.when(ends, F.col("lc"))).alias("ended_at"),
            F.min("about").alias("least"),
            F.max("about").alias("greatest"),
            F.min(F.when(inside, F.col("lc"))).alias("first"),
            F.max(F.when(inside, F.col("lc"))).alias("last"),
            F.min("tid").alias("thread"),
            F.max("tid").alias("other_thread"),
        )
    )
    brackets = groups.where((F.col("begun") > 0) | (F.col("ended") > 0))
    return brackets.join(broadcast(RUNS.select("run", "whole")), "run", "inner")


BRACKET_RULES = (
    Rule(
        "BracketOnce",
        "a bracket is opened and closed once at most, by one thread, about one thing",
        F.lit(True),
        (
            (F.col("begun") <= 1)
            & (F.col("ended") <= 1)
            & F.col("least").eqNullSafe(F.col("greatest"))
        ),
        text("bracket {span} of {least.what}: opened {begun} times, closed {ended} times"),
        alone=True,
    ),
    Rule(
        "BracketCloses",
        "in a whole trace every bracket is opened, and closed after that",
        F.col("whole"),
        ((F.col("begun") >= 1) & (F.col("ended") >= 1) & (F.col("begun_at") < F.col("ended_at"))),
        text("bracket {span} of {least.what}: opened at lc {begun_at}, closed at lc {ended_at}"),
    ),
    Rule(
        "InsideBracket",
        "a step that names a bracket comes after its opening and before its end, in its thread",
        F.col("first").isNotNull(),
        (
            (F.col("thread") == F.col("other_thread"))
            & F.coalesce(F.col("begun_at") < F.col("first"), F.lit(True))
            & F.coalesce(F.col("last") < F.col("ended_at"), F.lit(True))
        ),
        text(
            "bracket {span} of {least.what} is open from lc {begun_at} to lc {ended_at}, and has "
            "steps from lc {first} to lc {last}"
        ),
        alone=True,
    ),
)

BRACKETS = Family("brackets", "bracket", ("run", "span"), prepare_brackets(), BRACKET_RULES)
