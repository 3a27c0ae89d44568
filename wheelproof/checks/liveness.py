"""Layer liveness: TLC's temporal check and the model's search for a weakly fair cycle agree."""

from __future__ import annotations

from collections.abc import Sequence

from wheelproof.checks.compiled import traced_path
from wheelproof.checks.context import Context, Report, counts_of, drift, drifts, verdict_of
from wheelproof.choices import choice_of
from wheelproof.counterexample import traced
from wheelproof.counterexample.build import build
from wheelproof.graph.explorer import Edge, StateGraph
from wheelproof.graph.liveness import Lasso, violation
from wheelproof.graph.planted import alone, negate
from wheelproof.project.mechanism import Config, the_property
from wheelproof.protocols import Model
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.verdict import Row, Verdict


def check(context: Context, config: Config) -> Report:
    """Run a liveness config: one temporal property, on the spec and on the model's full graph."""
    start = context.begin("liveness", config.name, context.limits.tlc_seconds)
    graph = context.explored(config, "liveness")
    result = context.tlc(
        config.name,
        config,
        properties=(the_property(config.property),),
        deadlock=False,
        layer="liveness",
    )
    return Report([judge(context, config, graph, result, start)])


def judge(
    context: Context, config: Config, graph: StateGraph, result: TlcResult, start: float
) -> Row:
    """The row of a liveness config: TLC's verdict, and the model's search in its full graph."""
    lasso = search(context, config, graph)
    verdict, trace = verdict_of(result), None
    fault = disagreement(verdict, lasso is None)
    if verdict is Verdict.EXHAUSTIVE:
        fault = fault or drift(config, counts_of(result))
    if verdict is Verdict.VIOLATED:
        if kept_waiting := starvation(context, config, graph.model, result):
            fault = fault or (
                f"TLC's run is not fair to {', '.join(kept_waiting)}: in its loop it could always "
                "move and never does; the specification's fairness is weaker than the config says"
            )
        trace = _counterexample(context, config, graph.model, result, lasso)
    fairness = "every thread fair" if config.fair is None else f"fair: {', '.join(config.fair)}"
    return context.row(
        "liveness",
        config.name,
        start,
        expected=config.expect,
        verdict=verdict,
        property=result.property,
        expected_property=config.property if config.expect == "violated" else None,
        fault=fault,
        trace=trace,
        bound=f"{context.bound(config.scenario)}, {fairness}",
        why=result.explanation,
        controls=controls(context, config, graph, result, verdict, lasso is None),
        figures={
            "states": graph.distinct,
            "edges": graph.edge_count,
            "lasso_spec": len(result.trace) or None,
            "lasso_model": None
            if lasso is None
            else sum(label not in context.mechanism.silent for _, label, _ in lasso.steps),
        },
    )


def search(context: Context, config: Config, graph: StateGraph) -> Lasso | None:
    """The model's fair run that never gets to the goal, in a graph; None where there is none."""
    names, name = graph.model.threads, the_property(config.property)
    return violation(
        graph,
        name,
        None if config.fair is None else [names.index(thread) for thread in config.fair],
        recurs=context.mechanism.properties[name].recurs,
    )


def disagreement(verdict: Verdict, holds: bool) -> str:
    """How the verdicts of TLC and of the model differ; "" where they do not, or TLC has none."""
    if verdict not in (Verdict.EXHAUSTIVE, Verdict.VIOLATED):
        return ""
    if holds == (verdict is Verdict.EXHAUSTIVE):
        return ""
    model = "holds" if holds else "has a fair run that never gets there"
    return f"TLC's verdict is {verdict}, the model {model}"


def controls(
    context: Context,
    config: Config,
    graph: StateGraph,
    result: TlcResult,
    verdict: Verdict,
    holds: bool,
) -> dict[str, bool]:
    """Planted fault -> whether it is rejected.

    The goal is false in a run that ends; TLC and the model differ; a count is one more; each fair
    thread stands for ever where it can move.
    """
    model, name = graph.model, the_property(config.property)
    first = graph.states[0]
    goal = negate(model, name) if model.holds(name, first) else model
    rejections = {
        f"{name} never true": search(context, config, alone(goal, first)) is not None,
        "another verdict of the model": bool(disagreement(verdict, not holds)),
    }
    if verdict is Verdict.EXHAUSTIVE:
        rejections |= drifts(config, counts_of(result))
    if verdict is Verdict.VIOLATED:
        for thread in model.threads if config.fair is None else config.fair:
            index = model.threads.index(thread)
            able = next((n for n, row in enumerate(graph.edges) if index in _movers(row)), None)
            if able is not None:
                result_there = TlcResult(
                    Outcome.VIOLATED,
                    trace=traced_path(context, graph, graph.path(able)),
                    stuttering=True,
                )
                rejections[f"{thread} stopped"] = thread in starvation(
                    context, config, model, result_there
                )
    return rejections


def _movers(row: Sequence[Edge]) -> set[int]:
    return {thread for thread, _, _ in row}


def starvation(context: Context, config: Config, model: Model, result: TlcResult) -> list[str]:
    """The fair threads that never move in the loop of TLC's run, although they always could.

    With them TLC has refuted the property for a reason that the config rules out. Empty where the
    model cannot follow the run: other checks report that.
    """
    if not result.trace:
        return []
    schedule = traced.schedule(model, result, context.mechanism.pc)
    states = [model.initial()]
    for thread, label in schedule:
        after = [
            state
            for mover, step, state in model.successors(states[-1])
            if (mover, step, choice_of(step)) == (thread, label, choice_of(label))
        ]
        if len(after) != 1:
            return []
        states.append(after[0])
    last = len(states) - 1
    first = last if result.loop is None or result.stuttering else min(result.loop - 1, last)
    movers_in_loop = {thread for thread, _ in schedule[first:]}
    movers_in_loop |= {
        mover for mover, _, after in model.successors(states[last]) if after == states[first]
    }
    able = [
        {mover for mover, _, after in model.successors(state) if after != state}
        for state in states[first:]
    ]
    return [
        name
        for index, name in enumerate(model.threads)
        if (config.fair is None or name in config.fair)
        and index not in movers_in_loop
        and all(index in movers for movers in able)
    ]


def _counterexample(
    context: Context, config: Config, model: Model, result: TlcResult, lasso: Lasso | None
) -> str:
    """The model's lasso where it found one, else TLC's path, as a file."""
    loop = None
    if lasso is not None:
        schedule, loop = [(thread, label) for thread, label, _ in lasso.steps], lasso.loop
    else:
        schedule = traced.schedule(model, result, context.mechanism.pc)
    how = (
        "the run stays in its last state for ever"
        if loop == len(schedule)
        else "the marked steps repeat for ever"
    )
    return context.keep(
        build(
            context.mechanism,
            model,
            schedule,
            layer="liveness",
            name=config.name,
            scenario=config.scenario,
            property=the_property(config.property),
            explanation=". ".join(filter(None, (config.about, how))) + ".",
            loop=loop,
            sources=context.sources(scenario=config.scenario),
        )
    )
