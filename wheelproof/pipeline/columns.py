"""Expressions over the columns of a frame, as data: the language of rules.

Names and meanings are those of Spark's SQL, nulls included. ``on_spark`` makes Spark's columns of
them, ``on_duckdb`` SQL: a rule is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

_VARIABLES = count(1)


@dataclass(frozen=True, eq=False)
class Column:
    """One expression: a function by name and its arguments. ``name``: of the result."""

    function: str
    arguments: tuple[Any, ...] = ()
    name: str = ""

    def alias(self, name: str) -> Column:
        """The same expression under a name."""
        return replace(self, name=name)

    def roots(self) -> Iterator[str]:
        """The columns of the frame that the expression reads."""
        if self.function == "col":
            yield self.arguments[0].partition(".")[0]
        for argument in self.arguments:
            if isinstance(argument, Column):
                yield from argument.roots()
            elif isinstance(argument, Window):
                for key in (*argument.partition, *argument.order):
                    yield from key.roots()

    # -- operators

    def __eq__(self, other: object) -> Column:  # type: ignore[override]
        return _call("eq", self, other)

    def __ne__(self, other: object) -> Column:  # type: ignore[override]
        return _call("ne", self, other)

    __hash__ = object.__hash__

    def __lt__(self, other: object) -> Column:
        return _call("lt", self, other)

    def __le__(self, other: object) -> Column:
        return _call("le", self, other)

    def __gt__(self, other: object) -> Column:
        return _call("gt", self, other)

    def __ge__(self, other: object) -> Column:
        return _call("ge", self, other)

    def __and__(self, other: Column) -> Column:
        return _call("and", self, other)

    def __or__(self, other: Column) -> Column:
        return _call("or", self, other)

    def __invert__(self) -> Column:
        return Column("not", (self,))

    def __add__(self, other: object) -> Column:
        return _call("add", self, other)

    def __sub__(self, other: object) -> Column:
        return _call("sub", self, other)

    def __mul__(self, other: object) -> Column:
        return _call("mul", self, other)

    def __neg__(self) -> Column:
        return Column("neg", (self,))

    def __bool__(self) -> bool:
        raise TypeError("a column has no truth value: combine columns with & | ~")

    # -- methods, as Spark's

    def field(self, name: str) -> Column:
        """A field of a struct."""
        return Column("field", (self, name))

    def isNull(self) -> Column:
        return Column("isNull", (self,))

    def isNotNull(self) -> Column:
        return Column("isNotNull", (self,))

    def eqNullSafe(self, value: object) -> Column:
        """Equality that takes two nulls for equal, and is never null."""
        return _call("eqNullSafe", self, value)

    def isin(self, *values: object) -> Column:
        return Column("isin", (self, values))

    def between(self, low: object, high: object) -> Column:
        return (self >= low) & (self <= high)

    def startswith(self, prefix: object) -> Column:
        return _call("startswith", self, prefix)

    def bitwiseAND(self, mask: object) -> Column:
        return _call("bitwiseAND", self, mask)

    def cast(self, kind: str) -> Column:
        return Column("cast", (self, kind))

    def over(self, window: Window) -> Column:
        """An aggregate, lag or lead over the rows of a window."""
        if window.upto is not None and self.function in ("lag", "lead"):
            raise ValueError(f"{self.function} has its neighbour, and no bounds of a window")
        return Column("over", (self, window))

    def when(self, condition: Column, value: object) -> Column:
        """A further branch of :func:`when`."""
        return Column("when", (*self.arguments, condition, lit(value)))

    def otherwise(self, value: object) -> Column:
        """The value of :func:`when` where no condition holds; null without it."""
        return Column("when", (*self.arguments, lit(True), lit(value)))


@dataclass(frozen=True)
class Window:
    """The rows that ``over`` looks at: those of one partition, in an order, nulls first.

    ``upto``: the last row, counted from the row at hand; None for all rows of the partition.
    """

    partition: tuple[Column, ...] = ()
    order: tuple[Column, ...] = ()
    upto: int | None = None

    @staticmethod
    def partitionBy(*columns: Column | str) -> Window:
        return Window(tuple(map(named, columns)))

    def orderBy(self, *columns: Column | str) -> Window:
        return replace(self, order=tuple(map(named, columns)))

    def before(self) -> Window:
        """From the partition's first row to the one before the row at hand."""
        return replace(self, upto=-1)

    def so_far(self) -> Window:
        """From the partition's first row to the row at hand."""
        return replace(self, upto=0)


def _call(function: str, *arguments: object) -> Column:
    return Column(function, tuple(lit(argument) for argument in arguments))


def named(column: Column | str) -> Column:
    """A column, or the one of that name."""
    return col(column) if isinstance(column, str) else column


def _on(function: str, *columns: Column | str) -> Column:
    return Column(function, tuple(map(named, columns)))


# -- functions, as Spark's


def col(name: str) -> Column:
    """A column of the frame, or a field of one: ``post.list``."""
    return Column("col", (name,), name.rpartition(".")[2])


def lit(value: object) -> Column:
    return value if isinstance(value, Column) else Column("lit", (value,))


def when(condition: Column, value: object) -> Column:
    return Column("when", (condition, lit(value)))


def coalesce(*columns: Column | str) -> Column:
    return _on("coalesce", *columns)


def concat(*columns: Column | str) -> Column:
    return _on("concat", *columns)


def struct(*columns: Column | str) -> Column:
    return _on("struct", *columns)


def greatest(*columns: Column | str) -> Column:
    return _on("greatest", *columns)


def size(column: Column | str) -> Column:
    return _on("size", column)


def explode(column: Column | str) -> Column:
    """One row for each element of an array; only in ``select``."""
    return _on("explode", column)


def sort_array(column: Column | str) -> Column:
    return _on("sort_array", column)


def array_except(array: Column | str, exceptions: Column | str) -> Column:
    return _on("array_except", array, exceptions)


def array_contains(column: Column | str, value: object) -> Column:
    return Column("array_contains", (named(column), lit(value)))


def xxhash64(column: Column | str) -> Column:
    return _on("xxhash64", column)


def abs(column: Column | str) -> Column:
    return _on("abs", column)


def pmod(dividend: Column | str, divisor: Column | str) -> Column:
    """The remainder that is not negative."""
    return _on("pmod", dividend, divisor)


def pow(base: Column | str, exponent: Column | float) -> Column:
    return Column("pow", (named(base), lit(exponent)))


def split(column: Column | str, pattern: str) -> Column:
    return Column("split", (named(column), pattern))


def regexp_replace(column: Column | str, pattern: str, by: str) -> Column:
    return Column("regexp_replace", (named(column), pattern, by))


def sequence(first: Column, last: Column) -> Column:
    return _on("sequence", first, last)


def get(column: Column | str, index: Column) -> Column:
    """An element of an array, from 0; null where there is none."""
    return Column("get", (named(column), index))


def _over_elements(function: str, column: Column | str, body: Callable[[Column], Column]) -> Column:
    name = f"each{next(_VARIABLES)}"
    return Column(function, (named(column), name, body(Column("variable", (name,)))))


def exists(column: Column | str, holds: Callable[[Column], Column]) -> Column:
    return _over_elements("exists", column, holds)


def filter(column: Column | str, holds: Callable[[Column], Column]) -> Column:
    return _over_elements("filter", column, holds)


def transform(column: Column | str, change: Callable[[Column], Column]) -> Column:
    return _over_elements("transform", column, change)


# -- aggregates and what looks at neighbours


def min(column: Column | str) -> Column:
    return _on("min", column)


def max(column: Column | str) -> Column:
    return _on("max", column)


def sum(column: Column | str) -> Column:
    return _on("sum", column)


def count_if(condition: Column | str) -> Column:
    return _on("count_if", condition)


def collect_set(column: Column | str) -> Column:
    return _on("collect_set", column)


def last(column: Column | str) -> Column:
    """The last value of a window that is not null."""
    return _on("last", column)


def last_where(condition: Column, value: object) -> Column:
    """The last value that is not null, of the rows of which the condition is true."""
    return last(when(condition, value))


def is_true(condition: Column | str) -> Column:
    """Whether a condition holds; false where it is null."""
    return coalesce(condition, lit(False))


def lag(column: Column | str) -> Column:
    """The value in the row before."""
    return _on("lag", column)


def lead(column: Column | str) -> Column:
    """The value in the row after."""
    return _on("lead", column)


AGGREGATES = frozenset(("min", "max", "sum", "count_if", "collect_set", "last"))


def looks(expressions: Iterable[Column]) -> list[Column]:
    """The parts of the expressions that read several rows: windows, and aggregates without one."""
    parts: dict[Column, None] = {}
    for expression in expressions:
        if expression.function == "over" or expression.function in AGGREGATES:
            parts[expression] = None
        else:
            inner = [part for part in expression.arguments if isinstance(part, Column)]
            parts |= dict.fromkeys(looks(inner))
    return list(parts)
