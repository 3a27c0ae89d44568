"""What a proof provides for the comparison with the model: transition systems, and views of states.

A view's states are opaque here. They are hashable, and equal where the system has one state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Protocol

from wheelproof import isolated
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import State
from wheelproof.prove.variants import Project, within

STUTTER = "stutter"
WAITS = "waits"
"""A word beside the actions of a label: the model may wait there where the system does not."""


class Action(Protocol):
    """An action of a system."""

    @property
    def method(self) -> FunctionType:
        """The method that declares it. Systems may share it."""

    @property
    def begins(self) -> bool:
        """Whether it begins an operation."""


class System(Protocol):
    """A class of transition systems, as :mod:`wheelproof.prove.ts.system` has them."""

    @classmethod
    def actions(cls) -> Mapping[str, Action]:
        """The actions by name."""

    @classmethod
    def conjuncts(cls) -> Mapping[str, object]:
        """The conjuncts of the invariant by name."""

    @classmethod
    def safety(cls) -> Mapping[str, object]:
        """The safety properties by name."""


class Move(Protocol):
    """A step of a system: an action, with the state after it."""

    @property
    def action(self) -> str:
        """The action's name."""

    @property
    def after(self) -> Hashable:
        """The state."""


class Instance(Protocol):
    """A system at the size of one scenario. Its states are hashable, and of no other use here."""

    @property
    def system(self) -> System:
        """The system."""

    @property
    def formulas(self) -> Iterable[str]:
        """The names of the formulas that the proof shows of every state."""

    def initial(self, state: Hashable, /) -> bool:
        """Whether the system starts in a state."""

    def broken(self, state: Hashable, names: Sequence[str], /) -> Iterable[str]:
        """Those of the formulas that do not hold in a state."""

    def moves(self, state: Hashable, names: Sequence[str], thread: int, /) -> Iterator[Move]:
        """The steps of a thread from a state, by these actions."""

    def named(self, state: Hashable, /) -> Mapping[str, object]:
        """A state by the names of its variables."""


class View(Protocol):
    """A model's states as those of a transition system, ``instance``.

    A view may have ``breaks``: the assumption that its scenario does not keep.
    """

    name: str

    @property
    def instance(self) -> Instance:
        """The system at the scenario's size."""

    def state(self, state: State) -> Hashable:
        """The system's state."""

    def acts(self, thread: int, state: State) -> bool:
        """Whether the thread's next step is one of the system's."""

    def pending(self, thread: int, state: State) -> str | None:
        """The label of the thread's next step; None where its program is over."""


def provided(mechanism: Mechanism) -> ModuleType:
    """The module with the mechanism's views."""
    with within(Project(mechanism.root)):
        return isolated.load(mechanism.root, f"proofs.{mechanism.name}.view")


def actions_of(label: str, named: Mapping[str, str]) -> list[str]:
    """The actions that a label's step may be."""
    return named.get(label, "").split()


def table_faults(
    labels: Iterable[str], named: Mapping[str, str], systems: Sequence[type[System]]
) -> list[str]:
    """Labels without an action, entries without a label, and actions that no label names."""
    labels = list(labels)
    known = {name for system in systems for name in system.actions()}
    used = {name for label in named for name in actions_of(label, named)} - {STUTTER, WAITS}
    faults = [f"{label} has no action" for label in labels if not actions_of(label, named)]
    faults += [f"there is no label {label}" for label in named if label not in labels]
    faults += [f"the labels name {name}, which is no action" for name in sorted(used - known)]
    return faults + [f"no label names the action {name}" for name in sorted(known - used)]


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
