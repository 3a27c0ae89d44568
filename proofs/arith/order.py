"""The order of the reaper's steps: Kafka's makes entries late, the corrected one keeps every key.

Kafka's reaper takes a bucket out of the queue before it has the write lock (D1): the clock may pass
a bucket that was queued meanwhile. The corrected order puts the polled bucket back under the lock
and polls again, until nothing is due. The invariant, `QueuedOnceWithItsKey` as far as it is
arithmetic: outside the write lock every key in the queue is after its level's clock, and within the
turn. An add keeps it by T4 (a new key) and T6 (an old one); the three theorems T17 are the reaper's
steps.
"""

from __future__ import annotations

from proofs.arith import bounds
from proofs.arith.clock import advanced, trim
from proofs.arith.slots import LEVEL, key, slot, taken
from wheelproof.prove.arithmetic import (
    Arithmetic,
    Claim,
    Mutant,
    Number,
    Step,
    both,
    div,
    either,
    mod,
    mul,
    use,
)

THEORY = Arithmetic("arith.order", mechanism="system_timer", after=(bounds.THEORY,))

THEORY.prove(
    "next_turn",
    "w slots on is the same slot",
    lambda q, w: {"size": w >= 1},
    lambda q, w: mod(q + w, w) == mod(q, w),
    [
        Step(
            "claim",
            None,
            lambda q, w: [
                use("divmod", a=q, b=w),
                use("quotient_unique", a=q + w, q=div(q, w) + 1, r=mod(q, w), b=w),
                use("dist", a=div(q, w), b=1, k=w),
                use("zero_one", k=w),
            ],
        )
    ],
    vivid={"q": 17, "w": 5},
    is_lemma=True,
)


def passed(s: Number, f: Number, K: Number, t: Number, w: Number) -> dict[str, Claim]:
    """D1 on one level.

    A bucket of a higher level with key ``K`` was polled first. The clock passed the bucket of the
    entry due at ``s``. An entry due at ``f`` out of the polled bucket is put into its slot.
    """
    return {
        "tick": t >= 1,
        "size": w >= 1,
        "boundary": mod(K, t) == 0,
        "passed over": key(s, t) < K,
        "comes down": taken(f, K, t, w),
        "one slot": slot(f, t, w) == slot(s, t, w),
    }


THEORY.prove(
    "T16",
    "in Kafka's order an entry that was passed over waits at most w - 1 ticks of its level after "
    "the boundary at which it was passed",
    lambda s, f, K, t, w: passed(s, f, K, t, w),
    lambda s, f, K, t, w: key(f, t) <= K + mul(w - 1, t),
    [Step("claim", None, lambda s, f, K, t, w: [use("T4", e=f, c=K, t=t, w=w)])],
    [
        Mutant(
            "sooner",
            "it waits less than that: the bound is reached",
            claim=lambda s, f, K, t, w: key(f, t) < K + mul(w - 1, t),
            vivid=LEVEL | {"K": 30},
        )
    ],
    vivid=LEVEL | {"K": 30},
)

THEORY.prove(
    "T16-deadline",
    "and, of a deadline no more than a turn before that boundary, at most a turn past the "
    "deadline: its bucket gets exactly the next turn's key",
    lambda s, f, K, t, w: (
        passed(s, f, K, t, w) | {"within a turn of the boundary": K <= key(s, t) + mul(w, t)}
    ),
    lambda s, f, K, t, w: both(key(f, t) == key(s, t) + mul(w, t), key(f, t) <= s + mul(w, t)),
    [
        Step(
            "slots",
            lambda s, f, K, t, w: div(s, t) + 1 <= div(K, t),
            lambda s, f, K, t, w: [
                use("divmod", a=K, b=t),
                use("mono", a=div(K, t), b=div(s, t), k=t),
            ],
        ),
        Step(
            "turn",
            lambda s, f, K, t, w: div(K, t) <= div(s, t) + w,
            lambda s, f, K, t, w: [
                use("divmod", a=K, b=t),
                use("dist", a=div(s, t), b=w, k=t),
                use("mono", a=div(s, t) + w + 1, b=div(K, t), k=t),
                use("dist", a=div(s, t) + w, b=1, k=t),
                use("zero_one", k=t),
            ],
        ),
        Step(
            "next",
            lambda s, f, K, t, w: div(f, t) == div(s, t) + w,
            lambda s, f, K, t, w: [
                use("taken_within", e=f, c=K, t=t, w=w),
                use("next_turn", q=div(s, t), w=w),
                use("same_residue", p=div(f, t), q=div(s, t) + w, w=w),
            ],
        ),
        Step(
            "claim",
            None,
            lambda s, f, K, t, w: [use("divmod", a=s, b=t), use("dist", a=div(s, t), b=w, k=t)],
        ),
    ],
    [
        Mutant(
            "sooner",
            "less than a turn past its deadline: the bound is reached",
            claim=lambda s, f, K, t, w: key(f, t) < s + mul(w, t),
            vivid=LEVEL | {"K": 30},
        ),
        Mutant(
            "any stall",
            "the add may have stalled for more than a turn: "
            "then the deadline is as long past as the stall was",
            lambda s, f, K, t, w: passed(s, f, K, t, w),
            vivid=LEVEL | {"K": 75, "s": 8},
        ),
    ],
    vivid=LEVEL | {"K": 30},
)


def armed(x: Number, c: Number, t: Number, w: Number) -> dict[str, Claim]:
    """Under the write lock: a bucket in the queue, whose key the clock may just have reached."""
    return {
        "tick": t >= 1,
        "size": w >= 1,
        "clock": mod(c, t) == 0,
        "key": mod(x, t) == 0,
        "not passed": c <= x,
        "within the turn": x < c + mul(t, w),
    }


def smallest(x: Number, p: Number) -> dict[str, Claim]:
    """The polled key is the smallest in the queue."""
    return {"smallest first": p <= x}


THEORY.prove(
    "T17-advance",
    "the smallest key is polled under the write lock: "
    "moving any level's clock to it passes no bucket in the queue",
    lambda x, p, c, t, w: armed(x, c, t, w) | smallest(x, p),
    lambda x, p, c, t, w: both(
        advanced(c, p, t) <= x, x < advanced(c, p, t) + mul(t, w), mod(advanced(c, p, t), t) == 0
    ),
    [Step("claim", None, lambda x, p, c, t, w: [use("trimmed", T=p, t=t)])],
    [
        Mutant(
            "any polled key",
            "the key was polled before the lock was taken: "
            "an earlier one may be in the queue by now",
            lambda x, p, c, t, w: armed(x, c, t, w) | {"not negative": c >= 0},
            vivid=LEVEL | {"c": 6, "p": 30},
        )
    ],
    vivid=LEVEL | {"c": 6, "p": 13},
)

THEORY.prove(
    "T17-insert",
    "what a flush puts back changes no key in the queue, though a bucket may wait whose key is the "
    "clock itself",
    lambda e, x, c, t, w: (
        armed(x, c, t, w) | {"taken": taken(e, c, t, w), "one slot": slot(e, t, w) == slot(x, t, w)}
    ),
    lambda e, x, c, t, w: both(key(e, t) == x, c < x),
    [
        Step(
            "not the clock's",
            lambda e, x, c, t, w: x != c,
            lambda e, x, c, t, w: [use("T2", e=e, c=c, t=t, w=w)],
        ),
        Step("claim", None, lambda e, x, c, t, w: [use("T6", e=e, x=x, c=c, t=t, w=w)]),
    ],
    [
        Mutant(
            "a passed bucket",
            "the clock has passed a bucket in the queue, as in Kafka's order",
            lambda e, x, c, t, w: (
                {name: holds for name, holds in armed(x, c, t, w).items() if name != "not passed"}
                | {
                    "not negative": 0 <= x,
                    "taken": taken(e, c, t, w),
                    "one slot": slot(e, t, w) == slot(x, t, w),
                }
            ),
            vivid=LEVEL | {"c": 12},
        )
    ],
    vivid=LEVEL | {"c": 12},
)

THEORY.prove(
    "T17-key",
    "the key that an add gives a bucket is after the clock, within the turn, a multiple of the "
    "tick, and of the entry's slot",
    lambda e, c, t, w: {"tick": t >= 1, "taken": taken(e, c, t, w)},
    lambda e, c, t, w: both(
        c < key(e, t),
        key(e, t) < c + mul(t, w),
        mod(key(e, t), t) == 0,
        slot(key(e, t), t, w) == slot(e, t, w),
    ),
    [
        Step(
            "claim",
            None,
            lambda e, c, t, w: [use("divmod", a=e, b=t), use("multiple", q=div(e, t), t=t)],
        )
    ],
    [
        Mutant(
            "due ones too",
            "the level also takes what is due within its tick",
            lambda e, c, t, w: {
                "tick": t >= 1,
                "size": w >= 1,
                "taken": both(c <= e, e < c + mul(t, w)),
            },
        )
    ],
    vivid=LEVEL,
)

THEORY.prove(
    "T17-clock",
    "an advance to a time keeps a level's clock a multiple of its tick, and moves it neither back "
    "nor past the time",
    lambda c, p, t: {"tick": t >= 1, "clock": mod(c, t) == 0},
    lambda c, p, t: both(
        mod(advanced(c, p, t), t) == 0,
        c <= advanced(c, p, t),
        either(advanced(c, p, t) <= p, advanced(c, p, t) == c),
    ),
    [Step("claim", None, lambda c, p, t: [use("trimmed", T=p, t=t)])],
    [
        Mutant(
            "to the next tick",
            "the clock is where the time's tick ends",
            claim=lambda c, p, t: both(
                c <= advanced(c, p, t), either(advanced(c, p, t) + t <= p, advanced(c, p, t) == c)
            ),
            vivid={"t": 3, "c": 6},
        )
    ],
    vivid={"t": 3, "c": 6, "p": 13},
)

THEORY.prove(
    "T17-release",
    "when nothing in the queue is due, every key is after the clock: "
    "the invariant holds again when the lock is released",
    lambda x, p, now, t: {
        "tick": t >= 1,
        "polled when due": p <= now,
        "nothing due is left": now < x,
    },
    lambda x, p, now, t: trim(p, t) < x,
    [Step("claim", None, lambda x, p, now, t: [use("trimmed", T=p, t=t)])],
    [
        Mutant(
            "one poll only",
            "the reaper flushes one bucket, and leaves what else is due",
            lambda x, p, now, t: {
                "tick": t >= 1,
                "polled when due": p <= now,
                "smallest first": p <= x,
            },
            vivid={"t": 3, "now": 20, "p": 18},
        )
    ],
    vivid={"t": 3, "now": 20},
)
