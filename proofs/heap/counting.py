"""How often an element is in a sequence, and the first element of a heap: lemmas by induction.

The count of a sequence up to a place is a function of that place. It is 0 at 0, and each place adds
1 if the element stands there. ``Heap.Swap``, ``Heap.Append`` and ``Heap.Rest`` go up the places.
``Heap.First`` goes up a heap: a place comes after its parent.
"""

from __future__ import annotations

from typing import Any

import z3

from proofs.heap.sequences import (
    ELEMENT,
    Sequence,
    appended,
    in_order,
    is_heap,
    is_pair,
    once,
    places,
    swapped,
    without_first,
)
from proofs.heap.values import Listed
from wheelproof.prove.kernel import VC, Theory, refuted

S, T = Sequence.any("s"), Sequence.any("t")
A, B, M = z3.Ints("a b m")
KEY = z3.Function("key", z3.IntSort(), z3.IntSort())
COUNT_S, COUNT_T = (z3.Function(f"count_{name}", z3.IntSort(), z3.IntSort()) for name in "st")
PROFILE = "nightly"
INDUCTION = ("A-INDUCTION",)


def number(value: int) -> z3.IntNumRef:
    return z3.IntVal(value)


def listed(s: Sequence, *elements: int) -> list[z3.BoolRef]:
    """The sequence is this one."""
    return [
        s.length == len(elements),
        *(s.at(number(place)) == element for place, element in enumerate(elements, 1)),
    ]


def starts(s: Sequence, count: Any, place: int = 0) -> z3.BoolRef:
    """The value of a count at the first place, or before it."""
    return count(number(place)) == (number(0) if place == 0 else once(s.at(number(1))))


def goes_on(s: Sequence, count: Any, m: Any) -> z3.BoolRef:
    """The value of a count at the next place."""
    return count(m + 1) == count(m) + once(s.at(m + 1))


# -- the lemmas as premises of others


def swap_keeps(s: Sequence, t: Sequence, a: Any, b: Any, size: int | None = None) -> z3.BoolRef:
    return z3.Implies(swapped(s, t, a, b, size), t.total == s.total)


def append_adds(s: Sequence, t: Sequence, size: int | None = None) -> z3.BoolRef:
    new = once(t.at(s.length + 1))
    return z3.Implies(appended(s, t, size), t.total == s.total + new)


def rest_lacks_first(s: Sequence, t: Sequence, size: int | None = None) -> z3.BoolRef:
    removal = once(s.at(number(1)))
    return z3.And(
        z3.Implies(without_first(s, t, size), t.total == s.total - removal),
        z3.Implies(s.length == 1, s.total == removal),
        z3.Implies(t.length == 0, t.total == 0),
    )


# -- their proofs


def induction(
    relation: z3.BoolRef,
    claim: Any,
    start: int,
    end: Any,
    last: z3.BoolRef,
    vivid: list[z3.BoolRef],
) -> list[VC]:
    """A claim about the counts up to a place, from ``start`` to ``end``, and one that follows.

    ``relation``: how one sequence is made of the other.
    """
    return [
        VC(
            "begin",
            {
                "made": relation,
                "count of s": starts(S, COUNT_S, start),
                "count of t": starts(T, COUNT_T, start),
            },
            claim(number(start)),
            vivid,
        ),
        VC(
            "go on",
            {
                "made": relation,
                "place": z3.And(start <= M, M < end),
                "up to it": claim(M),
                "count of s": goes_on(S, COUNT_S, M),
                "count of t": goes_on(T, COUNT_T, M),
            },
            claim(M + 1),
            vivid,
        ),
        VC(
            "end",
            {
                "made": relation,
                "up to it": claim(end),
                "count of s": goes_on(S, COUNT_S, end),
                "count of t": goes_on(T, COUNT_T, end),
            },
            last,
            vivid,
        ),
    ]


def while_apart(m: Any) -> z3.BoolRef:
    """Between the two places the counts differ by the elements that have changed places."""
    more = once(S.at(B)) - once(S.at(A))
    return COUNT_T(m) == COUNT_S(m) + z3.If(
        z3.And(A <= m, m < B), more, z3.If(z3.And(B <= m, m < A), -more, number(0))
    )


def with_end_first(m: Any) -> z3.BoolRef:
    """The count has the end in the place of the first element."""
    return COUNT_T(m) == COUNT_S(m) - once(S.at(number(1))) + once(S.at(S.length))


def alike(m: Any) -> z3.BoolRef:
    return COUNT_T(m) == COUNT_S(m)


THEORY = Theory("heap.counting", mechanism="delay_queue")

THEORY.theorem(
    "Heap.Swap",
    "if two elements of a sequence change places, each element is in it as often as before",
    induction(
        swapped(S, T, A, B),
        while_apart,
        0,
        S.length,
        COUNT_T(T.length) == COUNT_S(S.length),
        [*listed(S, 5, 6, 7), *listed(T, 7, 6, 5), A == 1, B == 3, ELEMENT == 5],
    ),
    is_lemma=True,
    assumes=INDUCTION,
    profile=PROFILE,
    certified=PROFILE,
)

THEORY.theorem(
    "Heap.Append",
    "a sequence with one more element at its end has this one once more, and the others as often",
    induction(
        appended(S, T),
        alike,
        0,
        S.length,
        COUNT_T(T.length) == COUNT_S(S.length) + once(T.at(S.length + 1)),
        [*listed(S, 5, 6), *listed(T, 5, 6, 7), ELEMENT == 7],
    ),
    is_lemma=True,
    assumes=INDUCTION,
    profile=PROFILE,
    certified=PROFILE,
)

THEORY.theorem(
    "Heap.Rest",
    "a sequence whose end is taken away and put in the place of its first element lacks this "
    "element once, and has the others as often",
    [
        *induction(
            without_first(S, T),
            with_end_first,
            1,
            T.length,
            COUNT_T(T.length) == COUNT_S(S.length) - once(S.at(number(1))),
            [*listed(S, 5, 6, 7), *listed(T, 7, 6), ELEMENT == 5],
        ),
        VC(
            "one",
            {"one": S.length == 1, "count of s": starts(S, COUNT_S, 1)},
            COUNT_S(S.length) == once(S.at(number(1))),
            [*listed(S, 5), ELEMENT == 5],
        ),
        VC(
            "none",
            {"none": T.length == 0, "count of t": starts(T, COUNT_T)},
            COUNT_T(T.length) == 0,
            [ELEMENT == 5],
        ),
    ],
    is_lemma=True,
    assumes=INDUCTION,
    profile=PROFILE,
    certified=PROFILE,
)


# -- the first element of a heap


def up_to(end: Any) -> z3.BoolRef:
    """No key before a place is below the first one."""
    first = number(1)
    return places(S, lambda j: z3.Or(j >= end, KEY(S.at(first)) <= KEY(S.at(j))))


def second_is_next(listing: Listed) -> str:
    """ "" where a sequence is a heap whose second element has not the smallest key but one."""
    keys = listing.keys_of("s")
    if not listing.heap("s"):
        return f"{keys} is no heap"
    return "" if keys[1] > min(keys[1:]) else f"the second key of {keys} is the smallest but one"


PARENT = z3.Int("parent")
SOME = [*listed(S, 3, 5, 4, 6), *(KEY(number(value)) == value for value in range(3, 7))]
THREE = 3

THEORY.theorem(
    "Heap.First",
    "the first element of a heap has a smallest key, whatever the keys and however many there are",
    [
        VC(
            "begin",
            {"some": S.length >= 1},
            KEY(S.at(number(1))) <= KEY(S.at(number(1))),
            [*listed(S, 3), KEY(3) == 3],
        ),
        VC(
            "go on",
            {
                "heap, at a place and its parent": z3.Implies(
                    is_pair(S, PARENT, M), in_order(S, KEY)(PARENT, M)
                ),
                "place": z3.And(2 <= M, M <= S.length),
                "parent": z3.And(PARENT + PARENT <= M, M <= PARENT + PARENT + 1),
                "up to it": up_to(M),
            },
            KEY(S.at(number(1))) <= KEY(S.at(M)),
            [*SOME, M == 4],
        ),
    ],
    [
        refuted(
            VC(
                "second is next",
                {"heap": is_heap(S, KEY, THREE), "three": S.length == THREE},
                z3.And(
                    [in_order(S, KEY)(number(2), number(place)) for place in range(2, THREE + 1)]
                ),
                [S.at(number(place)) == place for place in range(1, THREE + 1)],
            ),
            "the second element has the smallest key but one",
            lambda model: second_is_next(Listed(model)),
        )
    ],
    assumes=INDUCTION,
    profile=PROFILE,
)
