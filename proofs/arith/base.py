"""Facts about whole numbers that the wheel's theorems rest on.

Those of the first group both solvers prove outright, with real products and quotients; the second
group follows from the first.
"""

from __future__ import annotations

from wheelproof.prove.arithmetic import Arithmetic, Step, between, both, div, mod, mul, use

THEORY = Arithmetic("arith.base", mechanism="timing_wheel")

# -- with the functions' own meaning

THEORY.ground(
    "divmod",
    "a = (a div b) b + (a mod b), and 0 <= a mod b < b",
    lambda a, b: {"b above 0": b >= 1},
    lambda a, b: both(a == mul(div(a, b), b) + mod(a, b), between(0, mod(a, b), b)),
    vivid={"a": 17, "b": 5},
    certified="",  # cvc5 cannot write its proof: mod of 0 is a function of its own there
)

THEORY.ground(
    "mono",
    "a <= b gives a k <= b k",
    lambda a, b, k: {"k not negative": k >= 0, "ordered": a <= b},
    lambda a, b, k: mul(a, k) <= mul(b, k),
    vivid={"a": 2, "b": 7, "k": 5},
)

THEORY.ground(
    "dist",
    "(a + b) k = a k + b k",
    lambda a, b, k: {},
    lambda a, b, k: mul(a + b, k) == mul(a, k) + mul(b, k),
    vivid={"a": 2, "b": 7, "k": 5},
)

THEORY.ground(
    "zero_one",
    "0 k = 0 and 1 k = k",
    lambda k: {},
    lambda k: both(mul(0, k) == 0, mul(1, k) == k),
    vivid={"k": 5},
)

THEORY.ground(
    "comm",
    "a b = b a",
    lambda a, b: {},
    lambda a, b: mul(a, b) == mul(b, a),
    vivid={"a": 2, "b": 7},
)

THEORY.ground(
    "assoc",
    "(a b) c = a (b c)",
    lambda a, b, c: {},
    lambda a, b, c: mul(mul(a, b), c) == mul(a, mul(b, c)),
    vivid={"a": 2, "b": 7, "c": 5},
)

# -- from those

THEORY.prove(
    "quotient_unique",
    "a = q b + r with 0 <= r < b has q = a div b and r = a mod b",
    lambda a, q, r, b: {
        "b above 0": b >= 1,
        "split": a == mul(q, b) + r,
        "remainder": between(0, r, b),
    },
    lambda a, q, r, b: both(q == div(a, b), r == mod(a, b)),
    [
        Step(
            "not above",
            lambda a, q, r, b: q <= div(a, b),
            lambda a, q, r, b: [
                use("divmod", a=a, b=b),
                use("mono", a=div(a, b) + 1, b=q, k=b),
                use("dist", a=div(a, b), b=1, k=b),
                use("zero_one", k=b),
            ],
        ),
        Step(
            "not below",
            lambda a, q, r, b: q >= div(a, b),
            lambda a, q, r, b: [
                use("divmod", a=a, b=b),
                use("mono", a=q + 1, b=div(a, b), k=b),
                use("dist", a=q, b=1, k=b),
                use("zero_one", k=b),
            ],
        ),
        Step("claim", None, lambda a, q, r, b: [use("divmod", a=a, b=b)]),
    ],
    vivid={"a": 17, "b": 5},
    is_lemma=True,
)

THEORY.prove(
    "same_residue",
    "numbers less than w apart with one remainder by w are equal",
    lambda p, q, w: {
        "w above 0": w >= 1,
        "less than w apart": both(p < q + w, q < p + w),
        "one remainder": mod(p, w) == mod(q, w),
    },
    lambda p, q, w: p == q,
    [
        Step(
            "turn",
            lambda p, q, w: div(p, w) == div(q, w),
            lambda p, q, w: [
                use("divmod", a=p, b=w),
                use("divmod", a=q, b=w),
                use("zero_one", k=w),
                use("mono", a=div(q, w) + 1, b=div(p, w), k=w),
                use("dist", a=div(q, w), b=1, k=w),
                use("mono", a=div(p, w) + 1, b=div(q, w), k=w),
                use("dist", a=div(p, w), b=1, k=w),
            ],
        ),
        Step("claim", None, lambda p, q, w: [use("divmod", a=p, b=w), use("divmod", a=q, b=w)]),
    ],
    vivid={"p": 17, "w": 5},
    is_lemma=True,
)

THEORY.prove(
    "quotient_monotone",
    "a <= b gives a div t <= b div t",
    lambda a, b, t: {"t above 0": t >= 1, "ordered": a <= b},
    lambda a, b, t: div(a, t) <= div(b, t),
    [
        Step(
            "claim",
            None,
            lambda a, b, t: [
                use("divmod", a=a, b=t),
                use("divmod", a=b, b=t),
                use("zero_one", k=t),
                use("mono", a=div(b, t) + 1, b=div(a, t), k=t),
                use("dist", a=div(b, t), b=1, k=t),
            ],
        )
    ],
    vivid={"a": 7, "b": 17, "t": 5},
    is_lemma=True,
)

THEORY.prove(
    "from_zero",
    "of a number from 0, quotient and remainder are from 0 and at most the number",
    lambda a, t: {"t above 0": t >= 1, "not negative": a >= 0},
    lambda a, t: both(0 <= div(a, t), div(a, t) <= a, 0 <= mod(a, t), mod(a, t) <= a),
    [
        Step(
            "quotient from 0",
            lambda a, t: 0 <= div(a, t),
            lambda a, t: [
                use("quotient_monotone", a=0, b=a, t=t),
                use("quotient_unique", a=0, q=0, r=0, b=t),
                use("zero_one", k=t),
            ],
        ),
        Step(
            "claim",
            None,
            lambda a, t: [
                use("divmod", a=a, b=t),
                use("mono", a=0, b=div(a, t), k=t),
                use("zero_one", k=t),
                use("mono", a=1, b=t, k=div(a, t)),
                use("zero_one", k=div(a, t)),
                use("comm", a=t, b=div(a, t)),
            ],
        ),
    ],
    vivid={"a": 17, "t": 5},
    is_lemma=True,
)

THEORY.prove(
    "multiple",
    "q t has the quotient q by t and leaves nothing",
    lambda q, t: {"t above 0": t >= 1},
    lambda q, t: both(div(mul(q, t), t) == q, mod(mul(q, t), t) == 0),
    [Step("claim", None, lambda q, t: [use("quotient_unique", a=mul(q, t), q=q, r=0, b=t)])],
    vivid={"q": 3, "t": 5},
    is_lemma=True,
)

THEORY.prove(
    "aligned_gap",
    "two multiples of t, one below the other, are at least t apart",
    lambda a, b, t: {
        "t above 0": t >= 1,
        "a is a multiple": mod(a, t) == 0,
        "b is a multiple": mod(b, t) == 0,
        "one below the other": a < b,
    },
    lambda a, b, t: a + t <= b,
    [
        Step(
            "quotients",
            lambda a, b, t: div(a, t) + 1 <= div(b, t),
            lambda a, b, t: [
                use("divmod", a=a, b=t),
                use("divmod", a=b, b=t),
                use("mono", a=div(b, t), b=div(a, t), k=t),
            ],
        ),
        Step(
            "claim",
            None,
            lambda a, b, t: [
                use("divmod", a=a, b=t),
                use("divmod", a=b, b=t),
                use("mono", a=div(a, t) + 1, b=div(b, t), k=t),
                use("dist", a=div(a, t), b=1, k=t),
                use("zero_one", k=t),
            ],
        ),
    ],
    vivid={"a": 10, "b": 20, "t": 5},
    is_lemma=True,
)

THEORY.prove(
    "nested_quotient",
    "(a div t) div w = a div (t w)",
    lambda a, t, w: {"t above 0": t >= 1, "w above 0": w >= 1},
    lambda a, t, w: both(div(div(a, t), w) == div(a, mul(t, w)), mul(t, w) >= 1),
    [
        Step(
            "product above 0",
            lambda a, t, w: mul(w, t) >= 1,
            lambda a, t, w: [use("mono", a=1, b=w, k=t), use("zero_one", k=t)],
        ),
        Step(
            "remainder",
            lambda a, t, w: between(0, mul(mod(div(a, t), w), t) + mod(a, t), mul(w, t)),
            lambda a, t, w: [
                use("divmod", a=a, b=t),
                use("divmod", a=div(a, t), b=w),
                use("zero_one", k=t),
                use("mono", a=0, b=mod(div(a, t), w), k=t),
                use("mono", a=mod(div(a, t), w) + 1, b=w, k=t),
                use("dist", a=mod(div(a, t), w), b=1, k=t),
            ],
        ),
        Step(
            "split",
            lambda a, t, w: (
                a == mul(div(div(a, t), w), mul(w, t)) + mul(mod(div(a, t), w), t) + mod(a, t)
            ),
            lambda a, t, w: [
                use("divmod", a=a, b=t),
                use("divmod", a=div(a, t), b=w),
                use("assoc", a=div(div(a, t), w), b=w, c=t),
                use("dist", a=mul(div(div(a, t), w), w), b=mod(div(a, t), w), k=t),
            ],
        ),
        Step(
            "claim",
            None,
            lambda a, t, w: [
                use("comm", a=t, b=w),
                use(
                    "quotient_unique",
                    a=a,
                    q=div(div(a, t), w),
                    r=mul(mod(div(a, t), w), t) + mod(a, t),
                    b=mul(w, t),
                ),
            ],
        ),
    ],
    vivid={"a": 237, "t": 3, "w": 5},
    is_lemma=True,
)
