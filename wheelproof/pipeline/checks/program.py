"""Rules of the program text: which step may stand next to which in one thread, whoever wrote the program.

A rule of this family asks that a step was *taken*: that a check came before what rests on it, that a key was set after a link. What is no step (see
``STEPS``) may stand between any two of them. A rule is asked only of runs in which the kinds that it names occur, and not of a thread's first step where the
thread's start was not recorded: what came before a recording is not known. ``StepFollows`` is more: of runs that say which specification they follow it asks
that each step is one that the specification's model can take next.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from wheelproof.pipeline.checks.rule import Family, Inputs, Rule, has, is_one_of, recorded, text
from wheelproof.pipeline.successors import BEGIN, STEPS, load

_ASKED = ("cancel_check", "on_complete_end", "list_add", "expire_submit", "bucket_expiry_set", "dq_offer", "dq_poll", "flush_begin", "flush_end", "reinsert", "entry_new", "set_entry", "pending_set",
          "try_begin", "cancel", "task_run")
_GOES_ON = ("cancel_check", "wheel_place", "wheel_reject", "list_add", "expire_submit")
_NEIGHBOUR = ("k", "task", "entry", "list", "op", "level", "exp_ms", "key_ms", "cause", "res")
_WHOLE_CANCEL = ("list_remove", "cancel")
"""A program in which these follow each other unlinks in steps of its own. In others an unlink that a cancel or a new entry makes is a part of that step."""


_LAST = {"walk": ("list", ("flush_begin", "flush_end")), "polled": ("list", ("dq_poll", "flush_begin")), "made": ("entry", ("entry_new", "set_entry")),
         "body": ("op", ("on_complete_begin", "on_complete_end"))}
"""What is looked back for: the object that is asked about, and the kinds of which the last one before counts."""


def prepare(inputs: Inputs) -> DataFrame:
    """The steps of a thread, each with the step before (``was``) and after (``after``); ``walk``: the last end of a flush before, ``polled``: the last
    bucket taken or walk begun, ``unlinked``: the list out of which the walk has last unlinked, 0 for none yet, ``made``: the last entry made or set,
    ``body``: the last end of an onComplete; ``modelled`` and ``modelled_was``: the kind of this step and of the last one before that the specification has,
    :data:`BEGIN` before a thread's first."""
    steps = inputs.events.where((F.col("lc") > 0) & is_one_of(*STEPS) & (~is_one_of("dq_poll") | F.col("list").isNotNull())).select("run", "tid", "tseq", "lc", *_NEIGHBOUR)
    steps = steps.join(F.broadcast(inputs.runs.select("run", "module")), "run").withColumn("modelled", _modelled(load())).drop("module")
    order = Window.partitionBy("run", "tid").orderBy("tseq", "lc", *_NEIGHBOUR)
    before = order.rowsBetween(Window.unboundedPreceding, -1)
    # A thread's rows wait for their window: what they carry is kept small, so that structs are made, and runs joined, after it.
    looks = {f"was_{name}": F.lag(name).over(order) for name in _NEIGHBOUR} | {f"after_{name}": F.lead(name).over(order) for name in _NEIGHBOUR}
    for name, (thing, kinds) in _LAST.items():
        looks |= {f"{name}_{each}": F.last(F.when(is_one_of(*kinds), F.col(each)), ignorenulls=True).over(before) for each in ("k", thing)}
    looks["unlinked"] = F.last(F.when(is_one_of(*_LAST["walk"][1]), F.lit(0)).when(_unlinked_by("flush"), F.col("list")), ignorenulls=True).over(before)
    modelled = F.when(is_one_of("thread_start"), F.lit(BEGIN)).otherwise(F.col("modelled"))
    looks["modelled_was"] = F.last(modelled, ignorenulls=True).over(before)
    seen = steps.select("*", *[column.alias(name) for name, column in looks.items()])
    near = [F.struct(*[F.col(f"{where}_{name}").alias(name) for name in _NEIGHBOUR]).alias(where) for where in ("was", "after")]
    back = [F.struct(*[F.col(f"{name}_{each}").alias(each) for each in ("k", thing)]).alias(name) for name, (thing, _) in _LAST.items()]
    about = inputs.runs.select("run", "whole", "variant", "module", *has(*_ASKED))
    return seen.select(*steps.columns, *near, *back, "unlinked", "modelled_was").join(F.broadcast(about), "run")


def _pair(*parts: Column | str) -> Column:
    return F.concat_ws(" ", *[F.lit(part) if isinstance(part, str) else part for part in parts])


def _modelled(table: dict[str, dict[str, list[str]]]) -> Column:
    """The kind of a step that the run's specification has; null for any other."""
    kinds = [f"{module} {kind}" for module, after in table.items() for kind in {*after, *(each for many in after.values() for each in many)} - {BEGIN}]
    parts = [module for module, after in table.items() if _WHOLE_CANCEL[1] not in after.get(_WHOLE_CANCEL[0], ())]
    inner = is_one_of("list_remove") & F.col("cause").isin("cancel", "readd") & F.col("module").isin(*parts)
    known = F.col("module").isNotNull() & _pair(F.col("module"), F.col("k")).isin(*sorted(kinds))
    return F.when(known & ~F.coalesce(inner, F.lit(False)), F.col("k"))


def _can_follow() -> Column:
    pairs = [f"{module} {kind} {each}" for module, after in load().items() for kind, many in after.items() for each in many]
    return _pair(F.col("module"), F.col("modelled_was"), F.col("modelled")).isin(*pairs)


def _of_wheel_alone() -> Column:
    """The run follows the wheel's own specification: that somebody asks once more before the executor gets an entry is the timer's, not the wheel's."""
    return F.coalesce(F.col("module") == "TimingWheel", F.lit(False))


def _after() -> Column:
    """There is a step before."""
    return F.col("was.k").isNotNull()


def _goes_on() -> Column:
    """There is a step after, or the trace is whole, so that there should be."""
    return F.col("after.k").isNotNull() | F.col("whole")


def _is(where: str, kind: str, *same: str) -> Column:
    """The step there (``was``, ``after``) is of the kind, and about the same things as this one."""
    condition = F.col(f"{where}.k").eqNullSafe(kind)
    for name in same:
        condition = condition & F.col(f"{where}.{name}").eqNullSafe(F.col(name))
    return condition


def _unlinks(where: str, cause: str, *same: str) -> Column:
    return _is(where, "list_remove", *same) & F.col(f"{where}.cause").eqNullSafe(cause)


def _resets(where: str) -> Column:
    return _is(where, "bucket_expiry_set", "list") & (F.col(f"{where}.key_ms") < 0)


def _keyed() -> Column:
    return is_one_of("bucket_expiry_set") & (F.col("key_ms") >= 0)


def _unlinked_by(cause: str) -> Column:
    return is_one_of("list_remove") & (F.col("cause") == cause)


def _answer_is_of_check() -> Column:
    """A check that said so leads to a refusal as cancelled, and one that did not to anything else; where both are known."""
    refused = is_one_of("wheel_reject") & (F.col("cause") == "cancel")
    known = F.col("was.res").isin("true", "false") & (is_one_of("wheel_place") | F.col("cause").isNotNull())
    return ~F.coalesce(known, F.lit(False)) | ((F.col("was.res") == "true") == F.coalesce(refused, F.lit(False)))


def _note_of_try() -> Column:
    got, refused = _is("after", "pending_set", "op"), _is("after", "pending_getset", "op")
    return F.when(F.col("res") == "true", got).when(F.col("res") == "false", refused).otherwise(got | refused)


def _step(where: str) -> Column:
    """What is said of a neighbour: its kind, and the object that it names."""
    return text(F.col(f"{where}.k"), " (entry ", F.col(f"{where}.entry"), ", list ", F.col(f"{where}.list"), ", op ", F.col(f"{where}.op"), ")")


def _said_before() -> Column:
    return text(F.col("k"), " comes after ", _step("was"))


def _said_after() -> Column:
    return text("after ", F.col("k"), " comes ", _step("after"))


RULES = (
    Rule("StepFollows", "where a run says which specification it follows, each step of a thread is one that can come next there",
         lambda: F.col("modelled").isNotNull() & F.col("modelled_was").isNotNull(), _can_follow, lambda: text(F.col("modelled"), " after ", F.col("modelled_was"))),
    Rule("CheckBeforeWheel", "the wheel answers for an entry right after the same thread has asked whether it is cancelled, and as that said",
         lambda: is_one_of("wheel_place", "wheel_reject") & recorded("cancel_check") & _after(), lambda: _is("was", "cancel_check", "entry") & _answer_is_of_check(), _said_before),
    Rule("CheckBeforeHandOver", "an entry is handed over right after the same thread has found it live", lambda: is_one_of("expire_submit") & recorded("cancel_check") & _after() & ~_of_wheel_alone(),
         lambda: _is("was", "cancel_check", "entry") & (F.coalesce(F.col("was.res"), F.lit("false")) == "false"), _said_before),
    Rule("LiveGoesOn", "an entry that was found live goes on at once: asked again, placed, refused, linked or handed over",
         lambda: is_one_of("cancel_check") & (F.col("res") == "false") & recorded("list_add", "expire_submit") & _goes_on(),
         lambda: (F.col("after.k").isin(*_GOES_ON) & (F.col("after.entry") == F.col("entry"))) | _unlinks("after", "readd", "entry"), _said_after),
    Rule("KeySetAfterLink", "who links an entry then sets the bucket's key", lambda: is_one_of("list_add") & recorded("bucket_expiry_set") & _goes_on(),
         lambda: _is("after", "bucket_expiry_set", "list"), _said_after),
    Rule("LinkBeforeKey", "a bucket's key is set by who has just linked an entry, for that entry's deadline", lambda: _keyed() & recorded("list_add") & _after(),
         lambda: _is("was", "list_add", "list") & F.coalesce(F.col("was.exp_ms") == F.col("exp_ms"), F.lit(True)), _said_before),
    Rule("OfferAfterKeyChange", "who changes a bucket's key then puts the bucket into the queue, with that key",
         lambda: _keyed() & (F.col("res") == "true") & recorded("dq_offer") & _goes_on(), lambda: _is("after", "dq_offer", "list", "key_ms"), _said_after),
    Rule("KeyChangeBeforeOffer", "a bucket is put into the queue by who has just changed its key, or has just taken it out and puts it back",
         lambda: is_one_of("dq_offer") & recorded("bucket_expiry_set") & _after(),
         lambda: (_is("was", "bucket_expiry_set", "list", "key_ms") & (F.coalesce(F.col("was.res"), F.lit("true")) == "true")) | _is("was", "dq_poll", "list", "key_ms"), _said_before),
    Rule("PollBeforeFlush", "a thread walks over the bucket that it took from the queue, once", lambda: is_one_of("flush_begin") & recorded("dq_poll") & F.col("polled.k").isNotNull(),
         lambda: (F.col("polled.k") == "dq_poll") & (F.col("polled.list") == F.col("list")), lambda: text("the last was ", F.col("polled.k"), " of list ", F.col("polled.list"))),
    # Where the beginning of a walk is lost, its first unlink is blamed: those that follow are of the list that was blamed.
    Rule("UnlinkInsideFlush", "a flush unlinks entries of its list between its beginning and its end",
         lambda: _unlinked_by("flush") & recorded("flush_begin", "flush_end") & F.col("walk.k").isNotNull(),
         lambda: ((F.col("walk.k") == "flush_begin") & (F.col("walk.list") == F.col("list"))) | (F.col("unlinked") == F.col("list")),
         lambda: text("the last was ", F.col("walk.k"), " of list ", F.col("walk.list"))),
    Rule("HandBackAfterUnlink", "what a flush has unlinked it hands back at once", lambda: _unlinked_by("flush") & recorded("reinsert") & _goes_on(),
         lambda: _is("after", "reinsert", "entry"), _said_after),
    Rule("UnlinkBeforeHandBack", "what a flush hands back it has just unlinked", lambda: is_one_of("reinsert") & _after(), lambda: _unlinks("was", "flush", "entry"), _said_before),
    Rule("KeyResetWithFlush", "who ends a flush has just reset the bucket's key, or does so now", lambda: is_one_of("flush_end") & recorded("bucket_expiry_set") & _goes_on(),
         lambda: _resets("was") | _resets("after"), _said_after),
    Rule("FlushWithKeyReset", "a bucket's key is reset at the end of its flush",
         lambda: is_one_of("bucket_expiry_set") & (F.col("key_ms") < 0) & recorded("flush_end") & _after() & _goes_on(),
         lambda: _is("was", "flush_end", "list") | _is("after", "flush_end", "list"), _said_before),
    Rule("AdvanceByLevels", "where the clock is advanced twice in a row, the second is that of a higher level", lambda: is_one_of("clock_advance") & (F.col("was.k") == "clock_advance"),
         lambda: F.col("level") > F.coalesce(F.col("was.level"), F.lit(1)), lambda: text("level ", F.col("level"), " after level ", F.col("was.level"))),
    Rule("SetAfterNew", "a new entry becomes its task's at once", lambda: is_one_of("entry_new") & recorded("set_entry") & _goes_on(),
         lambda: _is("after", "set_entry", "entry") | _unlinks("after", "readd", "task") | _is("was", "set_entry", "entry"), _said_after),
    Rule("NewBeforeSet", "the entry that becomes a task's is the one that was just made", lambda: is_one_of("set_entry") & recorded("entry_new") & _after() & _goes_on(),
         lambda: (F.col("made.k").eqNullSafe("entry_new") & (F.col("made.entry") == F.col("entry"))) | _is("after", "entry_new", "entry"), _said_before),
    Rule("NoteAfterTry", "under the pending protocol who got the lock clears the note, and who did not leaves one",
         lambda: is_one_of("try_begin") & (F.col("variant") == "TryPending") & recorded("pending_set") & _goes_on(), _note_of_try, _said_after),
    Rule("TryBeforeNote", "a note is cleared, or left, by who has just tried the operation's lock", lambda: is_one_of("pending_set", "pending_getset") & recorded("try_begin") & _after(),
         lambda: _is("was", "try_begin", "op"), _said_before),
    Rule("CancelAfterCompletion", "who completes an operation cancels its timeout first of all",
         lambda: is_one_of("force_cas") & (F.col("res") == "true") & recorded("cancel") & _goes_on(), lambda: _is("after", "cancel") | _unlinks("after", "cancel"), _said_after),
    Rule("CancelAfterUnlink", "who unlinks an entry to cancel its task then clears the task's entry", lambda: _unlinked_by("cancel") & recorded("cancel") & _goes_on(),
         lambda: _is("after", "cancel", "task") | _unlinks("after", "cancel", "task"), _said_after),
    Rule("CancelBeforeBody", "onComplete begins right after the timeout was cancelled", lambda: is_one_of("on_complete_begin") & recorded("cancel") & _after(),
         lambda: _is("was", "cancel"), _said_before),
    Rule("RunBeforeTimeout", "an operation is completed by its timeout in the task that ran", lambda: is_one_of("force_cas") & (F.col("cause") == "expiry") & recorded("task_run") & _after(),
         lambda: _is("was", "task_run"), _said_before),
    Rule("TimeoutOfTask", "the deadline of a timeout is that of the task that ran",
         lambda: is_one_of("force_cas") & (F.col("cause") == "expiry") & (F.col("was.k") == "task_run") & F.col("exp_ms").isNotNull() & F.col("was.exp_ms").isNotNull(),
         lambda: F.col("exp_ms") == F.col("was.exp_ms"), lambda: text("deadline ", F.col("exp_ms"), " ms, of the task ", F.col("was.exp_ms"), " ms")),
    Rule("TimeoutCancelsItself", "a task that ran and completed its operation cancels itself, not another",
         lambda: is_one_of("force_cas") & (F.col("res") == "true") & (F.col("was.k") == "task_run") & F.col("was.task").isNotNull() & F.col("after.k").isin("cancel", "list_remove"),
         lambda: F.coalesce(F.col("after.task") == F.col("was.task"), F.lit(True)), lambda: text("task ", F.col("was.task"), " ran, task ", F.col("after.task"), " is cancelled")),
    Rule("BodyInsideTry", "an evaluation of tryComplete ends after the onComplete that it led to", lambda: is_one_of("try_end") & recorded("on_complete_end") & F.col("body.k").isNotNull(),
         lambda: (F.col("body.k") == "on_complete_end") | ~F.col("body.op").eqNullSafe(F.col("op")), lambda: text("the last was ", F.col("body.k"), " of op ", F.col("body.op"))),
)

FAMILY = Family("program", "step of a thread", ("run", "tid"), prepare, RULES)
