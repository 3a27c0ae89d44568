"""Expressions of the rules as functions of a row, with the values that Spark would give.

A row is a dict by column. Null is None, and conditions have SQL's three values.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from wheelproof.pipeline.columns import AGGREGATES, Column

Row = dict[Any, Any]
"""By the name of a column; while a frame is made also by the expression that looks at other
rows."""
Value = Callable[[Row], Any]
"""What an expression is of a row."""

Truth = Callable[[Row], bool]


@dataclass(frozen=True, slots=True)
class Struct:
    """A value of several fields, which are compared one after the other."""

    names: tuple[str, ...]
    values: tuple[Any, ...]

    def get(self, name: str) -> Any:
        """A field. Raises ValueError where there is none of that name."""
        return self.values[self.names.index(name)]


def order(value: Any) -> Any:
    """A key by which values are sorted as Spark sorts them: nulls first."""
    if value is None:
        return (0,)
    if isinstance(value, Struct):
        return (1, tuple(map(order, value.values)))
    return (1, value)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def _compared(holds: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    if isinstance(one, Struct):
        return holds(order(one), order(other))
    return holds(one, other)


_NULL_OF_NULL: dict[str, Callable[..., Any]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "not": operator.not_,
    "abs": abs,
    "startswith": str.startswith,
    "bitwiseAND": operator.and_,
    "pmod": lambda dividend, divisor: dividend % divisor if divisor else None,
    "pow": lambda base, exponent: float(base) ** exponent,
    "concat": lambda *parts: "".join(map(_text, parts)),
    "sort_array": lambda values: sorted(values, key=order),
    "array_except": lambda one, other: [each for each in one if each not in other],
    "array_contains": lambda values, value: value in values or (None if None in values else False),
    "sequence": lambda first, last: list(range(first, last + 1)),
    "xxhash64": lambda value: value,
    "split": lambda value, pattern: re.split(pattern, value),
    "regexp_replace": lambda value, pattern, by: re.sub(pattern, by, value),
    "get": lambda values, at: values[at] if 0 <= at < len(values) else None,
    **{name: partial(_compared, holds) for name, holds in _COMPARED.items()},
}
"""Functions that are null where an argument is."""


def _with_constant(function: Callable[..., Any], one: Value, constant: Any) -> Value:
    def of_one(row: Row) -> Any:
        first = one(row)
        return None if first is None else function(first, constant)

    return of_one


def _null_of_null(function: Callable[..., Any], arguments: list[Value]) -> Value:
    if len(arguments) == 2:
        one, other = arguments

        def of_two(row: Row) -> Any:
            first = one(row)
            if first is None:
                return None
            second = other(row)
            return None if second is None else function(first, second)

        return of_two

    def of_all(row: Row) -> Any:
        values = [argument(row) for argument in arguments]
        return None if None in values else function(*values)

    return of_all


@cache
def value(expression: Column) -> Value:
    """The expression as a function of a row. What looks at other rows is looked up in the row."""
    name, arguments = expression.function, expression.arguments
    if name == "col":
        return _path(*arguments[0].split("."))
    if name == "lit":
        constant = arguments[0]
        return lambda row: constant
    if name == "over" or name in AGGREGATES:
        return operator.itemgetter(expression)
    if name == "variable":
        return operator.itemgetter(arguments[0])
    if name in ("exists", "filter", "transform"):
        return _over_elements(name, value(arguments[0]), arguments[1], value(arguments[2]))
    made = [value(each) if isinstance(each, Column) else _constant(each) for each in arguments]
    if name == "cast":
        return partial(_cast, made[0], arguments[1])
    if name == "struct":
        names = tuple(each.name for each in arguments)
        return lambda row: Struct(names, tuple(each(row) for each in made))
    if name in _NULL_OF_NULL and len(made) == 2 and is_constant(arguments[1]):
        return _with_constant(_NULL_OF_NULL[name], made[0], arguments[1].arguments[0])
    if name in _NULL_OF_NULL:
        return _null_of_null(_NULL_OF_NULL[name], made)
    return _SPECIAL[name](*made)


def is_constant(argument: Any) -> bool:
    return (
        isinstance(argument, Column)
        and argument.function == "lit"
        and argument.arguments[0] is not None
    )


def _constant(given: Any) -> Value:
    return lambda row: given


def _path(root: str, *fields: str) -> Value:
    if not fields:
        return operator.itemgetter(root)

    field = fields[0]

    def inner(row: Row) -> Any:
        found = row[root]
        return None if found is None else found.get(field)

    return inner


def _and(one: Value, other: Value) -> Value:
    def both(row: Row) -> bool | None:
        first = one(row)
        if first is False:
            return False
        second = other(row)
        return False if second is False else None if first is None or second is None else True

    return both


def _or(one: Value, other: Value) -> Value:
    def either(row: Row) -> bool | None:
        first = one(row)
        if first is True:
            return True
        second = other(row)
        return True if second is True else None if first is None or second is None else False

    return either


def _when(*made: Value) -> Value:
    pairs = list(zip(made[::2], made[1::2], strict=True))

    def chosen(row: Row) -> Any:
        for condition, result in pairs:
            if condition(row) is True:
                return result(row)
        return None

    return chosen


def _coalesce(*made: Value) -> Value:
    def first(row: Row) -> Any:
        for each in made:
            if (found := each(row)) is not None:
                return found
        return None

    return first


def _isin(one: Value, values: Value) -> Value:
    def among(row: Row) -> bool | None:
        found = one(row)
        return None if found is None else found in values(row)

    return among


def _greatest(*made: Value) -> Value:
    return lambda row: max(
        (found for each in made if (found := each(row)) is not None), default=None
    )


def _size(values: Value) -> Value:
    def length(row: Row) -> int:
        found = values(row)
        return -1 if found is None else len(found)

    return length


def _field(one: Value, name: Value) -> Value:
    def inner(row: Row) -> Any:
        found = one(row)
        return None if found is None else found.get(name(row))

    return inner


_SPECIAL: dict[str, Callable[..., Value]] = {
    "and": _and,
    "or": _or,
    "when": _when,
    "coalesce": _coalesce,
    "isin": _isin,
    "greatest": _greatest,
    "size": _size,
    "field": _field,
    "isNull": lambda one: lambda row: one(row) is None,
    "isNotNull": lambda one: lambda row: one(row) is not None,
    "eqNullSafe": lambda one, other: lambda row: one(row) == other(row),
}


def _cast(one: Value, kind: str, row: Row) -> Any:
    found = one(row)
    if found is None:
        return None
    if kind == "string":
        return _text(found)
    if kind == "double":
        return float(found)
    return _number_of(found, kind) if isinstance(found, str) else int(found)


def _number_of(text: str, kind: str) -> int | None:
    """The whole number that a text is; None where it is none of that type."""
    if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text):
        return None
    limit = 1 << (31 if kind == "int" else 63)
    return int(text) if -limit <= int(text) < limit else None


def _over_elements(name: str, values: Value, variable: str, body: Value) -> Value:
    def made(row: Row) -> Any:
        found = values(row)
        if found is None:
            return None
        results = []
        for each in found:
            row[variable] = each
            results.append(body(row))
        row.pop(variable, None)
        if name == "transform":
            return results
        if name == "filter":
            return [each for each, kept in zip(found, results, strict=True) if kept is True]
        return True if True in results else None if None in results else False

    return made


@cache
def truth(expression: Column) -> Truth:
    """Whether the expression is true of a row: neither false nor null."""
    name, arguments = expression.function, expression.arguments
    if name in ("and", "or"):
        one, other = map(truth, arguments)
        if name == "and":
            return lambda row: one(row) and other(row)
        return lambda row: one(row) or other(row)
    found = value(expression)
    return lambda row: found(row) is True
