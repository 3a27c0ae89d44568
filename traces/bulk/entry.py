"""Rules of one entry over its life, and of one task over its entries: in one list at a time, each
entry new, checked, and handed over once.

Events of an entry are looked at in the order of the Lamport clock, each beside the last one before
it that changed where the entry is.
"""

from __future__ import annotations

from traces.bulk.coverage import entry_measures, entry_steps
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.codes import (
    CAUSE,
    KIND,
    RESULT,
    any_of,
    cause,
    is_kind,
    kind,
    named,
    names,
    result,
)
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import STAMP, WHICH, Family, Rule, has, is_one_of, recorded, text

_ENTRY_KINDS = (
    "entry_new",
    "list_add",
    "list_remove",
    "list_add_retry",
    "wheel_place",
    "wheel_reject",
    "reinsert",
    "expire_submit",
    "task_run",
    "cancel_check",
    "checkpoint",
)
_MOVES = ("list_add", "list_remove", "expire_submit", "task_run", "entry_new", "checkpoint")
_PLACING = ("wheel_place", "wheel_reject", "list_add")
_TASK_KINDS = ("set_entry", "cancel", "cancel_check", "checkpoint")


def prepare_entries() -> Frame:
    """The events of an entry with ``was``: the last move before, ``was_list``: the list where it
    left the entry (0 for none), and its thread, clock and cause; ``placed``: the last placing,
    refusal or linking before; ``checked``, with thread and clock: the result of the last check
    before; ``last``: nothing comes after."""
    list_seen = F.coalesce(F.col("post.list"), F.col("pre.list"), F.col("list"), F.lit(0))
    events = EVENTS.where(F.col("entry").isNotNull() & is_one_of(*_ENTRY_KINDS)).select(
        "run",
        "tid",
        "tseq",
        "lc",
        kind(*_ENTRY_KINDS),
        "task",
        "entry",
        "list",
        cause(),
        result(),
        "exp_ms",
        F.when(is_one_of("checkpoint"), list_seen).otherwise(F.col("pre.list")).alias("seen"),
    )
    # The key comes before the run: what is sorted by its first eight bytes should differ there.
    order = Window.partitionBy("entry", "run").orderBy(
        *STAMP, "kind", "list", "res", "cause", "exp_ms", "seen"
    )
    before = order.before()

    def last(condition: Column, value: Column) -> Column:
        return F.last_where(condition, value).over(before)

    moves, checks = is_kind(*_MOVES), is_kind("cancel_check")
    stays = (
        F.when(is_kind("list_add"), F.col("list"))
        .when(is_kind("checkpoint"), F.col("seen"))
        .otherwise(F.lit(0))
    )
    # Numbers one by one: a struct of them is made anew for each row that waits for its window.
    looks = {
        "was": last(moves, F.col("kind")),
        "was_list": F.coalesce(last(moves, stays), F.lit(0)),
        "was_tid": last(moves, F.col("tid")),
        "was_lc": last(moves, F.col("lc")),
        "was_cause": last(moves, F.coalesce("cause", F.lit(0))),
        "was_res": last(moves, F.coalesce("res", F.lit(0))),
        "placed": last(is_kind(*_PLACING), F.col("kind")),
        "checked": last(checks, F.coalesce("res", F.lit(0))),
        "checked_tid": last(checks, F.col("tid")),
        "checked_lc": last(checks, F.col("lc")),
        "deadline": F.last("exp_ms").over(before),
        "last": F.lead("kind").over(order).isNull(),
    }
    runs = broadcast(
        RUNS.select(
            "run",
            "whole",
            "ran",
            has("expire_submit", "wheel_place", "wheel_reject", "cancel_check"),
        )
    )
    return events.withColumns(looks).join(runs, "run")


def _was(*kinds: str) -> Column:
    return any_of("was", KIND, *kinds)


def _caused_by(cause: str) -> Column:
    """False too where an unlink has no cause: one that no thread flushed, cancelled or moved."""
    return F.is_true(any_of("cause", CAUSE, cause))


def _says(result: str) -> Column:
    return F.is_true(any_of("res", RESULT, result))


def _came() -> Column:
    was = F.coalesce(named("was", KIND), F.lit("nothing"))
    return text(" after {was} in list {was_list}", was=was)


def _kind() -> Column:
    return named("kind", KIND)


def _needs_a_check() -> Column:
    again = (
        is_kind("list_add")
        & _was("list_remove")
        & any_of("was_cause", CAUSE, "flush")
        & (F.col("was_tid") == F.col("tid"))
    )
    return ((is_kind("expire_submit") & ~_is_emptying()) | again) & recorded("cancel_check")


def _is_emptying() -> Column:
    """Everything is taken out of a timer: no thread checks whether it is cancelled or due."""
    return F.is_true(_caused_by("shutdown"))


def _left_by_executor() -> Column:
    """The last thing that happened to the entry is that it was handed over, or ran; the executor
    took it, and no thread emptied the timer."""
    is_move = is_kind(*_MOVES)

    cause, res = (
        F.when(is_move, F.coalesce(F.col(name), F.lit(0))).otherwise(F.col(f"was_{name}"))
        for name in ("cause", "res")
    )
    refusal = (cause == CAUSE["shutdown"]) | (res == RESULT["raised"])
    return (_last_move() == KIND["task_run"]) | (_last_move() == KIND["expire_submit"]) & ~refusal


def _last_move() -> Column:
    return F.when(is_kind(*_MOVES), F.col("kind")).otherwise(F.col("was"))


ENTRY_RULES = (
    Rule(
        "AtMostOneList",
        "an entry is linked only when it is in no list",
        is_kind("list_add"),
        F.col("was_list") == 0,
        text("linked into {list}{came}", came=_came()),
    ),
    Rule(
        "ExactlyItsList",
        "an entry is unlinked from the list that it is in",
        is_kind("list_remove"),
        F.col("was_list") == F.col("list"),
        text("unlinked from {list}{came}", came=_came()),
    ),
    # A lone read of the owner may come between the write of the word and the event that stands for
    # the link: no rule is made of it.
    Rule(
        "RetrySeesOwner",
        "who cannot link an entry sees the list that it is in",
        is_kind("list_add_retry") & F.col("seen").isNotNull(),
        F.col("seen") == F.col("was_list"),
        text("read {seen}{came}", came=_came()),
    ),
    Rule(
        "FreshId",
        "an entry is made once, before anything happens to it",
        is_kind("entry_new"),
        F.col("was").isNull(),
        text("made{came}", came=_came()),
        alone=True,
    ),
    Rule(
        "FiredOnce",
        "an entry is handed over once, and nothing links it afterwards",
        is_kind("expire_submit", "list_add", "wheel_place"),
        ~F.is_true(_was("expire_submit", "task_run")),
        text("{kind}{came}", kind=_kind(), came=_came()),
        alone=True,
    ),
    Rule(
        "HandedOverUnlinked",
        "an entry is handed over, or refused, only when it is in no list",
        is_kind("expire_submit", "wheel_reject", "reinsert"),
        F.col("was_list") == 0,
        text("{kind}{came}", kind=_kind(), came=_came()),
    ),
    Rule(
        "RunsOncePerAdd",
        "a task runs once for each time that an entry was handed over",
        is_kind("task_run") & recorded("expire_submit"),
        _was("expire_submit"),
        text("ran{came}", came=_came()),
    ),
    Rule(
        "ReinsertAfterUnlink",
        "a flush hands back the entry that it has just unlinked",
        is_kind("reinsert"),
        _was("list_remove") & (F.col("was_tid") == F.col("tid")),
        text("handed back{came}", came=_came()),
    ),
    Rule(
        "CheckedLive",
        "who hands an entry over, or links it again after a flush, has checked it since it was "
        "unlinked, and found it live",
        _needs_a_check(),
        (
            any_of("checked", RESULT, "false")
            & (F.col("checked_tid") == F.col("tid"))
            & (F.col("checked_lc") > F.coalesce(F.col("was_lc"), F.lit(-1)))
        ),
        text(
            "{kind}{came}, checked by thread {checked_tid}, cancelled: {checked}",
            kind=_kind(),
            came=_came(),
            checked=named("checked", RESULT),
        ),
    ),
    Rule(
        "RefusedBeforeHandOver",
        "an entry is handed over only after the wheel has refused it",
        is_kind("expire_submit") & ~_is_emptying() & recorded("wheel_place", "wheel_reject"),
        any_of("placed", KIND, "wheel_reject"),
        text("handed over after {placed}", placed=named("placed", KIND)),
    ),
    Rule(
        "LinkedWherePlaced",
        "the wheel chooses a bucket once before each link",
        is_kind("wheel_place", "list_add") & recorded("wheel_place"),
        (F.is_true(any_of("placed", KIND, "wheel_place")) == is_kind("list_add")),
        text("{kind} after {placed}", kind=_kind(), placed=named("placed", KIND)),
    ),
    Rule(
        "EveryTimerFires",
        "at the end of a whole trace no entry is forgotten: unlinked by a flush, or found due and "
        "not cancelled, and not handed on",
        F.col("last") & F.col("whole") & recorded("expire_submit", "cancel_check"),
        (
            ~(
                is_kind("reinsert", "wheel_place", "entry_new")
                | (is_kind("list_remove") & _caused_by("flush"))
                | (is_kind("wheel_reject") & _caused_by("due"))
                | (is_kind("cancel_check") & _says("false"))
            )
        ),
        text("ends with {kind}{came}", kind=_kind(), came=_came()),
    ),
    Rule(
        "HandedOverRuns",
        "in a whole trace whose runs of tasks name their entries, an entry that the executor took "
        "has run",
        F.col("last") & F.col("whole") & F.col("ran") & _left_by_executor(),
        _last_move() == KIND["task_run"],
        text("ends with {kind}{came}", kind=_kind(), came=_came()),
    ),
    Rule(
        "DeadlineStays",
        "an entry's deadline never changes",
        F.col("exp_ms").isNotNull() & F.col("deadline").isNotNull(),
        F.col("exp_ms") == F.col("deadline"),
        text("deadline {exp_ms} ms, before {deadline} ms"),
        alone=True,
    ),
)

ENTRIES = Family(
    "entries",
    "event of an entry",
    ("run", "entry"),
    prepare_entries(),
    ENTRY_RULES,
    entry_steps(),
    entry_measures(),
    made=names(),
)


def prepare_tasks() -> Frame:
    """The events of a task's word with ``live``: the entry that the last write made the task's, 0
    for none; null before any write."""
    events = EVENTS.where(F.col("task").isNotNull() & is_one_of(*_TASK_KINDS)).select(
        *WHICH,
        "task",
        "entry",
        "res",
        F.col("pre.entry").alias("seen"),
        F.col("post.entry").alias("left"),
    )
    before = (
        Window.partitionBy("task", "run")
        .orderBy(*STAMP, "k", "entry", "res", "seen", "left")
        .before()
    )
    write = (
        F.when(is_one_of("set_entry"), F.col("entry"))
        .when(is_one_of("cancel"), F.lit(0))
        .when(is_one_of("checkpoint"), F.col("left"))
    )
    return events.withColumn("live", F.last(write).over(before))


TASK_RULES = (
    Rule(
        "CancelWins",
        "a check says that an entry is cancelled if and only if it is not its task's live one",
        (
            is_one_of("cancel_check")
            & F.col("res").isin("true", "false")
            & F.col("live").isNotNull()
        ),
        (F.col("res") == "true") == (F.col("entry") != F.col("live")),
        text("entry {entry} cancelled: {res}, live is {live}"),
    ),
    Rule(
        "LiveEntryObserved",
        "who replaces a task's live entry saw the one that the last writer left",
        (is_one_of("set_entry", "cancel") & F.col("seen").isNotNull() & F.col("live").isNotNull()),
        F.col("seen") == F.col("live"),
        text("saw {seen}, live was {live}"),
    ),
)

TASKS = Family("tasks", "event of a task", ("run", "task"), prepare_tasks(), TASK_RULES)


def prepare_cancels() -> Frame:
    """The links and unlinks of an entry, and the cancels that clear it, each with ``here``: the
    list that has the entry before, and ``since``: when it came there; ``acted``: when the thread
    did something before; ``in_list``: whether a list had the entry by then; ``seen``: the list that
    the canceller saw; ``cleared``: when a cancel left the entry in a list, if that was the last
    move, or 0."""
    cancels = is_one_of("cancel")
    events = EVENTS.where(F.col("lc") > 0).select(
        *WHICH,
        "task",
        F.when(cancels, F.col("pre.entry")).otherwise(F.col("entry")).alias("entry"),
        "list",
        F.col("pre.list").alias("seen"),
    )
    touch = F.lag("lc").over(Window.partitionBy("run", "tid").orderBy("tseq", "lc", "k", "entry"))
    moves = events.withColumn("acted", touch).where(
        is_one_of("list_add", "list_remove", "cancel") & (F.col("entry") > 0)
    )
    before = Window.partitionBy("entry", "run").orderBy(*STAMP, "k", "list", "seen").before()
    list_now = F.when(is_one_of("list_add"), F.col("list")).when(is_one_of("list_remove"), 0)
    looks = {
        "here": F.last(list_now).over(before),
        "since": F.last_where(~cancels, F.col("lc")).over(before),
    }
    in_list = F.is_true((F.col("here") > 0) & (F.col("since") < F.coalesce("acted", F.lit(1))))
    clears = F.last(F.when(cancels & F.col("in_list"), F.col("lc")).otherwise(0)).over(before)
    moves = moves.withColumns(looks).withColumn("in_list", in_list).withColumn("cleared", clears)
    runs = broadcast(RUNS.select("run", "late", has("list_add", "list_remove")))
    return moves.join(runs, "run")


CANCELS = Family(
    "cancels",
    "move of an entry",
    ("run", "entry"),
    prepare_cancels(),
    (
        # A link that comes after the thread has looked is another matter: a flush puts it there.
        # A late unlink may have been seen by the cancel: its thread had begun it by then.
        Rule(
            "CancelUnlinks",
            "who clears a task's entry has taken it out of its list, or saw another thread do so",
            recorded("list_add", "list_remove")
            & (
                (is_one_of("cancel") & (F.col("seen").isNotNull() | (F.col("late") == 0)))
                | (is_one_of("list_remove") & (F.col("late") != 0) & (F.col("cleared") > 0))
            ),
            F.when(
                is_one_of("cancel"), (F.coalesce("seen", F.lit(0)) == 0) & ~F.col("in_list")
            ).otherwise(F.is_true(F.col("acted") < F.col("cleared"))),
            text("entry {entry} of task {task} is in list {here} since lc {since}, saw {seen}"),
        ),
    ),
    shuffles=2,
)
