"""What is known of a vocabulary's unions, and of its sorts of numbers."""

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
    for each in words.saved:
        place = z3.Int("blank_place")
        yield z3.ForAll([place], getattr(s, items(each))[place] == each.null)
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
            put, taken = getattr(s, into(part, whole)), getattr(s, out_of(part, whole))
            (one,) = part.consts(f"in_{name}")
            yield z3.ForAll([one], taken[put[one]] == one)
            yield put[part.null] == whole.null
            yield z3.ForAll(
                [element],
                z3.Implies(taken[element] != part.null, put[taken[element]] == element),
            )
        held = [getattr(s, out_of(part, whole))[element] != part.null for part in parts]
        yield z3.ForAll(
            [element],
            z3.And(
                (element == whole.null) == z3.Not(z3.Or(held)),
                *[
                    z3.Not(z3.And(one, other))
                    for place, one in enumerate(held)
                    for other in held[place + 1 :]
                ],
            ),
        )
