"""Sequences of which it is known how often each element is in them: `shapes.Bag`.

The order is left out. A step reads its first element alone, which may then be any that is there. So
the terms have every step of the module, and may have more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import z3

from wheelproof.prove.module import sets
from wheelproof.prove.module.scopes import First, Given, Names
from wheelproof.prove.module.shapes import Bag, Function, Subset
from wheelproof.prove.module.spaced import uses
from wheelproof.prove.module.values import Value
from wheelproof.tla.syntax import (
    Builtin,
    Call,
    Expression,
    Formal,
    Number,
    Operator,
    OutsideSubset,
    Parameter,
    Variable,
)

if TYPE_CHECKING:
    from wheelproof.prove.module.terms import Terms


_OPERATORS = frozenset(["Head", "Tail", "Append", "SelectSeq"])


def is_empty(node: Expression) -> bool:
    """Whether an expression is ``<<>>``."""
    return isinstance(node, Builtin) and node.name == "$Tuple" and not node.arguments


def first(terms: Terms, node: Expression, names: Names) -> First:
    """The first element of a sequence: one parameter for each sequence that a step reads so."""
    shape = terms.shape(node, names)
    assert isinstance(shape, Bag)
    counts = terms.of(node, shape, names)
    for entry in terms.firsts.values():
        if entry.counts.eq(counts):
            return entry
    variable, index = _where(terms, node, names)
    name = f"first_{variable}"
    if name in terms.firsts:
        raise OutsideSubset(f"the first elements of two sequences of {variable}", node.place)
    element = z3.Const(f"{name}!", shape.of.z3)
    parameter = terms.firsts[name] = First(element, shape.of, counts, variable, index)
    return parameter


def _where(terms: Terms, node: Expression, names: Names) -> tuple[str, z3.ExprRef | None]:
    """The variable that a sequence is, or is at an index of."""
    match node:
        case Parameter(formal) if isinstance(argument := names[formal], Given):
            return _where(terms, argument.node, argument.names)
        case Variable(name):
            return name, None
        case Builtin("$FcnApply", (Variable(name) as variable, index)):
            shape = terms.shape(variable, names)
            assert isinstance(shape, Function)
            return name, terms.of(index, shape.domain, names)
    raise OutsideSubset("the first element of a sequence that is no variable", node.place)


def head(terms: Terms, node: Expression, names: Names) -> z3.ExprRef:
    """``Head(node)``, or ``node[1]``."""
    entry = first(terms, node, names)
    terms.obligations.append(entry.element != entry.sort.null)
    return entry.element


def changed(terms: Terms, node: Call, operator: str, names: Names) -> Value:
    """``Append``, ``Tail`` or ``SelectSeq``. ``operator``: the one of them that the call is."""
    sequence, *rest = node.arguments
    shape = terms.shape(sequence, names)
    assert isinstance(shape, Bag)
    counts = terms.of(sequence, shape, names)
    if operator == "Tail":
        element = head(terms, sequence, names)
        return z3.Store(counts, element, counts[element] - 1)
    if operator == "Append":
        new = terms.index(rest[0], shape.of, names)
        return z3.Store(counts, new, counts[new] + 1)
    return z3.Store(counts, terms.of(_without(node), shape.of, names), 0)


def _without(node: Call) -> Expression:
    """``e`` of ``SelectSeq(s, LAMBDA x : x # e)``."""
    match node.arguments[1]:
        case Operator(definition) if len(definition.formals) == 1:
            (formal,) = definition.formals
            match definition.body:
                case Builtin("/=", (Parameter(variable), element)) if variable is formal:
                    if not uses(element, formal):
                        return element
    raise OutsideSubset("SelectSeq that takes out more than one element's places", node.place)


def times(
    terms: Terms, sequence: Expression, formal: Formal, body: Expression, names: Names
) -> z3.ArithRef:
    """How often an element is in a sequence: the places ``i`` of it with ``sequence[i] = e``."""
    shape = terms.shape(sequence, names)
    match body:
        case Builtin("=", (Builtin("$FcnApply", (same, Parameter(index))), element)) if (
            isinstance(shape, Bag) and index is formal and not uses(element, formal)
        ):
            counts = terms.of(sequence, shape, names)
            if terms.of(same, shape, names).eq(counts):
                return counts[terms.of(element, shape.of, names)]
    raise OutsideSubset("this use of a sequence's places", body.place)


def cardinality(terms: Terms, node: Call, names: Names) -> z3.ArithRef:
    """``Cardinality({i \\in DOMAIN q : q[i] = e})``, or that of a set that is a variable."""
    match node.arguments:
        case (Builtin("$SubsetOf", (body,), (bound,)),) if len(bound.formals) == 1:
            match bound.domain:
                case Builtin("DOMAIN", (sequence,)):
                    return times(terms, sequence, bound.formals[0], body, names)
        case (members,) if isinstance(shape := terms.shape(members, names), Subset):
            number = sets.size(shape.of)(terms.plain(members, names))
            assert isinstance(number, z3.ArithRef)
            return number
    raise OutsideSubset(f"{node.name} of module {node.definition.place.module}", node.place)


def read(terms: Terms, node: Expression, names: Names) -> Callable[[], Value] | None:
    """How the value of an expression about a bag is made; None where it is none."""
    match node:
        case Call() if node.name == "Cardinality":
            return lambda: cardinality(terms, node, names)
        case Call(_, (sequence, *_)) if node.name in _OPERATORS | set(terms.words.unordered):
            if isinstance(terms.shape(sequence, names), Bag):
                operator = terms.words.unordered.get(node.name, node.name)
                if operator == "Head":
                    return lambda: head(terms, sequence, names)
                return lambda: changed(terms, node, operator, names)
        case Builtin("$FcnApply", (sequence, Number(1))):
            if isinstance(terms.shape(sequence, names), Bag):
                return lambda: head(terms, sequence, names)
    return None
