"""Columns and frames of the rules as Spark's own: no rule leaves Spark's engine."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F

from wheelproof.pipeline.columns import Column, Window
from wheelproof.pipeline.frames import Frame

_OPERATORS: dict[str, Callable[..., SparkColumn]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "and": operator.and_,
    "or": operator.or_,
    "not": operator.invert,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
}
_METHODS = ("isNull", "isNotNull", "eqNullSafe", "startswith", "bitwiseAND", "cast")
_WITH_FUNCTION = ("exists", "filter", "transform")


def column(expression: Column) -> SparkColumn:
    """The expression as Spark's, under its name if it has one that it does not have by itself."""
    made = _column(expression, {})
    if expression.name and expression.function != "col":
        return made.alias(expression.name)
    if (
        expression.function == "col"
        and expression.name != expression.arguments[0].rpartition(".")[2]
    ):
        return made.alias(expression.name)
    return made


def _column(expression: Column, variables: Mapping[str, SparkColumn]) -> SparkColumn:
    name, arguments = expression.function, expression.arguments

    def made(argument: Any) -> Any:
        return _column(argument, variables) if isinstance(argument, Column) else argument

    if name == "col":
        return F.col(arguments[0])
    if name == "variable":
        return variables[arguments[0]]
    if name == "when":
        pairs = zip(arguments[::2], arguments[1::2], strict=True)
        return _branches([(condition, made(value)) for condition, value in pairs], made)
    if name == "isin":
        among: SparkColumn = made(arguments[0]).isin(*arguments[1])
        return among
    if name == "field":
        field: SparkColumn = getattr(made(arguments[0]), arguments[1])
        return field
    if name == "over":
        over: SparkColumn = made(arguments[0]).over(_window(arguments[1]))
        return over
    if name in _WITH_FUNCTION:
        values, variable, body = arguments
        function = getattr(F, name)
        found: SparkColumn = function(
            made(values), lambda each: _column(body, {**variables, variable: each})
        )
        return found
    values = [made(argument) for argument in arguments]
    if name in _OPERATORS:
        return _OPERATORS[name](*values)
    if name in _METHODS:
        method: SparkColumn = getattr(values[0], name)(*values[1:])
        return method
    if name == "struct":
        fields = zip(arguments, values, strict=True)
        return F.struct(*[value.alias(field.name) for field, value in fields])
    if name == "last":
        return F.last(values[0], ignorenulls=True)
    called: SparkColumn = getattr(F, name)(*values)
    return called


def _branches(pairs: list[tuple[Column, SparkColumn]], made: Callable[[Any], Any]) -> SparkColumn:
    first, *others = pairs
    chain = F.when(made(first[0]), first[1])
    for condition, value in others:
        if condition.function == "lit" and condition.arguments[0] is True:
            return chain.otherwise(value)
        chain = chain.when(made(condition), value)
    return chain


def _window(window: Window) -> Any:
    made = SparkWindow.partitionBy(*map(column, window.partition))
    if window.order:
        made = made.orderBy(*map(column, window.order))
    if window.upto is not None:
        made = made.rowsBetween(SparkWindow.unboundedPreceding, window.upto)
    return made


def frame(made_of: Frame, sources: Mapping[str, DataFrame]) -> DataFrame:
    """The frame as Spark's. ``sources``: those of events, runs and ends."""
    known: dict[int, DataFrame] = {}

    def made(frame: Frame) -> DataFrame:
        if id(frame) not in known:
            known[id(frame)] = _frame(frame, [made(part) for part in frame.frames], sources)
        return known[id(frame)]

    return made(made_of)


def _frame(made_of: Frame, parts: list[DataFrame], sources: Mapping[str, DataFrame]) -> DataFrame:
    arguments = made_of.arguments
    match made_of.operation:
        case "source":
            return sources[arguments[0]]
        case "where":
            return parts[0].where(column(arguments[0]))
        case "select":
            return parts[0].select(*map(column, arguments))
        case "withColumns":
            return parts[0].withColumns(
                {argument.name: _column(argument, {}) for argument in arguments}
            )
        case "agg":
            keys, made = arguments
            return parts[0].groupBy(*keys).agg(*map(column, made))
        case "join":
            keys, how = arguments
            return parts[0].join(parts[1], list(keys), how)
        case "unionByName":
            return parts[0].unionByName(parts[1])
        case "broadcast":
            return F.broadcast(parts[0])
    raise AssertionError(f"no frame is made by {made_of.operation}")
