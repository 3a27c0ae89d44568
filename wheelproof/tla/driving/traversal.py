"""Runs over a state graph that take every edge, from an initial state each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

Edge = tuple[int, int]
"""(state, number of the edge among the state's)."""


class Traversal:
    """The edges of a graph that no run has taken yet.

    ``edges``: state -> the targets of its edges.
    """

    def __init__(self, initial: Sequence[int], edges: Sequence[Sequence[int]]) -> None:
        self.initial, self.edges = initial, edges
        self.left: list[set[int]] = [set(range(len(targets))) for targets in edges]
        self.closed: set[Edge] = set()
        self.covered = 0

    def take(self, state: int, number: int) -> None:
        """Note that an edge was taken."""
        if number in self.left[state]:
            self.left[state].remove(number)
            self.covered += 1

    def close(self, state: int, number: int) -> None:
        """Leave out an edge that the program does not take: it has gone to another state."""
        self.left[state].discard(number)
        self.closed.add((state, number))

    def path(self, starts: Sequence[int]) -> list[Edge]:
        """The shortest path from one of the states that ends with an edge not taken yet.

        It is empty where none can be reached.
        """
        return self._shortest(starts, lambda state: min(self.left[state], default=None))

    def path_to(self, edge: Edge) -> list[Edge]:
        """The shortest path from an initial state that ends with this edge."""
        return self._shortest(self.initial, lambda state: edge[1] if state == edge[0] else None)

    def _shortest(self, starts: Sequence[int], last: Callable[[int], int | None]) -> list[Edge]:
        """The shortest path to an edge that ``last`` names for its state; [] for none."""
        before: dict[int, Edge | None] = dict.fromkeys(starts)
        waiting = deque(starts)
        while waiting:
            state = waiting.popleft()
            if (number := last(state)) is not None:
                path = [(state, number)]
                while (edge := before[path[0][0]]) is not None:
                    path.insert(0, edge)
                return path
            for number, target in enumerate(self.edges[state]):
                if target not in before and (state, number) not in self.closed:
                    before[target] = state, number
                    waiting.append(target)
        return []
