"""Layer liveness: TLC's temporal check and the model's search for a weakly fair cycle agree."""

from __future__ import annotations

from wheelproof.checks.context import Context, Report, counts_of, drift, verdict_of
from wheelproof.choices import choice_of
from wheelproof.counterexample import traced
from wheelproof.counterexample.build import build
from wheelproof.graph.explorer import StateGraph
from wheelproof.graph.liveness import Lasso, violation
from wheelproof.project.mechanism import Config, the_property
from wheelproof.protocols import Model
from wheelproof.tlc.result import TlcResult
from wheelproof.verdict import Row, Verdict


def check(context: Context, config: Config) -> Report:
    """Run a liveness config: one temporal property, on the spec and on the model's full graph."""
    started = context.begin("liveness", config.name, context.limits.tlc_seconds)
    graph = context.explored(config, "liveness")
    result = context.tlc(
        config.name,
        config,
        properties=(the_property(config.property),),
        deadlock=False,
        layer="liveness",
    )
    return Report([judged(context, config, graph, result, started)])


def judged(
    context: Context, config: Config, graph: StateGraph, result: TlcResult, started: float
) -> Row:
    """The row of a liveness config: TLC's verdict, and the model's search in its full graph."""
    names, name = graph.model.threads, the_property(config.property)
    lasso = violation(
        graph,
        name,
        None if config.fair is None else [names.index(thread) for thread in config.fair],
        recurs=context.mechanism.properties[name].recurs,
    )
    verdict, fault = verdict_of(result), ""
    trace = None
    holds = lasso is None
    if verdict in (Verdict.EXHAUSTIVE, Verdict.VIOLATED) and holds != (
        verdict is Verdict.EXHAUSTIVE
    ):
        model = "holds" if holds else "has a fair run that never gets there"
        fault = f"TLC's verdict is {verdict}, the model {model}"
    if verdict is Verdict.EXHAUSTIVE:
        fault = fault or drift(config, counts_of(result))
    if verdict is Verdict.VIOLATED:
        if kept_waiting := starved(context, config, graph.model, result):
            fault = fault or (
                f"TLC's run is not fair to {', '.join(kept_waiting)}: in its loop it could always "
                "move and never does; the specification's fairness is weaker than the config says"
            )
        trace = _kept(context, config, graph.model, result, lasso)
    fairness = "every thread fair" if config.fair is None else f"fair: {', '.join(config.fair)}"
    return context.row(
        "liveness",
        config.name,
        started,
        expected=config.expect,
        verdict=verdict,
        property=result.property,
        expected_property=config.property if config.expect == "violated" else None,
        fault=fault,
        trace=trace,
        bound=f"{context.bound(config.scenario)}, {fairness}",
        why=result.explanation,
        figures={
            "states": graph.distinct,
            "edges": graph.edge_count,
            "lasso_spec": len(result.trace) or None,
            "lasso_model": None
            if lasso is None
            else sum(label not in context.mechanism.silent for _, label, _ in lasso.steps),
        },
    )


def starved(context: Context, config: Config, model: Model, result: TlcResult) -> list[str]:
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
    moved = {thread for thread, _ in schedule[first:]}
    if result.loop is not None:
        moved |= {
            mover for mover, _, after in model.successors(states[last]) if after == states[first]
        }
    able = [{mover for mover, _, _ in model.successors(state)} for state in states[first:]]
    return [
        name
        for index, name in enumerate(model.threads)
        if (config.fair is None or name in config.fair)
        and index not in moved
        and all(index in movers for movers in able)
    ]


def _kept(
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
