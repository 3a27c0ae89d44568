"""Steps of a module as steps of another system: what a way is shown to be."""

from __future__ import annotations

from typing import NamedTuple

import z3

from wheelproof.prove.ts.system import Everywhere


class Case(NamedTuple):
    """An action that a way is where ``when`` holds; "" for a stutter."""

    action: str
    arguments: tuple[z3.ExprRef, ...] = ()
    when: z3.BoolRef = z3.BoolVal(True)


def simple(term: z3.ExprRef) -> z3.ExprRef:
    """The term without functions that are applied where they stand."""
    return z3.simplify(term, blast_select_store=True)


def same(mine: z3.ExprRef, its: z3.ExprRef | Everywhere) -> z3.BoolRef:
    """Equality of two values, at arbitrary places where they are arrays."""
    if isinstance(its, Everywhere):
        place = z3.Const(f"any_{its.index.sort().name()}_1", its.index.sort())
        return mine[place] == z3.substitute(its.value, (its.index, place))
    of = mine.sort()
    if isinstance(of, z3.ArraySortRef):
        place = z3.Const(f"any_{of.domain().name()}_1", of.domain())
        return same(simple(mine[place]), simple(its[place]))
    return mine == its
