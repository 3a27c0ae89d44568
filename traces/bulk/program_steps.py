"""A thread's steps, each beside its neighbours, and the conditions of rules of the program text."""

from __future__ import annotations

from collections.abc import Mapping

from traces.bulk.successors import BEGIN, STEPS, load
from wheelproof.pipeline import columns as F
from wheelproof.pipeline.codes import (
    CAUSE,
    KIND,
    RESULT,
    any_of,
    cause,
    coded,
    is_kind,
    kind,
    named,
    result,
)
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import has, text

_NEEDED = (
    "cancel_check",
    "on_complete_end",
    "list_add",
    "expire_submit",
    "bucket_expiry_set",
    "dq_offer",
    "dq_poll",
    "flush_begin",
    "flush_end",
    "reinsert",
    "entry_new",
    "set_entry",
    "pending_set",
    "try_begin",
    "cancel",
    "task_run",
)
GOES_ON = ("cancel_check", "wheel_place", "wheel_reject", "list_add", "expire_submit")
_SEEN = ("kind", "task", "entry", "list", "op", "level", "exp_ms", "key_ms", "cause", "res")
"""The columns of a step, and of the step before, that a rule may read."""
_SEEN_AFTER = ("kind", "task", "entry", "list", "op", "key_ms", "cause")
_WHOLE_CANCEL = ("list_remove", "cancel")
"""A program in which these follow each other unlinks in steps of its own.

In others an unlink that a cancel or a new entry makes is a part of that step.
"""

_LAST = {
    "flush": ("list", "flush_begin", "flush_end"),
    "polled": ("list", "dq_poll", "flush_begin"),
    "made": ("entry", "entry_new", "set_entry"),
    "body": ("op", "on_complete_end", "on_complete_begin"),
}
"""The targets of looking back: the object in question, and the two kinds of which the last one
before counts. It is one number, the object's id; less than 0 after the second kind."""

_WHEEL = "TimingWheel"
_MODULE = {module: number for number, module in enumerate(sorted({*load(), _WHEEL}), 1)}
_BEGUN = 0
"""The code of :data:`BEGIN`, beside those of kinds."""
_WIDTH = len(KIND) + 1
"""Codes of kinds are less: a specification and one or two kinds are one number."""


def prepare() -> Frame:
    """The steps of a thread, each with the step before (``was_kind`` and so on) and after
    (``after_kind``); ``flush``: the last end of a flush before, ``polled``: the last bucket taken
    or flush begun, ``unlinked``: the list out of which the flush has last unlinked, 0 for none
    yet, ``made``: the last entry made or set, ``body``: the last end of an onComplete;
    ``modelled`` and ``modelled_was``: the kind of this step and of the last one before that the
    specification has, 0 before a thread's first."""
    steps = EVENTS.where(
        (F.col("lc") > 0)
        & F.col("k").isin(*STEPS)
        & (~F.col("k").isin("dq_poll") | F.col("list").isNotNull())
    ).select(
        "run",
        "tid",
        "tseq",
        "lc",
        kind(*STEPS),
        "task",
        "entry",
        "list",
        "op",
        "level",
        "exp_ms",
        "key_ms",
        cause(),
        result(),
        F.col("oseq").isNotNull().alias("locked"),
    )
    # What rules read of the run goes along, as two numbers and two flags: a join after the window
    # would copy all that was looked for once more.
    about = RUNS.select(
        "run",
        "whole",
        has(*_NEEDED),
        (F.col("variant") == "TryPending").alias("pending"),
        coded("module", _MODULE).alias("module"),
    )
    steps = steps.join(broadcast(about), "run").withColumn("modelled", _step_of_model(load()))
    # The thread comes before the run: what is sorted by its first eight bytes should differ there.
    order = Window.partitionBy("tid", "run").orderBy("tseq", "lc", *_SEEN)
    before = order.before()

    def last(value: Column) -> Column:
        return F.last(value).over(before)

    # A thread's rows wait for their window: what they carry is kept small, and so is what is found:
    # numbers beside each other instead of structs.
    looks = {f"was_{name}": F.lag(name).over(order) for name in _SEEN} | {
        f"after_{name}": F.lead(name).over(order) for name in _SEEN_AFTER
    }
    looks |= {
        name: last(F.when(is_kind(first), F.col(thing)).when(is_kind(second), -F.col(thing)))
        for name, (thing, first, second) in _LAST.items()
    }
    looks["unlinked"] = last(
        F.when(is_kind("flush_begin", "flush_end"), 0).when(unlinked_by("flush"), F.col("list"))
    )
    looks["modelled_was"] = last(
        F.when(is_kind("thread_start"), _BEGUN)
        .when(F.col("modelled").isNotNull() & _queued_already(), F.lit(KIND["dq_offer"]))
        .otherwise(F.col("modelled"))
    )
    return steps.select("*", *[column.alias(name) for name, column in looks.items()])


def _queued_already() -> Column:
    """A bucket gets its own key again, and is queued: the next step is one behind an offer."""
    return F.is_true(is_kind("bucket_expiry_set") & any_of("res", RESULT, "false"))


def _step_of_model(table: Mapping[str, Mapping[str, list[str]]]) -> Column:
    """The kind of a step that the run's specification has; null for any other."""
    pairs = [
        _MODULE[module] * _WIDTH + KIND[step]
        for module, after in table.items()
        for step in {*after, *(next_step for many in after.values() for next_step in many)}
        - {BEGIN}
    ]
    parts = [
        _MODULE[module]
        for module, after in table.items()
        if _WHOLE_CANCEL[1] not in after.get(_WHOLE_CANCEL[0], ())
    ]
    inner = (
        is_kind("list_remove")
        & any_of("cause", CAUSE, "cancel", "readd")
        & F.col("module").isin(*parts)
    )
    is_in_model = F.col("module").isNotNull() & (F.col("module") * _WIDTH + F.col("kind")).isin(
        *sorted(pairs)
    )
    return F.when(is_in_model & ~F.is_true(inner), F.col("kind"))


def can_follow() -> Column:
    code = {BEGIN: _BEGUN, **KIND}
    follow = [
        (_MODULE[module] * _WIDTH + code[step]) * _WIDTH + code[next_step]
        for module, after in load().items()
        for step, many in after.items()
        for next_step in many
    ]
    return ((F.col("module") * _WIDTH + F.col("modelled_was")) * _WIDTH + F.col("modelled")).isin(
        *follow
    )


def of_wheel_alone() -> Column:
    """The run follows the wheel's own specification: the check once more before the
    executor gets an entry is the timer's, not the wheel's."""
    return F.is_true(F.col("module") == _MODULE[_WHEEL])


def comes_after() -> Column:
    """There is a step before."""
    return F.col("was_kind").isNotNull()


def goes_on() -> Column:
    """There is a step after, or the trace is whole, so that there should be."""
    return F.col("after_kind").isNotNull() | F.col("whole")


def is_step(where: str, kind: str, *same: str) -> Column:
    """The step there (``was``, ``after``) is of the kind, and about the same things as this one, as
    far as both name them: an unlink need not name its task."""
    condition = F.col(f"{where}_kind").eqNullSafe(KIND[kind])
    for name in same:
        condition = condition & F.coalesce(F.col(f"{where}_{name}") == F.col(name), F.lit(True))
    return condition


def unlinks(where: str, cause: str, *same: str) -> Column:
    return is_step(where, "list_remove", *same) & F.col(f"{where}_cause").eqNullSafe(CAUSE[cause])


def resets(where: str) -> Column:
    return is_step(where, "bucket_expiry_set", "list") & (F.col(f"{where}_key_ms") < 0)


def keyed() -> Column:
    return is_kind("bucket_expiry_set") & (F.col("key_ms") >= 0)


def unlinked_by(cause: str) -> Column:
    return is_kind("list_remove") & any_of("cause", CAUSE, cause)


def answer_is_of_check() -> Column:
    """A check that found so leads to a refusal as cancelled, and one that did not to anything else;
    where both are known."""
    refusal = is_kind("wheel_reject") & any_of("cause", CAUSE, "cancel")
    is_known = any_of("was_res", RESULT, "true", "false") & (
        is_kind("wheel_place") | F.col("cause").isNotNull()
    )
    return ~F.is_true(is_known) | (any_of("was_res", RESULT, "true") == F.is_true(refusal))


def of_lock() -> Column:
    """An attempt at an operation's lock: it has the lock, or did not get it.

    A thread that enters an operation tries it first without."""
    return F.col("locked") | any_of("res", RESULT, "false")


def note_of_try() -> Column:
    got, refusal = is_step("after", "pending_set", "op"), is_step("after", "pending_getset", "op")
    return (
        F.when(any_of("res", RESULT, "true"), got)
        .when(any_of("res", RESULT, "false"), refusal)
        .otherwise(got | refusal)
    )


def named_step(where: str) -> Column:
    """A neighbour in words: its kind, and the object that it names."""
    objects = f"entry {{{where}_entry}}, list {{{where}_list}}, op {{{where}_op}}"
    return text(f"{{kind}} ({objects})", kind=named(f"{where}_kind", KIND))


def step_before() -> Column:
    return text("{kind} comes after {was}", kind=named("kind", KIND), was=named_step("was"))


def step_last(name: str) -> Column:
    """The target of looking back, in words: its kind, and its object."""
    thing, first, second = _LAST[name]
    return text(
        f"the last was {{kind}} of {thing} {{number}}",
        kind=F.when(F.col(name) > 0, first).otherwise(second),
        number=F.abs(F.col(name)),
    )


def step_after() -> Column:
    return text("after {kind} comes {after}", kind=named("kind", KIND), after=named_step("after"))
