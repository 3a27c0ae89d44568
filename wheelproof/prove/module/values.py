"""Values as Z3 has them: a term, or one value for each field of a record."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import z3

from wheelproof.prove.module.shapes import Shape, fields_of
from wheelproof.prove.ts.extremes import PLACE

Value = Any
"""A Z3 term, or a mapping from fields to values."""


@dataclass(frozen=True, eq=False)
class View:
    """An array that is not written out. ``term``: its value at `PLACE`."""

    term: z3.ExprRef

    def __getitem__(self, place: z3.ExprRef) -> z3.ExprRef:
        return z3.substitute(self.term, (PLACE, place))


def gather(name: str, shape: Shape, s: SimpleNamespace) -> Value:
    """A variable's value from its flat variables."""
    fields = fields_of(shape)
    if fields is None:
        return getattr(s, name)
    return {
        field_: gather(f"{name}_{field_}", field_shape, s) for field_, field_shape in fields.items()
    }


def scatter(name: str, shape: Shape, value: Value) -> dict[str, Value]:
    """The flat variables of a variable's value."""
    fields = fields_of(shape)
    if fields is None or not isinstance(value, dict):
        return {name: value}
    return {
        flat_name: part
        for field_, field_shape in fields.items()
        for flat_name, part in scatter(f"{name}_{field_}", field_shape, value[field_]).items()
    }


def at_place(value: Value, index: z3.ExprRef) -> Value:
    """``value[index]``."""
    if isinstance(value, dict):
        return {name: at_place(part, index) for name, part in value.items()}
    return value[index]


def store(value: Value, index: z3.ExprRef, new: Value) -> Value:
    """``[value EXCEPT ![index] = new]``."""
    if isinstance(value, dict):
        return {name: store(part, index, new[name]) for name, part in value.items()}
    return z3.Store(value, index, new)


def merge(condition: z3.BoolRef, then: Value, otherwise: Value) -> Value:
    """``IF condition THEN then ELSE otherwise``."""
    if isinstance(then, dict):
        return {name: merge(condition, part, otherwise[name]) for name, part in then.items()}
    if isinstance(then, View) or isinstance(otherwise, View):
        return View(merge(condition, then[PLACE], otherwise[PLACE]))
    return then if then.eq(otherwise) else z3.If(condition, then, otherwise)


def equal(first: Value, second: Value) -> z3.BoolRef:
    """``first = second``."""
    if isinstance(first, dict):
        return z3.And([equal(part, second[name]) for name, part in first.items()])
    return first == second


def same(first: Value, second: Value) -> bool:
    """Whether two values are one text."""
    if isinstance(first, dict):
        return all(same(part, second[name]) for name, part in first.items())
    return bool(first.eq(second))


def occurs(constant: z3.ExprRef, term: z3.ExprRef) -> bool:
    """Whether a constant is in a term."""
    return not z3.substitute(term, (constant, z3.FreshConst(constant.sort()))).eq(term)


def reads(value: Value, constant: z3.ExprRef) -> bool:
    """Whether a constant is in a value without views."""
    if isinstance(value, dict):
        return any(reads(part, constant) for part in value.values())
    return occurs(constant, value)


def replace_constant(value: Value, constant: z3.ExprRef, new: z3.ExprRef) -> Value:
    """A value without views, with another term in the place of a constant."""
    if isinstance(value, dict):
        return {name: replace_constant(part, constant, new) for name, part in value.items()}
    return z3.substitute(value, (constant, new))
