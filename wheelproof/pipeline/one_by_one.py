"""Rules of one event, applied to one event after the other: the same table, in a stream.

A family without windows and groups makes at most one row of each event. Such a row, and the rules
about it, are plain functions here, which are made once for a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from wheelproof.pipeline import in_memory
from wheelproof.pipeline.columns import Column, lit
from wheelproof.pipeline.frames import EVENTS, Frame
from wheelproof.pipeline.row_values import Row, Truth, Value, truth, value
from wheelproof.pipeline.rule import Family, Rule

Made = Callable[[Row], Row | None]
"""The row of a family that an event makes; None for none."""

_ABSENT: Row = dict.fromkeys(EVENTS.columns)


class OneByOne:
    """The rules of a family for one run, whose row of ``frames.RUNS`` is ``run``.

    Raises ValueError for a family that looks at several events.
    """

    def __init__(self, family: Family, run: Row) -> None:
        self._made = _made(family.rows, run)
        self._rules = [_prepared(rule) for rule in family.rules]
        self._of_kind: dict[str, list[tuple[Rule, Truth, Truth, Value]]] = {}

    def concerned(self, event: Mapping[str, object]) -> Iterator[tuple[Rule, str | None]]:
        """The rules that apply to the event, each with what is wrong; None where it holds."""
        kind = str(event["k"])
        rules = self._of_kind.get(kind)
        if rules is None:
            rules = [each[1:] for each in self._rules if not each[0] or kind in each[0]]
            self._of_kind[kind] = rules
        row = self._made({**_ABSENT, **event}) if rules else None
        if row is None:
            return
        for rule, applies, holds, detail in rules:
            if applies(row):
                yield rule, None if holds(row) else detail(row)


def _prepared(rule: Rule) -> tuple[tuple[str, ...], Rule, Truth, Truth, Value]:
    """A rule as functions, with the kinds that it is about; none for all."""
    named = in_memory.named_values(rule.applies)
    kinds = named[1] if named is not None and named[0] == "k" else ()
    return kinds, rule, truth(rule.applies), truth(rule.holds), value(rule.detail)


def _made(frame: Frame, run: Row) -> Made:
    """The row is the event's own, with further columns: rules cannot name what is not selected."""
    if frame.operation == "source":
        return lambda row: row
    inner, arguments = _made(frame.frames[0], run), frame.arguments
    if frame.operation == "where":
        return _where(inner, truth(arguments[0]))
    if frame.operation in ("select", "withColumns") and not _looks_around(arguments):
        columns = [(each.name, value(each)) for each in arguments if not _same(each)]
        return _with(inner, columns) if columns else inner
    if frame.operation == "join":
        (other,) = in_memory.frame(frame.frames[1], {"runs": [run]})
        return _with(inner, [(name, value(lit(found))) for name, found in other.items()])
    raise ValueError(f"{frame.operation} looks at several events")


def _looks_around(columns: Sequence[Column]) -> bool:
    return bool(in_memory.parts(columns)) or any(each.function == "explode" for each in columns)


def _same(column: Column) -> bool:
    return column.function == "col" and column.arguments[0] == column.name


def _where(inner: Made, holds: Truth) -> Made:
    def kept(row: Row) -> Row | None:
        found = inner(row)
        return found if found is not None and holds(found) else None

    return kept


def _with(inner: Made, columns: list[tuple[str, Value]]) -> Made:
    def made(row: Row) -> Row | None:
        found = inner(row)
        if found is not None:
            found.update([(name, of(found)) for name, of in columns])
        return found

    return made
