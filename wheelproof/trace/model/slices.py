"""Slices: consecutive events of a trace, with the states that the model may be in before them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from wheelproof.errors import NothingChecked, UsageError
from wheelproof.graph.compare import NULL
from wheelproof.trace.model.observed import HELD, NAMED, OPENED, Column, field_of
from wheelproof.trace.model.places import Place
from wheelproof.trace.model.replay import Followed, ModelReplay

STARTS = 64
"""States that a slice may begin in, at most: the module lists each."""


@dataclass(frozen=True)
class Slice:
    """Consecutive events of a trace with the states before the first. ``records``: the events as
    TLA+ has them. ``refused``: the number, from 1, of the event at which the model stops; None if
    at none."""

    events: tuple[Followed, ...]
    records: tuple[Mapping[str, object], ...]
    refused: int | None

    @property
    def starts(self) -> frozenset[Place]:
        return self.events[0].states


def cut(run: ModelReplay, last: int | None = None, window: tuple[int, int] | None = None) -> Slice:
    """The slice of a replay that kept its history: its ``last`` events, or those of a ``window`` of
    lines; all of them without either.

    It begins earlier where the model may be in too many states. Raises UsageError where
    the replay kept too little, NothingChecked where the slice is empty.
    """
    history = list(run.history)
    begins, ends = 0, len(history)
    if window is not None:
        inside = [
            number for number, item in enumerate(history) if window[0] <= item.line <= window[1]
        ]
        begins, ends = (inside[0], inside[-1] + 1) if inside else (0, 0)
    elif last is not None:
        begins = max(0, ends - last)
    while begins < ends and len(history[begins].states) > STARTS:
        if not begins:
            raise UsageError(
                f"The slice begins in {len(history[0].states)} states, and can begin in {STARTS}.",
                "Choose a slice that begins elsewhere.",
            )
        begins -= 1
    events = tuple(history[begins:ends])
    if not events:
        raise NothingChecked(
            "The slice has no event that the model followed.",
            "Name lines of events that were followed.",
        )
    refusal = next(
        (
            number
            for number, item in enumerate(events, 1)
            if run.violations and item.line == run.violations[0].line
        ),
        None,
    )
    rows = run.steps.table.rows.values() if run.steps is not None else ()
    columns = {
        HELD,
        OPENED,
        ("res", None),
        *NAMED,
        *(
            column
            for row in rows
            for names in (row.columns, *row.marks.values())
            for column in names
        ),
    }
    return Slice(events, tuple(_record(item, columns) for item in events), refusal)


def _record(item: Followed, columns: Collection[Column]) -> dict[str, object]:
    """An event as a TLA+ record, of the columns that a step can be compared with."""
    fields = {
        field_of(column): NULL if value is None else value
        for column, value in item.values.items()
        if column in columns
    }
    return {**fields, "thread": item.thread, "kind": item.event["k"]}
