"""Sets that are variables, and those that are enumerated: their elements."""

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
    if (places := spaced.places_of(terms, node, names)) is not None:
        return places.last(terms) == 0
    match node:
        case Builtin("DOMAIN", (function,)) if isinstance(
            shape := terms.shape(function, names), Partial
        ):
            const = z3.Const(f"none_{node.place.line}", shape.function.domain.z3)
            return z3.ForAll([const], z3.Not(terms.plain(function, names)["has"][const]))
        case Builtin("$SubsetOf", (body,), (Bound((formal,), False, Builtin() as domain),)):
            if domain.name == "DOMAIN" and isinstance(
                terms.shape(domain.arguments[0], names), Sequence
            ):
                (whole,) = domain.arguments
                return sequences.first(terms, whole, formal, body, names) == 0
    shape = terms.shape(node, names)
    if not isinstance(shape, Subset):
        raise OutsideSubset("= {} of a set that is no variable", node.place)
    const = z3.Const(f"none_{node.place.line}", shape.of.z3)
    return z3.ForAll([const], z3.Not(terms.of(node, shape, names)[const]))


def size(sort: Sort) -> z3.FuncDeclRef:
    """``Cardinality`` of sets of a sort's elements. Its axioms are in `sizes`."""
    return z3.Function(f"size_{sort.name}", array(sort, BOOL.z3), INT.z3)


def member(terms: Terms, operand: Expression, container: Expression, names: Names) -> z3.BoolRef:
    """``operand \\in container``."""
    match container:
        case Builtin("$SetEnumerate", elements):
            return z3.Or([_is_one(terms, operand, element, names) for element in elements])
        case Builtin("DOMAIN", (function,)) if isinstance(
            shape := terms.shape(function, names), Partial
        ):
            key = terms.of(operand, shape.function.domain, names)
            membership = at_place(terms.plain(function, names)["has"], key)
            assert isinstance(membership, z3.BoolRef)
            return membership
        case Builtin("DOMAIN", (sequence,)) if isinstance(terms.shape(sequence, names), Sequence):
            place = terms.of(operand, INT, names)
            return z3.And(1 <= place, place <= terms.plain(sequence, names)["length"])
    if (places := spaced.places_of(terms, container, names)) is not None:
        return places.has(terms.of(operand, INT, names))
    shape, text = terms.shape(container, names), literal(operand, names)
    if isinstance(shape, Flags) and text in shape.fields:
        flag = terms.plain(container, names)[text]
        assert isinstance(flag, z3.BoolRef)
        return flag
    if shape is None and isinstance(container, Call) and not container.definition.standard:
        return member(terms, operand, container.definition.body, terms.inside(container, names))
    if isinstance(shape, Subset):
        truth = terms.plain(container, names)[terms.of(operand, shape.of, names)]
        assert isinstance(truth, z3.BoolRef)
        return truth
    raise OutsideSubset("\\in a set that is neither enumerated nor a variable", container.place)


def update(
    terms: Terms, node: Builtin, base: Expression, elements: tuple[Expression, ...], names: Names
) -> Value:
    """``base \\cup {elements}``, or ``base \\ {elements}``."""
    shape = terms.shape(base, names)
    if isinstance(shape, Flags):
        return terms.plain(base, names) | {
            _string_of(shape, element, names): z3.BoolVal(node.name == "\\union")
            for element in elements
        }
    if not isinstance(shape, Subset | Pairs):
        raise OutsideSubset(f"{shown(node)} of sets that are no variable", node.place)
    value = terms.plain(base, names)
    for element in elements:
        if isinstance(shape, Pairs):
            of_pair = terms.of(element, pair(_shape(shape.first), _shape(shape.second)), names)
            inner = z3.Store(value[of_pair["1"]], of_pair["2"], node.name == "\\union")
            value = z3.Store(value, of_pair["1"], inner)
            continue
        value = z3.Store(value, terms.of(element, shape.of, names), node.name == "\\union")
    return value


def literal(node: Expression, names: Names) -> str | None:
    """The string that an expression is, or that a name stands for; None for another one."""
    while isinstance(node, Parameter) and isinstance(name := names[node.formal], Given):
        node, names = name.node, name.names
    return node.value if isinstance(node, Text) else None


def _is_one(terms: Terms, first: Expression, second: Expression, names: Names) -> z3.BoolRef:
    """``first = second``, of two strings too."""
    texts = literal(first, names), literal(second, names)
    if None in texts:
        return terms.same(first, second, names)
    return z3.BoolVal(texts[0] == texts[1])


def _string_of(shape: Flags, node: Expression, names: Names) -> str:
    text = literal(node, names)
    if text is None or text not in shape.fields:
        raise OutsideSubset(f"{shown(node)} in a set of other strings", node.place)
    return text


def _shape(sort: Sort) -> Shape:
    """Numbers as terms have them."""
    return INT if sort == WHOLE else sort
