"""Checks of every protocol's proof. The mechanism's own tests name the systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import z3

from tests.found import mechanisms
from wheelproof.checks import proof_edges
from wheelproof.counterexample.build import build
from wheelproof.counterexample.replay import OnImplementation
from wheelproof.graph.explorer import StateGraph, explore
from wheelproof.project.mechanism import Mechanism
from wheelproof.prove.solvers import RESOURCES
from wheelproof.prove.ts.concrete import Compiled, Instance
from wheelproof.prove.ts.faults import Fault, Scope, follow, numbers
from wheelproof.prove.ts.ground import grounded
from wheelproof.prove.ts.instances import deeply_grounded
from wheelproof.prove.ts.system import Condition, System, conditions
from wheelproof.prove.ts.theory import Conditions


@cache
def mechanism(name: str) -> Mechanism:
    return mechanisms()[name]


FEW = RESOURCES // 5
"""Units for a condition that may have to be given up: ten times what one takes that holds."""


def answers(
    of: Iterable[Condition], resources: int = RESOURCES
) -> Iterator[tuple[str, z3.CheckSatResult]]:
    """Z3's answer to the denial of each condition: unsat proves it.

    The bound is in Z3's units, not in time: other processes share the machine.
    """
    solver, premises = None, None
    for condition in of:
        ids = [formula.get_id() for formula in condition.premises.values()]
        if ids != premises:
            solver, premises = z3.Solver(), ids
            solver.set("rlimit", resources)
            solver.add(*condition.premises.values())
        solver.push()
        solver.add(z3.Not(condition.goal))
        yield condition.name, solver.check()
        solver.pop()


def failing(system: System) -> list[str]:
    """The conditions that do not hold, or of which Z3 does not say so."""
    return [name for name, answer in answers(conditions(system)) if answer != z3.unsat]


def needed(system: System, conjunct: str) -> bool:
    """Whether some condition does not go through without the conjunct."""
    found = sorted(
        conditions(system, conjunct), key=lambda condition: condition.kind != "implication"
    )
    return any(answer != z3.unsat for _, answer in answers(found, FEW))


def grounded_failing(of: Conditions) -> list[str]:
    """The grouped conditions that do not follow from instances of their premises."""
    return [name for name, condition in of.made.items() if unproved(of.system, condition)]


def unproved(system: System, condition: Condition) -> bool:
    """Whether neither the premises' instances nor those of inner quantifiers entail the goal."""
    return not any(
        entailed(instantiate(system, condition)) for instantiate in (grounded, deeply_grounded)
    )


def entailed(made: Condition) -> bool:
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)
    solver.add(*made.premises.values(), z3.Not(made.goal))
    return solver.check() == z3.unsat


def grounded_needs(system: type[System], conjunct: str) -> bool:
    """Whether some condition needs the conjunct; safety and a few actions are tried first."""
    found: dict[str, tuple[str, dict, list]] = {}
    for condition in conditions(system(), conjunct):
        name = (
            condition.name if condition.kind == "implication" else condition.name.rpartition("/")[0]
        )
        found.setdefault(name, (condition.kind, dict(condition.premises), []))[2].append(
            condition.goal
        )
    made = [
        Condition(name, kind, premises, z3.And(goals))
        for name, (kind, premises, goals) in found.items()
        if kind != "init"
    ]
    return any(
        unproved(system(), condition)
        for condition in sorted(made, key=lambda each: each.kind != "implication")
    )


def refuted(fault: Fault) -> str:
    """The first condition that the fault's trace refutes, by name.

    The state before the step is its counterexample: all conjuncts hold there, and one does not hold
    after it. Where all hold to the end, they do not imply the property that breaks.
    """
    instance = fault.instance()
    state = instance.start(fault.scope.start)
    assert not instance.broken(state)
    for taken in fault.searched.trace:
        after = instance.take(taken.action, state, numbers(instance, taken))
        if broken := instance.broken(after):
            return f"step/{taken.action}/{broken[0]}"
        state = after
    assert not instance.formulas[fault.formula](state)
    return f"safety/{fault.formula}"


def leaves_invariant(system: System, scope: Scope, action: str, bound: int = 20_000) -> bool:
    """Whether a run within the scope leaves the invariant by this action, for the first time."""
    instance = Instance(Compiled(system), scope.elements, scope.rigid, scope.numbers)
    start = instance.start(scope.start)
    seen, waiting = {start}, [start]
    for state in waiting:
        for move in instance.moves(state):
            if move.after in seen:
                continue
            seen.add(move.after)
            if not instance.broken(move.after):
                waiting.append(move.after)
            elif move.action == action:
                return True
        if len(seen) > bound:
            break
    return False


def compared(mechanism: str, views: Any, *scenarios: str) -> proof_edges.Compared:
    """The graphs of scenarios compared with what ``views(model)`` gives."""
    found = proof_edges.Compared()
    actions = import_module(f"proofs.{mechanism}.view").ACTIONS
    for name in scenarios:
        graph = graph_of(mechanism, name)
        for view in views(graph.model):
            proof_edges.compare(view, graph, actions, found, name)
    return found


@cache
def graph_of(name: str, scenario: str) -> StateGraph:
    return explore(mechanism(name).model(scenario))


def replayed(name: str, fault: Fault, scenario: Mapping[str, Any], view: Any) -> int:
    """Run a fault's trace on the mutated model and on the mutated implementation: its length.

    Raises NotFollowed or NotReproduced.
    """
    found = fault.searched
    schedule = follow(view, found.trace, fault.property)
    of = replace(mechanism(name), scenarios={"found": scenario}).without(fault.decision)
    model = view.model
    built = build(
        of,
        model,
        [(model.threads.index(thread), label) for thread, label in schedule],
        layer="proof",
        name=fault.name,
        scenario="found",
        property=fault.property,
        explanation=fault.says,
    )
    replay = OnImplementation(of, built)
    replay.go(len(built.steps))
    replay.judge()
    return len(built.steps)
