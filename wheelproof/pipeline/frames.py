"""Frames as data: the rows for a family of rules, from the events, runs and ends of a check.

A frame knows its columns, so that an expression over one that is not there is refused where it is
written, before any engine runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wheelproof.pipeline.columns import Column, named
from wheelproof.trace.format import schema


@dataclass(frozen=True, eq=False)
class Frame:
    """An operation on frames. ``columns``: of its rows, in their order."""

    operation: str
    frames: tuple[Frame, ...]
    arguments: tuple[Any, ...]
    columns: tuple[str, ...]

    def check(self, *expressions: Column) -> None:
        """Raise ValueError where an expression reads a column that is not there."""
        for expression in expressions:
            for root in expression.roots():
                if root not in self.columns:
                    raise ValueError(f"there is no column {root!r} in {', '.join(self.columns)}")

    def _derive(self, operation: str, columns: Iterable[str], *arguments: Any) -> Frame:
        self.check(*[argument for argument in arguments if isinstance(argument, Column)])
        return Frame(operation, (self,), arguments, tuple(columns))

    def where(self, condition: Column) -> Frame:
        return self._derive("where", self.columns, condition)

    def select(self, *columns: Column | str) -> Frame:
        """The columns, each an expression, a name, or ``*`` for all that there are."""
        selection: list[Column] = []
        for column in columns:
            selection += (
                [named(name) for name in self.columns]
                if isinstance(column, str) and column == "*"
                else [named(column)]
            )
        names = [expression.name for expression in selection]
        if "" in names or len({*names}) < len(names):
            raise ValueError(f"each column of a frame has a name of its own: {', '.join(names)}")
        return self._derive("select", names, *selection)

    def withColumns(self, additions: Mapping[str, Column]) -> Frame:
        """All columns, and further ones by name, which may replace some."""
        columns = dict.fromkeys((*self.columns, *additions))
        return self._derive(
            "withColumns", columns, *[column.alias(name) for name, column in additions.items()]
        )

    def withColumn(self, name: str, column: Column) -> Frame:
        return self.withColumns({name: column})

    def drop(self, *names: str) -> Frame:
        return self.select(*[column for column in self.columns if column not in names])

    def join(self, right: Frame, on: str | Sequence[str], how: str = "inner") -> Frame:
        """Each row with those of ``right`` that have the same keys; ``left`` keeps it without."""
        keys = (on,) if isinstance(on, str) else tuple(on)
        right_columns = [name for name in right.columns if name not in keys]
        if how not in ("inner", "left") or {*right_columns} & {*self.columns}:
            raise ValueError(f"no join ({how}) of {self.columns} and {right.columns}")
        return Frame("join", (self, right), (keys, how), (*self.columns, *right_columns))

    def unionByName(self, right: Frame) -> Frame:
        if {*self.columns} != {*right.columns}:
            raise ValueError(f"{self.columns} and {right.columns} differ")
        return Frame("unionByName", (self, right), (), self.columns)

    def groupBy(self, *keys: str) -> Grouped:
        return Grouped(self, keys)


@dataclass(frozen=True)
class Grouped:
    """Rows by keys, of which aggregates are to be made."""

    frame: Frame
    keys: tuple[str, ...]

    def agg(self, *aggregates: Column) -> Frame:
        """One row for each group: its keys, and the aggregates by their names."""
        self.frame.check(*aggregates, *map(named, self.keys))
        columns = (*self.keys, *[aggregate.name for aggregate in aggregates])
        return Frame("agg", (self.frame,), (self.keys, aggregates), columns)


def broadcast(frame: Frame) -> Frame:
    """The same frame, which is small enough to be sent to every process."""
    return Frame("broadcast", (frame,), (), frame.columns)


def _source(name: str, *columns: str) -> Frame:
    return Frame("source", (), (name,), columns)


EVENTS = _source("events", "run", *schema.NAMES)
"""The events, and those that a header makes, which have the Lamport time 0."""

RUNS = _source(
    "runs",
    *("run", *schema.MEASURES, "variant", "whole", "kinds", "module", "ran", "totalled"),
)
"""One row for each run, with the project's measures of its header. ``kinds``: those that occur;
``module``: the specification that it follows with all its kinds; ``ran``: its runs of tasks name
their entries; ``totalled``: its footer has totals of tokens; ``whole``: it ends where its trace
ends."""

ENDS = _source("ends", "run", "kind", "id", "last")
"""The threads, tokens and counters of headers and footers, as ``Run.ends`` gives them."""
