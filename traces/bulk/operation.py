"""Rules of one delayed operation over its life: completed once, by its timeout only if that won,
and never forgotten."""

from __future__ import annotations

from traces.bulk import timeouts
from traces.bulk.coverage import operation_measures, operation_steps
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import STAMP, WHICH, Family, Rule, has, is_one_of, recorded, text

_KINDS = (
    "op_new",
    "try_begin",
    "try_end",
    "pending_set",
    "pending_getset",
    "force_cas",
    "on_complete_begin",
    "on_complete_end",
    "on_expire",
    "watch_add",
    "watch_cancel",
    "try_watch_end",
)


_OF_TASK = ("add_request", "cancel", "task_run")
"""Kinds that name an operation as a timer's task alone."""

_OF_OTHERS = (*_OF_TASK, "try_watch_begin")
"""Kinds that are counted of an operation, and make no task one."""


def _evaluates() -> Column:
    return is_one_of("try_begin") & ~F.col("res").eqNullSafe("false")


def prepare() -> Frame:
    """One row for each operation: how often and when each thing happened, by the Lamport clock, and
    how its last note stands."""
    won = is_one_of("force_cas") & (F.col("res") == "true")
    subject = F.coalesce("op", F.when(is_one_of(*_OF_TASK), F.col("task")))
    event = EVENTS.where(subject.isNotNull() & is_one_of(*_KINDS, *_OF_OTHERS)).select(
        "run",
        subject.alias("op"),
        "tid",
        "tseq",
        "lc",
        "k",
        "cause",
        "res",
        "key",
        "oseq",
        "task",
        "purgatory",
        F.col("op").isNotNull().alias("named"),
        F.col("post.pending").alias("pending"),
    )
    place = F.struct("lc", "tid", "tseq")

    def first(condition: Column) -> Column:
        return F.min(F.when(condition, place))

    def last(condition: Column) -> Column:
        return F.max(F.when(condition, place))

    groups = event.groupBy("run", "op").agg(
        F.count_if(is_one_of(*_KINDS)).alias("own"),
        F.count_if(F.col("task").eqNullSafe(F.col("op"))).alias("as_task"),
        F.max("purgatory").alias("purgatory"),
        F.count_if(is_one_of("try_watch_begin")).alias("entered"),
        F.count_if(is_one_of("add_request")).alias("timed"),
        F.count_if(is_one_of("task_run")).alias("ran"),
        F.count_if(is_one_of("cancel") & F.col("named")).alias("cancelled"),
        last(is_one_of("add_request")).alias("timed_at"),
        last(is_one_of("cancel", "task_run")).alias("untimed_at"),
        F.count_if(is_one_of("op_new")).alias("made"),
        first(is_one_of("op_new")).alias("made_at"),
        first(is_one_of(*_KINDS)).alias("first_at"),
        F.count_if(won).alias("won"),
        first(won).alias("won_at"),
        F.min(F.when(won, F.struct("lc", "tid", "tseq", "cause"))).alias("winner"),
        F.count_if(is_one_of("force_cas")).alias("attempts"),
        first(is_one_of("force_cas")).alias("attempt_at"),
        F.count_if(is_one_of("on_complete_begin")).alias("begun"),
        first(is_one_of("on_complete_begin")).alias("begun_at"),
        F.count_if(is_one_of("on_complete_end")).alias("ended"),
        last(is_one_of("on_complete_end")).alias("ended_at"),
        F.count_if(is_one_of("on_complete_end") & (F.col("res") == "raised")).alias("raised"),
        F.count_if(is_one_of("try_begin") & F.col("oseq").isNotNull()).alias("locked"),
        F.count_if(won & F.col("oseq").isNull()).alias("bare"),
        F.count_if(is_one_of("on_expire")).alias("expired"),
        first(is_one_of("on_expire")).alias("expired_at"),
        F.count_if(is_one_of("try_end")).alias("tried"),
        F.count_if(_evaluates()).alias("trying"),
        last(_evaluates()).alias("try_at"),
        F.count_if(is_one_of("try_begin") & (F.col("res") == "false")).alias("refused"),
        F.count_if(is_one_of("pending_getset")).alias("noted"),
        F.count_if(is_one_of("watch_add")).alias("watches"),
        F.sort_array(F.collect_set(F.when(is_one_of("watch_add"), F.col("key")))).alias("watched"),
        F.sort_array(F.collect_set(F.when(is_one_of("watch_cancel"), F.col("key")))).alias(
            "unwatched"
        ),
        F.count_if(is_one_of("try_watch_end") & (F.col("res") == "false")).alias("left_watching"),
        F.count_if(is_one_of("try_watch_end") & (F.col("res") == "raised")).alias("not_entered"),
        last(is_one_of("try_watch_end") & (F.col("res") == "false")).alias("left_at"),
        last(is_one_of("try_watch_end") & (F.col("res") == "true")).alias("done_at"),
        F.count_if(is_one_of("pending_set", "pending_getset")).alias("notes"),
        F.max(
            F.when(
                is_one_of("pending_set", "pending_getset"), F.struct("lc", "tid", "tseq", "pending")
            )
        ).alias("note"),
    )
    kinds = has("op_new", "watch_add", "try_watch_end", "add_request", "entry_new")
    runs = broadcast(RUNS.select("run", "whole", "variant", "module", kinds))
    return groups.where(F.col("own") > 0).join(runs, "run", "inner")


def _completed_without_watchers() -> Column:
    """An operation that no thread watches was completed by no timeout, or before it was left: a
    completed operation is not put among the watchers."""
    by_timeout = F.is_true(F.col("winner.cause") == "expiry")
    return (F.col("won") > 0) & (~by_timeout | (F.col("won_at") < F.col("left_at")))


RULES = (
    Rule(
        "CompletedOnce",
        "at most one attempt completes an operation, and onComplete runs at most once",
        F.col("attempts") + F.col("begun") > 0,
        (F.col("won") <= 1) & (F.col("begun") <= 1) & (F.col("ended") <= 1),
        text("completed {won} times, onComplete {begun} times, ended {ended} times"),
        alone=True,
    ),
    Rule(
        "FreshOperation",
        "an operation is made once, before anything happens to it",
        F.col("made") > 0,
        (F.col("made") == 1) & (F.col("made_at") == F.col("first_at")),
        text("made {made} times"),
        alone=True,
    ),
    Rule(
        "MadeBeforeWatched",
        "in a whole trace an operation that is left to be watched was made",
        ((F.col("left_watching") + F.col("watches") > 0) & F.col("whole") & recorded("op_new")),
        F.col("made") > 0,
        text("watches {watches}, made {made} times"),
    ),
    Rule(
        "FirstAttemptWins",
        "the first attempt to complete an operation succeeds",
        F.col("attempts") > 0,
        F.col("won_at").eqNullSafe(F.col("attempt_at")),
        text("{attempts} attempts, {won} of them won"),
    ),
    Rule(
        "CompleteByWinner",
        "onComplete runs in the thread that completed the operation, after that",
        F.col("begun") > 0,
        (
            (F.col("won_at") < F.col("begun_at"))
            & (F.col("won_at.tid") == F.col("begun_at.tid"))
            & (
                F.col("ended_at").isNull()
                | (F.col("begun_at") < F.col("ended_at"))
                & (F.col("ended_at.tid") == F.col("begun_at.tid"))
            )
        ),
        text("completed at lc {won_at.lc}, onComplete at lc {begun_at.lc}"),
    ),
    Rule(
        "ExpiredByTimeoutOnly",
        "onExpiration runs once, after onComplete, and only where the timeout completed the "
        "operation",
        F.col("expired") > 0,
        (
            (F.col("expired") == 1)
            & F.col("won_at").isNotNull()
            & (F.coalesce(F.col("winner.cause"), F.lit("expiry")) == "expiry")
            & (F.coalesce(F.col("ended_at"), F.col("won_at")) < F.col("expired_at"))
            & (F.col("won_at.tid") == F.col("expired_at.tid"))
        ),
        text("onExpiration {expired} times, completed by {winner.cause}"),
    ),
    Rule(
        "TimeoutExpires",
        "an operation that its timeout completed runs onExpiration, unless onComplete raised",
        (F.col("winner.cause") == "expiry") & F.col("whole") & (F.col("raised") == 0),
        F.col("expired") > 0,
        text("completed by its timeout at lc {won_at.lc}"),
    ),
    Rule(
        "CompletesOnce",
        "at the end of a whole trace the thread that completed an operation has run onComplete",
        (F.col("won") > 0) & F.col("whole"),
        (F.col("begun") >= 1) & (F.col("ended") >= 1),
        text("completed at lc {won_at.lc}, onComplete {begun} times, ended {ended} times"),
    ),
    Rule(
        "NoLeakedTimer",
        "at the end of a whole trace the timer has no task that is a completed operation",
        (F.col("won") > 0) & F.col("timed_at").isNotNull() & F.col("whole"),
        F.is_true(F.col("timed_at") < F.col("untimed_at")),
        text("completed at lc {won_at.lc}, timed at lc {timed_at.lc}"),
    ),
    Rule(
        "TriesEnd",
        "at the end of a whole trace every evaluation of tryComplete has ended",
        (F.col("trying") + F.col("tried") > 0) & F.col("whole"),
        F.col("trying") == F.col("tried"),
        text("begun {trying} times, ended {tried} times"),
    ),
    Rule(
        "NoLostCompletion",
        "at the end of a whole trace no open operation has a note that no thread has seen",
        (F.col("notes") > 0) & F.col("whole"),
        (F.col("won") > 0) | ~F.is_true(F.col("note.pending")),
        text("noted at lc {note.lc}"),
    ),
    Rule(
        "WatchedOnce",
        "an operation is put once among the watchers of a key, and taken out of those only",
        (F.col("watches") > 0) | (F.size("unwatched") > 0) & recorded("watch_add"),
        (
            (F.col("watches") == F.size("watched"))
            & (F.size(F.array_except("unwatched", "watched")) == 0)
        ),
        text(
            "watches {watches} on {watched} keys, taken out of {unwatched}",
            watched=F.size("watched"),
            unwatched=F.size("unwatched"),
        ),
    ),
    Rule(
        "WatcherReachable",
        "in a whole trace an open operation that tryCompleteElseWatch leaves is watched, and "
        "where it returns true its thread has completed the operation",
        (
            (F.col("left_watching") + F.col("watches") > 0)
            & (F.col("not_entered") == 0)
            & F.col("whole")
            & recorded("watch_add", "try_watch_end")
        ),
        F.when(
            F.col("left_watching") > 0, (F.col("watches") > 0) | _completed_without_watchers()
        ).otherwise(
            (F.col("won_at") < F.col("done_at")) & (F.col("won_at.tid") == F.col("done_at.tid"))
        ),
        text("watches {watches}, left {left_watching} times, completed {won} times"),
    ),
    Rule(
        "NoteAfterRefusal",
        "in a whole trace of the pending protocol who did not get the lock leaves a note, and "
        "no other thread does",
        (
            (F.col("variant") == "TryPending")
            & (F.col("refused") + F.col("noted") > 0)
            & F.col("whole")
        ),
        F.col("refused") == F.col("noted"),
        text("refused {refused} times, noted {noted} times"),
    ),
    Rule(
        "ForcedUnderLock",
        "under the blocking protocol an operation is completed under its lock, where tries show "
        "that lock",
        (F.col("variant") == "Blocking") & (F.col("won") > 0) & (F.col("locked") > 0),
        F.col("bare") == 0,
        text("completed at lc {won_at.lc} without the lock"),
    ),
    Rule(
        "TryExcludesComplete",
        "under the blocking protocol tryComplete is not begun once the operation is completed",
        (F.col("variant") == "Blocking") & (F.col("won") > 0) & (F.col("trying") > 0),
        F.col("try_at") < F.col("won_at"),
        text("begun at lc {try_at.lc}, completed at lc {won_at.lc}"),
    ),
    *timeouts.RULES,
)

FAMILY = Family(
    "operations",
    "operation",
    ("run", "op"),
    prepare(),
    RULES,
    operation_steps(),
    operation_measures(),
)


def prepare_attempts() -> Frame:
    """The beginnings and ends of evaluations of tryComplete, and the notes, of one operation, each
    with ``was``: the beginning or end before it; ``note``: the note that was left before."""
    events = EVENTS.where(
        F.col("op").isNotNull()
        & (_evaluates() | is_one_of("try_end", "pending_set", "pending_getset", "checkpoint"))
    ).select(
        *WHICH, "op", F.col("pre.pending").alias("seen"), F.col("post.pending").alias("pending")
    )
    before = Window.partitionBy("op", "run").orderBy(*STAMP, "k", "seen", "pending").before()
    looks = {
        "was": F.last(F.when(is_one_of("try_begin", "try_end"), F.col("k"))).over(before),
        "note": F.last("pending").over(before),
    }
    return events.withColumns(looks).join(broadcast(RUNS.select("run", has("try_end"))), "run")


ATTEMPT_RULES = (
    Rule(
        "OneTries",
        "tryComplete of an operation is evaluated by one thread at a time",
        is_one_of("try_begin") & recorded("try_end"),
        ~F.col("was").eqNullSafe("try_begin"),
        text("tryComplete of operation {op} is evaluated already"),
    ),
    Rule(
        "NoteObserved",
        "who writes an operation's note saw the one that the last writer left",
        F.col("seen").isNotNull() & F.col("note").isNotNull(),
        F.col("seen") == F.col("note"),
        text("saw {seen}, the note was {note}"),
    ),
)

ATTEMPTS = Family("attempts", "attempt", ("run", "op"), prepare_attempts(), ATTEMPT_RULES)
