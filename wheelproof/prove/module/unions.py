"""The axioms of a vocabulary's unions, and of its sorts of numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import z3

from wheelproof.prove.module.shapes import Vocabulary, into, items, out_of
from wheelproof.prove.ts.system import WHOLE


def given(words: Vocabulary, s: Any) -> Iterator[z3.BoolRef]:
    """Unions have their parts' elements and no others, and none twice.

    Sorts of numbers have one element for each.
    """
    for sort in words.saved:
        place = z3.Int("blank_place")
        yield z3.ForAll([place], getattr(s, items(sort))[place] == sort.null)
    for part in words.numbers():
        (element,) = part.consts(f"numbered_{part.name}")
        number, put = z3.Int("any_number"), getattr(s, into(part, WHOLE))
        yield put[part.null] == 0
        inverse = getattr(s, out_of(part, WHOLE))[put[element]] == element
        if part.name in words.from_zero:
            inverse = z3.Or(element == part.null, inverse)
        yield z3.ForAll([element], inverse)
        yield z3.ForAll(
            [element],
            z3.Implies(
                element != part.null,
                words.in_range(part, put[element], s),
            ),
        )
        yield z3.ForAll([number], words.numbered_at(part, number, s))
    for name, parts in words.unions.items():
        whole = next(item for item in words.sorts if item.name == name)
        element = z3.Const(f"of_{name}", whole.z3)
        for part in parts:
            put, take = getattr(s, into(part, whole)), getattr(s, out_of(part, whole))
            (member,) = part.consts(f"in_{name}")
            yield z3.ForAll([member], take[put[member]] == member)
            yield put[part.null] == whole.null
            yield z3.ForAll(
                [element],
                z3.Implies(take[element] != part.null, put[take[element]] == element),
            )
        memberships = [getattr(s, out_of(part, whole))[element] != part.null for part in parts]
        yield z3.ForAll(
            [element],
            z3.And(
                (element == whole.null) == z3.Not(z3.Or(memberships)),
                *[
                    z3.Not(z3.And(first, second))
                    for place, first in enumerate(memberships)
                    for second in memberships[place + 1 :]
                ],
            ),
        )
