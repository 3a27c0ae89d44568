"""Rules of the program text: which step may stand next to which in one thread, whoever wrote the program.

A rule of this family asks that a step was *taken*: that a check came before what rests on it, that a key was set after a link. What is no step (see
``STEPS``) may stand between any two of them. A rule is asked only of runs in which the kinds that it names occur, and not of a thread's first step where the
thread's start was not recorded: what came before a recording is not known. ``StepFollows`` is more: of runs that say which specification they follow it asks
that each step is one that the specification's model can take next.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from wheelproof.pipeline.checks.rule import Family, Inputs, Rule, has, recorded, text
from wheelproof.pipeline.codes import CAUSE, KIND, RESULT, any_of, cause, coded, is_kind, kind, named, names, result
from wheelproof.pipeline.successors import BEGIN, STEPS, load

_ASKED = ("cancel_check", "on_complete_end", "list_add", "expire_submit", "bucket_expiry_set", "dq_offer", "dq_poll", "flush_begin", "flush_end", "reinsert", "entry_new", "set_entry", "pending_set",
          "try_begin", "cancel", "task_run")
_GOES_ON = ("cancel_check", "wheel_place", "wheel_reject", "list_add", "expire_submit")
_SEEN = ("kind", "task", "entry", "list", "op", "level", "exp_ms", "key_ms", "cause", "res")
"""What a rule may ask of a step, and of the step before."""
_SEEN_AFTER = ("kind", "task", "entry", "list", "op", "key_ms", "cause")
_WHOLE_CANCEL = ("list_remove", "cancel")
"""A program in which these follow each other unlinks in steps of its own. In others an unlink that a cancel or a new entry makes is a part of that step."""

_LAST = {"walk": ("list", "flush_begin", "flush_end"), "polled": ("list", "dq_poll", "flush_begin"), "made": ("entry", "entry_new", "set_entry"),
         "body": ("op", "on_complete_end", "on_complete_begin")}
"""What is looked back for: the object that is asked about, and the two kinds of which the last one before counts. It is one number, the object's id; less than 0 after the second kind."""

_WHEEL = "TimingWheel"
_MODULE = {module: number for number, module in enumerate(sorted({*load(), _WHEEL}), 1)}
_BEGUN = 0
"""The code of :data:`BEGIN`, beside those of kinds."""
_WIDTH = len(KIND) + 1
"""Codes of kinds are less: a specification and one or two kinds are one number."""


def prepare(inputs: Inputs) -> DataFrame:
    """The steps of a thread, each with the step before (``was_kind`` and so on) and after (``after_kind``); ``walk``: the last end of a flush before, ``polled``:
    the last bucket taken or walk begun, ``unlinked``: the list out of which the walk has last unlinked, 0 for none yet, ``made``: the last entry made or set,
    ``body``: the last end of an onComplete; ``modelled`` and ``modelled_was``: the kind of this step and of the last one before that the specification has,
    0 before a thread's first."""
    steps = inputs.events.where((F.col("lc") > 0) & F.col("k").isin(*STEPS) & (~F.col("k").isin("dq_poll") | F.col("list").isNotNull())).select(
        "run", "tid", "tseq", "lc", kind(*STEPS), "task", "entry", "list", "op", "level", "exp_ms", "key_ms", cause(), result())
    # What is asked of the run goes along, as two numbers and two flags: a join after the window would copy all that was looked for once more.
    about = inputs.runs.select("run", "whole", has(*_ASKED), (F.col("variant") == "TryPending").alias("pending"), coded("module", _MODULE).alias("module"))
    steps = steps.join(F.broadcast(about), "run").withColumn("modelled", _modelled(load()))
    # The thread comes before the run: what is sorted by its first eight bytes should differ there.
    order = Window.partitionBy("tid", "run").orderBy("tseq", "lc", *_SEEN)
    before = order.rowsBetween(Window.unboundedPreceding, -1)

    def last(value: Column) -> Column:
        return F.last(value, ignorenulls=True).over(before)

    # A thread's rows wait for their window: what they carry is kept small, and so is what is found: numbers beside each other instead of structs.
    looks = {f"was_{name}": F.lag(name).over(order) for name in _SEEN} | {f"after_{name}": F.lead(name).over(order) for name in _SEEN_AFTER}
    looks |= {name: last(F.when(is_kind(first), F.col(thing)).when(is_kind(second), -F.col(thing))) for name, (thing, first, second) in _LAST.items()}
    looks["unlinked"] = last(F.when(is_kind("flush_begin", "flush_end"), 0).when(_unlinked_by("flush"), F.col("list")))
    looks["modelled_was"] = last(F.when(is_kind("thread_start"), _BEGUN).otherwise(F.col("modelled")))
    return steps.select("*", *[column.alias(name) for name, column in looks.items()])


def _modelled(table: Mapping[str, Mapping[str, list[str]]]) -> Column:
    """The kind of a step that the run's specification has; null for any other."""
    known = [_MODULE[module] * _WIDTH + KIND[step] for module, after in table.items() for step in {*after, *(each for many in after.values() for each in many)} - {BEGIN}]
    parts = [_MODULE[module] for module, after in table.items() if _WHOLE_CANCEL[1] not in after.get(_WHOLE_CANCEL[0], ())]
    inner = is_kind("list_remove") & any_of("cause", CAUSE, "cancel", "readd") & F.col("module").isin(*parts)
    modelled = F.col("module").isNotNull() & (F.col("module") * _WIDTH + F.col("kind")).isin(*sorted(known))
    return F.when(modelled & ~F.coalesce(inner, F.lit(False)), F.col("kind"))


def _can_follow() -> Column:
    code = {BEGIN: _BEGUN, **KIND}
    follow = [(_MODULE[module] * _WIDTH + code[step]) * _WIDTH + code[each] for module, after in load().items() for step, many in after.items() for each in many]
    return ((F.col("module") * _WIDTH + F.col("modelled_was")) * _WIDTH + F.col("modelled")).isin(*follow)


def _of_wheel_alone() -> Column:
    """The run follows the wheel's own specification: that somebody asks once more before the executor gets an entry is the timer's, not the wheel's."""
    return F.coalesce(F.col("module") == _MODULE[_WHEEL], F.lit(False))


def _after() -> Column:
    """There is a step before."""
    return F.col("was_kind").isNotNull()


def _goes_on() -> Column:
    """There is a step after, or the trace is whole, so that there should be."""
    return F.col("after_kind").isNotNull() | F.col("whole")


def _is(where: str, kind: str, *same: str) -> Column:
    """The step there (``was``, ``after``) is of the kind, and about the same things as this one, as far as both name them: an unlink need not name its task."""
    condition = F.col(f"{where}_kind").eqNullSafe(KIND[kind])
    for name in same:
        condition = condition & F.coalesce(F.col(f"{where}_{name}") == F.col(name), F.lit(True))
    return condition


def _unlinks(where: str, cause: str, *same: str) -> Column:
    return _is(where, "list_remove", *same) & F.col(f"{where}_cause").eqNullSafe(CAUSE[cause])


def _resets(where: str) -> Column:
    return _is(where, "bucket_expiry_set", "list") & (F.col(f"{where}_key_ms") < 0)


def _keyed() -> Column:
    return is_kind("bucket_expiry_set") & (F.col("key_ms") >= 0)


def _unlinked_by(cause: str) -> Column:
    return is_kind("list_remove") & any_of("cause", CAUSE, cause)


def _answer_is_of_check() -> Column:
    """A check that said so leads to a refusal as cancelled, and one that did not to anything else; where both are known."""
    refused = is_kind("wheel_reject") & any_of("cause", CAUSE, "cancel")
    known = any_of("was_res", RESULT, "true", "false") & (is_kind("wheel_place") | F.col("cause").isNotNull())
    return ~F.coalesce(known, F.lit(False)) | (any_of("was_res", RESULT, "true") == F.coalesce(refused, F.lit(False)))


def _note_of_try() -> Column:
    got, refused = _is("after", "pending_set", "op"), _is("after", "pending_getset", "op")
    return F.when(any_of("res", RESULT, "true"), got).when(any_of("res", RESULT, "false"), refused).otherwise(got | refused)


def _step(where: str) -> Column:
    """What is said of a neighbour: its kind, and the object that it names."""
    return text(named(f"{where}_kind", KIND), " (entry ", F.col(f"{where}_entry"), ", list ", F.col(f"{where}_list"), ", op ", F.col(f"{where}_op"), ")")


def _said_before() -> Column:
    return text(named("kind", KIND), " comes after ", _step("was"))


def _said_last(name: str) -> Column:
    """What is said of what was looked back for: its kind, and its object."""
    thing, first, second = _LAST[name]
    return text("the last was ", F.when(F.col(name) > 0, first).otherwise(second), f" of {thing} ", F.abs(F.col(name)))


def _said_after() -> Column:
    return text("after ", named("kind", KIND), " comes ", _step("after"))


RULES = (
    Rule("StepFollows", "where a run says which specification it follows, each step of a thread is one that can come next there",
         lambda: F.col("modelled").isNotNull() & F.col("modelled_was").isNotNull(), _can_follow, lambda: text(named("modelled", KIND), " after ", F.coalesce(named("modelled_was", KIND), F.lit(BEGIN)))),
    Rule("CheckBeforeWheel", "the wheel answers for an entry right after the same thread has asked whether it is cancelled, and as that said",
         lambda: is_kind("wheel_place", "wheel_reject") & recorded("cancel_check") & _after(), lambda: _is("was", "cancel_check", "entry") & _answer_is_of_check(), _said_before),
    Rule("CheckBeforeHandOver", "an entry is handed over right after the same thread has found it live", lambda: is_kind("expire_submit") & recorded("cancel_check") & _after() & ~_of_wheel_alone(),
         lambda: _is("was", "cancel_check", "entry") & F.coalesce(any_of("was_res", RESULT, "false"), F.lit(True)), _said_before),
    Rule("LiveGoesOn", "an entry that was found live goes on at once: asked again, placed, refused, linked or handed over",
         lambda: is_kind("cancel_check") & any_of("res", RESULT, "false") & recorded("list_add", "expire_submit") & _goes_on(),
         lambda: (any_of("after_kind", KIND, *_GOES_ON) & (F.col("after_entry") == F.col("entry"))) | _unlinks("after", "readd", "entry"), _said_after),
    Rule("KeySetAfterLink", "who links an entry then sets the bucket's key", lambda: is_kind("list_add") & recorded("bucket_expiry_set") & _goes_on(),
         lambda: _is("after", "bucket_expiry_set", "list"), _said_after),
    Rule("LinkedIntoPlaced", "who has just chosen a bucket for an entry links it there",
         lambda: is_kind("list_add") & any_of("was_kind", KIND, "wheel_place") & (F.col("was_entry") == F.col("entry")) & F.col("was_list").isNotNull(),
         lambda: F.col("was_list") == F.col("list"), _said_before),
    Rule("LinkBeforeKey", "a bucket's key is set by who has just linked an entry, for that entry's deadline", lambda: _keyed() & recorded("list_add") & _after(),
         lambda: _is("was", "list_add", "list") & F.coalesce(F.col("was_exp_ms") == F.col("exp_ms"), F.lit(True)), _said_before),
    Rule("OfferAfterKeyChange", "who changes a bucket's key then puts the bucket into the queue, with that key",
         lambda: _keyed() & any_of("res", RESULT, "true") & recorded("dq_offer") & _goes_on(), lambda: _is("after", "dq_offer", "list", "key_ms"), _said_after),
    Rule("KeyChangeBeforeOffer", "a bucket is put into the queue by who has just changed its key, or has just taken it out and puts it back",
         lambda: is_kind("dq_offer") & recorded("bucket_expiry_set") & _after(),
         lambda: (_is("was", "bucket_expiry_set", "list", "key_ms") & F.coalesce(any_of("was_res", RESULT, "true"), F.lit(True))) | _is("was", "dq_poll", "list", "key_ms"), _said_before),
    Rule("PollBeforeFlush", "a thread walks over the bucket that it took from the queue, once", lambda: is_kind("flush_begin") & recorded("dq_poll") & F.col("polled").isNotNull(),
         lambda: F.col("polled") == F.col("list"), lambda: _said_last("polled")),
    # Where the beginning of a walk is lost, its first unlink is blamed: those that follow are of the list that was blamed.
    Rule("UnlinkInsideFlush", "a flush unlinks entries of its list between its beginning and its end",
         lambda: _unlinked_by("flush") & recorded("flush_begin", "flush_end") & F.col("walk").isNotNull(),
         lambda: (F.col("walk") == F.col("list")) | (F.col("unlinked") == F.col("list")), lambda: _said_last("walk")),
    Rule("HandBackAfterUnlink", "what a flush has unlinked it hands back at once", lambda: _unlinked_by("flush") & recorded("reinsert") & _goes_on(),
         lambda: _is("after", "reinsert", "entry"), _said_after),
    Rule("UnlinkBeforeHandBack", "what a flush hands back it has just unlinked", lambda: is_kind("reinsert") & _after(), lambda: _unlinks("was", "flush", "entry"), _said_before),
    Rule("KeyResetWithFlush", "who ends a flush has just reset the bucket's key, or does so now", lambda: is_kind("flush_end") & recorded("bucket_expiry_set") & _goes_on(),
         lambda: _resets("was") | _resets("after"), _said_after),
    Rule("FlushWithKeyReset", "a bucket's key is reset at the end of its flush",
         lambda: is_kind("bucket_expiry_set") & (F.col("key_ms") < 0) & recorded("flush_end") & _after() & _goes_on(),
         lambda: _is("was", "flush_end", "list") | _is("after", "flush_end", "list"), _said_before),
    Rule("AdvanceByLevels", "where the clock is advanced twice in a row, the second is that of a higher level", lambda: is_kind("clock_advance") & any_of("was_kind", KIND, "clock_advance"),
         lambda: F.col("level") > F.coalesce(F.col("was_level"), F.lit(1)), lambda: text("level ", F.col("level"), " after level ", F.col("was_level"))),
    Rule("SetAfterNew", "a new entry becomes its task's at once", lambda: is_kind("entry_new") & recorded("set_entry") & _goes_on(),
         lambda: _is("after", "set_entry", "entry") | _unlinks("after", "readd", "task") | _is("was", "set_entry", "entry"), _said_after),
    Rule("NewBeforeSet", "the entry that becomes a task's is the one that was just made", lambda: is_kind("set_entry") & recorded("entry_new") & _after() & _goes_on(),
         lambda: F.col("made").eqNullSafe(F.col("entry")) | _is("after", "entry_new", "entry"), _said_before),
    Rule("NoteAfterTry", "under the pending protocol who got the lock clears the note, and who did not leaves one",
         lambda: is_kind("try_begin") & F.col("pending") & recorded("pending_set") & _goes_on(), _note_of_try, _said_after),
    Rule("TryBeforeNote", "a note is cleared, or left, by who has just tried the operation's lock", lambda: is_kind("pending_set", "pending_getset") & recorded("try_begin") & _after(),
         lambda: _is("was", "try_begin", "op"), _said_before),
    Rule("CancelAfterCompletion", "who completes an operation cancels its timeout first of all",
         lambda: is_kind("force_cas") & any_of("res", RESULT, "true") & recorded("cancel") & _goes_on(), lambda: _is("after", "cancel") | _unlinks("after", "cancel"), _said_after),
    Rule("CancelAfterUnlink", "who unlinks an entry to cancel its task then clears the task's entry", lambda: _unlinked_by("cancel") & recorded("cancel") & _goes_on(),
         lambda: _is("after", "cancel", "task") | _unlinks("after", "cancel", "task"), _said_after),
    Rule("CancelBeforeBody", "onComplete begins right after the timeout was cancelled", lambda: is_kind("on_complete_begin") & recorded("cancel") & _after(),
         lambda: _is("was", "cancel"), _said_before),
    Rule("RunBeforeTimeout", "an operation is completed by its timeout in the task that ran", lambda: is_kind("force_cas") & any_of("cause", CAUSE, "expiry") & recorded("task_run") & _after(),
         lambda: _is("was", "task_run"), _said_before),
    Rule("TimeoutOfTask", "the deadline of a timeout is that of the task that ran",
         lambda: is_kind("force_cas") & any_of("cause", CAUSE, "expiry") & any_of("was_kind", KIND, "task_run") & F.col("exp_ms").isNotNull() & F.col("was_exp_ms").isNotNull(),
         lambda: F.col("exp_ms") == F.col("was_exp_ms"), lambda: text("deadline ", F.col("exp_ms"), " ms, of the task ", F.col("was_exp_ms"), " ms")),
    Rule("TimeoutCancelsItself", "a task that ran and completed its operation cancels itself, not another",
         lambda: is_kind("force_cas") & any_of("res", RESULT, "true") & any_of("was_kind", KIND, "task_run") & F.col("was_task").isNotNull() & any_of("after_kind", KIND, "cancel", "list_remove"),
         lambda: F.coalesce(F.col("after_task") == F.col("was_task"), F.lit(True)), lambda: text("task ", F.col("was_task"), " ran, task ", F.col("after_task"), " is cancelled")),
    Rule("BodyInsideTry", "an evaluation of tryComplete ends after the onComplete that it led to", lambda: is_kind("try_end") & recorded("on_complete_end") & F.col("body").isNotNull(),
         lambda: F.col("body") != -F.col("op"), lambda: _said_last("body")),
)

FAMILY = Family("program", "step of a thread", ("run", "tid"), prepare, RULES, made=names)
