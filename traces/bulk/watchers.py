"""Rules of the watchers of a key: a check finds the operations that were put among them before.

Kafka gave up a key's list of watchers when it was empty, and a thread that had looked the list up
before put an operation into it (KAFKA-2253): no event of the key could complete that operation any
more. The rule is about the first check that takes the watchers after an operation came there, under
a lock that both hold. Without one their order is not known, and nothing is checked.
"""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import WHICH, Family, Rule, has, is_one_of, recorded, text

_KINDS = ("watch_add", "check_begin", "check_end", "try_begin", "force_cas")


def prepare() -> Frame:
    """One row for each time that an operation was put among watchers and a check came later.

    ``by``, ``begun``, ``ended``: the check's thread and clock. Of the operation: ``tries``, with
    thread and clock; ``won_lc``, when it was completed; ``outs``, when it was taken out of which
    key's watchers. ``dropped``: when all watchers of the key were, next.
    """
    events = EVENTS.where(F.col("lc") > 0)
    won = is_one_of("force_cas") & (F.col("res") == "true")
    of_operation = (
        events.where(F.col("op").isNotNull() & is_one_of("try_begin", "force_cas", "watch_cancel"))
        .groupBy("run", "op")
        .agg(
            F.collect_set(F.when(is_one_of("try_begin"), F.struct("tid", "lc"))).alias("tries"),
            F.collect_set(F.when(is_one_of("watch_cancel"), F.struct("key", "lc"))).alias("outs"),
            F.min(F.when(won, F.col("lc"))).alias("won_lc"),
        )
    )
    runs = broadcast(RUNS.select("run", "whole", has(*_KINDS)))
    return (
        _with_next_check(events)
        .join(of_operation, ["run", "op"], "left")
        .join(runs, "run", "inner")
    )


def _with_next_check(events: Frame) -> Frame:
    """Each operation that is put among watchers, with the first check that takes them later."""
    first_lock = F.get(
        F.filter(
            "ord", lambda token: (token.field("kind") == "L") & ~token.field("id").startswith("op:")
        ),
        F.lit(0),
    )
    rows = (
        events.where(
            is_one_of("watch_add", "check_begin", "check_end", "cancel_key_begin")
            & F.col("key").isNotNull()
        )
        .select(
            *WHICH, "op", "key", "span", first_lock.alias("held"), (-F.col("lc")).alias("until")
        )
        .withColumn("lock", F.col("held.id"))
        .withColumn("back", -F.col("held.seq"))
    )
    # backwards, so that the last one before a row is the first one after it
    behind = Window.partitionBy("run", "key").orderBy("until", "tid", "tseq").before()
    later = Window.partitionBy("run", "key", "lock").orderBy("back", "lc", "tid", "tseq").before()
    bracket = Window.partitionBy("run", "key", "span")
    check = F.when(is_one_of("check_begin"), F.struct("tid", "lc", "end"))
    return (
        rows.withColumn(
            "end",
            F.max(F.when(is_one_of("check_end") & F.col("span").isNotNull(), F.col("lc"))).over(
                bracket
            ),
        )
        .withColumn(
            "dropped", F.last_where(is_one_of("cancel_key_begin"), F.col("lc")).over(behind)
        )
        .withColumn("check", F.last(check).over(later))
        .where(is_one_of("watch_add") & F.col("lock").isNotNull())
        .select(
            *WHICH,
            "op",
            "key",
            "dropped",
            F.col("check.tid").alias("by"),
            F.col("check.lc").alias("begun"),
            F.col("check.end").alias("ended"),
        )
    )


def _has_attempt() -> Column:
    """By the check's thread, while the check went on."""
    has_attempt = F.exists(
        "tries",
        lambda attempt: (
            (attempt.field("tid") == F.col("by"))
            & (attempt.field("lc") > F.col("begun"))
            & (attempt.field("lc") < F.col("ended"))
        ),
    )
    return F.is_true(has_attempt)


def _taken_out() -> Column:
    has_removal = F.exists(
        "outs",
        lambda removal: (
            (removal.field("key") == F.col("key")) & (removal.field("lc") <= F.col("ended"))
        ),
    )
    return F.is_true(has_removal)


def _before_the_end(time: str) -> Column:
    return F.is_true(F.col(time) <= F.col("ended"))


RULES = (
    Rule(
        "CheckTriesWatcher",
        "in a whole trace the first check of a key after an operation was put among its watchers"
        " tries the operation, unless it is completed or taken out before that check ends",
        F.col("ended").isNotNull() & F.col("whole") & recorded(*_KINDS),
        _has_attempt() | _taken_out() | _before_the_end("won_lc") | _before_the_end("dropped"),
        text(
            "put among the watchers of key {key}, the check from lc {begun} to lc {ended} passes"
            " over it"
        ),
    ),
)

FAMILY = Family("watchers", "watched operation", ("run", "op"), prepare(), RULES, shuffles=3)
"""By the key that is watched, and by the operation: on both sides of a join."""
