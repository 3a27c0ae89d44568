"""Small runs of the terms of a module: the states of a scenario, and where each way is taken."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeVar

from wheelproof.prove.kernel import Found
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import Move, State
from wheelproof.prove.ts.witness import Witnesses


class Reached(Witnesses):
    """The states of one scenario, breadth first, from a start with its ghosts."""

    def __init__(self, placement: Placed, start: State, bound: int = 20_000) -> None:
        self.placed, self.model = placement, placement.model
        self.system, self.instance = placement.system, placement.instance
        self.start, self.bound = start, bound
        self.taken = {}

    def edges(self) -> Iterator[tuple[State, Move]]:
        """Every state with every step from it, breadth first, up to the bound of states."""
        states, waiting = {self.start}, [self.start]
        for state in waiting:
            for move in self.instance.moves(state):
                yield state, move
                if move.after not in states and len(states) < self.bound:
                    states.add(move.after)
                    waiting.append(move.after)

    def note_labels(self) -> None:
        """Note for each label a state in which it is taken."""
        labels = {way: label for label, ways in self.placed.system.LABELS.items() for way in ways}
        for state, move in self.edges():
            if (label := labels.get(move.action)) is not None:
                self.taken[label] = state, move
                labels = {way: name for way, name in labels.items() if name != label}
            if not labels:
                return


Run = TypeVar("Run", bound=Reached)


def of_ways(runs: Iterable[Run], ways: Collection[str]) -> dict[str, Run]:
    """For each way a run, and in it a state, in which it is taken."""
    missing, places = set(ways), {}
    for run in runs:
        for state, move in run.edges():
            if move.action in missing:
                missing.remove(move.action)
                run.taken[move.action] = state, move
                places[move.action] = run
            if not missing:
                return places
    return places


def compared(
    violation: str | None,
    goal: str,
    contradiction: Callable[[], str] = lambda: "",
    sound: str = "every step of the scenario is as the theorem says",
) -> Found:
    """The result of a control, whose fault breaks a goal in a run.

    ``violation``: the goal that the first such step breaks, None for no step. ``contradiction``:
    why the run is no counterexample though the goal is right, "" if it is one.
    """
    if violation is None:
        return Found("unsat", sound)
    if violation != goal:
        return Found("sat", violation, f"{goal} was to fail first")
    return Found("sat", violation, contradiction())
