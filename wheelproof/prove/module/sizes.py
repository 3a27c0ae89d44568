"""What is known of the sizes of finite sets, as premises: `sets.size` is a function to a proof.

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


def interpreted(reached: Finite, formula: z3.BoolRef) -> z3.BoolRef:
    """The formula where a size is the number of elements that a set has, of those there are."""
    meanings = []
    for name, places in reached.instance.places.items():
        sort = reached.instance.sorts[name]
        if sort == WHOLE:
            continue
        members = z3.Var(0, z3.ArraySort(sort.z3, z3.BoolSort()))
        elements = [reached.element(name, number) for number in places]
        counted_ = z3.Sum([z3.If(members[element], 1, 0) for element in elements])
        meanings.append((size(sort), counted_))
    return z3.simplify(z3.substitute_funs(formula, *meanings), blast_select_store=True)


def changed(of: Sort, members: z3.ExprRef, element: z3.ExprRef) -> Iterator[z3.BoolRef]:
    """With an element more, and with one less."""
    own = size(of)
    before, has = own(members), members[element]
    yield own(z3.Store(members, element, True)) == before + z3.If(has, 0, 1)
    yield own(z3.Store(members, element, False)) == before - z3.If(has, 1, 0)


def counted(of: Sort, members: z3.ExprRef, member: z3.ExprRef) -> Iterator[z3.BoolRef]:
    """A set has as many elements as none, or more; none where it is empty, and not else.

    ``member``: a new constant, an element of the set where it has one.
    """
    (element,), own = of.consts("counted"), size(of)(members)
    yield own >= 0
    yield z3.ForAll([element], z3.Implies(members[element], own >= 1))
    yield z3.Or(own >= 1, z3.ForAll([element], z3.Not(members[element])))
    yield z3.Or(own == 0, members[member])


def within(
    of: Sort, one: z3.ExprRef, other: z3.ExprRef, outside: z3.ExprRef
) -> Iterator[z3.BoolRef]:
    """A subset has no more elements than the set, and all of them if it has as many.

    ``outside``: a new constant, an element of the one alone where it is no subset.
    """
    (element,) = of.consts("within")
    less, more = size(of)(one), size(of)(other)
    apart = z3.And(one[outside], z3.Not(other[outside]))
    yield z3.Or(apart, less <= more)
    yield z3.ForAll([element], z3.Or(apart, less < more, z3.Not(other[element]), one[element]))
