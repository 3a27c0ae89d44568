"""Rules of one event and its order tokens: the lock and the word that it was written under are
those of the object that it names. No shuffle.

They are apart from the other rules of one event because the tokens are most of the weight of an
event.
"""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.frames import EVENTS, Frame
from wheelproof.pipeline.rule import WHICH, Family, Rule, is_one_of, text

_SEQUENCES = (("entry", "eseq"), ("list", "lseq"), ("op", "oseq"))
"""A column of ids, and the column that repeats the number at that object's lock."""

_WORDS = (
    ("task", ("set_entry", "cancel", "cancel_check", "add_request", "task_run")),
    ("op", ("force_cas", "pending_set", "pending_getset")),
    ("list", ("bucket_expiry_set",)),
)
"""A column of ids, and the kinds of event that touch a word of that object."""


def prepare() -> Frame:
    """Every event with the columns that name its objects, and its tokens."""
    return EVENTS.where(F.col("lc") > 0).select(
        *WHICH, "task", "entry", "list", "op", "ord", "eseq", "lseq", "oseq"
    )


def _names_no_number() -> Column:
    return F.col("eseq").isNotNull() | F.col("lseq").isNotNull() | F.col("oseq").isNotNull()


def _names_its_lock() -> Column:
    """Every number that is repeated in a column is that of a lock of the object in its column."""
    condition = F.lit(True)
    for role, column in _SEQUENCES:
        lock_id, number = F.concat(F.lit(f"{role}:"), F.col(role)), F.col(column)
        condition = condition & (number.isNull() | F.is_true(_holds_lock(lock_id, number)))
    return condition


def _holds_lock(lock_id: Column, number: Column) -> Column:
    return F.exists(
        "ord",
        lambda token: (
            (token.field("kind") == "L")
            & (token.field("id") == lock_id)
            & (token.field("seq") == number)
        ),
    )


def _word(prefix: Column | str) -> Column:
    return F.exists(
        "ord", lambda token: (token.field("kind") == "V") & token.field("id").startswith(prefix)
    )


def _touches_a_word() -> Column:
    condition = F.lit(False)
    for role, kinds in _WORDS:
        condition = condition | (is_one_of(*kinds) & _word(f"{role}:"))
    return condition


def _its_own_word() -> Column:
    condition = F.lit(False)
    for role, kinds in _WORDS:
        condition = condition | (
            is_one_of(*kinds) & _word(F.concat(F.lit(f"{role}:"), F.col(role), F.lit(".")))
        )
    return condition


RULES = (
    Rule(
        "LockOfObject",
        "the number of a lock that is repeated beside an object is that of the object's own lock",
        _names_no_number(),
        _names_its_lock(),
        text("entry {entry} at {eseq}, list {list} at {lseq}, op {op} at {oseq}"),
        alone=True,
    ),
    Rule(
        "WordOfObject",
        "the word that a step touches is that of the object that the event names",
        _touches_a_word(),
        _its_own_word(),
        text("task {task}, op {op}, list {list}"),
        alone=True,
    ),
)

FAMILY = Family("objects", "event", (), prepare(), RULES)
