"""Toy models: graphs given edge by edge."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


class Toy:
    """A model with numbers as states, 0 initial. ``edges``: (state, thread, label, after)."""

    OF_PROCESSES = frozenset({"Goal"})

    def __init__(
        self,
        edges: Iterable[tuple[int, int, str, int]],
        threads: int = 2,
        goal: Iterable[int] = (),
        ends: Iterable[int] = (),
    ) -> None:
        self.rows: dict[int, list[tuple[int, str, int]]] = {}
        for state, thread, label, after in edges:
            self.rows.setdefault(state, []).append((thread, label, after))
        self.threads = "abcd"[:threads]
        self.goal, self.ends = set(goal), set(ends)

    def initial(self) -> int:
        return 0

    def successors(self, state: int) -> list[tuple[int, str, int]]:
        return self.rows.get(state, [])

    def final(self, state: int) -> bool:
        return state in self.ends

    def holds(self, name: str, state: int) -> bool:
        assert name == "Goal"
        return state in self.goal


class Grid:
    """Two threads that count, each up to its own bound."""

    threads = ("a", "b")

    def __init__(self, *bounds: int, backwards: bool = False) -> None:
        self.bounds, self.backwards = bounds, backwards

    def initial(self) -> tuple[int, ...]:
        return tuple(0 for _ in self.bounds)

    def successors(self, state: tuple[int, ...]) -> list[tuple[int, str, tuple[int, ...]]]:
        out = [
            (i, f"N{i}", (*state[:i], n + 1, *state[i + 1 :]))
            for i, n in enumerate(state)
            if n < self.bounds[i]
        ]
        return out[::-1] if self.backwards else out

    def final(self, state: tuple[int, ...]) -> bool:
        return state == self.bounds


@pytest.fixture(scope="session")
def toy() -> type[Toy]:
    return Toy


@pytest.fixture(scope="session")
def grid() -> type[Grid]:
    return Grid
