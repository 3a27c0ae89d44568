"""Levels above each other: a level takes an entry from the one below, and demotes it. T9 - T13.

Level k has tick ``t`` and ``w`` buckets; the next one's tick is its turn, t w. Symbols for two
neighbours are enough: nothing is raised to a power. By T8 every clock is trim of one time.
"""

from __future__ import annotations

from proofs.arith import slots
from proofs.arith.clock import trim
from proofs.arith.slots import LEVEL, key
from wheelproof.prove.arithmetic import Arithmetic, Mutant, Step, both, div, implies, mod, mul, use

THEORY = Arithmetic("arith.levels", mechanism="timing_wheel", after=(slots.THEORY,))

THEORY.prove(
    "T9",
    "what a level passes on because it is a turn or more ahead is not due on the level above: "
    "due entries are found at the bottom alone",
    lambda e, c, t, w: {"tick": t >= 1, "size": w >= 1, "passed on": e >= c + mul(t, w)},
    lambda e, c, t, w: e >= trim(c, mul(t, w)) + mul(t, w),
    [
        Step(
            "claim",
            None,
            lambda e, c, t, w: [
                use("nested_quotient", a=c, t=t, w=w),
                use("trimmed", T=c, t=mul(t, w)),
            ],
        )
    ],
    [
        Mutant(
            "an upper clock ahead",
            "the level above has its clock rounded up",
            claim=lambda e, c, t, w: e >= trim(c + mul(t, w) - 1, mul(t, w)) + mul(t, w),
            vivid=LEVEL | {"c": 6},
        )
    ],
    vivid=LEVEL | {"c": 6},
)

THEORY.prove(
    "upper_key",
    "a key of the level above is a multiple of the lower tick, with less than a turn to its "
    "deadlines",
    lambda e, t, w: {"tick": t >= 1, "size": w >= 1},
    lambda e, t, w: both(
        mod(key(e, mul(t, w)), t) == 0,
        key(e, mul(t, w)) <= e,
        e < key(e, mul(t, w)) + mul(t, w),
        mul(t, w) >= 1,
    ),
    [
        Step(
            "split",
            lambda e, t, w: both(
                key(e, mul(t, w)) <= e, e < key(e, mul(t, w)) + mul(t, w), mul(t, w) >= 1
            ),
            lambda e, t, w: [
                use("nested_quotient", a=e, t=t, w=w),
                use("divmod", a=e, b=mul(t, w)),
            ],
        ),
        Step(
            "claim",
            None,
            lambda e, t, w: [
                use("comm", a=t, b=w),
                use("assoc", a=div(e, mul(t, w)), b=w, c=t),
                use("multiple", q=mul(div(e, mul(t, w)), w), t=t),
            ],
        ),
    ],
    vivid=LEVEL,
    is_lemma=True,
)

THEORY.prove(
    "T10",
    "when a bucket of the level above expires, its entries are within the turn of this level: "
    "they go down, or are due",
    lambda e, T, t, w: {"tick": t >= 1, "size": w >= 1, "expired": key(e, mul(t, w)) <= T},
    lambda e, T, t, w: e < trim(T, t) + mul(t, w),
    [
        Step(
            "claim",
            None,
            lambda e, T, t, w: [
                use("upper_key", e=e, t=t, w=w),
                use("trim_monotone", a=key(e, mul(t, w)), b=T, t=t),
            ],
        )
    ],
    [
        Mutant(
            "the tick for the turn",
            "this level reaches one tick ahead",
            claim=lambda e, T, t, w: e < trim(T, t) + t,
            vivid=LEVEL | {"T": 30},
        ),
        Mutant(
            "flushed early",
            "the bucket is flushed before the clock has its key",
            lambda e, T, t, w: {"tick": t >= 1, "size": w >= 1, "from 0": T >= 0},
        ),
    ],
    vivid=LEVEL,
)

THEORY.prove(
    "T11",
    "a level whose bucket expires takes none of its entries back: at the bottom they are due",
    lambda e, T, t: {"tick": t >= 1, "expired": key(e, t) <= T},
    lambda e, T, t: e < trim(T, t) + t,
    [
        Step(
            "claim",
            None,
            lambda e, T, t: [
                use("divmod", a=e, b=t),
                use("multiple", q=div(e, t), t=t),
                use("trim_monotone", a=key(e, t), b=T, t=t),
            ],
        )
    ],
    [
        Mutant(
            "flushed a moment early",
            "the bucket is flushed one millisecond before its key",
            lambda e, T, t: {"tick": t >= 1, "expired": key(e, t) <= T + 1},
            vivid={"t": 3},
        )
    ],
    vivid={"t": 3, "T": 12},
)

# An entry is put into level j only if every level below passed it on, and into level 0 only if it
# is not due there. `m` counts how often it is put into a bucket from some flush on.

THEORY.prove(
    "T12-base",
    "an entry of the lowest level whose bucket expires is put into no bucket again",
    lambda e, T, t, m: {
        "tick": t >= 1,
        "expired": key(e, t) <= T,
        "put only if not due": implies(m >= 1, e >= trim(T, t) + t),
    },
    lambda e, T, t, m: m <= 0,
    [Step("claim", None, lambda e, T, t, m: [use("T11", e=e, T=T, t=t)])],
    [
        Mutant(
            "due ones too",
            "it is put again although it is due",
            lambda e, T, t, m: {"tick": t >= 1, "expired": key(e, t) <= T},
            vivid={"t": 3, "e": 13, "T": 12},
        )
    ],
    vivid={"t": 3, "e": 13, "T": 12},
    assumes=("A-INDUCTION",),
)

THEORY.prove(
    "T12",
    "an entry of level k + 1 is put into a bucket at most k + 1 times more, if one of any level j "
    "up to k is put at most j times more",
    lambda k, j, m, e, T, t, w: {
        "tick of k": t >= 1,
        "size": w >= 1,
        "expired": key(e, mul(t, w)) <= T,
        "k passed it on": implies(j > k, e >= trim(T, t) + mul(t, w)),
        "so often from there": implies(j <= k, m <= j),
    },
    lambda k, j, m, e, T, t, w: 1 + m <= k + 1,
    [Step("claim", None, lambda k, j, m, e, T, t, w: [use("T10", e=e, T=T, t=t, w=w)])],
    [
        Mutant(
            "flushed early",
            "its bucket is flushed before the clock has its key",
            lambda k, j, m, e, T, t, w: {
                "tick of k": t >= 1,
                "size": w >= 1,
                "from 0": T >= 0,
                "k passed it on": implies(j > k, e >= trim(T, t) + mul(t, w)),
                "so often from there": implies(j <= k, m <= j),
            },
            vivid=LEVEL | {"k": 3, "j": 4, "T": 12},
        ),
        Mutant(
            "not passed on",
            "an entry may go back into its own level although the one below reaches it",
            lambda k, j, m, e, T, t, w: {
                "tick of k": t >= 1,
                "size": w >= 1,
                "expired": key(e, mul(t, w)) <= T,
                "so often from there": implies(j <= k, m <= j),
            },
            vivid=LEVEL | {"k": 3, "j": 4, "T": 30},
        ),
    ],
    vivid=LEVEL | {"k": 3, "j": 2, "T": 30},
    assumes=("A-INDUCTION",),
)

# An entry with d milliseconds to go from the time c0 that the bottom's clock shows.

THEORY.prove(
    "T13-passes",
    "a level passes on what is a turn of it or more away",
    lambda d, c0, t, w: {"tick": t >= 1, "far": d >= mul(t, w)},
    lambda d, c0, t, w: c0 + d >= trim(c0, t) + mul(t, w),
    [Step("claim", None, lambda d, c0, t, w: [use("trimmed", T=c0, t=t)])],
    [
        Mutant(
            "a tick less",
            "it passes on what is a tick less than a turn away",
            lambda d, c0, t, w: {"tick": t >= 1, "far": d >= mul(t, w) - t},
            vivid=LEVEL | {"c0": 6},
        )
    ],
    vivid=LEVEL,
)

THEORY.prove(
    "T13-takes",
    "a level reaches what is at most w - 1 ticks away, wherever its clock stands in its tick",
    lambda d, c0, t, w: {"tick": t >= 1, "near": d <= mul(t, w - 1)},
    lambda d, c0, t, w: c0 + d < trim(c0, t) + mul(t, w),
    [
        Step(
            "claim",
            None,
            lambda d, c0, t, w: [
                use("trimmed", T=c0, t=t),
                use("comm", a=t, b=w),
                use("comm", a=t, b=w - 1),
                use("dist", a=w - 1, b=1, k=t),
                use("zero_one", k=t),
            ],
        )
    ],
    [
        Mutant(
            "a whole turn",
            "it reaches all that is less than a turn away",
            lambda d, c0, t, w: {"tick": t >= 1, "near": d < mul(t, w)},
            vivid=LEVEL | {"c0": 8},
        )
    ],
    vivid=LEVEL,
)

THEORY.prove(
    "T13",
    "with d from the tick of level L to that of level L + 1, L - 1 passes an entry on and L + 1 "
    "reaches it: it is put into L or L + 1",
    lambda d, c0, s, w: {
        "tick of L - 1": s >= 1,
        "size from 2": w >= 2,
        "from the tick of L": d >= mul(s, w),
        "up to that of L + 1": d <= mul(mul(s, w), w),
    },
    lambda d, c0, s, w: both(
        c0 + d >= trim(c0, s) + mul(s, w),
        c0 + d < trim(c0, mul(mul(s, w), w)) + mul(mul(mul(s, w), w), w),
    ),
    [
        Step(
            "ticks",
            lambda d, c0, s, w: both(mul(s, w) >= 1, mul(mul(s, w), w) >= 1),
            lambda d, c0, s, w: [
                use("nested_quotient", a=c0, t=s, w=w),
                use("nested_quotient", a=c0, t=mul(s, w), w=w),
            ],
        ),
        Step(
            "reach",
            lambda d, c0, s, w: d <= mul(mul(mul(s, w), w), w - 1),
            lambda d, c0, s, w: [
                use("mono", a=1, b=w - 1, k=mul(mul(s, w), w)),
                use("zero_one", k=mul(mul(s, w), w)),
                use("comm", a=w - 1, b=mul(mul(s, w), w)),
            ],
        ),
        Step(
            "claim",
            None,
            lambda d, c0, s, w: [
                use("T13-passes", d=d, c0=c0, t=s, w=w),
                use("T13-takes", d=d, c0=c0, t=mul(mul(s, w), w), w=w),
            ],
        ),
    ],
    [
        Mutant(
            "one bucket",
            "a wheel may have one bucket: then no level reaches anything, and none is the last",
            lambda d, c0, s, w: {
                "tick of L - 1": s >= 1,
                "size from 2": w >= 1,
                "from the tick of L": d >= mul(s, w),
                "up to that of L + 1": d <= mul(mul(s, w), w),
            },
            vivid={"s": 3, "w": 1, "c0": 5},
        ),
        Mutant(
            "always L",
            "the level L itself reaches it",
            claim=lambda d, c0, s, w: c0 + d < trim(c0, mul(s, w)) + mul(mul(s, w), w),
            vivid={"s": 1, "w": 5, "c0": 8},
        ),
    ],
    vivid={"s": 3, "w": 5},
)
