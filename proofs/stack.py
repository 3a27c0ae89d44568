"""The place of a model's thread: one level per procedure that it is in, its program first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from model.pluscal import DONE, Machine
from wheelproof.prove.ts.concrete import State


class Level(NamedTuple):
    """One procedure under way: its name, the label that it is at or returns to, its variables.

    The name of the thread's program is "".
    """

    procedure: str
    label: str
    values: Mapping[str, Any]


def levels(model: Machine, process: State) -> list[Level]:
    """The levels of one process of a frozen state, the program first.

    Variables that a call hides are taken from the stack.
    """
    own = dict(zip(model.process_variables, process))
    label, found = own["pc"], []
    for frame in own["stack"]:
        names = model.PROCEDURES[frame.procedure].names
        found.append(Level(frame.procedure, label, {name: own[name] for name in names}))
        own.update(zip(names, frame.saved))
        label = frame.pc
    return [Level("", label, own), *reversed(found)]


def pending(model: Machine, process: State) -> str | None:
    """The label that one process of a frozen state takes next, None where its program is over."""
    label = process[model.process_variables.index("pc")]
    return None if label == DONE else label
