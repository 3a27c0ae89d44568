"""A specification's verdict from its compiled graph, where TLC need not judge it again.

The front end is checked edge by edge against TLC on every config that holds. The
compiled graph of a changed specification is then compared with the changed model, the second
reading of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wheelproof.checks.comparisons import Equality
from wheelproof.checks.context import Context
from wheelproof.graph import same
from wheelproof.graph.explorer import BudgetSpent, StateGraph, explore, first_violations
from wheelproof.graph.liveness import violation
from wheelproof.tla.syntax import OutsideSubset
from wheelproof.tla.values import Undefined
from wheelproof.tlc.refusals import EVALUATION
from wheelproof.tlc.result import NO_DEADLOCK, Outcome, TlcResult, TraceState

NAMES = "the mutated model", "the mutated specification, compiled,"


def graph_of(context: Context, scenario: str, bound: int) -> StateGraph | None:
    """The compiled specification's graph of a scenario; None where TLC has to judge it.

    That is so in the nightly profile, without a model by hand, and where the specification is
    outside of the subset, some step has no value, or there are more states than ``bound``.
    """
    mechanism = context.mechanism
    if context.profile != "fast" or not mechanism.by_hand:
        return None
    try:
        return explore(mechanism.compiled_model(mechanism.scenarios[scenario]), bound=bound)
    except (OutsideSubset, Undefined, BudgetSpent):
        return None


def equality(graph: StateGraph, model: StateGraph) -> Equality:
    """The compiled specification's graph against the model's."""
    return Equality(graph.distinct, graph.generated - 1, same.difference(model, graph, NAMES))


def judge(
    context: Context,
    graph: StateGraph,
    invariants: Sequence[str] = (),
    liveness: Sequence[str] = (),
    deadlock: bool = False,
) -> TlcResult:
    """The verdict that TLC would give: the violation at the least depth, with its trace."""
    try:
        return _judge(context, graph, invariants, liveness, deadlock)
    except Undefined as error:
        return TlcResult(Outcome.ERROR, exit_code=EVALUATION.start, explanation=str(error))


def _judge(
    context: Context,
    graph: StateGraph,
    invariants: Sequence[str],
    liveness: Sequence[str],
    deadlock: bool,
) -> TlcResult:
    whole = TlcResult(
        Outcome.COMPLETED,
        generated=graph.generated,
        distinct=graph.distinct,
        depth=graph.depth,
        whole=True,
    )
    first = first_violations(graph, (*invariants, *((NO_DEADLOCK,) if deadlock else ())))
    violations = [(graph.levels[place], name) for name, place in first.items() if place is not None]
    if violations:
        name = min(violations, key=lambda violation: violation[0])[1]
        place = first[name]
        assert place is not None
        steps = graph.path(place)
        return replace(
            whole,
            outcome=Outcome.VIOLATED,
            property=name,
            explanation=f"{name} is violated.",
            trace=traced_path(context, graph, steps),
        )
    for name in liveness:
        recurs = context.mechanism.properties[name].recurs
        lasso = violation(graph, name, recurs=recurs)
        if lasso is not None:
            return replace(
                whole,
                outcome=Outcome.VIOLATED,
                property=name,
                explanation=f"{name} is violated.",
                trace=traced_path(context, graph, lasso.steps),
                loop=lasso.loop + 1,
                stuttering=lasso.loop == len(lasso.steps),
            )
    return whole


def traced_path(
    context: Context, graph: StateGraph, steps: Sequence[tuple[int, str, int]]
) -> tuple[TraceState, ...]:
    """A path of the graph as states of a trace, with the label of each thread alone."""
    threads, pc = graph.model.threads, context.mechanism.pc

    def at(place: int) -> dict[str, object]:
        return {pc: {name: process[0] for name, process in zip(threads, graph.states[place][1])}}

    return (
        TraceState(1, None, "", at(0)),
        *(
            TraceState(number, label, "", at(place), threads[thread])
            for number, (thread, label, place) in enumerate(steps, start=2)
        ),
    )
