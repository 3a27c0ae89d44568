"""Positions of a model that is followed through a trace: a state, and events that float."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple, cast

from wheelproof.protocols import ModelInPlace, State
from wheelproof.trace.model.observed import Column, Row

Values = Mapping[Column, object]


class Spent(Exception):
    """The model may be in more states than the budget allows: nothing follows."""


class Move(NamedTuple):
    """One step of the model from a state: ``shown`` is whether an event stands for it, ``eager``
    whether it may be taken at once."""

    thread: str
    row: Row
    after: State
    shown: bool
    eager: bool
    sign: tuple[object, ...] = ()
    """The kind and the ids of a step whose event floats: it is taken like one that nothing shows,
    and its event must be there. Empty for others."""


class Place(NamedTuple):
    """A state that the model may be in. ``debts``: (thread, whether the event was seen first, sign)
    of floating steps and events that have not met yet."""

    state: State
    debts: tuple[tuple[str, bool, tuple[object, ...]], ...] = ()

    def settled(self, thread: str) -> bool:
        """Whether all events of a thread that float have met their steps."""
        return all(name != thread for name, _, _ in self.debts)

    def met(
        self, thread: str, event_first: bool, sign: tuple[object, ...]
    ) -> tuple[tuple[str, bool, tuple[object, ...]], ...] | None:
        """The debts once a thread's event is seen, or its step is taken; None if another one is
        due."""
        first = next((debt for debt in self.debts if debt[0] == thread), None)
        if first is None or first[1] == event_first:
            return (*self.debts, (thread, event_first, sign))
        if first[2] != sign:
            return None
        at = self.debts.index(first)
        return self.debts[:at] + self.debts[at + 1 :]


def begun(model: ModelInPlace, values: Mapping[str, object]) -> State:
    """The model's first state, with other values of some shared variables."""
    start = model.initial()
    pieces = list(model.pieces(start)[: len(model.variables)])
    for name, value in values.items():
        index = model.variables.index(name)
        before = model.tla(name, pieces[index])
        pieces[index] = (
            tuple([cast(Mapping[object, object], value)[key] for key in before])
            if isinstance(before, dict)
            else (value,)
        )
    return (tuple(chain.from_iterable(pieces)), start[1]) if values else start
