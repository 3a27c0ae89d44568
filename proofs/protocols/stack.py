"""Where a thread of a model is: one level for each procedure that it is in, from its program inwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from model.pluscal import DONE


class Level(NamedTuple):
    """One procedure under way: its name ("" for the thread's program), the label it is at or will come back to, its variables."""

    procedure: str
    label: str
    values: Mapping[str, Any]


def levels(model: Any, process: tuple) -> list[Level]:
    """The levels of one process of a frozen state, the program first. Variables that a call hides are taken from the stack."""
    own = dict(zip(model.process_variables, process))
    label, found = own["pc"], []
    for frame in own["stack"]:
        names = model.PROCEDURES[frame.procedure].names
        found.append(Level(frame.procedure, label, {name: own[name] for name in names}))
        own.update(zip(names, frame.saved))
        label = frame.pc
    return [Level("", label, own), *reversed(found)]


def pending(model: Any, process: tuple) -> str | None:
    """The label that one process of a frozen state takes next, None where its program is over."""
    label = process[model.process_variables.index("pc")]
    return None if label == DONE else label
