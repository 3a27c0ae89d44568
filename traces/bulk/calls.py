"""Rules of one operation in one thread: its evaluations stand inside the calls that make them, and
the result of a call agrees with the thread's steps."""

from __future__ import annotations

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import EVENTS, RUNS, Frame, broadcast
from wheelproof.pipeline.rule import STAMP, WHICH, Family, Rule, has, is_one_of, recorded, text

_CALL = ("try_watch_begin", "try_watch_end")


def prepare() -> Frame:
    """The events of a call or of an evaluation, each with ``call``: the last beginning or end of a
    call before it; ``evaluates``: whether an evaluation is open; ``tried`` and ``entered``: whether
    the thread has completed the operation since it began its last evaluation, or call; ``last``:
    nothing comes after."""
    begins = is_one_of("try_watch_begin") | is_one_of("try_begin") & _is_evaluation()
    wins = is_one_of("force_cas") & (F.col("res") == "true")
    events = EVENTS.where(
        (F.col("lc") > 0)
        & F.col("op").isNotNull()
        & (begins | wins | is_one_of("try_end", "try_watch_end"))
    ).select(*WHICH, "op", "res")
    order = Window.partitionBy("op", "tid", "run").orderBy(*STAMP, "k", "res")
    before = order.before()

    def since(kind: str, end_kind: str) -> Column:
        """Whether an event of the kind came before, and after the last one of the other."""
        return F.last(
            F.when(is_one_of(kind), F.lit(True)).when(is_one_of(end_kind), F.lit(False))
        ).over(before)

    looks = {
        "call": F.last(F.when(is_one_of(*_CALL), F.col("k"))).over(before),
        "evaluates": since("try_begin", "try_end"),
        "tried": since("force_cas", "try_begin"),
        "entered": since("force_cas", "try_watch_begin"),
        "last": F.lead("k").over(order).isNull(),
    }
    kinds = has("try_begin", "try_end", "force_cas", *_CALL)
    return events.withColumns(looks).join(broadcast(RUNS.select("run", "whole", kinds)), "run")


def _is_evaluation() -> Column:
    return ~F.col("res").eqNullSafe("false")


RULES = (
    Rule(
        "CallCloses",
        "tryCompleteElseWatch begins once before each end, around the evaluations of its thread",
        is_one_of(*_CALL) & recorded(*_CALL),
        (
            is_one_of("try_watch_end")
            & F.col("call").eqNullSafe("try_watch_begin")
            & ~F.is_true("evaluates")
            | is_one_of("try_watch_begin")
            & ~F.col("call").eqNullSafe("try_watch_begin")
            & ~F.is_true("evaluates")
        ),
        text("{k}, the last of the call was {call}, an evaluation is open: {evaluates}"),
    ),
    Rule(
        "CallEnds",
        "at the end of a whole trace every tryCompleteElseWatch has ended",
        F.col("last") & F.col("whole") & recorded(*_CALL),
        ~(
            is_one_of("try_watch_begin")
            | ~is_one_of("try_watch_end") & F.col("call").eqNullSafe("try_watch_begin")
        ),
        text("the last is {k}, and the last of the call {call}"),
    ),
    Rule(
        "ResultOfTry",
        "an evaluation of tryComplete says true if and only if its thread has completed the "
        "operation in it",
        is_one_of("try_end") & F.col("res").isin("true", "false") & recorded("force_cas"),
        (F.col("res") == "true") == F.coalesce(F.col("tried"), F.lit(False)),
        text("says {res}, completed in it: {tried}"),
    ),
    Rule(
        "ResultOfCall",
        "tryCompleteElseWatch does not say false where its thread has completed the operation in "
        "it",
        is_one_of("try_watch_end") & (F.col("res") == "false") & recorded("force_cas"),
        ~F.is_true("entered"),
        text("says {res}, completed in it: {entered}"),
    ),
)

FAMILY = Family("calls", "step of a call", ("run", "op", "tid"), prepare(), RULES)
