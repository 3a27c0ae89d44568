"""Rules of the lists in which operations wait for a key: a key has one list at a time, a list is
given up when nothing waits in it, and an empty one does not stay.

They need events that few recorders write: which list an operation goes into, and when a key gets a
list and loses it (``watchers_new``, ``watchers_remove``, ``cancel_key_begin``).
"""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import STAMP, WHICH, Family, Rule, has, is_one_of, recorded, text

_LOSES = ("watchers_remove", "cancel_key_begin")


def prepare_keys() -> Frame:
    """The events of a key's lists with ``current``: the list that the key had before; 0 for none,
    null where that is not known."""
    events = EVENTS.where(
        (F.col("lc") > 0)
        & F.col("key").isNotNull()
        & is_one_of("watchers_new", "watch_add", *_LOSES)
        & (F.col("list").isNotNull() | is_one_of("cancel_key_begin"))
    ).select(*WHICH, "key", "list", "op")
    before = Window.partitionBy("key", "run").orderBy(*STAMP, "k", "list", "op").before()
    has_now = F.when(is_one_of("watchers_new"), F.col("list")).when(is_one_of(*_LOSES), F.lit(0))
    runs = broadcast(RUNS.select("run", has("watchers_new")))
    return events.withColumn("current", F.last(has_now).over(before)).join(runs, "run")


def _beside() -> Column:
    return text("list {list}, and the key has {current}")


KEY_RULES = (
    Rule(
        "OneListOfKey",
        "a key gets a list of watchers only where it has none",
        is_one_of("watchers_new") & F.col("current").isNotNull(),
        F.col("current") == 0,
        _beside(),
    ),
    Rule(
        "WatchedInList",
        "an operation is put into the list that its key has then",
        is_one_of("watch_add") & F.col("current").isNotNull() & recorded("watchers_new"),
        F.col("current") == F.col("list"),
        _beside(),
    ),
    Rule(
        "GivesUpItsList",
        "the list of watchers that a key gives up is the one that it has",
        is_one_of("watchers_remove") & F.col("current").isNotNull(),
        F.col("current") == F.col("list"),
        _beside(),
    ),
)

KEYS = Family("watched_keys", "event of a key", ("run", "key"), prepare_keys(), KEY_RULES)


def prepare_members() -> Frame:
    """One row for each operation that was put into a list: ``added``, ``out``, ``won``: when it
    came, was taken out, and was completed; ``removed``: when the list was given up; ``staying``:
    how many operations were not taken out of the list."""
    list_events = EVENTS.where((F.col("lc") > 0) & F.col("list").isNotNull())
    members = (
        list_events.where(F.col("op").isNotNull() & is_one_of("watch_add", "watch_cancel"))
        .groupBy("run", "list", "op")
        .agg(
            F.min(F.when(is_one_of("watch_add"), F.col("lc"))).alias("added"),
            F.min(F.when(is_one_of("watch_cancel"), F.col("lc"))).alias("out"),
        )
        .where(F.col("added").isNotNull())
    )
    completions = (
        EVENTS.where((F.col("lc") > 0) & is_one_of("force_cas") & (F.col("res") == "true"))
        .groupBy("run", "op")
        .agg(F.min("lc").alias("won"))
    )
    removals = (
        list_events.where(is_one_of("watchers_remove"))
        .groupBy("run", "list")
        .agg(F.min("lc").alias("removed"))
    )
    runs = broadcast(RUNS.select("run", "whole", has("watchers_new", "purge", "cancel_key_begin")))
    of_list = Window.partitionBy("run", "list")
    return (
        members.join(completions, ["run", "op"], "left")
        .join(removals, ["run", "list"], "left")
        .join(runs, "run", "inner")
        .withColumn("staying", F.sum(F.when(F.col("out").isNull(), 1).otherwise(0)).over(of_list))
    )


def _by_then(time: str) -> Column:
    return F.is_true(F.col(time) < F.col("removed"))


MEMBER_RULES = (
    Rule(
        "GivenUpEmpty",
        "a list of watchers is given up only where no operation waits in it, and none comes into it"
        " after that",
        F.col("removed").isNotNull(),
        _by_then("added") & (_by_then("out") | _by_then("won")),
        text("put into list {list}, which is given up at lc {removed}"),
    ),
    Rule(
        "EmptyGivenUp",
        "in a whole trace, a list of watchers out of which every operation was taken is given up,"
        " where neither a purge nor a cancelled key takes them out",
        (
            F.col("whole")
            & recorded("watchers_new")
            & ~recorded("purge")
            & ~recorded("cancel_key_begin")
            & (F.col("staying") == 0)
        ),
        F.col("removed").isNotNull(),
        text("taken out of list {list} at lc {out}, which stays"),
    ),
)

MEMBERS = Family(
    "watched_lists",
    "operation in a list",
    ("run", "list"),
    prepare_members(),
    MEMBER_RULES,
    shuffles=4,
)
"""By the list, by the operation that completes, and by the list again: on both sides of joins."""
