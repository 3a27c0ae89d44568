"""States that a system reaches, as constraints: for each action one in which it can be taken.

A condition whose premises no state satisfies would hold for want of anything to check. The solver
looks for a model of the premises that is such a state, with exactly the scope's elements: there
is one, and it is soon found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import z3

from wheelproof.prove.solvers import trusted
from wheelproof.prove.ts.concrete import Compiled, Instance, Move, State
from wheelproof.prove.ts.faults import Scope
from wheelproof.prove.ts.shortcuts import Shortcuts
from wheelproof.prove.ts.system import WHOLE, System

Step = tuple[str, tuple[int, ...]]
"""An action's name, and its arguments as numbers."""

Run = Sequence[Step]

RUNS: Shortcuts[list[Run]] = Shortcuts(
    "runs.json",
    lambda entry: [[(action, tuple(arguments)) for action, *arguments in run] for run in entry],
)
"""System -> runs in which it took each of its actions once."""


class Witnesses:
    """Runs from the scope's start in which every action was taken.

    The kept runs of the system are taken again (`RUNS`). Where they are no runs of it, or
    lack an action, a depth-first search finds others. ``missing``: the actions that it did not
    find.
    """

    def __init__(self, system: System, scope: Scope, bound: int = 200_000) -> None:
        self.system = system
        self.instance = Instance(Compiled(system), scope.elements, scope.rigid, scope.numbers)
        self.start = self.instance.state(scope.start)
        self.roles = scope.roles
        self.actions = system.actions()
        name = type(system).__name__
        self.runs = RUNS.known().get(name, [])
        if not self._follow():
            self._search(bound)
        RUNS.hear(name, self.runs)

    def _begin(self) -> None:
        self.taken: dict[str, tuple[State, Move]] = {}
        self.missing = frozenset(self.actions)
        self.last = self.start

    def _note(self, state: State, move: Move) -> bool:
        """Whether an action is taken for the first time."""
        if move.action in self.taken:
            return False
        self.taken[move.action] = (state, move)
        self.missing -= {move.action}
        self.last = state
        return True

    def _follow(self) -> bool:
        """Whether the runs are runs of the system in which every action is taken."""
        self._begin()
        for run in self.runs:
            state = self.start
            for step in run:
                moves = self.instance.moves(state, [step[0]] if step[0] in self.actions else [])
                move = next((move for move in moves if move[:2] == step), None)
                if move is None:
                    return False
                self._note(state, move)
                state = move.after
        return not self.missing

    def _search(self, bound: int) -> None:
        self._begin()
        begins = {name: action.begins for name, action in self.actions.items()}
        threads = self.instance.elements[self.system.SORTS[0].name]
        first = (self.start, (0,) * len(threads))
        before: dict[Any, tuple[Any, Move] | None] = {first: None}
        ends, waiting = [], [first]
        while waiting and self.missing and len(before) <= bound:
            state, counts = here = waiting.pop()
            for move in self.instance.moves(state):
                mover, after = move.arguments[0], counts
                if begins[move.action]:
                    if counts[
                        mover
                    ] >= self.roles.operations or move.action not in self.roles.begins.get(
                        threads[mover], ()
                    ):
                        continue
                    after = (*counts[:mover], counts[mover] + 1, *counts[mover + 1 :])
                if self._note(state, move):
                    ends.append((here, move))
                there = (move.after, after)
                if there not in before:
                    before[there] = here, move
                    waiting.append(there)
        self.runs = runs(ends, before)

    # -- as constraints

    def size(self) -> Iterator[z3.BoolRef]:
        """Every sort has the scope's elements and its null, and no others."""
        for sort in self.system.SORTS:
            if sort == WHOLE:
                continue
            elements = [
                self.element(sort.name, number) for number in self.instance.places[sort.name]
            ]
            every = z3.Const(f"every_{sort.name}", sort.z3)
            yield z3.Distinct(*elements)
            yield z3.ForAll([every], z3.Or([every == element for element in elements]))

    def element(self, sort: str, number: int) -> z3.ExprRef:
        """The constant that stands for an element."""
        kind = self.instance.sorts[sort]
        if kind == WHOLE:
            return z3.IntVal(number)
        return (
            kind.null
            if number == -1
            else z3.Const(f"{sort}_{self.instance.elements[sort][number]}", kind.z3)
        )

    def equal(self, term: z3.ExprRef, value: Any) -> Iterator[z3.BoolRef]:
        """That a term has a value."""
        sort = term.sort()
        if isinstance(sort, z3.ArraySortRef):
            index = sort.domain().name()
            for number in self.instance.places[index]:
                yield from self.equal(term[self.element(index, number)], value[number])
        elif isinstance(sort, z3.DatatypeSortRef):
            yield term == sort.constructor(value)()
        elif sort.name() in self.instance.sorts and sort != WHOLE.z3:
            yield term == self.element(sort.name(), value)
        else:
            yield term == value

    @trusted()
    def in_state(self, state: State) -> list[z3.BoolRef]:
        """The constraints of a state."""
        s = self.system.symbols()
        constraints = [*self.size()]
        for name, value in zip(self.system.VARIABLES, state, strict=True):
            constraints += self.equal(getattr(s, name), value)
        for name in self.system.RIGID:
            constraints += self.equal(getattr(s, name), self.instance.rigid[name])
        return constraints

    @trusted()
    def before(self, action: str) -> list[z3.BoolRef]:
        """The constraints of a state in which an action can be taken, with its arguments.

        They are False where no run takes it.
        """
        if action not in self.taken:
            return [z3.BoolVal(False)]
        state, move = self.taken[action]
        arguments = self.system.arguments(self.system.actions()[action])
        constraints = self.in_state(state)
        for term, value in zip(arguments.values(), move.arguments, strict=True):
            constraints += self.equal(term, value)
        return constraints


def runs(ends: list[tuple[Any, Move]], before: Mapping[Any, tuple[Any, Move] | None]) -> list[Run]:
    """The runs that end with these steps, without those that are the beginning of another one.

    ``before``: place of the search -> the place and the step before it.
    """
    traces: list[Run] = []
    for place, move in ends:
        steps = [(move.action, move.arguments)]
        while (earlier := before[place]) is not None:
            place, move = earlier
            steps.append((move.action, move.arguments))
        traces.append(steps[::-1])
    return [
        run
        for number, run in enumerate(traces)
        if not any(
            candidate[: len(run)] == run and (len(candidate) > len(run) or later < number)
            for later, candidate in enumerate(traces)
            if later != number
        )
    ]
