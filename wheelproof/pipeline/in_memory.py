"""Frames of the rules over rows in memory: what Spark would find, without it."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from wheelproof.pipeline.columns import AGGREGATES, Column, Window
from wheelproof.pipeline.frames import Frame
from wheelproof.pipeline.row_values import Row, is_constant, order, truth, value


class Chosen:
    """The rows of which an expression is true, found by the values that it names where it can."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows
        self._by: dict[str, dict[Any, list[Row]]] = {}

    def where(self, condition: Column) -> list[Row]:
        """The rows of which the condition is true."""
        holds = truth(condition)
        return [row for row in self._candidates(condition) if holds(row)]

    def _candidates(self, condition: Column) -> Iterable[Row]:
        wanted = named_values(condition)
        if wanted is None:
            return self.rows
        name, values = wanted
        if name not in self._by:
            by = self._by[name] = {}
            for row in self.rows:
                by.setdefault(row[name], []).append(row)
        return chain.from_iterable(self._by[name].get(value, ()) for value in dict.fromkeys(values))


def named_values(condition: Column) -> tuple[str, tuple[Any, ...]] | None:
    """(column, values) where a condition can be true only if the column has one of the values."""
    arguments = condition.arguments
    if condition.function == "and":
        return named_values(arguments[0]) or named_values(arguments[1])
    if condition.function == "or":
        one, other = map(named_values, arguments)
        if one is None or other is None or one[0] != other[0]:
            return None
        return one[0], (*one[1], *other[1])
    if condition.function not in ("isin", "eq") or arguments[0].function != "col":
        return None
    name = arguments[0].arguments[0]
    if "." in name:
        return None
    if condition.function == "isin":
        return name, arguments[1]
    return (name, (arguments[1].arguments[0],)) if is_constant(arguments[1]) else None


# -- what looks at several rows


def _looking(expression: Column, found: dict[Column, None]) -> None:
    """Add to ``found`` the parts of an expression that look at several rows."""
    if expression.function == "over" or expression.function in AGGREGATES:
        found[expression] = None
        return
    for argument in expression.arguments:
        if isinstance(argument, Column):
            _looking(argument, found)


def parts(expressions: Iterable[Column]) -> list[Column]:
    """What in the expressions looks at several rows."""
    found: dict[Column, None] = {}
    for expression in expressions:
        _looking(expression, found)
    return list(found)


def _aggregate(expression: Column, rows: list[Row]) -> Any:
    of = value(expression.arguments[0])
    seen = [each for row in rows if (each := of(row)) is not None]
    match expression.function:
        case "count_if":
            return seen.count(True)
        case "min":
            return min(seen, key=order, default=None)
        case "max":
            return max(seen, key=order, default=None)
        case "sum":
            return sum(seen) if seen else None
        case "last":
            return seen[-1] if seen else None
    return list(dict.fromkeys(seen))


def _look(expression: Column, rows: list[Row]) -> None:
    """Put into each row what a window gives it. The rows are one partition, in order."""
    inner, window = expression.arguments
    of = value(inner.arguments[0])
    if inner.function in ("lag", "lead"):
        values = [of(row) for row in rows]
        shifted = [None, *values[:-1]] if inner.function == "lag" else [*values[1:], None]
        for row, seen in zip(rows, shifted, strict=True):
            row[expression] = seen
        return
    if window.upto is None:
        whole = _aggregate(inner, rows)
        for row in rows:
            row[expression] = whole
        return
    inclusive, total = window.upto == 0, None
    for row in rows:
        seen = of(row)
        after = total
        if seen is not None:
            after = seen if total is None else _so_far(inner.function, total, seen)
        row[expression] = after if inclusive else total
        total = after


def _so_far(function: str, total: Any, following: Any) -> Any:
    """Take the next value into the value of a window so far."""
    match function:
        case "sum":
            return total + following
        case "max":
            return max(total, following, key=order)
        case "min":
            return min(total, following, key=order)
    return following


def _windows(expressions: Iterable[Column], rows: list[Row]) -> None:
    by_window: dict[tuple[Any, ...], list[Column]] = defaultdict(list)
    for each in parts(expressions):
        window: Window = each.arguments[1]
        by_window[window.partition, window.order].append(each)
    for (partition, ordered), looks in by_window.items():
        keys, places = [value(each) for each in partition], [value(each) for each in ordered]
        groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in rows:
            groups[tuple([key(row) for key in keys])].append(row)
        for group in groups.values():
            group.sort(key=lambda row: [order(place(row)) for place in places])
            for each in looks:
                _look(each, group)


# -- frames


def _where(rows: list[Row], condition: Column) -> list[Row]:
    holds = truth(condition)
    return [row for row in rows if holds(row)]


def _select(rows: list[Row], *columns: Column) -> list[Row]:
    for exploded in [each for each in columns if each.function == "explode"]:
        elements = value(exploded.arguments[0])
        names = {root for each in columns for root in each.roots()}
        rows = [
            {exploded: each, **{name: row[name] for name in names}}
            for row in rows
            for each in elements(row) or ()
        ]
    _windows(columns, rows)
    made = [
        (each.name, operator.itemgetter(each) if each.function == "explode" else value(each))
        for each in columns
    ]
    return [{name: of(row) for name, of in made} for row in rows]


def _with_columns(rows: list[Row], *columns: Column) -> list[Row]:
    rows = [dict(row) for row in rows]
    _windows(columns, rows)
    made = [(each.name, value(each)) for each in columns]
    out = [{**row, **{name: of(row) for name, of in made}} for row in rows]
    looks = parts(columns)
    for row in out:
        for each in looks:
            row.pop(each, None)
    return out


def aggregated(rows: list[Row], keys: tuple[str, ...], made: tuple[Column, ...]) -> list[Row]:
    """One row for each group of rows with equal keys: the keys and the aggregates."""
    groups: dict[tuple[Any, ...], list[Row]] = {} if keys else {(): []}
    for row in rows:
        groups.setdefault(tuple([row[key] for key in keys]), []).append(row)
    looks, named = parts(made), [(each.name, value(each)) for each in made]
    out = []
    for group, members in groups.items():
        found: Row = {part: _aggregate(part, members) for part in looks}
        out.append(dict(zip(keys, group, strict=True)) | {name: of(found) for name, of in named})
    return out


def _join(rows: list[Row], others: list[Row], keys: tuple[str, ...], how: str) -> list[Row]:
    by_key: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for other in others:
        by_key[tuple([other[key] for key in keys])].append(other)
    out = []
    for row in rows:
        found = by_key.get(tuple([row[key] for key in keys]), ())
        out += [{**row, **other} for other in found]
        if not found and how == "left":
            out.append(row)
    return out


def frame(made_of: Frame, sources: Mapping[str, list[Row]]) -> list[Row]:
    """The rows of a frame. ``sources``: those of events, runs and ends."""
    known: dict[int, list[Row]] = {}

    def made(each: Frame) -> list[Row]:
        if id(each) not in known:
            parts = [made(part) for part in each.frames]
            rows = sources[each.arguments[0]] if each.operation == "source" else _frame(each, parts)
            known[id(each)] = rows
        return known[id(each)]

    return made(made_of)


def _frame(made_of: Frame, parts: list[list[Row]]) -> list[Row]:
    arguments = made_of.arguments
    match made_of.operation:
        case "where":
            return _where(parts[0], arguments[0])
        case "select":
            return _select(parts[0], *arguments)
        case "withColumns":
            return _with_columns(parts[0], *arguments)
        case "agg":
            return aggregated(parts[0], *arguments)
        case "join":
            rows = _join(parts[0], parts[1], *arguments)
            missing = dict.fromkeys(made_of.columns)
            return [{**missing, **row} for row in rows] if arguments[1] == "left" else rows
        case "unionByName":
            return parts[0] + parts[1]
        case "broadcast":
            return parts[0]
    raise AssertionError(f"no rows are made by {made_of.operation}")
