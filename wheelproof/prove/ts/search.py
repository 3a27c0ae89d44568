"""Bounded search of a system from its start: shortest traces to a broken property.

A counterexample to induction may start in a state that no run reaches; a trace from the start is a
run. Each thread begins at most as many operations as its role allows, so that the trace is the run
of a program, which a model can be given too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from wheelproof.prove.ts.concrete import Compiled, Instance, Move, State
from wheelproof.prove.ts.system import System

CODE = "_code"
"""The attribute of a system's class that has its terms as Python code."""


def compiled(system: type[System]) -> Compiled:
    """A system's terms as Python code, made once."""
    if CODE not in vars(system):
        setattr(system, CODE, Compiled(system()))
    code: Compiled = vars(system)[CODE]
    return code


class BudgetSpent(Exception):
    """The search reached its bound of states: there are states that it has not seen."""


@dataclass(frozen=True)
class Roles:
    """The beginning actions that each thread may take, by name, and how many in a run."""

    begins: Mapping[str, Sequence[str]]
    operations: int = 1


class Taken(NamedTuple):
    """One step of a trace, in names."""

    action: str
    arguments: tuple[str | None, ...]

    def __str__(self) -> str:
        names = ("none" if item is None else str(item) for item in self.arguments)
        return f"{self.action}({', '.join(names)})"


@dataclass
class Searched:
    """The result of a search; ``states`` counts all that were seen.

    ``trace``: None where no state within the bounds breaks the property.
    """

    property: str
    trace: list[Taken] | None
    states: int
    depth: int
    final: State | None = None
    taken: set[str] = field(default_factory=set)


def search(
    instance: Instance, start: State, name: str, roles: Roles, *, bound: int = 300_000
) -> Searched:
    """The shortest trace from ``start`` to a state in which the formula ``name`` does not hold.

    Raises ValueError where the system does not start in ``start``, BudgetSpent beyond ``bound``
    states.
    """
    if not instance.initial(start):
        raise ValueError("the system does not start in this state")
    holds: Callable[[State], bool] = instance.formulas[name]
    threads = instance.elements[instance.system.SORTS[0].name]
    begins = {
        action: declaration.begins for action, declaration in instance.system.actions().items()
    }
    beginnings = [frozenset(roles.begins.get(thread, ())) for thread in threads]
    first = (start, (0,) * len(threads))
    parents: dict[tuple[State, tuple[int, ...]], tuple[Any, Move | None]] = {first: (None, None)}
    layer, depth, actions = [first], 0, set()
    if not holds(start):
        return Searched(name, [], 1, 0, start)
    while layer:
        following = []
        for node in layer:
            state, counts = node
            for move in instance.moves(state):
                after = counts
                if begins[move.action]:
                    mover = move.arguments[0]
                    if counts[mover] >= roles.operations or move.action not in beginnings[mover]:
                        continue
                    after = (*counts[:mover], counts[mover] + 1, *counts[mover + 1 :])
                new = (move.after, after)
                actions.add(move.action)
                if new in parents:
                    continue
                parents[new] = (node, move)
                if not holds(move.after):
                    return Searched(
                        name,
                        trace_to(instance, parents, new),
                        len(parents),
                        depth + 1,
                        move.after,
                        actions,
                    )
                following.append(new)
            if len(parents) > bound:
                raise BudgetSpent(f"more than {bound:,} states")
        layer, depth = following, depth + 1
    return Searched(name, None, len(parents), depth, None, actions)


def trace_to(
    instance: Instance, parents: Mapping[Any, tuple[Any, Move | None]], node: Any
) -> list[Taken]:
    """The steps from the start to a node of the search."""
    steps = []
    while (move := parents[node][1]) is not None:
        steps.append(Taken(move.action, instance.argument_names(move)))
        node = parents[node][0]
    return steps[::-1]


def induction_gap(
    instance: Instance, states: Sequence[State], name: str
) -> tuple[State, Move] | None:
    """A counterexample to induction among ``states``: a step from the invariant breaks ``name``."""
    for state in states:
        if instance.broken(state):
            continue
        for move in instance.moves(state):
            if not instance.formulas[name](move.after):
                return state, move
    return None
