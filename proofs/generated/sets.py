"""Sets that are variables, and those that are enumerated: what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import z3

from proofs.generated.scopes import Names, shown
from proofs.generated.shapes import INT, Pairs, Partial, Shape, Subset, pair
from proofs.generated.values import Value, at_place
from proofs.ts import WHOLE, Sort
from wheelproof.tla.syntax import Builtin, Expression, OutsideSubset

if TYPE_CHECKING:
    from proofs.generated.terms import Terms


def is_empty(terms: Terms, node: Expression, names: Names) -> z3.BoolRef:
    """``node = {}``."""
    of = terms.shape(node, names)
    if not isinstance(of, Subset):
        raise OutsideSubset("= {} of a set that is no variable", node.place)
    each = z3.Const(f"none_{node.place.line}", of.of.z3)
    return z3.ForAll([each], z3.Not(terms.of(node, of, names)[each]))


def member(terms: Terms, one: Expression, other: Expression, names: Names) -> z3.BoolRef:
    """``one \\in other``."""
    match other:
        case Builtin("$SetEnumerate", elements):
            return z3.Or([terms.same(one, each, names) for each in elements])
        case Builtin("DOMAIN", (function,)) if isinstance(
            of := terms.shape(function, names), Partial
        ):
            key = terms.of(one, of.function.domain, names)
            found = at_place(terms.plain(function, names)["has"], key)
            assert isinstance(found, z3.BoolRef)
            return found
    of = terms.shape(other, names)
    if isinstance(of, Subset):
        made = terms.plain(other, names)[terms.of(one, of.of, names)]
        assert isinstance(made, z3.BoolRef)
        return made
    raise OutsideSubset("\\in a set that is neither enumerated nor a variable", other.place)


def changed(
    terms: Terms, node: Builtin, one: Expression, elements: tuple[Expression, ...], names: Names
) -> Value:
    """``one \\cup {elements}``, or ``one \\ {elements}``."""
    of = terms.shape(one, names)
    if not isinstance(of, Subset | Pairs):
        raise OutsideSubset(f"{shown(node)} of sets that are no variable", node.place)
    made = terms.plain(one, names)
    for each in elements:
        if isinstance(of, Pairs):
            of_pair = terms.of(each, pair(_shape(of.first), _shape(of.second)), names)
            inner = z3.Store(made[of_pair["1"]], of_pair["2"], node.name == "\\union")
            made = z3.Store(made, of_pair["1"], inner)
            continue
        made = z3.Store(made, terms.of(each, of.of, names), node.name == "\\union")
    return made


def _shape(of: Sort) -> Shape:
    """Numbers as terms have them."""
    return INT if of == WHOLE else of
