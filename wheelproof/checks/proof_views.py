"""What a proof provides for the comparison with the model: transition systems, and views of states.

A view's states are opaque here. They are hashable, and equal where the system has one state.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Protocol

from wheelproof.protocols import State


class Action(Protocol):
    """An action of a system."""

    @property
    def method(self) -> FunctionType:
        """The method that declares it. Systems may share it."""

    @property
    def begins(self) -> bool:
        """Whether it begins an operation."""


class System(Protocol):
    """A class of transition systems, as :mod:`proofs.ts` has them."""

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
