"""The reduced graph: silent labels run eagerly, and the proof on every edge that this loses nothing.

A silent label is a step that PlusCal forces and code lacks. Running it at once is sound if it commutes with every other
thread's step wherever both are enabled (the diamond), so that no other thread can tell when it happened.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wheelproof.graph.explorer import StateGraph, explore


class Open(NamedTuple):
    """A diamond that does not close: from ``state``, ``silent`` of one thread and ``other`` of another do not commute."""

    state: int
    silent: str
    other: str


def open_diamond(graph: StateGraph, silent: frozenset[str]) -> Open | None:
    """Check the diamond on every edge of a full graph; the first that does not close, or None."""
    edges = graph.edges
    for number, row in enumerate(edges):
        for thread, label, after in row:
            if label not in silent:
                continue
            for other, name, beside in row:
                if other == thread:
                    continue
                one = {target for t, n, target in edges[after] if t == other and n == name}
                two = {target for t, n, target in edges[beside] if t == thread and n == label}
                if not one or not one & two:
                    return Open(number, label, name)
    return None


def settle(model: Any, silent: frozenset[str]) -> Callable[[Any], Any]:
    """A function that runs every enabled silent step of a state, until none is left."""
    pc = 0

    def settled(state: Any) -> Any:
        while any(process[pc] in silent for process in state[1]):
            for thread, label, after in model.successors(state):
                if label in silent:
                    state = after
                    break
            else:
                return state
        return state

    return settled


def reduce(model: Any, silent: frozenset[str], **options: Any) -> StateGraph:
    """Explore the reduced graph: no edge bears a silent label. Options are those of ``explore``."""
    settled = settle(model, silent)

    def successors(state: Any) -> list:
        return [(thread, label, settled(after)) for thread, label, after in model.successors(state)]

    return explore(model, successors=successors, initial=settled(model.initial()), **options)


def shared_of(graph: StateGraph) -> Callable[[int], dict[str, tuple]]:
    """A function from a state's number to the variables that an implementation has too: all shared ones but the AUXILIARY."""
    model = graph.model
    kept = [name not in model.AUXILIARY for name in model.variables]

    def shared(number: int) -> dict[str, tuple]:
        return {name: piece for name, keep, piece in zip(model.variables, kept, model.pieces(graph.states[number])) if keep}

    return shared


def rows(graph: StateGraph) -> list[dict[int, tuple[str, int]]]:
    """A deterministic graph's edges as one mapping per state: thread -> (label, state after)."""
    return [{thread: (label, target) for thread, label, target in row} for row in graph.edges]
