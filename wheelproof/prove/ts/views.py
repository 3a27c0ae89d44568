"""States of a model as states of a transition system, and the table of their steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from wheelproof.prove.ts.concrete import Instance, State
    from wheelproof.prove.ts.system import System

STUTTER = "stutter"
WAITS = "waits"
"""A word beside the actions of a label: the model may wait there where the system does not."""

DONE = "Done"


class View:
    """A model's states as those of a transition system.

    ``instance``: the system at the scenario's size. ``breaks``: the assumption that the scenario
    does not keep, "" for none.
    """

    name: str
    model: Any
    instance: Instance
    breaks: str = ""

    def state(self, model_state: State) -> State:
        """A state of the model as one of the system."""
        raise NotImplementedError

    def acts(self, index: int, model_state: State) -> bool:
        """Whether a thread's next step is one of the system's."""
        return True

    def pending(self, index: int, model_state: State) -> str | None:
        """The label of a thread's next step, None where its program is over."""
        label: str = model_state[1][index][self.model.process_variables.index("pc")]
        return None if label == DONE else label


class Split(View):
    """A view that sees shared variables and threads apart: each of their values is seen once."""

    def __init__(self) -> None:
        self._shared: dict[State, dict[str, Any]] = {}
        self._local: dict[State, dict[str, Any]] = {}

    def shared(self, model_state: State) -> dict[str, Any]:
        """Variables of the system that the model's shared ones say, encoded."""
        raise NotImplementedError

    def local(self, processes: State) -> dict[str, Any]:
        """Variables of the system that the model's threads say, encoded."""
        raise NotImplementedError

    def state(self, model_state: State) -> State:
        shared_values, processes = model_state
        if shared_values not in self._shared:
            self._shared[shared_values] = self.shared(model_state)
        if processes not in self._local:
            self._local[processes] = self.local(processes)
        values = self._local[processes] | self._shared[shared_values]
        return tuple([values[name] for name in self.instance.compiled.variables])


class Level(NamedTuple):
    """One procedure under way: its name, the label that it is at or returns to, its variables.

    The name of the thread's program is "".
    """

    procedure: str
    label: str
    values: Mapping[str, Any]


def levels(model: Any, process: State) -> list[Level]:
    """The levels of one process of a frozen state, the program first.

    Variables that a call hides are taken from the stack.
    """
    values = dict(zip(model.process_variables, process))
    label, procedures = values["pc"], []
    for frame in values["stack"]:
        names = model.PROCEDURES[frame.procedure].names
        procedures.append(Level(frame.procedure, label, {name: values[name] for name in names}))
        values.update(zip(names, frame.saved))
        label = frame.pc
    return [Level("", label, values), *reversed(procedures)]


def actions_of(label: str, table: Mapping[str, str]) -> list[str]:
    """The actions that a label's step may be."""
    return table.get(label, "").split()


def table_faults(
    labels: Iterable[str], table: Mapping[str, str], systems: Sequence[type[System]]
) -> list[str]:
    """Labels without an action, entries without a label, and actions that no label names."""
    labels = list(labels)
    actions = {name for system in systems for name in system.actions()}
    names = {name for label in table for name in actions_of(label, table)} - {STUTTER, WAITS}
    faults = [f"{label} has no action" for label in labels if not actions_of(label, table)]
    faults += [f"there is no label {label}" for label in table if label not in labels]
    faults += [f"the labels name {name}, which is no action" for name in sorted(names - actions)]
    return faults + [f"no label names the action {name}" for name in sorted(actions - names)]


def family(system: object) -> list[str]:
    """The names of a system's class and of those that it restricts, whose theorems hold for it."""
    return [base.__name__ for base in type(system).__mro__ if getattr(base, "VARIABLES", None)]


def difference(before: Mapping[str, object], after: Mapping[str, object]) -> str:
    """The changes of a step as a text."""
    return (
        "; ".join(
            f"{name} from {before[name]} to {after[name]}"
            for name in before
            if before[name] != after[name]
        )
        or "nothing changes"
    )
