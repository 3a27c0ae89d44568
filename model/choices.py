"""Choices of a model's steps: PlusCal's ``with x \\in S`` and ``either`` in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Values = tuple[Any, ...]
V = TypeVar("V")


class Chosen(str):
    """The label of a step that has several successors, equal to the label alone.

    ``choice``: the values in which this successor differs from others.
    """

    choice: Values

    def __new__(cls, label: str, choice: Values) -> Chosen:
        made = super().__new__(cls, label)
        made.choice = choice
        return made


class Choices:
    """What one step chooses. It is taken once for each choice.

    ``taken``: the values that it has chosen. ``beside``: beginnings of choices still to be taken.
    """

    __slots__ = ("_plan", "beside", "taken")

    def __init__(self) -> None:
        self.beside: list[Values] = []
        self.taken: Values = ()
        self._plan: Values = ()

    def begin(self, plan: Values) -> None:
        """A step is taken that has to choose these values first."""
        self._plan, self.taken = plan, ()

    def of(self, values: Iterable[V]) -> V:
        """The next value: that of the plan, or the first one, with the others put aside."""
        known, before = tuple(dict.fromkeys(values)), self.taken
        if not known:
            raise ValueError("there is no value to choose; return BLOCKED instead")
        value = known[0]
        if len(before) < len(self._plan):
            value = self._plan[len(before)]
        else:
            self.beside += [(*before, other) for other in reversed(known[1:])]
        self.taken = (*before, value)
        return value

    def successors(
        self, label: str, after: V | None, again: Callable[[], V | None]
    ) -> list[tuple[str, V]]:
        """Every (label, state after) of a step that chooses, and that has been taken once.

        ``after``: the state then. ``again``: takes it again; None where it is blocked.
        """
        found: dict[Values, V] = {}
        while True:
            if after is not None:
                found[self.taken] = after
            if not self.beside:
                break
            self.begin(self.beside.pop())
            after = again()
        self.begin(())
        return [(labelled(label, values, found), each) for values, each in found.items()]


def labelled(label: str, values: Values, choices: Iterable[Values]) -> str:
    """A label with those of the values in which the choice differs from others of ``choices``.

    It differs from one that has chosen the same before, and then another.
    """
    choice = tuple(
        value
        for at, value in enumerate(values)
        if any(other[:at] == values[:at] and other[at : at + 1] != (value,) for other in choices)
    )
    return Chosen(label, choice) if choice else label
