"""All states of a machine, with the counts that TLC has."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from wheelproof.errors import Inconclusive, UsageError
from wheelproof.tla.environment import ERRORS, why
from wheelproof.tla.plain.machine import Label, Machine, State
from wheelproof.tla.values import Undefined

DEADLOCK = "NoDeadlock"
"""The property that a state without a successor breaks."""


class TooLarge(Inconclusive):
    """The machine has more states than the limit."""


@dataclass
class Exploration:
    """The states and edges of a machine; up to the first violation, where there is one."""

    states: list[State] = field(default_factory=list)
    """The distinct states, in the order of a search in breadth."""
    initial: list[int] = field(default_factory=list)
    edges: list[tuple[int, Label, int]] = field(default_factory=list)
    parents: list[tuple[int, Label] | None] = field(default_factory=list)
    """State -> the edge by which it was reached first; None for initial ones."""
    generated: int = 0
    """The states generated, as TLC counts them."""
    violated: str = ""
    """The invariant that does not hold, or DEADLOCK."""
    last: State = ()
    """The state that breaks it, with ``last_edge`` to it."""
    last_edge: tuple[int, Label] | None = None

    @property
    def distinct(self) -> int:
        return len(self.states)

    def trace(self) -> list[tuple[Label | None, State]]:
        """The steps to the violation, each with the state behind it."""
        steps: list[tuple[Label | None, State]] = []
        state, edge = self.last, self.last_edge
        while edge is not None:
            steps.append((edge[1], state))
            state, edge = self.states[edge[0]], self.parents[edge[0]]
        return [(None, state), *reversed(steps)]


class _Search:
    def __init__(self, machine: Machine, limit: int) -> None:
        self.machine, self.limit = machine, limit
        self.result = Exploration()
        self.seen: dict[Hashable, int] = {}
        self.orbits: dict[tuple[int, ...], int] = {}

    def run(self) -> Exploration:
        machine, result = self.machine, self.result
        for weight, _, state in machine.initial():
            result.generated += weight
            number, is_new = self.reach(
                state, None, all(test(state) for test in machine.constraints)
            )
            if number >= 0 and is_new:
                result.initial.append(number)
            if result.violated:
                return result
        for number, state in self.waiting():
            successors = machine.successors(state)
            if not successors and machine.configuration.deadlock:
                result.violated, result.last = DEADLOCK, state
                result.last_edge = result.parents[number]
                return result
            for weight, label, after in successors:
                result.generated += weight
                inside = all(test(after) for test in machine.constraints) and all(
                    test(state, after) for test in machine.action_constraints
                )
                target, _ = self.reach(after, (number, label), inside)
                if result.violated:
                    return result
                if target >= 0:
                    result.edges.append((number, label, target))
        return result

    def number_of(self, key: Hashable, state: State) -> int | None:
        """The number of a state that was reached before, or of one that symmetry takes for it."""
        number = self.seen.get(key)
        if number is None and self.machine.symmetry:
            orbit = self.machine.orbit(state)
            number = self.orbits.setdefault(orbit, len(self.result.states))
            if number == len(self.result.states):
                return None
            self.seen[key] = number
        return number

    def waiting(self) -> Iterator[tuple[int, State]]:
        number = 0
        while number < len(self.result.states):
            yield number, self.result.states[number]
            number += 1

    def reach(self, state: State, edge: tuple[int, Label] | None, inside: bool) -> tuple[int, bool]:
        """(number of a state, whether it is new); -1 for one outside of the constraints."""
        machine, result = self.machine, self.result
        key: Any = machine.view(state) if machine.view else state
        if inside and (number := self.number_of(key, state)) is not None:
            return number, False
        number = -1
        if inside:
            number = self.seen[key] = len(result.states)
            result.states.append(state)
            result.parents.append(edge)
            if number >= self.limit:
                raise TooLarge(
                    f"The module {machine.module.name} has more than {self.limit:,} states.",
                    "Raise --states, or choose smaller constants in the cfg file.",
                )
        for name, holds in machine.invariants.items():
            if not holds(state):
                result.violated, result.last, result.last_edge = name, state, edge
                break
        return number, True


def explore(machine: Machine, limit: int = 1_000_000) -> Exploration:
    """Explore a machine up to its first violation; TooLarge where it has too many states."""
    try:
        return _Search(machine, limit).run()
    except ERRORS as error:
        if isinstance(error, UsageError):
            raise
        raise Undefined(
            f"The module {machine.module.name}: a formula has no value in a state ({why(error)})."
        ) from error
