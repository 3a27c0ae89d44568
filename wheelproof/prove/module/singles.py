"""Sequences of one element or none, such as the element that a late server has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import z3

from wheelproof.prove.module.scopes import Names
from wheelproof.prove.module.shapes import Sequence, Single, blank
from wheelproof.prove.module.values import Value
from wheelproof.prove.ts.system import Everywhere
from wheelproof.tla.syntax import Builtin, Expression, Number, OutsideSubset

if TYPE_CHECKING:
    from wheelproof.prove.module.terms import Terms


def is_empty(terms: Terms, lhs: Expression, rhs: Expression, names: Names) -> z3.BoolRef | None:
    """``lhs = <<>>``; None where it is another comparison, or of something else."""
    match rhs:
        case Builtin("$Tuple", ()):
            shape = terms.shape(lhs, names)
            if isinstance(shape, Sequence):
                empty = terms.plain(lhs, names)["length"] == 0
                assert isinstance(empty, z3.BoolRef)
                return empty
            if isinstance(shape, Single):
                return z3.Not(terms.plain(lhs, names)["has"])
    return None


def made(terms: Terms, node: Builtin, want: Single, names: Names) -> Value:
    """``<<>>`` or ``<<element>>``. Where there is no element, it is blank."""
    match node.arguments:
        case ():
            return {"has": z3.BoolVal(False), "item": blank(want.of)}
        case (element,):
            return {"has": z3.BoolVal(True), "item": terms.of(element, want.of, names)}
    raise OutsideSubset("a sequence of several elements where one is kept", node.place)


def read(terms: Terms, node: Expression, names: Names) -> Callable[[], Value] | None:
    """How the element of such a sequence is read, which it must have; None where it is none."""
    match node:
        case Builtin("$FcnApply", (sequence, Number(1))):
            if isinstance(terms.shape(sequence, names), Single):
                return lambda: _element(terms, sequence, names)
    return None


def _element(terms: Terms, sequence: Expression, names: Names) -> Value:
    value = terms.plain(sequence, names)
    terms.obligations.append(value["has"])
    return value["item"]


def everywhere(index: z3.ExprRef, outside: z3.BoolRef, old: Value, new: Value) -> Value:
    """A function that is set at each index in its domain, or one for each field of its records.

    A field that is the same everywhere stays as it is.
    """
    if isinstance(new, dict):
        return {name: everywhere(index, outside, old[name], part) for name, part in new.items()}
    if z3.simplify(new).eq(old[index]):
        return old
    return Everywhere(index, z3.If(outside, old[index], new))


def is_everywhere(value: Value) -> bool:
    """Whether a next value is one that is set everywhere, be it of a field."""
    if isinstance(value, dict):
        return any(map(is_everywhere, value.values()))
    return isinstance(value, Everywhere)
