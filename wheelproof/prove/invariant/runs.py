"""Small runs of a module whose invariant is proved of itself: reached states, with ghosts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wheelproof.prove.module.shapes import Words
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import Move, State
from wheelproof.prove.ts.witness import Witnesses

START = "start"
DEADLOCK = "NoDeadlock"
"""The property that some thread can step until all have ended."""


class Edge(NamedTuple):
    """A step of the compiled module. ``frozen``: its state after it."""

    label: str
    before: State
    move: Move
    frozen: Any


class StepsDiffer(Exception):
    """A step of the compiled module that the terms lack. The message names it."""


class Reached(Witnesses):
    """The states of the compiled module in one scenario, breadth first.

    ``ghosts``: the system's variables beside the module's, and their values at the start.
    """

    def __init__(self, placement: Placed, ghosts: Mapping[str, Any], bound: int = 20_000) -> None:
        self.placed, self.ghosts = placement, ghosts
        self.model, self.system, self.instance = (
            placement.model,
            placement.system,
            placement.instance,
        )
        self.start = self.instance.state(placement.values(self.model.initial()) | {**ghosts})
        self.bound = bound
        self.taken = {}

    def own(self, state: State) -> State:
        """A state without its ghosts."""
        return tuple(
            value
            for name, value in zip(self.system.VARIABLES, state, strict=True)
            if name not in self.ghosts
        )

    def edges(self) -> Iterator[Edge]:
        """Every state with every step of the module from it, as a step of the terms.

        StepsDiffer: the terms lack one.
        """
        first = (self.model.initial(), self.start)
        pairs, waiting = {first}, [first]
        for module_state, state in waiting:
            for thread, label, after in self.model.successors(module_state):
                move = self.move(state, thread, label, after)
                yield Edge(label, state, move, after)
                if (after, move.after) not in pairs and len(pairs) < self.bound:
                    pairs.add((after, move.after))
                    waiting.append((after, move.after))

    def move(self, state: State, thread: int, label: str, after: Any) -> Move:
        """A step of the compiled module as one of the terms. StepsDiffer: it is none."""
        to = self.own(self.instance.state(self.placed.values(after) | {**self.ghosts}))
        for move in self.instance.moves(state, self.placed.system.LABELS[label], thread):
            successor = self.placed.normal(move.after)
            if self.own(successor) == to:
                return move._replace(after=successor)
        raise StepsDiffer(f"{label} of thread {thread} is no step of the terms")


class Scheduled(Reached):
    """One run alone: that in which the threads take these steps. ``schedule``: a thread a step."""

    schedule: Sequence[Any] = ()

    def edges(self) -> Iterator[Edge]:
        """ValueError: a thread has no step, or several."""
        module_state, state = self.model.initial(), self.start
        for number, name in enumerate(self.schedule, 1):
            steps = [
                (thread, label, after)
                for thread, label, after in self.model.successors(module_state)
                if self.model.threads[thread] == name
            ]
            if len(steps) != 1:
                raise ValueError(f"step {number}: {name} has {len(steps)} steps")
            thread, label, module_state = steps[0]
            move = self.move(state, thread, label, module_state)
            yield Edge(label, state, move, module_state)
            state = move.after


def broken_goal(exploration: Reached) -> str | None:
    """A step within the reached states that breaks a conjunct: "way: conjunct"; None for none."""
    for edge in exploration.edges():
        if failures := exploration.instance.broken(edge.move.after):
            return f"{edge.move.action}: {failures[0]}"
    return None


def stands_still(exploration: Reached, edge: Edge) -> bool:
    """Whether no thread can step after an edge, and not all have ended."""
    if any(exploration.model.successors(edge.frozen)):
        return False
    labels = exploration.placed.words.variables["pc"]
    assert isinstance(labels, Words)
    return any(
        labels.called["Done"] != place
        for place in exploration.placed.values(edge.frozen)["pc"].values()
    )


def violated(space: Reached, name: str) -> str:
    """ "" where a reached state breaks a property or a conjunct; else that none does.

    A property of the module is judged by the compiled module. `DEADLOCK`: some thread has not
    ended, and none can step.
    """
    if name in space.system.conjuncts():
        holds = space.instance.formulas[name]
        if not all(holds(edge.move.after) for edge in space.edges()):
            return ""
    elif name == DEADLOCK:
        if any(stands_still(space, edge) for edge in space.edges()):
            return ""
    elif any(not space.model.holds(name, edge.frozen) for edge in space.edges()):
        return ""
    return f"no state of the module breaks {name}"
