"""The graph that a bisimulation has built: pairs of a model state and an implementation state."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wheelproof.choices import Move, thread_of, word
from wheelproof.python.search.difference import Rows, Step

Pair = tuple[int, int]
"""(index of the model's state, number of the implementation's state)"""


@dataclass(frozen=True)
class Violation:
    """A pair at minimal depth."""

    model_state: int
    depth: int
    """The number of labelled steps from the start."""
    schedule: tuple[Step, ...]
    """One way to it."""

    @property
    def threads(self) -> tuple[str, ...]:
        """The schedule's threads, each with the choice of its step, for a replay."""
        return tuple(word(*step) for step in self.schedule)


class PairGraph:
    """Pairs by number, 0 the initial one.

    ``successors[n]`` is {key of a step: number}; ``of_node[i]`` the pairs of implementation state
    i; ``parent[n]`` the (pair, key of the step) from which n was found first.

    The graph is whole if and only if the bisimulation that made it ended with the outcome
    ``equal``.
    """

    def __init__(self, names: Sequence[str], rows: Rows) -> None:
        self.names, self._rows = tuple(names), rows
        self.number: dict[Pair, int] = {}
        self.model_states: list[int] = []
        self.nodes: list[int] = []
        self.successors: list[dict[Move, int]] = []
        self.at_rest: list[bool] = []
        self.of_node: list[list[int]] = []
        self.parent: list[tuple[int, Move] | None] = []

    def __len__(self) -> int:
        return len(self.model_states)

    def add(self, state: int, node: int, parent: tuple[int, Move] | None, at_rest: bool) -> int:
        """Add a pair. ``parent``: the (pair, step) that leads to it; ``at_rest``: all ended."""
        pair = self.number[state, node] = len(self.model_states)
        self.model_states.append(state)
        self.nodes.append(node)
        self.successors.append({})
        self.at_rest.append(at_rest)
        self.of_node[node].append(pair)
        self.parent.append(parent)
        return pair

    def schedule(self, pair: int) -> tuple[Step, ...]:
        """The way on which the pair was found (not the shortest)."""
        steps = []
        while (before := self.parent[pair]) is not None:
            pair, thread = before
            steps.append(self._step(pair, thread))
        return tuple(reversed(steps))

    def _step(self, pair: int, move: Move) -> Step:
        return self.names[thread_of(move)], self._rows[self.model_states[pair]][move][0]

    @property
    def edges(self) -> int:
        """Labelled steps between pairs."""
        return sum(map(len, self.successors))

    def is_deadlock(self, node: int) -> bool:
        """No thread can move and not all have ended."""
        return not self._rows[self.model_states[node]] and not self.at_rest[node]

    def first(self, accept: Callable[[int], bool]) -> Violation | None:
        """The nearest pair, breadth first, that ``accept(number of the pair)`` takes.

        None where there is none, as when not even the two initial states are a pair.
        """
        if not self.model_states:
            return None
        came: dict[int, tuple[int, Move] | None] = {0: None}
        depth = {0: 0}
        todo = deque([0])
        while todo:
            node = todo.popleft()
            if accept(node):
                return Violation(self.model_states[node], depth[node], self._schedule(came, node))
            for move, following in self.successors[node].items():
                if following not in came:
                    came[following] = (node, move)
                    depth[following] = depth[node] + 1
                    todo.append(following)
        return None

    def first_violation(self, holds: Callable[[int], bool]) -> Violation | None:
        """The nearest pair in whose model state ``holds(index of that state)`` is False."""
        verdicts: dict[int, bool] = {}

        def is_broken(node: int) -> bool:
            state = self.model_states[node]
            if state not in verdicts:
                verdicts[state] = not holds(state)
            return verdicts[state]

        return self.first(is_broken)

    def first_deadlock(self) -> Violation | None:
        """The nearest pair in which no thread can move although not all have ended."""
        return self.first(self.is_deadlock)

    def _schedule(self, came: dict[int, tuple[int, Move] | None], node: int) -> tuple[Step, ...]:
        steps: list[Step] = []
        while (before := came[node]) is not None:
            node, move = before
            steps.append(self._step(node, move))
        return tuple(reversed(steps))
