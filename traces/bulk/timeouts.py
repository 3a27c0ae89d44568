"""Rules of an operation's timeout, whatever its timer is made of: when a timer gets the operation,
how often it runs it, and the thread that takes it out.

They are about the rows of ``operation``, and need no entry of a wheel.
"""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.rule import Rule, recorded, text


def _requests_are_recorded() -> Column:
    """Whether the requests to timers are recorded: some of them are, or every kind of event."""
    return recorded("add_request") | F.col("module").isNotNull()


def _is_a_task() -> Column:
    """Whether the operation is its own timer's task: it occurs as one, or nothing else can be one,
    in a specification whose timer makes no entries."""
    alone = F.col("module").isNotNull() & ~recorded("entry_new")
    return (F.col("as_task") > 0) | alone


def _completed_before_it_was_left() -> Column:
    return F.is_true(F.col("won_at") < F.col("left_at"))


RULES = (
    Rule(
        "LeftIsTimed",
        "in a whole trace of one purgatory the timer gets every operation that"
        " tryCompleteElseWatch leaves open",
        (
            (F.col("left_watching") > 0)
            & F.col("whole")
            & F.col("purgatory").isNull()
            & _is_a_task()
            & _requests_are_recorded()
        ),
        (F.col("timed") > 0) | _completed_before_it_was_left(),
        text("left at lc {left_at.lc}, and the timer never gets it"),
    ),
    Rule(
        "RunsAsTimed",
        "in a whole trace an operation runs as the timer's task, or is completed by its timeout,"
        " once at most for each time that the timer gets it",
        (
            ((F.col("ran") > 0) | F.col("winner.cause").eqNullSafe("expiry"))
            & (F.col("entered") > 0)
            & F.col("whole")
            & _is_a_task()
            & _requests_are_recorded()
        ),
        (F.col("timed") > 0) & (F.col("ran") <= F.col("timed")),
        text("runs {ran} times, timed {timed} times"),
    ),
    Rule(
        "CancelledOnce",
        "who completes an operation cancels its timeout once",
        F.col("cancelled") > 0,
        F.col("cancelled") == 1,
        text("cancelled {cancelled} times by who completed it"),
        alone=True,
    ),
)
