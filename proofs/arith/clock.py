"""The clocks of the levels: each is the time rounded down to its own tick. T5 and T8.

A level moves only where the time is a tick or more past its clock, and then tells the level above
the time that it has itself. Kafka: ``TimingWheel.advanceClock``.
"""

from __future__ import annotations

from proofs.arith import base
from wheelproof.prove.arithmetic import (
    Arithmetic,
    Claim,
    Mutant,
    Number,
    Step,
    both,
    div,
    either,
    implies,
    mod,
    mul,
    use,
    when,
)

THEORY = Arithmetic("arith.clock", mechanism="timing_wheel", after=(base.THEORY,))


def trim(time: Number, t: Number) -> Number:
    """A time rounded down to a multiple of the tick."""
    return time - mod(time, t)


def moves(clock: Number, time: Number, t: Number) -> Claim:
    """The level's clock moves when it gets the time."""
    return time >= clock + t


def advanced(clock: Number, time: Number, t: Number) -> Number:
    """The level's clock after it got the time."""
    return when(moves(clock, time, t), trim(time, t), clock)


THEORY.prove(
    "trimmed",
    "trim gives the multiple of t at or before the time: quotient times t",
    lambda T, t: {"tick": t >= 1},
    lambda T, t: both(
        trim(T, t) == mul(div(T, t), t),
        mod(trim(T, t), t) == 0,
        div(trim(T, t), t) == div(T, t),
        trim(T, t) <= T,
        T < trim(T, t) + t,
    ),
    [
        Step(
            "claim", None, lambda T, t: [use("divmod", a=T, b=t), use("multiple", q=div(T, t), t=t)]
        )
    ],
    vivid={"T": 17, "t": 5},
    is_lemma=True,
)

THEORY.prove(
    "trim_monotone",
    "trim keeps the order, and leaves a multiple alone",
    lambda a, b, t: {"tick": t >= 1, "ordered": a <= b},
    lambda a, b, t: both(trim(a, t) <= trim(b, t), implies(mod(a, t) == 0, trim(a, t) == a)),
    [
        Step(
            "claim",
            None,
            lambda a, b, t: [
                use("trimmed", T=a, t=t),
                use("trimmed", T=b, t=t),
                use("quotient_monotone", a=a, b=b, t=t),
                use("mono", a=div(a, t), b=div(b, t), k=t),
            ],
        )
    ],
    vivid={"a": 10, "b": 17, "t": 5},
    is_lemma=True,
)

THEORY.prove(
    "T5",
    "trim gives a multiple of the tick, at most a time and less than a tick before it; "
    "it is idempotent and keeps the order",
    lambda T, U, t: {"tick": t >= 1, "ordered": T <= U},
    lambda T, U, t: both(
        mod(trim(T, t), t) == 0,
        trim(T, t) <= T,
        T < trim(T, t) + t,
        trim(trim(T, t), t) == trim(T, t),
        trim(T, t) <= trim(U, t),
    ),
    [
        Step(
            "claim",
            None,
            lambda T, U, t: [
                use("trimmed", T=T, t=t),
                use("trimmed", T=trim(T, t), t=t),
                use("trim_monotone", a=T, b=U, t=t),
            ],
        )
    ],
    [
        Mutant(
            "rounded up",
            "trim rounds up",
            claim=lambda T, U, t: both(mod(trim(T + t - 1, t), t) == 0, trim(T + t - 1, t) <= T),
        ),
        Mutant(
            "less the quotient",
            "trim takes away the quotient",
            claim=lambda T, U, t: mod(T - div(T, t), t) == 0,
        ),
    ],
    vivid={"T": 17, "t": 5},
)

THEORY.prove(
    "T5-advance",
    "a clock that moves only by whole ticks is where trim puts the time",
    lambda c, T, t: {"tick": t >= 1, "clock": mod(c, t) == 0, "forward": c <= T},
    lambda c, T, t: advanced(c, T, t) == trim(T, t),
    [
        Step(
            "stays",
            lambda c, T, t: implies(T < c + t, c == trim(T, t)),
            lambda c, T, t: [
                use("trimmed", T=T, t=t),
                use("trimmed", T=c, t=t),
                use("trim_monotone", a=c, b=T, t=t),
                use("aligned_gap", a=c, b=trim(T, t), t=t),
            ],
        ),
        Step("claim"),
    ],
    [
        Mutant(
            "strictly more than a tick",
            "the clock stays where the time is exactly one tick ahead",
            claim=lambda c, T, t: when(T > c + t, trim(T, t), c) == trim(T, t),
        ),
        Mutant(
            "one slot on",
            "the clock moves by one tick, however late it is",
            claim=lambda c, T, t: when(moves(c, T, t), c + t, c) == trim(T, t),
            vivid={"c": 6, "t": 3},
        ),
    ],
    vivid={"c": 10, "t": 5},
)

THEORY.prove(
    "T8",
    "trim to a turn after trim to a tick is trim to a turn: "
    "a level may take its time from the one below, and be made when it is needed",
    lambda T, t, w: {"tick": t >= 1, "size": w >= 1},
    lambda T, t, w: trim(trim(T, t), mul(t, w)) == trim(T, mul(t, w)),
    [
        Step(
            "quotients",
            lambda T, t, w: both(div(trim(T, t), mul(t, w)) == div(T, mul(t, w)), mul(t, w) >= 1),
            lambda T, t, w: [
                use("trimmed", T=T, t=t),
                use("nested_quotient", a=T, t=t, w=w),
                use("nested_quotient", a=trim(T, t), t=t, w=w),
            ],
        ),
        Step(
            "claim",
            None,
            lambda T, t, w: [
                use("trimmed", T=T, t=mul(t, w)),
                use("trimmed", T=trim(T, t), t=mul(t, w)),
            ],
        ),
    ],
    [
        Mutant(
            "no whole turns",
            "the upper tick is no multiple of the lower one",
            claim=lambda T, t, w: trim(trim(T, t), mul(t, w) + 1) == trim(T, mul(t, w) + 1),
        )
    ],
    vivid={"t": 3, "w": 5, "T": 32},
)

# Of all levels at once, by induction on the level: before, each clock is trim(S); the lowest level
# gets T. ``moved`` is 1 where the level passed it to the one above.

THEORY.prove(
    "T8-base",
    "given the time T, the lowest level's clock is T rounded to its tick; "
    "where it does not move, that is what it was",
    lambda S, T, t: {"tick": t >= 1, "forward": S <= T},
    lambda S, T, t: both(
        advanced(trim(S, t), T, t) == trim(T, t),
        implies(T < trim(S, t) + t, trim(T, t) == trim(S, t)),
    ),
    [
        Step(
            "forward",
            lambda S, T, t: both(trim(S, t) <= T, mod(trim(S, t), t) == 0),
            lambda S, T, t: [use("trimmed", T=S, t=t)],
        ),
        Step("claim", None, lambda S, T, t: [use("T5-advance", c=trim(S, t), T=T, t=t)]),
    ],
    [
        Mutant(
            "strictly more than a tick",
            "the clock stays where the time is exactly one tick ahead",
            claim=lambda S, T, t: when(T > trim(S, t) + t, trim(T, t), trim(S, t)) == trim(T, t),
            vivid={"S": 17, "t": 5},
        )
    ],
    vivid={"S": 17, "t": 5, "T": 31},
    assumes=("A-INDUCTION",),
)


def tells(S: Number, T: Number, t: Number, w: Number, moved: Number) -> Claim:
    """The level above gets the time from this one, and moves."""
    return both(moved == 1, moves(trim(S, mul(t, w)), trim(T, t), mul(t, w)))


THEORY.prove(
    "T8-step",
    "if one level's clock is the time rounded to its tick, so is that of the level above, "
    "given it or not",
    lambda S, T, t, w, moved: {
        "tick": t >= 1,
        "size": w >= 1,
        "forward": S <= T,
        "moved or not": either(moved == 0, moved == 1),
        "still where it did not move": implies(moved == 0, trim(T, t) == trim(S, t)),
    },
    lambda S, T, t, w, moved: both(
        when(tells(S, T, t, w, moved), trim(trim(T, t), mul(t, w)), trim(S, mul(t, w)))
        == trim(T, mul(t, w)),
        either(tells(S, T, t, w, moved), trim(T, mul(t, w)) == trim(S, mul(t, w))),
    ),
    [
        Step(
            "nested",
            lambda S, T, t, w, moved: both(
                trim(trim(T, t), mul(t, w)) == trim(T, mul(t, w)),
                trim(trim(S, t), mul(t, w)) == trim(S, mul(t, w)),
            ),
            lambda S, T, t, w, moved: [use("T8", T=T, t=t, w=w), use("T8", T=S, t=t, w=w)],
        ),
        Step(
            "forward",
            lambda S, T, t, w, moved: both(
                trim(S, mul(t, w)) <= trim(T, t),
                mod(trim(S, mul(t, w)), mul(t, w)) == 0,
                mul(t, w) >= 1,
            ),
            lambda S, T, t, w, moved: [
                use("nested_quotient", a=S, t=t, w=w),
                use("trimmed", T=S, t=mul(t, w)),
                use("trimmed", T=trim(S, t), t=mul(t, w)),
                use("trim_monotone", a=S, b=T, t=t),
            ],
        ),
        Step(
            "claim",
            None,
            lambda S, T, t, w, moved: [
                use("T5-advance", c=trim(S, mul(t, w)), T=trim(T, t), t=mul(t, w))
            ],
        ),
    ],
    [
        Mutant(
            "the level above never gets the time",
            "its clock stays where it was",
            claim=lambda S, T, t, w, moved: trim(S, mul(t, w)) == trim(T, mul(t, w)),
        )
    ],
    vivid={"S": 17, "t": 3, "w": 5},
    assumes=("A-INDUCTION",),
)
