"""Ranks of states: numbers by place, the conditions as theorems, and runs that break a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import z3

from wheelproof.prove.kernel import VC, Control, Found
from wheelproof.prove.late import LateVC
from wheelproof.prove.ts.concrete import Compiled, Instance, Move, State
from wheelproof.prove.ts.enough import instantiated, searched
from wheelproof.prove.ts.faults import Scope
from wheelproof.prove.ts.search import Taken
from wheelproof.prove.ts.system import Condition, Enumeration, System
from wheelproof.prove.ts.theory import Conditions

RANK = "rank "
"""The prefix of the name of a condition about the rank; the action's name follows."""


def number(place: z3.ExprRef, enumeration: Enumeration, numbers: Mapping[str, int]) -> z3.ArithRef:
    """The number of a place; 0 for those that have none."""
    term = z3.IntVal(0)
    for name, value in numbers.items():
        term = z3.If(place == getattr(enumeration, name), value, term)
    return term


def moves(instance: Instance, scope: Scope, bound: int) -> Iterator[tuple[State, Move]]:
    """Every step from a state that a run within the scope reaches, up to a number of states."""
    actions = instance.system.actions()
    threads = instance.elements[instance.system.SORTS[0].name]
    first = (instance.start(scope.start), (0,) * len(threads))
    nodes, waiting = {first}, [first]
    for state, counts in waiting:
        for move in instance.moves(state):
            mover, after = move.arguments[0], counts
            if actions[move.action].begins:
                beginnings = scope.roles.begins.get(threads[mover], ())
                if counts[mover] >= scope.roles.operations or move.action not in beginnings:
                    continue
                after = (*counts[:mover], counts[mover] + 1, *counts[mover + 1 :])
            yield state, move
            if (move.after, after) not in nodes and len(nodes) < bound:
                nodes.add((move.after, after))
                waiting.append((move.after, after))


def broken(system: System, claims: Iterable[Condition], scope: Scope, bound: int = 30_000) -> Found:
    """A step of some run that breaks a claim about its action: "sat"; "unsat" if there is none.

    A claim's last word is the action. The witness is the name of the claim, and the step.
    """
    compilation = Compiled(system)
    instance = Instance(compilation, scope.elements, scope.rigid, scope.numbers)
    of_action = {claim.name.rpartition(" ")[2]: claim for claim in claims}
    holds: dict[str, Callable[..., bool]] = {}
    for state, move in moves(instance, scope, bound):
        if (claim := of_action.get(move.action)) is None:
            continue
        if move.action not in holds:
            parameters = tuple(system.actions()[move.action].parameters)
            holds[move.action] = instance.function(compilation.code(claim.goal, parameters))
        if not holds[move.action](state, *move.arguments):
            step = Taken(move.action, instance.argument_names(move))
            return Found("sat", f"{claim.name}: {step}")
    return Found("unsat")


@dataclass(frozen=True)
class Planted:
    """A system with a fault: the condition that a run within the scope must break.

    ``claims``: the conditions of the rank, of a system.
    """

    name: str
    says: str
    system: type[System]
    scope: Scope
    breaks: str
    claims: Callable[[Any], Iterable[Condition]]

    def find(self, _seed: int) -> Found:
        """The first step that breaks a condition; a contradiction where it is another one."""
        system = self.system()
        result = broken(system, self.claims(system), self.scope, 20_000)
        mismatch = result.verdict == "sat" and not result.witness.startswith(f"{self.breaks}: ")
        return replace(result, contradiction=f"{self.breaks} was to break" if mismatch else "")

    def control(self) -> Control:
        return Control(self.name, self.says, self.find)


def obligations(
    source: Conditions, claims: Callable[[Any], Iterable[Condition]], names: Iterable[str]
) -> list[LateVC]:
    """The conditions with the instances that they need, each with a reached state.

    In that state the action is taken which is the last word of the name, if it is one that is ever
    taken. ``names``: of the conditions, which are made at the first use of one of them.
    """
    by_name = cache(lambda: {condition.name: condition for condition in claims(source.system)})

    def vc(name: str) -> LateVC:
        def make(instances: Callable[[System, Condition], Condition]) -> VC:
            condition, witnesses = instances(source.system, by_name()[name]), source.witnesses
            vivid = (
                witnesses.before(name.removeprefix(RANK))
                if name.startswith(RANK)
                else witnesses.in_state(witnesses.last)
            )
            return VC(
                name, condition.premises, condition.goal, vivid, cites=source.cites(condition)
            )

        return LateVC(name, partial(make, instantiated), partial(make, searched))

    return [vc(name) for name in names]


def invariant(conditions: Conditions) -> list[LateVC]:
    """The conditions of an invariant, made when they are read.

    The start and every action are among them, also where a base has proved most conjuncts.
    """
    return [
        conditions.vc("init"),
        *[conditions.vc(f"step {name}") for name in conditions.system.actions()],
    ]
