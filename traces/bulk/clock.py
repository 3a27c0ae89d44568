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
    """Polls, advances, levels and beginnings of flushes, each with

    * ``clock``, ``own``: the clock of the lowest level, and of the event's, before the event;
    * ``was``, ``next``: the thread's event before and after;
    * ``polled``: the bucket that the thread took last;
    * ``top``, ``shown``: the highest level whose clock is known before the event, and the highest
      whose advance the recorder shows;
    * ``above``: of a level that is published its number, or the word that names it;
    * ``published``: the clock of its publication before.
    """
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
        F.col("pre.key_ms").alias("turn_ms"),
        F.when(
            is_one_of("overflow_create"),
            F.coalesce(F.col("level").cast("string"), _written_word(), F.lit("")),
        ).alias("above"),
    )
    order = (*STAMP, "k", "list", "level", "key_ms", "wheel_ms", "now_ms", "above")
    before = Window.partitionBy("run", "timer").orderBy(*order).before()
    of_level = Window.partitionBy("run", "timer", "level").orderBy(*order).before()
    thread = Window.partitionBy("run", "timer", "tid").orderBy(*order)
    is_advance = is_one_of("clock_advance", "wheel_new")
    rows = (
        events.withColumn(
            "clock",
            F.last_where(is_advance & (F.col("level") == 1), F.col("wheel_ms")).over(before),
        )
        .withColumn("own", F.last_where(is_advance, F.col("wheel_ms")).over(of_level))
        .withColumn("was", F.lag("k").over(thread))
        .withColumn("next", F.lead(F.struct("k", "level")).over(thread))
        .withColumn("top", F.max(F.when(is_advance, F.col("level"))).over(before))
        .withColumn(
            "shown",
            F.max(F.when(is_one_of("clock_advance"), F.col("level"))).over(
                Window.partitionBy("run", "timer")
            ),
        )
        .withColumn(
            "polled",
            F.last_where(is_one_of("dq_poll"), F.struct("list", "key_ms")).over(thread.before()),
        )
    )
    rows = rows.withColumn(
        "published", F.lag("lc").over(Window.partitionBy("run", "timer", "above").orderBy(*order))
    )
    return _with_ticks(rows)


def _with_ticks(rows: Frame) -> Frame:
    """The rows beside their run's measures, with ``tick``: that of their level."""
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


def _turn() -> Column:
    """The turn of a level: the tick of the one above."""
    return F.col("tick") * F.col("wheel_size")


def _lowest() -> Column:
    """The lowest level's clock, before the event."""
    return F.coalesce(F.col("clock"), F.col("start_ms"))


def _clock_of_poll() -> Column:
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
        F.col("wheel_ms") == _clock_of_poll(),
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
        (_lowest() >= _tick_of(F.col("polled.key_ms"), F.col("lowest_tick"))),
        text("clock {clock} ms, key {polled.key_ms} ms"),
    ),
    Rule(
        "LevelBegins",
        "a level's tick is the turn of the level below, and its clock begins at that tick of the "
        "lowest one's",
        is_one_of("wheel_new") & F.col("tick").isNotNull(),
        (
            (F.coalesce(F.col("turn_ms"), F.col("tick")) == F.col("tick"))
            & (
                (F.col("level") == 1)
                | F.coalesce(F.col("wheel_ms") == _tick_of(_lowest(), F.col("tick")), F.lit(True))
            )
        ),
        text("ticks of {turn_ms} ms, clock {wheel_ms} ms, where the lowest one's is {clock} ms"),
    ),
    Rule(
        "LevelsAtOneTime",
        "where a level's clock passes a tick of the level above, that one's clock follows at once",
        (
            is_one_of("clock_advance")
            & (F.col("level") < F.col("top"))
            & (F.col("level") < F.col("shown"))
            & F.col("next").isNotNull()
            & F.col("tick").isNotNull()
            & (_tick_of(F.col("own"), _turn()) != _tick_of(F.col("wheel_ms"), _turn()))
        ),
        (F.col("next.k") == "clock_advance") & (F.col("next.level") == F.col("level") + 1),
        text("level {level} from {own} to {wheel_ms} ms, then {next.k} of level {next.level}"),
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


def prepare_readings() -> Frame:
    """The reads and sets of the wheel's clock under the timer's lock, each with ``clock``: the
    lowest level's that was read or set last in the same epoch of the lock.

    A writer ends an epoch: the readers of the next one see its value.
    """
    lock = F.get(F.filter("ord", lambda token: token.field("kind") == "RW"), F.lit(0))
    events = (
        EVENTS.where(
            (F.col("lc") > 0)
            & is_one_of("clock_advance", "wheel_place", "wheel_reject", "expire_submit")
            & F.col("wheel_ms").isNotNull()
        )
        .select(
            *WHICH, "wheel_ms", F.coalesce(F.col("level"), F.lit(1)).alias("level"), lock.alias("t")
        )
        .where(F.col("t").isNotNull())
        .select(
            *WHICH,
            "wheel_ms",
            "level",
            F.col("t.id").alias("lock"),
            (F.col("t.seq") + F.when(F.col("t.mode") == "w", 1).otherwise(0)).alias("epoch"),
        )
    )
    before = (
        Window.partitionBy("run", "lock", "epoch")
        .orderBy(*STAMP, "k", "level", "wheel_ms")
        .before()
    )
    clock = F.last_where(F.col("level") == 1, F.col("wheel_ms")).over(before)
    first = F.when(F.col("epoch") == 0, F.col("start_ms"))
    return _with_ticks(events.withColumn("seen", clock)).withColumn(
        "clock", F.coalesce(F.col("seen"), first)
    )


READINGS = Family(
    "readings",
    "reading of the clock",
    ("run", "lock", "epoch"),
    prepare_readings(),
    (
        Rule(
            "ClockObserved",
            "who holds a half of the timer's lock sees the wheel's clock where the last advance has"
            " put it, or that of its level",
            ~is_one_of("clock_advance") & F.col("clock").isNotNull() & F.col("tick").isNotNull(),
            (
                (F.col("wheel_ms") == F.col("clock"))
                | (F.col("wheel_ms") == _tick_of(F.col("clock"), F.col("tick")))
            ),
            text("{k} sees {wheel_ms} ms at level {level}, the clock is {clock} ms"),
        ),
    ),
)


def prepare_requests() -> Frame:
    """The clock reads for tasks and the making of entries, each beside the one before it in its
    thread."""
    events = EVENTS.where((F.col("lc") > 0) & is_one_of("add_request", "entry_new")).select(
        *WHICH, "task", "entry", "exp_ms", "delay_ms", "now_ms"
    )
    order = Window.partitionBy("run", "tid").orderBy(*STAMP, "k", "task", "entry", "exp_ms")
    names = ("k", "task", "delay_ms", "now_ms")
    looks = {f"was_{name}": F.lag(name).over(order) for name in names}
    runs = broadcast(RUNS.select("run", has("add_request")))
    return events.withColumns(looks).join(runs, "run")


REQUESTS = Family(
    "requests",
    "making of an entry",
    ("run", "tid"),
    prepare_requests(),
    (
        Rule(
            "DeadlineOfRequest",
            "an entry is made for the task that its thread was handed last, and is due at the time"
            " that was read then and the delay",
            is_one_of("entry_new") & recorded("add_request"),
            (
                F.col("was_k").eqNullSafe("add_request")
                & F.coalesce(F.col("task") == F.col("was_task"), F.lit(True))
                & F.coalesce(
                    F.col("exp_ms") == F.col("was_now_ms") + F.col("was_delay_ms"), F.lit(True)
                )
            ),
            text(
                "task {task} due at {exp_ms} ms after {was_k} of task {was_task} at {was_now_ms} ms"
                " with {was_delay_ms} ms"
            ),
        ),
    ),
)
