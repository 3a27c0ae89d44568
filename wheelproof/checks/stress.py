"""Layer stress: a scenario on the production runtime with real threads, judged at rest.

The threads are paused at random bytecodes.
The end of every round must be one of the model's final states, every invariant must hold in it,
no thread may raise or wait for ever, no two threads may be inside one lock, and the results of
every atomic variable must fit some order. This samples schedules; it is a check of the
production runtime, not of the algorithm.

A row is green only if the same scenario finds a fault that is planted in a primitive; else it is
vacuous. The nightly profile counts how many of these faults are found. More faults
are declared: a change of the production sources (``[faults.NAME]``), or a decision taken away,
that a row of its own rejects by the named property.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wheelproof import isolated
from wheelproof.checks.comparisons import reduced_graph
from wheelproof.checks.context import Context, Report
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import StateGraph
from wheelproof.project.mechanism import Config, Fault
from wheelproof.protocols import Values
from wheelproof.stress.faults import FAULTS
from wheelproof.stress.loading import ProductionImplementation
from wheelproof.stress.observed import EXCLUSION, LINEARIZABLE
from wheelproof.stress.rounds import (
    FINAL_STATE,
    IMPATIENT,
    NO_DEADLOCK,
    NO_EXCEPTION,
    Finding,
    Stress,
)
from wheelproof.verdict import Found, Row, Verdict

TRIES = (0.25, 1, 10)
"""Rounds for each planted fault, as shares of the sound run's rounds, until one is found."""

FIRST = (EXCLUSION, LINEARIZABLE, NO_EXCEPTION, NO_DEADLOCK, FINAL_STATE)
"""The order in which a finding of several properties is named; invariants follow by name."""

Outcome = Values
"""Values of the implementation's shared variables."""


def outcomes(graph: StateGraph, invariants: Iterable[str]) -> dict[Outcome, set[str]]:
    """Every final outcome -> the invariants that fail in it: none, for a good model."""
    model = graph.model
    visible = sorted(name for name in model.variables if name not in model.AUXILIARY)
    out: dict[Outcome, set[str]] = {}
    for number in graph.final:
        values = dict(zip(model.variables, model.pieces(graph.states[number])))
        key = tuple(values[name] for name in visible)
        out.setdefault(key, set()).update(
            name for name in invariants if not model.holds(name, graph.states[number])
        )
    return out


def ending(context: Context, config: Config) -> StateGraph:
    """A graph with every final state of the model: in these no silent step is left."""
    progress = context.beat("stress", config.name)
    return reduced_graph(context.mechanism, config.scenario, progress)


def check(context: Context, config: Config) -> Report:
    """Run one passing scenario on real threads.

    Then run it again with faults planted in the primitives that its threads use.
    """
    rounds, mechanism = context.limits.rounds, context.mechanism
    start = context.begin("stress", config.name)
    final = outcomes(ending(context, config), mechanism.invariants_of(config))
    scenario, beat = mechanism.scenarios[config.scenario], context.beat("stress", config.name)
    implementation = ProductionImplementation(mechanism.root, mechanism.name)
    result = Stress(implementation, scenario, invariants=mechanism.invariants_of(config)).run(
        rounds, final, beat
    )
    figures = {"rounds": result.rounds, "outcomes": result.outcomes, "outcomes_model": len(final)}
    bound = f"{context.bound(config.scenario)}, {rounds:,} rounds"

    def row(verdict: Verdict, property: str | None = None, why: str = "") -> Report:
        return Report(
            [
                context.row(
                    "stress",
                    config.name,
                    start,
                    expected="sampled",
                    verdict=verdict,
                    bound=bound,
                    figures=figures,
                    property=property,
                    why=why,
                )
            ]
        )

    if result.finding is not None:
        return row(
            Verdict.VIOLATED,
            property=name_of(result.finding),
            why=f"round {result.finding.round}: {result.finding.message}",
        )
    possible = [
        name for name, fault in FAULTS.items() if fault.needs in implementation.observer.used
    ]
    detections, tries = controls(context, config, possible, final)
    figures |= {"faults_found": detections, "faults_tried": tries}
    if not detections:
        return row(
            Verdict.VACUOUS,
            why="no fault planted in a primitive is found in this scenario; tried: "
            + (", ".join(possible) or "none, for it uses none"),
        )
    return row(Verdict.SAMPLED)


def controls(
    context: Context, config: Config, possible: Iterable[str], final: Mapping[Outcome, set[str]]
) -> tuple[int, int]:
    """(number of planted faults that are found, number that were tried).

    The longer rounds of TRIES are run only while no fault is found. In the fast profile the first
    that is found ends the search.
    """
    mechanism, rounds, detections, tries = context.mechanism, context.limits.rounds, 0, 0
    scenario = mechanism.scenarios[config.scenario]
    for share in TRIES:
        for tries, name in enumerate(possible, 1):
            result = Stress(
                ProductionImplementation(mechanism.root, mechanism.name, fault=name),
                scenario,
                patience=IMPATIENT,
                invariants=mechanism.invariants_of(config),
            ).run(max(1, int(rounds * share)), final)
            detections += result.finding is not None
            if detections and context.profile == "fast":
                return detections, tries
        if detections:
            break
    return detections, tries


def check_fault(context: Context, fault: Fault) -> Report:
    """Plant one declared fault in the production sources: it must break the named property."""
    mechanism, rounds = context.mechanism, context.limits.rounds * int(TRIES[-1])
    start = context.begin("stress", fault.name)
    config = Config(fault.name, fault.scenario)
    final = outcomes(ending(context, config), mechanism.invariants)
    texts = mechanism.without(fault.without).modules or {fault.module: plant(context, fault)}
    result = Stress(
        ProductionImplementation(mechanism.root, mechanism.name, texts=texts),
        mechanism.scenarios[fault.scenario],
        patience=IMPATIENT,
        invariants=mechanism.invariants,
    ).run(rounds, final, context.beat("stress", fault.name), until=fault.property)
    finding = result.finding
    judgement: Found = {"verdict": Verdict.SAMPLED}
    if finding is not None:
        property = fault.property if fault.property in finding.properties else name_of(finding)
        judgement = {
            "verdict": Verdict.VIOLATED,
            "property": property,
            "why": f"round {finding.round}: {finding.message}",
        }
    row: Row = context.row(
        "stress",
        fault.name,
        start,
        expected="violated",
        expected_property=fault.property,
        bound=f"{context.bound(fault.scenario)}, at most {rounds:,} rounds",
        figures={"rounds": result.rounds},
        **judgement,
    )
    return Report([row])


def plant(context: Context, fault: Fault) -> str:
    """The module's source with the fault's changes.

    Raises UsageError where a text to change is not there exactly once.
    """
    source = isolated.Finder(context.mechanism.root).locate(fault.module)
    place = f"{context.mechanism.toml}: [faults.{fault.name}]"
    if source is None:
        raise UsageError(f"{place}: there is no module {fault.module}.")
    text = source[0]
    for old, new in fault.changes:
        if text.count(old) != 1:
            raise UsageError(
                f"{place}: {old!r} is {text.count(old)} times in {fault.module}.",
                "Give a text that is there once.",
            )
        text = text.replace(old, new)
    return text


def name_of(finding: Finding) -> str:
    """The property that stands for a finding."""
    return next((name for name in FIRST if name in finding.properties), min(finding.properties))
