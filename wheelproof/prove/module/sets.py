"""Sets that are variables, and those that are enumerated: what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import z3

from wheelproof.prove.module import sequences, spaced
from wheelproof.prove.module.scopes import Given, Names, shown
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Flags,
    Pairs,
    Partial,
    Sequence,
    Shape,
    Subset,
    pair,
)
from wheelproof.prove.module.values import Value, at_place
from wheelproof.prove.ts.system import WHOLE, Sort, array
from wheelproof.tla.syntax import (
    Bound,
    Builtin,
    Call,
    Expression,
    OutsideSubset,
    Parameter,
    Text,
)

if TYPE_CHECKING:
    from wheelproof.prove.module.terms import Terms


def is_empty(terms: Terms, node: Expression, names: Names) -> z3.BoolRef:
    """``node = {}``."""
    if (places := spaced.chosen(terms, node, names)) is not None:
        return places.last(terms) == 0
    match node:
        case Builtin("DOMAIN", (function,)) if isinstance(
            of := terms.shape(function, names), Partial
        ):
            const = z3.Const(f"none_{node.place.line}", of.function.domain.z3)
            return z3.ForAll([const], z3.Not(terms.plain(function, names)["has"][const]))
        case Builtin("$SubsetOf", (body,), (Bound((formal,), False, Builtin() as domain),)):
            if domain.name == "DOMAIN" and isinstance(
                terms.shape(domain.arguments[0], names), Sequence
            ):
                (whole,) = domain.arguments
                return sequences.first(terms, whole, formal, body, names) == 0
    of = terms.shape(node, names)
    if not isinstance(of, Subset):
        raise OutsideSubset("= {} of a set that is no variable", node.place)
    const = z3.Const(f"none_{node.place.line}", of.of.z3)
    return z3.ForAll([const], z3.Not(terms.of(node, of, names)[const]))


def size(of: Sort) -> z3.FuncDeclRef:
    """``Cardinality`` of sets of a sort's elements. What is known of it is in `sizes`."""
    return z3.Function(f"size_{of.name}", array(of, BOOL.z3), INT.z3)


def member(terms: Terms, one: Expression, other: Expression, names: Names) -> z3.BoolRef:
    """``one \\in other``."""
    match other:
        case Builtin("$SetEnumerate", elements):
            return z3.Or([_is_one(terms, one, element, names) for element in elements])
        case Builtin("DOMAIN", (function,)) if isinstance(
            of := terms.shape(function, names), Partial
        ):
            key = terms.of(one, of.function.domain, names)
            found = at_place(terms.plain(function, names)["has"], key)
            assert isinstance(found, z3.BoolRef)
            return found
        case Builtin("DOMAIN", (sequence,)) if isinstance(terms.shape(sequence, names), Sequence):
            place = terms.of(one, INT, names)
            return z3.And(1 <= place, place <= terms.plain(sequence, names)["length"])
    of, text = terms.shape(other, names), literal(one, names)
    if isinstance(of, Flags) and text in of.fields:
        flag = terms.plain(other, names)[text]
        assert isinstance(flag, z3.BoolRef)
        return flag
    if of is None and isinstance(other, Call) and not other.definition.standard:
        return member(terms, one, other.definition.body, terms.inside(other, names))
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
    if isinstance(of, Flags):
        return terms.plain(one, names) | {
            _known(of, element, names): z3.BoolVal(node.name == "\\union") for element in elements
        }
    if not isinstance(of, Subset | Pairs):
        raise OutsideSubset(f"{shown(node)} of sets that are no variable", node.place)
    made = terms.plain(one, names)
    for element in elements:
        if isinstance(of, Pairs):
            of_pair = terms.of(element, pair(_shape(of.first), _shape(of.second)), names)
            inner = z3.Store(made[of_pair["1"]], of_pair["2"], node.name == "\\union")
            made = z3.Store(made, of_pair["1"], inner)
            continue
        made = z3.Store(made, terms.of(element, of.of, names), node.name == "\\union")
    return made


def literal(node: Expression, names: Names) -> str | None:
    """The string that an expression is, or that a name stands for; None for another one."""
    while isinstance(node, Parameter) and isinstance(name := names[node.formal], Given):
        node, names = name.node, name.names
    return node.value if isinstance(node, Text) else None


def _is_one(terms: Terms, one: Expression, other: Expression, names: Names) -> z3.BoolRef:
    """``one = other``, of two strings too."""
    texts = literal(one, names), literal(other, names)
    if None in texts:
        return terms.same(one, other, names)
    return z3.BoolVal(texts[0] == texts[1])


def _known(of: Flags, node: Expression, names: Names) -> str:
    text = literal(node, names)
    if text is None or text not in of.fields:
        raise OutsideSubset(f"{shown(node)} in a set of other strings", node.place)
    return text


def _shape(of: Sort) -> Shape:
    """Numbers as terms have them."""
    return INT if of == WHOLE else of
