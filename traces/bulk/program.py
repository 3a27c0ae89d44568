"""Rules of the program text: which step may stand next to which in one thread.

A rule of this family asks that a step was *taken*: that a check came before the steps that rest on
it, that a key was set after a link. An event that is no step (see ``STEPS`` of
``traces.bulk.successors``) may stand between any two of them. A rule applies only to runs in which
the kinds that it names occur, and not of a thread's first step where the thread's start was not
recorded: the steps before a recording are not known. ``StepFollows`` is more: of runs that say
which specification they follow it asks that each step is one that the specification's model can
take next.
"""

from __future__ import annotations

from traces.bulk.program_steps import (
    GOES_ON,
    answer_is_of_check,
    can_follow,
    comes_after,
    goes_on,
    is_step,
    keyed,
    note_of_try,
    of_lock,
    of_wheel_alone,
    prepare,
    resets,
    step_after,
    step_before,
    step_last,
    unlinked_by,
    unlinks,
)
from traces.bulk.successors import BEGIN
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.codes import CAUSE, KIND, RESULT, any_of, is_kind, named, names
from wheelproof.pipeline.rule import Family, Rule, recorded, text

RULES = (
    Rule(
        "StepFollows",
        "where a run says which specification it follows, each step of a thread is one that can"
        " come next there",
        F.col("modelled").isNotNull() & F.col("modelled_was").isNotNull(),
        can_follow(),
        text(
            "{kind} after {was}",
            kind=named("modelled", KIND),
            was=F.coalesce(named("modelled_was", KIND), F.lit(BEGIN)),
        ),
    ),
    Rule(
        "CheckBeforeWheel",
        "the wheel answers for an entry right after the same thread has checked whether it is"
        " cancelled, and as that check found",
        is_kind("wheel_place", "wheel_reject") & recorded("cancel_check") & comes_after(),
        is_step("was", "cancel_check", "entry") & answer_is_of_check(),
        step_before(),
    ),
    Rule(
        "CheckBeforeHandOver",
        "an entry is handed over right after the same thread has found it live",
        (is_kind("expire_submit") & recorded("cancel_check") & comes_after() & ~of_wheel_alone()),
        (
            is_step("was", "cancel_check", "entry")
            & F.coalesce(any_of("was_res", RESULT, "false"), F.lit(True))
        ),
        step_before(),
    ),
    Rule(
        "LiveGoesOn",
        "an entry that was found live goes on at once: checked again, placed, refused, linked or"
        " handed over",
        (
            is_kind("cancel_check")
            & any_of("res", RESULT, "false")
            & recorded("list_add", "expire_submit")
            & goes_on()
        ),
        (
            (any_of("after_kind", KIND, *GOES_ON) & (F.col("after_entry") == F.col("entry")))
            | unlinks("after", "readd", "entry")
        ),
        step_after(),
    ),
    Rule(
        "RefusedGoesOn",
        "an entry that the wheel refuses as due is at once checked again or handed over",
        (
            is_kind("wheel_reject")
            & any_of("cause", CAUSE, "due")
            & recorded("cancel_check", "expire_submit")
            & goes_on()
        ),
        is_step("after", "cancel_check", "entry") | is_step("after", "expire_submit", "entry"),
        step_after(),
    ),
    Rule(
        "KeySetAfterLink",
        "who links an entry then sets the bucket's key",
        is_kind("list_add") & recorded("bucket_expiry_set") & goes_on(),
        is_step("after", "bucket_expiry_set", "list"),
        step_after(),
    ),
    Rule(
        "LinkedIntoPlaced",
        "who has just chosen a bucket for an entry links it there",
        (
            is_kind("list_add")
            & any_of("was_kind", KIND, "wheel_place")
            & (F.col("was_entry") == F.col("entry"))
            & F.col("was_list").isNotNull()
        ),
        F.col("was_list") == F.col("list"),
        step_before(),
    ),
    Rule(
        "LinkBeforeKey",
        "a bucket's key is set by who has just linked an entry, for that entry's deadline",
        keyed() & recorded("list_add") & comes_after(),
        (
            is_step("was", "list_add", "list")
            & F.coalesce(F.col("was_exp_ms") == F.col("exp_ms"), F.lit(True))
        ),
        step_before(),
    ),
    Rule(
        "OfferAfterKeyChange",
        "who changes a bucket's key then puts the bucket into the queue, with that key",
        keyed() & any_of("res", RESULT, "true") & recorded("dq_offer") & goes_on(),
        is_step("after", "dq_offer", "list", "key_ms"),
        step_after(),
    ),
    Rule(
        "KeyChangeBeforeOffer",
        "a bucket is put into the queue by who has just changed its key, or has just taken it out"
        " and puts it back",
        is_kind("dq_offer") & recorded("bucket_expiry_set") & comes_after(),
        (
            (
                is_step("was", "bucket_expiry_set", "list", "key_ms")
                & F.coalesce(any_of("was_res", RESULT, "true"), F.lit(True))
            )
            | is_step("was", "dq_poll", "list", "key_ms")
        ),
        step_before(),
    ),
    Rule(
        "PollBeforeFlush",
        "a thread flushes the bucket that it took from the queue, once",
        is_kind("flush_begin") & recorded("dq_poll") & F.col("polled").isNotNull(),
        F.col("polled") == F.col("list"),
        step_last("polled"),
    ),
    # Where the beginning of a flush is lost, its first unlink is rejected: those that follow are of
    # the list that was rejected.
    Rule(
        "UnlinkInsideFlush",
        "a flush unlinks entries of its list between its beginning and its end",
        (unlinked_by("flush") & recorded("flush_begin", "flush_end") & F.col("flush").isNotNull()),
        (F.col("flush") == F.col("list")) | (F.col("unlinked") == F.col("list")),
        step_last("flush"),
    ),
    Rule(
        "HandBackAfterUnlink",
        "what a flush has unlinked it hands back at once",
        unlinked_by("flush") & recorded("reinsert") & goes_on(),
        is_step("after", "reinsert", "entry"),
        step_after(),
    ),
    Rule(
        "UnlinkBeforeHandBack",
        "what a flush hands back it has just unlinked",
        is_kind("reinsert") & comes_after(),
        unlinks("was", "flush", "entry"),
        step_before(),
    ),
    Rule(
        "KeyResetWithFlush",
        "who ends a flush has just reset the bucket's key, or does so now",
        is_kind("flush_end") & recorded("bucket_expiry_set") & goes_on(),
        resets("was") | resets("after"),
        step_after(),
    ),
    Rule(
        "FlushWithKeyReset",
        "a bucket's key is reset at the end of its flush",
        (
            is_kind("bucket_expiry_set")
            & (F.col("key_ms") < 0)
            & recorded("flush_end")
            & comes_after()
            & goes_on()
        ),
        is_step("was", "flush_end", "list") | is_step("after", "flush_end", "list"),
        step_before(),
    ),
    Rule(
        "AdvanceByLevels",
        "where the clock is advanced twice in a row, the second is that of a higher level",
        is_kind("clock_advance") & any_of("was_kind", KIND, "clock_advance"),
        F.col("level") > F.coalesce(F.col("was_level"), F.lit(1)),
        text("level {level} after level {was_level}"),
    ),
    Rule(
        "SetAfterNew",
        "a new entry becomes its task's at once",
        is_kind("entry_new") & recorded("set_entry") & goes_on(),
        (
            is_step("after", "set_entry", "entry")
            | unlinks("after", "readd", "task")
            | is_step("was", "set_entry", "entry")
        ),
        step_after(),
    ),
    Rule(
        "NewBeforeSet",
        "the entry that becomes a task's is the one that was just made",
        is_kind("set_entry") & recorded("entry_new") & comes_after() & goes_on(),
        F.col("made").eqNullSafe(F.col("entry")) | is_step("after", "entry_new", "entry"),
        step_before(),
    ),
    Rule(
        "NoteAfterTry",
        "under the pending protocol who got the lock clears the note, and who did not leaves one",
        (is_kind("try_begin") & F.col("pending") & of_lock() & recorded("pending_set") & goes_on()),
        note_of_try(),
        step_after(),
    ),
    Rule(
        "TryBeforeNote",
        "a note is cleared, or left, by who has just tried the operation's lock",
        is_kind("pending_set", "pending_getset") & recorded("try_begin") & comes_after(),
        is_step("was", "try_begin", "op"),
        step_before(),
    ),
    Rule(
        "CancelAfterCompletion",
        "who completes an operation cancels its timeout first of all",
        (is_kind("force_cas") & any_of("res", RESULT, "true") & recorded("cancel") & goes_on()),
        is_step("after", "cancel") | unlinks("after", "cancel"),
        step_after(),
    ),
    Rule(
        "CancelAfterUnlink",
        "who unlinks an entry to cancel its task then clears the task's entry",
        unlinked_by("cancel") & recorded("cancel") & goes_on(),
        is_step("after", "cancel", "task") | unlinks("after", "cancel", "task"),
        step_after(),
    ),
    Rule(
        "CancelBeforeBody",
        "onComplete begins right after the timeout was cancelled",
        is_kind("on_complete_begin") & recorded("cancel") & comes_after(),
        is_step("was", "cancel"),
        step_before(),
    ),
    Rule(
        "RunBeforeTimeout",
        "an operation is completed by its timeout in the task that ran",
        (
            is_kind("force_cas")
            & any_of("cause", CAUSE, "expiry")
            & recorded("task_run")
            & comes_after()
        ),
        is_step("was", "task_run"),
        step_before(),
    ),
    Rule(
        "TimeoutOfTask",
        "the deadline of a timeout is that of the task that ran",
        (
            is_kind("force_cas")
            & any_of("cause", CAUSE, "expiry")
            & any_of("was_kind", KIND, "task_run")
            & F.col("exp_ms").isNotNull()
            & F.col("was_exp_ms").isNotNull()
        ),
        F.col("exp_ms") == F.col("was_exp_ms"),
        text("deadline {exp_ms} ms, of the task {was_exp_ms} ms"),
    ),
    Rule(
        "TimeoutCancelsItself",
        "a task that ran and completed its operation cancels itself, not another",
        (
            is_kind("force_cas")
            & any_of("res", RESULT, "true")
            & any_of("was_kind", KIND, "task_run")
            & F.col("was_task").isNotNull()
            & any_of("after_kind", KIND, "cancel", "list_remove")
        ),
        F.coalesce(F.col("after_task") == F.col("was_task"), F.lit(True)),
        text("task {was_task} ran, task {after_task} is cancelled"),
    ),
    Rule(
        "TryAfterWatch",
        "who puts an operation among watchers then tries it, or puts it among those of another key",
        is_kind("watch_add") & recorded("try_begin") & goes_on(),
        is_step("after", "try_begin", "op") | is_step("after", "watch_add", "op"),
        step_after(),
    ),
    Rule(
        "BodyInsideTry",
        "an evaluation of tryComplete ends after the onComplete that it led to",
        is_kind("try_end") & recorded("on_complete_end") & F.col("body").isNotNull(),
        F.col("body") != -F.col("op"),
        step_last("body"),
    ),
)

FAMILY = Family("program", "step of a thread", ("run", "tid"), prepare(), RULES, made=names())
