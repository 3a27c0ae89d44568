"""Rules of one event: the wheel's arithmetic, the reads inside the critical section, nothing handed
over early. No shuffle."""

from __future__ import annotations

from traces.bulk.lateness import late, lateness_measures
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import WHICH, Family, Rule, is_one_of, text

_KINDS = (
    "wheel_place",
    "wheel_reject",
    "bucket_expiry_set",
    "dq_offer",
    "dq_poll",
    "list_add",
    "list_remove",
    "expire_submit",
    "force_cas",
    "entry_new",
    "add_request",
    "cancel",
    "set_entry",
)
"""The kinds that one of the rules, or the lateness, is about."""

_COLUMNS = (
    *WHICH,
    "task",
    "entry",
    "list",
    "op",
    "level",
    "bucket",
    "vid",
    "exp_ms",
    "now_ms",
    "wheel_ms",
    "key_ms",
    "delay_ms",
    "cause",
    "res",
    "eseq",
)
_SEEN = {
    "seen_list": "pre.list",
    "seen_key": "pre.key_ms",
    "seen_completed": "pre.completed",
    "left_list": "post.list",
    "left_key": "post.key_ms",
    "left_entry": "post.entry",
    "left_completed": "post.completed",
}
_LEVELS = 62


def prepare() -> Frame:
    """The events beside their run's ticks (``tick``: of the event's level, ``below``: of the level
    below), with the values before the step and after it."""
    size = F.col("wheel_size").cast("double")
    # beyond 2^53 a double is not exact; a wheel of such levels would span more than 285,000 years
    # of milliseconds
    ticks = F.transform(
        F.sequence(F.lit(1), F.lit(_LEVELS)),
        lambda level: F.when(
            F.pow(size, level) * F.col("tick_ms") < 9e15,
            (F.col("tick_ms") * F.pow(size, level - 1)).cast("long"),
        ),
    )
    runs = RUNS.select(
        "run", F.col("tick_ms").alias("lowest_tick"), "wheel_size", ticks.alias("ticks")
    )
    events = EVENTS.where((F.col("lc") > 0) & is_one_of(*_KINDS)).select(
        *_COLUMNS, *[F.col(path).alias(name) for name, path in _SEEN.items()]
    )
    # where a place has no level it is the first one's
    level = F.when(is_one_of("wheel_place"), F.coalesce("level", F.lit(1))).otherwise(
        F.col("level")
    )
    return (
        events.withColumn("level", level)
        .join(broadcast(runs), "run", "inner")
        .withColumn("tick", F.get("ticks", F.col("level") - 1))
        .withColumn("below", F.get("ticks", F.col("level") - 2))
        .drop("ticks")
    )


def _is_placement(*kinds: str) -> Column:
    return is_one_of("wheel_place", *kinds) & _has("lowest_tick", "level")


def _trim(time: Column, tick: Column) -> Column:
    return time - F.pmod(time, tick)


def _slot() -> Column:
    return (
        F.col("exp_ms") - F.pmod(F.col("exp_ms"), F.col("tick")) == F.col("vid") * F.col("tick")
    ) & (F.col("bucket") == F.pmod(F.col("vid"), F.col("wheel_size")))


def _level() -> Column:
    clock, tick = F.col("wheel_ms"), F.col("tick")
    reaches = F.col("exp_ms") < _trim(clock, tick) + tick * F.col("wheel_size")
    # `tick` is the turn of the level below: its clock is the lowest one's, rounded down to its own
    # tick
    lowest_that_reaches = (F.col("level") == 1) | (
        F.col("exp_ms") >= _trim(clock, F.col("below")) + tick
    )
    return reaches & lowest_that_reaches


def _not_due() -> Column:
    return F.col("exp_ms") >= _trim(F.col("wheel_ms"), F.col("lowest_tick")) + F.col("lowest_tick")


def _has(*names: str) -> Column:
    condition = F.lit(True)
    for name in names:
        condition = condition & F.col(name).isNotNull()
    return condition


def _due() -> Column:
    return is_one_of("expire_submit") | (is_one_of("wheel_reject") & (F.col("cause") == "due"))


def _written_and_read() -> Column:
    return (
        (is_one_of("bucket_expiry_set") & _has("left_key"))
        | (is_one_of("set_entry", "cancel") & _has("left_entry"))
        | (is_one_of("force_cas") & _has("left_completed"))
    )


def _as_written() -> Column:
    entry = F.when(is_one_of("set_entry"), F.col("entry")).otherwise(F.lit(0))
    return (
        F.when(is_one_of("bucket_expiry_set"), F.col("left_key") == F.col("key_ms"))
        .when(is_one_of("force_cas"), F.col("left_completed"))
        .otherwise(F.col("left_entry") == entry)
    )


RULES = (
    Rule(
        "SlotInRange",
        "an entry goes into the bucket of its deadline's tick",
        _is_placement("list_add") & _has("exp_ms", "vid", "bucket"),
        _slot(),
        text("deadline {exp_ms} ms at level {level}: vid {vid}, bucket {bucket}"),
        alone=True,
    ),
    Rule(
        "LevelBound",
        "an entry goes to the lowest level whose turn reaches its deadline",
        _is_placement() & _has("exp_ms", "wheel_ms"),
        _level(),
        text("deadline {exp_ms} ms at level {level}, wheel at {wheel_ms} ms"),
        alone=True,
    ),
    Rule(
        "KeyAligned",
        "a bucket's key is a multiple of its level's tick",
        (is_one_of("bucket_expiry_set", "dq_offer") & _has("lowest_tick") & (F.col("key_ms") >= 0)),
        F.pmod(F.col("key_ms"), F.coalesce(F.col("tick"), F.col("lowest_tick"))) == 0,
        text("key {key_ms} ms at level {level}"),
        alone=True,
    ),
    Rule(
        "KeyOfDeadline",
        "the key that an entry gives its bucket is the beginning of its deadline's tick",
        is_one_of("bucket_expiry_set") & _has("exp_ms", "tick") & (F.col("key_ms") >= 0),
        F.col("key_ms") == _trim(F.col("exp_ms"), F.col("tick")),
        text("key {key_ms} ms for the deadline {exp_ms} ms"),
        alone=True,
    ),
    Rule(
        "KeyChangeSeen",
        "setting a key says that it changed if and only if it did",
        is_one_of("bucket_expiry_set") & _has("seen_key", "res"),
        (F.col("res") == "true") == (F.col("seen_key") != F.col("key_ms")),
        text("key {seen_key} became {key_ms}, and changed: {res}"),
        alone=True,
    ),
    Rule(
        "NotEarly",
        "an entry is handed over, or refused as due, only when the wheel's clock is within a tick "
        "of its deadline, and placed only while it is not due",
        (_due() | is_one_of("wheel_place")) & _has("exp_ms", "wheel_ms", "lowest_tick"),
        F.when(is_one_of("wheel_place"), _not_due()).otherwise(
            F.col("exp_ms") < F.col("wheel_ms") + F.col("lowest_tick")
        ),
        text("deadline {exp_ms} ms, wheel at {wheel_ms} ms"),
        alone=True,
    ),
    Rule(
        "ExpiresNotEarly",
        "an operation is completed by its timeout only at or after its deadline's tick",
        (
            is_one_of("force_cas")
            & (F.col("cause") == "expiry")
            & (F.col("res") == "true")
            & _has("exp_ms", "now_ms", "lowest_tick")
        ),
        F.col("now_ms") > F.col("exp_ms") - F.col("lowest_tick"),
        text("deadline {exp_ms} ms, completed at {now_ms} ms"),
        alone=True,
    ),
    Rule(
        "PolledWhenReady",
        "a bucket is taken from the queue only when its key is reached",
        is_one_of("dq_poll") & _has("list", "key_ms", "now_ms"),
        F.col("key_ms") <= F.col("now_ms"),
        text("key {key_ms} ms, polled at {now_ms} ms"),
        alone=True,
    ),
    Rule(
        "DeadlineOfDelay",
        "a deadline is the clock that was read and the delay",
        is_one_of("add_request", "entry_new") & _has("exp_ms", "delay_ms", "now_ms"),
        F.col("exp_ms") == F.col("now_ms") + F.col("delay_ms"),
        text("{now_ms} ms and {delay_ms} ms, deadline {exp_ms} ms"),
        alone=True,
    ),
    Rule(
        "LinkObserved",
        "linking under the entry's monitor leaves the entry in that list, and it was in none",
        is_one_of("list_add") & _has("eseq") & (_has("left_list") | _has("seen_list")),
        (
            F.coalesce(F.col("left_list"), F.col("list")).eqNullSafe(F.col("list"))
            & (F.coalesce(F.col("seen_list"), F.lit(0)) == 0)
        ),
        text("list {list}, seen before {seen_list}, after {left_list}"),
        alone=True,
    ),
    Rule(
        "UnlinkObserved",
        "unlinking under the entry's monitor takes the entry out of that list, and it was in it",
        is_one_of("list_remove") & _has("eseq") & (_has("left_list") | _has("seen_list")),
        (
            F.coalesce(F.col("seen_list"), F.col("list")).eqNullSafe(F.col("list"))
            & (F.coalesce(F.col("left_list"), F.lit(0)) == 0)
        ),
        text("list {list}, seen before {seen_list}, after {left_list}"),
        alone=True,
    ),
    Rule(
        "CancelObserved",
        "who clears a task's entry has seen that no list has that entry",
        is_one_of("cancel") & _has("seen_list"),
        F.col("seen_list") == 0,
        text("task {task}, its entry is in list {seen_list}"),
        alone=True,
    ),
    Rule(
        "WrittenObserved",
        "what is read of a word right after its write is what was written",
        _written_and_read(),
        _as_written(),
        text(
            "key {left_key}, entry {left_entry}, completed {left_completed} was read after the"
            " write"
        ),
        alone=True,
    ),
    Rule(
        "CompletionObserved",
        "the attempt that completes found the operation open, and one that does not found it "
        "completed",
        is_one_of("force_cas") & _has("seen_completed", "res"),
        (F.col("res") == "true") == ~F.col("seen_completed"),
        text("completed before: {seen_completed}, won: {res}"),
        alone=True,
    ),
)

FAMILY = Family("rows", "event", (), prepare(), RULES, late(), lateness_measures())
