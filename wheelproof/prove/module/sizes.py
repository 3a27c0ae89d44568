"""Facts about the sizes of finite sets, as premises: `sets.size` is a function to a proof.

Each is a theorem on `Cardinality`, taken at sets that a condition has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import z3

from wheelproof.prove.module.sets import size
from wheelproof.prove.ts.concrete import Instance
from wheelproof.prove.ts.system import WHOLE, Sort


class Finite(Protocol):
    """Elements of each sort, and the constants that stand for them."""

    instance: Instance

    def element(self, sort: str, number: int) -> z3.ExprRef: ...


def interpreted(states: Finite, formula: z3.BoolRef) -> z3.BoolRef:
    """The formula where a size is the number of elements that a set has, of those there are."""
    meanings = []
    for name, places in states.instance.places.items():
        sort = states.instance.sorts[name]
        if sort == WHOLE:
            continue
        members = z3.Var(0, z3.ArraySort(sort.z3, z3.BoolSort()))
        elements = [states.element(name, number) for number in places]
        count = z3.Sum([z3.If(members[element], 1, 0) for element in elements])
        meanings.append((size(sort), count))
    return z3.simplify(z3.substitute_funs(formula, *meanings), blast_select_store=True)


def changed(sort: Sort, members: z3.ExprRef, element: z3.ExprRef) -> Iterator[z3.BoolRef]:
    """With an element more, and with one less."""
    measure = size(sort)
    before, has = measure(members), members[element]
    yield measure(z3.Store(members, element, True)) == before + z3.If(has, 0, 1)
    yield measure(z3.Store(members, element, False)) == before - z3.If(has, 1, 0)


def counted(sort: Sort, members: z3.ExprRef, member: z3.ExprRef) -> Iterator[z3.BoolRef]:
    """A set has as many elements as none, or more; none where it is empty, and not else.

    ``member``: a new constant, an element of the set where it has one.
    """
    (element,), number = sort.consts("counted"), size(sort)(members)
    yield number >= 0
    yield z3.ForAll([element], z3.Implies(members[element], number >= 1))
    yield z3.Or(number >= 1, z3.ForAll([element], z3.Not(members[element])))
    yield z3.Or(number == 0, members[member])


def within(
    sort: Sort, subset: z3.ExprRef, whole: z3.ExprRef, outside: z3.ExprRef
) -> Iterator[z3.BoolRef]:
    """A subset has no more elements than the set, and all of them if it has as many.

    ``outside``: a new constant, an element of ``subset`` alone where it is none.
    """
    (element,) = sort.consts("within")
    less, more = size(sort)(subset), size(sort)(whole)
    apart = z3.And(subset[outside], z3.Not(whole[outside]))
    yield z3.Or(apart, less <= more)
    yield z3.ForAll([element], z3.Or(apart, less < more, z3.Not(whole[element]), subset[element]))
