"""Sequences of any length as terms, and the definition of a heap.

A sequence has its elements at places from 1. The parent of place ``c`` is the place ``p`` with
``2p <= c <= 2p + 1``. Elements are numbers, and ``key`` gives an element's key. ``size`` bounds the
places in a control: a solver need not look for a model of all numbers then.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3

Key = Callable[[Any], Any]
Claim = Callable[[Any, Any], z3.BoolRef]

_NUMBERS = itertools.count(1)
"""Of the variables of quantifiers: cvc5 warns of a name that two of them share."""


@dataclass(frozen=True)
class Sequence:
    """``total``: how often some element is in it, which is the same element for all sequences."""

    length: Any
    at: Callable[[Any], Any]
    total: Any

    @staticmethod
    def any(name: str, sort: z3.SortRef | None = None) -> Sequence:
        """A sequence of which nothing is known. ``sort``: that of its elements, if no numbers."""
        at = z3.Function(name, z3.IntSort(), z3.IntSort() if sort is None else sort)
        return Sequence(z3.Int(f"{name}_length"), at, z3.Int(f"{name}_total"))

    def has(self, place: Any) -> z3.BoolRef:
        """The place is one of the sequence."""
        return z3.And(1 <= place, place <= self.length)


ELEMENT = z3.Int("element")
"""The element whose number of places is counted. It may be any."""


def either(condition: Any, first: Sequence, second: Sequence) -> Sequence:
    """The one where the condition holds, else the other."""
    return Sequence(
        z3.If(condition, first.length, second.length),
        lambda place: z3.If(condition, first.at(place), second.at(place)),
        z3.If(condition, first.total, second.total),
    )


def once(element: Any) -> z3.ArithRef:
    """1 for the element that is counted, else 0."""
    return z3.If(element == ELEMENT, z3.IntVal(1), z3.IntVal(0))


def all_of(claims: list[z3.BoolRef]) -> z3.BoolRef:
    """Their conjunction. SMT-LIB has no empty one."""
    return z3.And(claims) if claims else z3.BoolVal(True)


# -- for all places


def places(s: Sequence, claim: Callable[[Any], z3.BoolRef], size: int | None = None) -> z3.BoolRef:
    """The claim holds of each place."""
    if size is not None:
        numbers = [z3.IntVal(place) for place in range(1, size + 1)]
        return all_of([z3.Implies(s.has(place), claim(place)) for place in numbers])
    j = z3.Int(f"j{next(_NUMBERS)}")
    return z3.ForAll([j], z3.Implies(s.has(j), claim(j)))


def pairs(s: Sequence, claim: Claim, size: int | None = None) -> z3.BoolRef:
    """The claim holds of each place and each of its children."""
    if size is not None:
        edges = [(child // 2, child) for child in range(2, size + 1)]
        return all_of([z3.Implies(child <= s.length, claim(p, child)) for p, child in edges])
    number = next(_NUMBERS)
    p, c = z3.Ints(f"p{number} c{number}")
    return z3.ForAll([p, c], z3.Implies(is_pair(s, p, c), claim(p, c)))


def is_pair(s: Sequence, p: Any, c: Any) -> z3.BoolRef:
    """One place is the parent of the other, which the sequence has."""
    return z3.And(1 <= p, p + p <= c, c <= p + p + 1, c <= s.length)


# -- heaps


def in_order(s: Sequence, key: Key) -> Claim:
    """The key at a place is at most that at another."""
    return lambda first, second: key(s.at(first)) <= key(s.at(second))


def is_heap(s: Sequence, key: Key, size: int | None = None) -> z3.BoolRef:
    """No key is below that of its parent."""
    return pairs(s, in_order(s, key), size)


def grandparent(s: Sequence, key: Key, i: Any, size: int | None = None) -> z3.BoolRef:
    """No key of a child of a place is below that of the place's parent."""
    claim = in_order(s, key)
    if size is not None:
        triples = [(c // 4, c // 2, c) for c in range(4, size + 1)]
        return all_of(
            [z3.Implies(z3.And(i == m, c <= s.length), claim(p, c)) for p, m, c in triples]
        )
    number = next(_NUMBERS)
    p, c = z3.Ints(f"p{number} c{number}")
    near = z3.And(1 <= p, 2 * p <= i, i <= 2 * p + 1, 2 * i <= c, c <= 2 * i + 1, c <= s.length)
    return z3.ForAll([p, c], z3.Implies(near, claim(p, c)))


def rises(s: Sequence, key: Key, i: Any, size: int | None = None) -> z3.BoolRef:
    """A heap but for the key at a place, which may be below that of its parent."""
    claim = in_order(s, key)
    return z3.And(
        pairs(s, lambda p, c: z3.Or(c == i, claim(p, c)), size), grandparent(s, key, i, size)
    )


def sinks(s: Sequence, key: Key, i: Any, size: int | None = None) -> z3.BoolRef:
    """A heap but for the key at a place, which may be above those of its children."""
    claim = in_order(s, key)
    return z3.And(
        pairs(s, lambda p, c: z3.Or(p == i, claim(p, c)), size), grandparent(s, key, i, size)
    )


def first_is_least(s: Sequence, key: Key, size: int | None = None) -> z3.BoolRef:
    """The first element has a smallest key."""
    return places(s, lambda j: key(s.at(1)) <= key(s.at(j)), size)


# -- one sequence made of another


def swapped(s: Sequence, t: Sequence, a: Any, b: Any, size: int | None = None) -> z3.BoolRef:
    """The elements at two places of ``s`` have changed places in ``t``."""
    return z3.And(
        s.length == t.length,
        s.has(a),
        s.has(b),
        t.at(a) == s.at(b),
        t.at(b) == s.at(a),
        places(s, lambda j: z3.Or(j == a, j == b, t.at(j) == s.at(j)), size),
    )


def appended(s: Sequence, t: Sequence, size: int | None = None) -> z3.BoolRef:
    """``t`` is ``s`` with one more element at the end."""
    return z3.And(
        s.length >= 0,
        t.length == s.length + 1,
        places(s, lambda j: t.at(j) == s.at(j), size),
    )


def without_first(s: Sequence, t: Sequence, size: int | None = None) -> z3.BoolRef:
    """``t`` is ``s`` without its end, which stands in the place of its first element."""
    return z3.And(
        s.length >= 2,
        t.length == s.length - 1,
        t.at(z3.IntVal(1)) == s.at(s.length),
        places(t, lambda j: z3.Or(j == 1, t.at(j) == s.at(j)), size),
    )
