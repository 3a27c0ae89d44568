"""Where a level of the wheel puts an entry, and under which key: T1 - T4, T6, T7.

One level: tick ``t``, ``w`` buckets, clock ``c`` (a multiple of ``t``). It takes an entry due at
``e`` where c + t <= e < c + t w, into the slot (e div t) mod w, whose key is the multiple of ``t``
at or before ``e``. Kafka: ``TimingWheel.add``.
"""

from __future__ import annotations

from proofs.arith import clock
from proofs.arith.clock import trim
from wheelproof.prove.arithmetic import (
    Arithmetic,
    Claim,
    Mutant,
    Number,
    Step,
    between,
    both,
    div,
    mod,
    mul,
    use,
)

THEORY = Arithmetic("arith.slots", mechanism="timing_wheel", after=(clock.THEORY,))

LEVEL = {"t": 3, "w": 5}
"""A level on which nothing is trivial, for models and counterexamples that a person can follow."""


def slot(e: Number, t: Number, w: Number) -> Number:
    """The bucket of a deadline, counted from 0."""
    return mod(div(e, t), w)


def key(e: Number, t: Number) -> Number:
    """The time at which the bucket of a deadline expires."""
    return mul(div(e, t), t)


def taken(e: Number, c: Number, t: Number, w: Number) -> Claim:
    """The level takes the entry: not due, and within one turn of the clock."""
    return both(c + t <= e, e < c + mul(t, w))


THEORY.prove(
    "T1",
    "the slot of a deadline is one of the w buckets",
    lambda e, t, w: {"tick": t >= 1, "size": w >= 1},
    lambda e, t, w: between(0, slot(e, t, w), w),
    [Step("claim", None, lambda e, t, w: [use("divmod", a=div(e, t), b=w)])],
    [
        Mutant(
            "modulus w + 1",
            "the slot is taken modulo w + 1",
            claim=lambda e, t, w: between(0, slot(e, t, w + 1), w),
        )
    ],
    vivid=LEVEL,
)

# The clock's own slot is n = c div t; what a level takes lies strictly above n, and at most w - 1
# above it.
THEORY.prove(
    "taken_above",
    "what a level takes has a quotient above the clock's, by at most w",
    lambda e, c, t, w: {"tick": t >= 1, "taken": taken(e, c, t, w)},
    lambda e, c, t, w: both(div(c, t) + 1 <= div(e, t), div(e, t) <= div(c, t) + w),
    [
        Step(
            "above",
            lambda e, c, t, w: div(c, t) + 1 <= div(e, t),
            lambda e, c, t, w: [
                use("divmod", a=e, b=t),
                use("divmod", a=c, b=t),
                use("mono", a=div(e, t), b=div(c, t), k=t),
            ],
        ),
        Step(
            "within",
            lambda e, c, t, w: div(e, t) <= div(c, t) + w,
            lambda e, c, t, w: [
                use("divmod", a=e, b=t),
                use("divmod", a=c, b=t),
                use("comm", a=t, b=w),
                use("dist", a=div(c, t), b=w, k=t),
                use("dist", a=div(c, t) + w, b=1, k=t),
                use("zero_one", k=t),
                use("mono", a=div(c, t) + w + 1, b=div(e, t), k=t),
            ],
        ),
        Step("claim"),
    ],
    vivid=LEVEL,
    is_lemma=True,
)

THEORY.prove(
    "taken_within",
    "of a clock that is a multiple of the tick, by at most w - 1",
    lambda e, c, t, w: {"tick": t >= 1, "clock": mod(c, t) == 0, "taken": taken(e, c, t, w)},
    lambda e, c, t, w: both(div(c, t) + 1 <= div(e, t), div(e, t) <= div(c, t) + w - 1),
    [
        Step(
            "claim",
            None,
            lambda e, c, t, w: [
                use("taken_above", e=e, c=c, t=t, w=w),
                use("divmod", a=e, b=t),
                use("divmod", a=c, b=t),
                use("comm", a=t, b=w),
                use("dist", a=div(c, t), b=w, k=t),
            ],
        )
    ],
    vivid=LEVEL,
    is_lemma=True,
)

THEORY.prove(
    "T2",
    "an entry is never put into the clock's own slot, which is over",
    lambda e, c, t, w: {
        "tick": t >= 1,
        "size": w >= 1,
        "clock": mod(c, t) == 0,
        "taken": taken(e, c, t, w),
    },
    lambda e, c, t, w: slot(e, t, w) != slot(c, t, w),
    [
        Step(
            "claim",
            None,
            lambda e, c, t, w: [
                use("taken_within", e=e, c=c, t=t, w=w),
                use("same_residue", p=div(e, t), q=div(c, t), w=w),
            ],
        )
    ],
    [
        Mutant(
            "a whole turn ahead",
            "the level also takes e = c + t w",
            lambda e, c, t, w: {
                "tick": t >= 1,
                "size": w >= 1,
                "clock": mod(c, t) == 0,
                "taken": both(c + t <= e, e <= c + mul(t, w)),
            },
            vivid=LEVEL | {"c": 6},
        ),
        Mutant(
            "a clock between two ticks",
            "the clock need not be a multiple of the tick",
            lambda e, c, t, w: {"tick": t >= 1, "size": w >= 1, "taken": taken(e, c, t, w)},
            vivid=LEVEL | {"c": 7},
        ),
    ],
    vivid=LEVEL,
)

THEORY.prove(
    "T3",
    "two entries that one level takes and that share a slot share a key: "
    "a bucket has one key at a time",
    lambda a, b, c, t, w: {
        "tick": t >= 1,
        "size": w >= 1,
        "a taken": taken(a, c, t, w),
        "b taken": taken(b, c, t, w),
        "one slot": slot(a, t, w) == slot(b, t, w),
    },
    lambda a, b, c, t, w: both(div(a, t) == div(b, t), key(a, t) == key(b, t)),
    [
        Step(
            "quotients",
            lambda a, b, c, t, w: div(a, t) == div(b, t),
            lambda a, b, c, t, w: [
                use("taken_above", e=a, c=c, t=t, w=w),
                use("taken_above", e=b, c=c, t=t, w=w),
                use("same_residue", p=div(a, t), q=div(b, t), w=w),
            ],
        ),
        Step("claim"),
    ],
    [
        Mutant(
            "modulus before quotient",
            "the slot is (e mod w) div t",
            lambda a, b, c, t, w: {
                "tick": t >= 1,
                "size": w >= 1,
                "a taken": taken(a, c, t, w),
                "b taken": taken(b, c, t, w),
                "one slot": div(mod(a, w), t) == div(mod(b, w), t),
            },
            vivid=LEVEL | {"c": 6},
        )
    ],
    vivid=LEVEL,
)

THEORY.prove(
    "T4",
    "the key of a bucket is at most its entries' deadlines, less than a tick before them, after "
    "the clock, and at most w - 1 ticks after it",
    lambda e, c, t, w: {"tick": t >= 1, "clock": mod(c, t) == 0, "taken": taken(e, c, t, w)},
    lambda e, c, t, w: both(
        c < key(e, t), key(e, t) <= c + mul(w - 1, t), key(e, t) <= e, e < key(e, t) + t
    ),
    [
        Step(
            "around the deadline",
            lambda e, c, t, w: both(key(e, t) <= e, e < key(e, t) + t),
            lambda e, c, t, w: [use("divmod", a=e, b=t)],
        ),
        Step(
            "after the clock",
            lambda e, c, t, w: c + t <= key(e, t),
            lambda e, c, t, w: [
                use("taken_within", e=e, c=c, t=t, w=w),
                use("divmod", a=c, b=t),
                use("mono", a=div(c, t) + 1, b=div(e, t), k=t),
                use("dist", a=div(c, t), b=1, k=t),
                use("zero_one", k=t),
            ],
        ),
        Step(
            "within the turn",
            lambda e, c, t, w: key(e, t) <= c + mul(w - 1, t),
            lambda e, c, t, w: [
                use("taken_within", e=e, c=c, t=t, w=w),
                use("divmod", a=c, b=t),
                use("mono", a=div(e, t), b=div(c, t) + w - 1, k=t),
                use("dist", a=div(c, t), b=w - 1, k=t),
            ],
        ),
        Step("claim"),
    ],
    [
        Mutant(
            "due ones too",
            "the level also takes what is due within its tick",
            lambda e, c, t, w: {
                "tick": t >= 1,
                "size": w >= 1,
                "clock": mod(c, t) == 0,
                "taken": both(c <= e, e < c + mul(t, w)),
            },
        ),
        Mutant(
            "the deadline as key",
            "the key is the deadline rounded up",
            claim=lambda e, c, t, w: both(
                c < key(e + t - 1, t),
                key(e + t - 1, t) <= c + mul(w - 1, t),
                key(e + t - 1, t) <= e,
            ),
            vivid=LEVEL | {"c": 6},
        ),
    ],
    vivid=LEVEL,
)

THEORY.prove(
    "window",
    "what a level takes has a key in the turn after the clock; "
    "a later multiple of the tick in that turn is taken itself",
    lambda x, c, t, w: {
        "tick": t >= 1,
        "clock": mod(c, t) == 0,
        "key": mod(x, t) == 0,
        "in the turn": both(c < x, x < c + mul(t, w)),
    },
    lambda x, c, t, w: both(taken(x, c, t, w), key(x, t) == x),
    [
        Step(
            "claim",
            None,
            lambda x, c, t, w: [use("aligned_gap", a=c, b=x, t=t), use("divmod", a=x, b=t)],
        )
    ],
    vivid=LEVEL,
    is_lemma=True,
)


def queued(x: Number, c: Number, t: Number, w: Number) -> dict[str, Claim]:
    """A bucket of the level is in the queue with key ``x``."""
    return {
        "tick": t >= 1,
        "size": w >= 1,
        "clock": mod(c, t) == 0,
        "key": mod(x, t) == 0,
        "after the clock": c < x,
        "within the turn": x < c + mul(t, w),
    }


THEORY.prove(
    "T6",
    "an add does not change the key of a bucket that is in the queue",
    lambda e, x, c, t, w: (
        queued(x, c, t, w)
        | {"taken": taken(e, c, t, w), "one slot": slot(e, t, w) == slot(x, t, w)}
    ),
    lambda e, x, c, t, w: key(e, t) == x,
    [
        Step(
            "claim",
            None,
            lambda e, x, c, t, w: [
                use("window", x=x, c=c, t=t, w=w),
                use("T3", a=e, b=x, c=c, t=t, w=w),
            ],
        )
    ],
    [
        Mutant(
            "a bucket that the clock has passed",
            "the key may be before the clock: Kafka's order of steps, D1",
            lambda e, x, c, t, w: (
                {
                    name: holds
                    for name, holds in queued(x, c, t, w).items()
                    if name != "after the clock"
                }
                | {
                    "not negative": 0 <= x,
                    "taken": taken(e, c, t, w),
                    "one slot": slot(e, t, w) == slot(x, t, w),
                }
            ),
        )
    ],
    vivid=LEVEL,
    certified="fast",
)


THEORY.prove(
    "T7",
    "the clock may move to any time before the keys in the queue: "
    "they stay within the turn after it",
    lambda x, T, c, t, w: {
        "tick": t >= 1,
        "clock": mod(c, t) == 0,
        "within the turn": x < c + mul(t, w),
        "forward": c <= T,
        "not past the key": T < x,
    },
    lambda x, T, c, t, w: both(trim(T, t) < x, x < trim(T, t) + mul(t, w), mod(trim(T, t), t) == 0),
    [
        Step(
            "claim",
            None,
            lambda x, T, c, t, w: [use("trimmed", T=T, t=t), use("trim_monotone", a=c, b=T, t=t)],
        )
    ],
    [
        Mutant(
            "past a key",
            "the clock moves past a bucket that is in the queue",
            lambda x, T, c, t, w: {
                "tick": t >= 1,
                "clock": mod(c, t) == 0,
                "within the turn": x < c + mul(t, w),
                "forward": c <= T,
                "after the clock": c < x,
            },
            vivid=LEVEL | {"c": 6, "T": 13},
        )
    ],
    vivid=LEVEL,
)
