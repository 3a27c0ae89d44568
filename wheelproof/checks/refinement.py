"""Configs of another module than the mechanism's: a refinement, or the abstract spec by itself.

A refinement holds where every step of the fine spec is a step of the abstract one, or a stutter.
TLC alone checks it, in layer tlc; models have no part in it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TypedDict

from wheelproof.checks.context import Context, Report, Stated, counts_of, drift, verdict_of
from wheelproof.counterexample import traced
from wheelproof.counterexample.build import build
from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.project.mechanism import Config, Mechanism, Mutant, the_property
from wheelproof.protocols import programs
from wheelproof.tlc.result import TlcResult, TraceState
from wheelproof.tlc.values import Function, format_tla
from wheelproof.verdict import Verdict

UNDECIDED = (Verdict.ERROR, Verdict.REFUSED, Verdict.INCONCLUSIVE)
"""The verdicts of a run that judged no machine, the gravest first."""


def check(context: Context, config: Config) -> Report:
    """Check the one property of a config: TLC 2.18 does not name an action property that fails."""
    start = context.begin("tlc", config.name, context.limits.tlc_seconds)
    result = context.tlc(config.name, config, deadlock=False, **statement(context, config))
    verdict = verdict_of(result)
    figures = counts_of(result)
    if verdict is Verdict.VIOLATED:
        figures = {"transitions": len(result.trace) - 1}
    fault = drift(config, figures) if verdict is Verdict.EXHAUSTIVE else ""
    trace = counterexample(context, config, result) if result.property else None
    return Report(
        [
            context.row(
                "tlc",
                config.name,
                start,
                expected=config.expect,
                verdict=verdict,
                property=result.property,
                trace=trace,
                expected_property=config.property if config.expect == "violated" else None,
                fault=fault,
                why=config.about if verdict == config.expect else result.explanation,
                bound=context.bound(config.scenario),
                figures=figures,
            )
        ]
    )


def machines(mechanism: Mechanism, config: Config, profile: str) -> list[Mutant]:
    """The mutants that a refinement is to reject in a profile: one for each machine."""
    first: dict[tuple[str, str], Mutant] = {}
    for mutant in mechanism.mutants.values():
        fast = mutant.profile == "fast" and mutant.name not in (config.keeps or {})
        if fast or profile == "nightly":
            first.setdefault((mutant.decision, mutant.scenario), mutant)
    return list(first.values())


def check_mutants(context: Context, config: Config) -> Report:
    """The row of a refinement in layer mutant: it rejects the machine without each decision.

    An abstract spec that rejects no mutant may allow too much. The mutants in ``keeps`` must not be
    rejected; they take part in the nightly profile only, as the nightly mutants do.
    """
    start = context.begin("mutant", config.name, context.limits.tlc_seconds)
    keeps = config.keeps or {}
    results: dict[str, TlcResult] = {}
    for mutant in machines(context.mechanism, config, context.profile):
        mutation = replace(
            config,
            name=f"{config.name}_{mutant.name}",
            scenario=mutant.scenario,
            without=mutant.decision,
        )
        results[mutant.name] = context.without(mutant.decision).tlc(
            mutation.name, mutation, deadlock=False, layer="mutant", **statement(context, config)
        )
    judgement = {name: verdict_of(result) for name, result in results.items()}
    rejections = [name for name, verdict in judgement.items() if verdict is Verdict.VIOLATED]
    faults = [
        f"{name} is not rejected"
        for name, verdict in judgement.items()
        if verdict is Verdict.EXHAUSTIVE and name not in keeps
    ]
    faults += [
        f"{name} is rejected although keeps lists it" for name in rejections if name in keeps
    ]
    verdict = next(
        (verdict for verdict in UNDECIDED if verdict in judgement.values()),
        Verdict.VIOLATED if rejections else Verdict.VACUOUS,
    )
    open_names = [
        f"{name}: {results[name].explanation}"
        for name in results
        if judgement[name] is verdict and name not in rejections
    ]
    acceptances = ", ".join(name for name in results if name in keeps) or "none"
    return Report(
        [
            context.row(
                "mutant",
                config.name,
                start,
                expected="violated",
                expected_property=config.property,
                verdict=verdict,
                property=config.property if verdict is Verdict.VIOLATED else None,
                fault="; ".join(faults),
                why="; ".join(open_names) or ("" if results else "no mutant takes part"),
                figures={"mutants": len(results), "rejected": len(rejections), "kept": acceptances},
            )
        ]
    )


def statement(context: Context, config: Config) -> Stated:
    """The config's property as an option of ``Context.tlc``: an invariant or a property."""
    name = the_property(config.property)
    invariant = context.mechanism.properties[name].kind == "invariant"
    return {"invariants": (name,)} if invariant else {"properties": (name,)}


class _Head(TypedDict):
    layer: str
    name: str
    scenario: str
    property: str
    explanation: str


def counterexample(context: Context, config: Config, result: TlcResult) -> str:
    """TLC's trace as a file.

    Its steps are the mechanism's labels where the module has the program counters, else actions.
    """
    mechanism = context.mechanism
    head: _Head = {
        "layer": "tlc",
        "name": config.name,
        "scenario": config.scenario,
        "property": the_property(config.property),
        "explanation": config.about,
    }
    if mechanism.pc in result.trace[0].variables:
        model = mechanism.model(config.scenario)
        schedule = traced.schedule(model, result, mechanism.pc)
        return context.keep(build(mechanism, model, schedule, sources=context.sources(), **head))
    threads = tuple(programs(mechanism.scenarios[config.scenario]))
    texts = [places(state) for state in result.trace]
    steps = []
    for number, (before, after) in enumerate(pairwise(texts), 1):
        changes = {
            place: (before[place], text) for place, text in after.items() if text != before[place]
        }
        mover = next(
            (
                thread
                for thread in threads
                if any(place.endswith(f"[{thread}]") for place in changes)
            ),
            threads[0],
        )
        steps.append(Step(mover, result.trace[number].action or "", "", None, changes))
    return context.keep(
        Counterexample(
            mechanism=mechanism.name,
            threads=threads,
            initial=texts[0],
            steps=tuple(steps),
            model_without=mechanism.lacking,
            impl_without=mechanism.lacking,
            **head,
        )
    )


def places(state: TraceState) -> dict[str, str]:
    """Every place of a state, such as ``members[l1]``, with its value as TLA+ text."""
    out: dict[str, str] = {}
    for name, value in state.variables.items():
        if isinstance(value, Function):
            out |= {f"{name}[{argument}]": format_tla(value[argument]) for argument in value}
        else:
            out[name] = format_tla(value)
    return out
