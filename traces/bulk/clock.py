"""Rules of the wheel's clock: it goes where the bucket that was taken says, before that bucket is
flushed, and never back.

A timer has one clock, so that all its advances are one key: they are few, about two for each bucket
that falls due.
"""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import STAMP, WHICH, Family, Rule, has, is_one_of, recorded, text

_KINDS = ("dq_poll", "clock_advance", "flush_begin", "wheel_new", "overflow_create")


def prepare() -> Frame:
    """Polls, advances and beginnings of flushes with ``clock`` (the lowest level's, before the
    event), ``own`` (that of the event's level), ``was`` (the thread's event before) and ``polled``
    (the bucket that the thread took last); of a level that is published ``above``: its number, or
    the word that names it, and ``published``: the clock of its publication before."""
    events = EVENTS.where(
        (F.col("lc") > 0) & is_one_of(*_KINDS) & (~is_one_of("dq_poll") | F.col("list").isNotNull())
    ).select(
        *WHICH,
        "list",
        F.coalesce(F.col("timer"), F.lit(0)).alias("timer"),
        F.coalesce(F.col("level"), F.lit(1)).alias("level"),
        "key_ms",
        "wheel_ms",
        "now_ms",
        F.when(
            is_one_of("overflow_create"),
            F.coalesce(F.col("level").cast("string"), _written_word(), F.lit("")),
        ).alias("above"),
    )
    order = (*STAMP, "k", "list", "level", "key_ms", "wheel_ms", "now_ms", "above")
    before = Window.partitionBy("run", "timer").orderBy(*order).before()
    of_level = Window.partitionBy("run", "timer", "level").orderBy(*order).before()
    thread = Window.partitionBy("run", "timer", "tid").orderBy(*order)
    advanced = is_one_of("clock_advance", "wheel_new")
    rows = (
        events.withColumn(
            "clock", F.last_where(advanced & (F.col("level") == 1), F.col("wheel_ms")).over(before)
        )
        .withColumn("own", F.last_where(advanced, F.col("wheel_ms")).over(of_level))
        .withColumn("was", F.lag("k").over(thread))
        .withColumn(
            "polled",
            F.last_where(is_one_of("dq_poll"), F.struct("list", "key_ms")).over(thread.before()),
        )
    )
    rows = rows.withColumn(
        "published", F.lag("lc").over(Window.partitionBy("run", "timer", "above").orderBy(*order))
    )
    runs = RUNS.select(
        "run",
        F.col("tick_ms").alias("lowest_tick"),
        "wheel_size",
        "start_ms",
        has("dq_poll", "clock_advance"),
    )
    size = F.col("wheel_size").cast("double")
    sane = F.col("level").between(1, 62) & (
        F.pow(size, F.col("level")) * F.col("lowest_tick") < 9e15
    )
    return rows.join(broadcast(runs), "run").withColumn(
        "tick", F.when(sane, (F.col("lowest_tick") * F.pow(size, F.col("level") - 1)).cast("long"))
    )


def _written_word() -> Column:
    words = F.filter(
        "ord", lambda token: (token.field("kind") == "V") & (token.field("mode") == "w")
    )
    return F.get(words, F.lit(0)).field("id")


def _tick_of(key: Column, tick: Column) -> Column:
    return key - F.pmod(key, tick)


def _reached() -> Column:
    """Where the clock must be for the thread's bucket: at its key's tick, or later where it was
    later before."""
    return F.greatest(_tick_of(F.col("polled.key_ms"), F.col("tick")), F.col("own"))


RULES = (
    Rule(
        "ClockNeverBack",
        "the clock of a level never goes back",
        is_one_of("clock_advance") & F.col("own").isNotNull(),
        F.col("wheel_ms") >= F.col("own"),
        text("became {wheel_ms} ms, was {own} ms"),
    ),
    Rule(
        "ClockBehindTime",
        "the wheel's clock is at a tick that the time read has reached",
        (is_one_of("clock_advance") & F.col("now_ms").isNotNull() & F.col("tick").isNotNull()),
        ((F.col("wheel_ms") <= F.col("now_ms")) & (F.pmod(F.col("wheel_ms"), F.col("tick")) == 0)),
        text("became {wheel_ms} ms at {now_ms} ms"),
        alone=True,
    ),
    Rule(
        "ClockStopsAtKey",
        "for a bucket that was taken from the queue the clock becomes the tick of its key, and no "
        "other",
        (
            is_one_of("clock_advance")
            & F.col("was").isin("dq_poll", "clock_advance")
            & F.col("polled.key_ms").isNotNull()
            & F.col("tick").isNotNull()
        ),
        F.col("wheel_ms") == _reached(),
        text("became {wheel_ms} ms for the key {polled.key_ms} ms"),
    ),
    Rule(
        "ClockReachesKey",
        "a bucket is flushed only when the clock has come to its key",
        (
            is_one_of("flush_begin")
            & recorded("dq_poll", "clock_advance")
            & (F.col("polled.list") == F.col("list"))
            & F.col("polled.key_ms").isNotNull()
            & F.col("lowest_tick").isNotNull()
        ),
        (
            F.coalesce(F.col("clock"), F.col("start_ms"))
            >= _tick_of(F.col("polled.key_ms"), F.col("lowest_tick"))
        ),
        text("clock {clock} ms, key {polled.key_ms} ms"),
    ),
    Rule(
        "OneOverflowWheel",
        "a level above is published once",
        is_one_of("overflow_create"),
        F.col("published").isNull(),
        text("level {above} was published at lc {published}"),
        alone=True,
    ),
)

FAMILY = Family("clock", "step of the clock", ("run", "timer"), prepare(), RULES)
