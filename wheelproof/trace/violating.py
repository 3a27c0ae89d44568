"""States of a model in which a property fails, the nearest first, found without the whole graph.

A schedule of a mutant needs one such state. It is near the start, and the graph is large.
"""

from __future__ import annotations

from collections.abc import Iterator

from wheelproof.graph.explorer import Edge
from wheelproof.protocols import Model, State


class TooLarge(Exception):
    """More states than the bound were found."""


class Search:
    """A model's states in breadth-first order, numbered as ``graph.explorer.explore`` does.

    A state is expanded when it is needed. Every method may raise TooLarge.
    """

    def __init__(self, model: Model, bound: int) -> None:
        self.model, self.bound = model, bound
        first = model.initial()
        self.states: list[State] = [first]
        self._numbers: dict[State, int] = {first: 0}
        self._parents: list[tuple[int, int, str]] = [(-1, -1, "")]
        self._edges: list[list[Edge]] = []

    def edges(self, number: int) -> list[Edge]:
        """The steps from a state: (index of the thread, label, number of the state after)."""
        while len(self._edges) <= number:
            self._expand()
        return self._edges[number]

    def _expand(self) -> None:
        here, row = len(self._edges), []
        for thread, label, after in self.model.successors(self.states[here]):
            number = self._numbers.setdefault(after, len(self.states))
            if number == len(self.states):
                self.states.append(after)
                self._parents.append((here, thread, label))
            row.append((thread, label, number))
        self._edges.append(row)
        if len(self.states) > self.bound:
            raise TooLarge(f"more than {self.bound:,} states")

    def all(self) -> Iterator[int]:
        """The numbers of all states."""
        number = 0
        while number < len(self.states):
            yield number
            self.edges(number)
            number += 1

    def failing(self, name: str) -> Iterator[int]:
        """The numbers of the states in which a property fails, those of least depth first.

        ``NoDeadlock`` fails where no thread can move and not all have ended.
        """
        whole = name in getattr(self.model, "OF_PROCESSES", (name,))
        verdicts: dict[object, bool] = {}
        for number in self.all():
            state = self.states[number]
            if name == "NoDeadlock":
                if not self.edges(number) and not self.model.final(state):
                    yield number
                continue
            key = state if whole else state[0]
            if key not in verdicts:
                verdicts[key] = self.model.holds(name, state)
            if not verdicts[key]:
                yield number

    def path(self, number: int) -> list[tuple[int, str]]:
        """A shortest path to a state: (index of the thread, label) per step."""
        out = []
        while number:
            number, thread, label = self._parents[number]
            out.append((thread, label))
        return out[::-1]
