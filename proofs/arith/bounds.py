"""How early, how large: T14 and T15.

T15: a timer that refuses deadlines beyond M = (2^63 - 1) div (w + 1), as ``impl/system_timer.py``
does, computes nothing that leaves 64 bits, on any level. Kafka checks no such bound: its long
overflows on the level whose tick is 20^14.
"""

from __future__ import annotations

from proofs.arith import levels
from proofs.arith.clock import trim
from proofs.arith.slots import key, slot
from wheelproof.prove.arithmetic import (
    Arithmetic,
    Claim,
    Mutant,
    Number,
    Step,
    between,
    both,
    div,
    implies,
    mod,
    mul,
    use,
)

THEORY = Arithmetic("arith.bounds", mechanism="timing_wheel", after=(levels.THEORY,))

LONG = (1 << 63) - 1
"""The largest number of 64 bits with a sign."""

THEORY.prove(
    "T14",
    "what is due runs less than a tick before its deadline; with a tick of 1, not before it",
    lambda e, T, t: {"tick": t >= 1, "due": e < trim(T, t) + t},
    lambda e, T, t: both(e < T + t, implies(t == 1, e <= T)),
    [Step("claim", None, lambda e, T, t: [use("trimmed", T=T, t=t)])],
    [
        Mutant(
            "never early",
            "what is due has reached its deadline, whatever the tick: false for Kafka too",
            claim=lambda e, T, t: e <= T,
            vivid={"t": 3, "T": 12},
        ),
        Mutant(
            "due a moment sooner",
            "an entry exactly one tick ahead is due as well",
            lambda e, T, t: {"tick": t >= 1, "due": e <= trim(T, t) + t},
            vivid={"t": 3, "T": 12},
        ),
    ],
    vivid={"t": 3, "T": 12},
)


THEORY.ground(
    "times_constants",
    "products with the constants of T15",
    lambda a: {},
    lambda a: both(mul(a, 20) == 20 * a, mul(a, 21) == 21 * a, mul(a, 1 << 64) == (1 << 64) * a),
    vivid={"a": 7},
)


def last(w: Number) -> Number:
    """The last deadline that is taken."""
    return div(LONG, w + 1)


def fits(*numbers: Number) -> Claim:
    """Each is a number of 64 bits, and not negative."""
    return both(*[both(0 <= number, number <= LONG) for number in numbers])


THEORY.prove(
    "T15",
    "on a level whose tick is at most M, with clock and deadline from 0 to M, all that add and "
    "advanceClock compute fits into 64 bits",
    lambda e, c, t, w: {
        "size": w >= 1,
        "deadline": between(0, e, last(w) + 1),
        "clock": between(0, c, last(w) + 1),
        "tick": between(1, t, last(w) + 1),
    },
    lambda e, c, t, w: fits(
        c + t, mul(t, w), c + mul(t, w), div(e, t), slot(e, t, w), key(e, t), mod(e, t), trim(e, t)
    ),
    [
        Step(
            "turns",
            lambda e, c, t, w: both(
                0 <= mul(t, w), mul(t, w) + last(w) <= LONG, t + last(w) <= LONG
            ),
            lambda e, c, t, w: [
                use("divmod", a=LONG, b=w + 1),
                use("comm", a=last(w), b=w + 1),
                use("comm", a=last(w), b=w),
                use("dist", a=w, b=1, k=last(w)),
                use("mono", a=t, b=last(w), k=w),
                use("mono", a=0, b=t, k=w),
                use("zero_one", k=w),
                use("zero_one", k=last(w)),
                use("mono", a=1, b=w, k=last(w)),
            ],
        ),
        Step(
            "claim",
            None,
            lambda e, c, t, w: [
                use("divmod", a=e, b=t),
                use("from_zero", a=e, t=t),
                use("from_zero", a=div(e, t), t=w),
            ],
        ),
    ],
    [
        Mutant(
            "any long as tick",
            "a level may have any tick up to 2^63 - 1, as Kafka makes it for a deadline up to "
            "there: D4",
            lambda e, c, t, w: {
                "size": w >= 1,
                "deadline": between(0, e, last(w) + 1),
                "clock": between(0, c, last(w) + 1),
                "tick": between(1, t, LONG + 1),
            },
            vivid={"w": 20, "t": 20**14},
        )
    ],
    vivid={"w": 20, "t": 400, "c": 8000, "e": 30000},
)

THEORY.prove(
    "T15-levels",
    "a level is made only for a deadline a turn or more ahead: "
    "its tick, clock and deadline are at most M again",
    lambda e, c, t, w: {
        "size": w >= 1,
        "deadline up to M": e <= last(w),
        "clock": 0 <= c,
        "tick": t >= 1,
        "passed on": e >= c + mul(t, w),
    },
    lambda e, c, t, w: both(
        1 <= mul(t, w), mul(t, w) <= last(w), 0 <= trim(c, mul(t, w)), trim(c, mul(t, w)) <= last(w)
    ),
    [
        Step(
            "claim",
            None,
            lambda e, c, t, w: [
                use("nested_quotient", a=c, t=t, w=w),
                use("from_zero", a=c, t=mul(t, w)),
            ],
        )
    ],
    [
        Mutant(
            "any long as deadline",
            "deadlines are taken up to 2^63 - 1",
            lambda e, c, t, w: {
                "size": w >= 1,
                "deadline up to M": e <= LONG,
                "clock": 0 <= c,
                "tick": t >= 1,
                "passed on": e >= c + mul(t, w),
            },
            vivid={"w": 20, "t": 20**13, "c": 0},
        )
    ],
    vivid={"w": 20, "t": 400, "c": 8000},
    assumes=("A-INDUCTION", "A-START"),
)

SHIFTED = 20**15 + LONG + 1
"""The turn that overflows, shifted by 2^63.

64 bits keep its remainder by 2^64, less that shift.
"""

THEORY.prove(
    "T15-kafka",
    "20^14 < 2^63 < 20^15: of levels counted from 0 the turn of level 13 fits, that of level 14 "
    "wraps to a negative number; under M no level 14 is made",
    lambda turn: {"turn of level 13": turn == 20**14},
    lambda turn: both(
        turn <= LONG,
        mul(turn, 20) > LONG,
        mod(mul(turn, 20) + LONG + 1, 2 * LONG + 2) - LONG - 1 < 0,
        turn > last(20),
    ),
    [
        Step(
            "product",
            lambda turn: mul(turn, 20) == 20**15,
            lambda turn: [use("times_constants", a=turn)],
        ),
        Step(
            "claim",
            None,
            lambda turn: [
                use(
                    "quotient_unique",
                    a=SHIFTED,
                    q=SHIFTED // (1 << 64),
                    r=SHIFTED % (1 << 64),
                    b=1 << 64,
                ),
                use("times_constants", a=SHIFTED // (1 << 64)),
            ],
        ),
    ],
    [
        Mutant(
            "level 13",
            "the turn of level 13 overflows already",
            claim=lambda turn: turn > LONG,
            vivid={},
        ),
        Mutant(
            "level 15",
            "the turn of level 14 fits",
            claim=lambda turn: mul(turn, 20) <= LONG,
            vivid={},
        ),
    ],
)


def rounds_to_zero(e: Number, t: Number, q: Number, r: Number) -> dict[str, Claim]:
    """Java's quotient and remainder: the remainder has the sign of the dividend."""
    return {
        "tick": t >= 1,
        "split": e == mul(q, t) + r,
        "Java's remainder": both(
            implies(e >= 0, between(0, r, t)), implies(e < 0, between(1 - t, r, 1))
        ),
    }


THEORY.prove(
    "T15-java",
    "of times from 0, a quotient rounded towards zero, Java's, is the one rounded down, Python's; "
    "so is the remainder",
    lambda e, t, q, r: rounds_to_zero(e, t, q, r) | {"not negative": e >= 0},
    lambda e, t, q, r: both(q == div(e, t), r == mod(e, t)),
    [Step("claim", None, lambda e, t, q, r: [use("quotient_unique", a=e, q=q, r=r, b=t)])],
    [
        Mutant(
            "negative times",
            "times may be negative, as nanoTime may: D5",
            rounds_to_zero,
            vivid={"t": 3, "e": -7},
        )
    ],
    vivid={"t": 3, "e": 17},
)
