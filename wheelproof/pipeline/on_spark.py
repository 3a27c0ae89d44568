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
    spark_column = _column(expression, {})
    if expression.name and expression.function != "col":
        return spark_column.alias(expression.name)
    if (
        expression.function == "col"
        and expression.name != expression.arguments[0].rpartition(".")[2]
    ):
        return spark_column.alias(expression.name)
    return spark_column


def _column(expression: Column, variables: Mapping[str, SparkColumn]) -> SparkColumn:
    name, arguments = expression.function, expression.arguments

    def convert(argument: Any) -> Any:
        return _column(argument, variables) if isinstance(argument, Column) else argument

    if name == "col":
        return F.col(arguments[0])
    if name == "variable":
        return variables[arguments[0]]
    if name == "when":
        pairs = zip(arguments[::2], arguments[1::2], strict=True)
        return _branches([(condition, convert(value)) for condition, value in pairs], convert)
    if name == "isin":
        among: SparkColumn = convert(arguments[0]).isin(*arguments[1])
        return among
    if name == "field":
        field: SparkColumn = getattr(convert(arguments[0]), arguments[1])
        return field
    if name == "over":
        over: SparkColumn = convert(arguments[0]).over(_window(arguments[1]))
        return over
    if name in _WITH_FUNCTION:
        values, variable, body = arguments
        function = getattr(F, name)
        result: SparkColumn = function(
            convert(values), lambda element: _column(body, {**variables, variable: element})
        )
        return result
    values = [convert(argument) for argument in arguments]
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
    call: SparkColumn = getattr(F, name)(*values)
    return call


def _branches(
    pairs: list[tuple[Column, SparkColumn]], convert: Callable[[Any], Any]
) -> SparkColumn:
    first, *rest = pairs
    chain = F.when(convert(first[0]), first[1])
    for condition, value in rest:
        if condition.function == "lit" and condition.arguments[0] is True:
            return chain.otherwise(value)
        chain = chain.when(convert(condition), value)
    return chain


def _window(window: Window) -> Any:
    spark_window = SparkWindow.partitionBy(*map(column, window.partition))
    if window.order:
        spark_window = spark_window.orderBy(*map(column, window.order))
    if window.upto is not None:
        spark_window = spark_window.rowsBetween(SparkWindow.unboundedPreceding, window.upto)
    return spark_window


def frame(made_of: Frame, sources: Mapping[str, DataFrame]) -> DataFrame:
    """The frame as Spark's. ``sources``: those of events, runs and ends."""
    frames: dict[int, DataFrame] = {}

    def build(frame: Frame) -> DataFrame:
        if id(frame) not in frames:
            frames[id(frame)] = _frame(frame, [build(part) for part in frame.frames], sources)
        return frames[id(frame)]

    return build(made_of)


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
            keys, aggregates = arguments
            return parts[0].groupBy(*keys).agg(*map(column, aggregates))
        case "join":
            keys, how = arguments
            return parts[0].join(parts[1], list(keys), how)
        case "unionByName":
            return parts[0].unionByName(parts[1])
        case "broadcast":
            return F.broadcast(parts[0])
    raise AssertionError(f"no frame is made by {made_of.operation}")
