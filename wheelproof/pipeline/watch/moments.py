"""When a rule can be judged in a recording that grows: worked out from the columns that it reads.

A look at the rows before an event is final once the event is there. A look at rows after it, an
aggregate, and a statement of a footer are final when the run has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

from wheelproof.pipeline import columns as F
from wheelproof.pipeline import splitting
from wheelproof.pipeline.columns import Column
from wheelproof.pipeline.frames import ENDS, RUNS, Frame
from wheelproof.pipeline.rule import Family


class Moment(IntEnum):
    """The earliest moment at which something is final, from early to late."""

    EVENT = 0
    KINDS = 1
    END = 2

    @property
    def says(self) -> str:
        return _SAYS[self]


_SAYS = {
    Moment.EVENT: "as events come",
    Moment.KINDS: "as events come, once its kinds occur",
    Moment.END: "at the end",
}

_GROWS = {"kinds": Moment.KINDS, "ran": Moment.END, "whole": Moment.END, "totalled": Moment.END}
"""Columns of a run that are not those of its header."""


@dataclass(frozen=True)
class _Moments:
    """Of a frame. ``columns``: of each column; ``rows``: of whether a row is there; ``values``: of
    columns that have few values in rows of events, these; ``stated``: whether all rows are
    statements of headers and footers."""

    columns: Mapping[str, Moment]
    rows: Moment = Moment.EVENT
    values: Mapping[str, frozenset[object]] = field(default_factory=dict)
    stated: bool = False

    def moment(self, expressions: Iterable[Column]) -> Moment:
        """The moment of values of these expressions."""
        return max(map(self._moment, expressions), default=Moment.EVENT)

    def _moment(self, expression: Column) -> Moment:
        latest = max((self.columns[root] for root in expression.roots()), default=Moment.EVENT)
        for look in F.looks([expression]):
            latest = max(latest, self.rows, Moment.EVENT if looks_back(look) else Moment.END)
        return latest

    def with_columns(self, columns: Iterable[Column], keep: bool) -> _Moments:
        """Of a frame that has further columns; only these unless ``keep``."""
        moments = dict(self.columns) if keep else {}
        values = dict(self.values) if keep else {}
        for column in columns:
            moments[column.name] = self.moment([column])
            values.pop(column.name, None)
            if (few := self._few(column)) is not None:
                values[column.name] = few
        return replace(self, columns=moments, values=values)

    def _few(self, expression: Column) -> frozenset[object] | None:
        """The values of an expression that has few; None where it may have any."""
        match expression.function:
            case "lit":
                return frozenset(expression.arguments)
            case "col":
                return self.values.get(expression.arguments[0])
            case "when":
                conditions, results = expression.arguments[::2], expression.arguments[1::2]
                parts = [self._few(value) for value in results]
                sets = [part for part in parts if part is not None]
                whole = conditions[-1].function == "lit" and len(sets) == len(parts)
                return frozenset().union(*sets) if whole else None
        return None

    def never(self, condition: Column) -> bool:
        """Whether a condition is true of no event."""
        match condition.function, condition.arguments:
            case "and", (left_side, right_side):
                return self.never(left_side) or self.never(right_side)
            case "eq", (column, literal):
                few, value = self._few(column), self._few(literal)
                return few is not None and value is not None and not few & value
        few = self._few(condition)
        return few is not None and not any(few)


def looks_back(look: Column) -> bool:
    """Whether a look ends at or before the row at hand."""
    inner, window = look.arguments
    backwards: bool = inner.function == "lag" or (
        inner.function in splitting.WAYS and window.upto is not None
    )
    return backwards


def _moments(frame: Frame, memo: dict[int, _Moments]) -> _Moments:
    if id(frame) not in memo:
        memo[id(frame)] = _moments_of(frame, [_moments(part, memo) for part in frame.frames])
    return memo[id(frame)]


def _moments_of(frame: Frame, parts: list[_Moments]) -> _Moments:
    arguments = frame.arguments
    match frame.operation:
        case "source":
            grows = _GROWS if arguments == RUNS.arguments else {}
            columns = {name: grows.get(name, Moment.EVENT) for name in frame.columns}
            return _Moments(columns, stated=arguments == ENDS.arguments)
        case "where":
            return replace(parts[0], rows=max(parts[0].rows, parts[0].moment(arguments)))
        case "select":
            return parts[0].with_columns(arguments, keep=False)
        case "withColumns":
            return parts[0].with_columns(arguments, keep=True)
        case "join":
            return _join(parts[0], parts[1], *arguments)
        case "unionByName":
            return _together(parts[0], parts[1])
        case "broadcast":
            return parts[0]
    return _Moments(dict.fromkeys(frame.columns, Moment.END), Moment.END)


def _join(base: _Moments, right: _Moments, keys: tuple[str, ...], how: str) -> _Moments:
    moment = max(right.rows, *(side.columns[key] for side in (base, right) for key in keys))
    later = moment if how == "left" else Moment.EVENT
    new = {name: max(at, later) for name, at in right.columns.items() if name not in keys}
    rows = base.rows if how == "left" else max(base.rows, moment)
    return replace(base, columns={**base.columns, **new}, rows=rows)


def _together(base: _Moments, right: _Moments) -> _Moments:
    columns = {name: max(at, right.columns[name]) for name, at in base.columns.items()}
    shared_names = base.values.keys() & right.values.keys()
    values = {name: base.values[name] | right.values[name] for name in shared_names}
    for events, ends in ((base, right), (right, base)):
        if ends.stated and not events.stated:
            values = dict(events.values)
    return _Moments(columns, max(base.rows, right.rows), values, base.stated and right.stated)


def moments(family: Family) -> dict[str, Moment]:
    """Rule -> when it is final for an event, of a family."""
    rows = _moments(family.rows, {})
    common = max(rows.rows, rows.moment(family.made.values()))
    return {
        rule.name: Moment.END
        if rows.never(rule.applies)
        else max(common, rows.moment((rule.applies, rule.holds, rule.detail)))
        for rule in family.rules
    }


def table(families: Iterable[Family]) -> list[str]:
    """A line for each rule: its family, its name, and when it is judged."""
    return [
        f"{family.name:14}{name:24}{moment.says}"
        for family in families
        for name, moment in moments(family).items()
    ]


def asks_ends(frame: Frame) -> bool:
    """Whether rows of a frame come from headers and footers."""
    return (
        frame.operation == "source"
        and frame.arguments == ("ends",)
        or any(map(asks_ends, frame.frames))
    )
