"""Layer random: seeded random schedules of the implementation, with a race detector.

The detector orders the accesses of plain fields by happens-before. Fine schedules are compared
with the model, as in the bisimulation. Coarse ones do not yield at plain fields, which is sound
only without races: the detector shows that there are none, and both must have the same verdict.
"""

from __future__ import annotations

from typing import Any

from wheelproof.checks.comparisons import parted
from wheelproof.checks.context import Context, Report
from wheelproof.counterexample.build import build, labelled
from wheelproof.explore import RaceDetector, RandomSchedules, random_schedules
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph
from wheelproof.project.mechanism import Config, Mutant
from wheelproof.verdict import Verdict

SEED = 7
RACE = "NoDataRace"


def check(context: Context, config: Config) -> Report:
    """Random schedules of a passing scenario: equal to the model's, without a race."""
    started = context.begin("random", config.name)
    graph = reduced.reduce(context.mechanism.model(config.scenario), context.mechanism.silent)
    fine, coarse = _schedules(context, config.scenario, graph)
    verdict, name, fault, trace = Verdict.SAMPLED, None, "", None
    races = sorted({*fine.races, *coarse.races})
    if "inconclusive" in (fine.outcome, coarse.outcome):
        verdict = Verdict.INCONCLUSIVE
    if races:
        verdict, name, fault = Verdict.VIOLATED, RACE, str(races[0])
    if difference := fine.difference or coarse.difference:
        verdict, name, fault = Verdict.VIOLATED, "Bisimulation", str(difference)
        trace = parted(context, graph.model, config, difference, "random", config.name)
    if fine.figures["deadlocks"] or coarse.figures["deadlocks"]:
        verdict, name, fault = (
            Verdict.VIOLATED,
            "NoDeadlock",
            f"after {' '.join(fine.schedule or coarse.schedule)}",
        )
    return Report(
        [
            context.row(
                "random",
                config.name,
                started,
                expected="sampled",
                verdict=verdict,
                property=name,
                why=fault or fine.why or coarse.why,
                bound=f"{context.bound(config.scenario)}, seed {SEED}",
                figures=_figures(fine, coarse),
                trace=trace,
            )
        ]
    )


def check_mutant(context: Context, mutant: Mutant) -> Report:
    """Random schedules of a mutant that loses a lock: the detector must report a race in both."""
    started = context.begin("random", mutant.name)
    mutated = context.without(mutant.decision)
    fine, coarse = _schedules(mutated, mutant.scenario, None)
    found = fine.races and coarse.races
    trace = _recorded(mutated, mutant, fine) if found else None
    return Report(
        [
            context.row(
                "random",
                mutant.name,
                started,
                expected="violated",
                expected_property=RACE,
                property=RACE if found else None,
                verdict=Verdict.VIOLATED if found else Verdict.SAMPLED,
                why=str(min(coarse.races))
                if found
                else "no race was reported in fine schedules or in coarse ones",
                bound=f"{context.bound(mutant.scenario)}, seed {SEED}",
                figures=_figures(fine, coarse),
                trace=trace,
            )
        ]
    )


def _recorded(context: Context, mutant: Mutant, found: RandomSchedules) -> str:
    """The first schedule with a race, up to its end, as a file."""
    mechanism = context.mechanism
    model = mechanism.model(mutant.scenario)
    return context.keep(
        build(
            mechanism,
            model,
            labelled(model, found.schedule, mechanism.silent),
            layer="random",
            name=mutant.name,
            scenario=mutant.scenario,
            property=RACE,
            explanation=str(min(found.races)),
            sources=context.sources(mutant.scenario),
        )
    )


def _schedules(
    context: Context, scenario: str, graph: StateGraph | None
) -> tuple[RandomSchedules, RandomSchedules]:
    """Fine and coarse schedules; the fine ones are compared with the model's graph, if given."""
    implementation, program = context.implementation(), context.mechanism.scenarios[scenario]
    beside: dict[str, Any] = {}
    if graph is not None:
        beside = {"rows": reduced.rows(graph), "shared_of": reduced.shared_of(graph)}
    drawn: dict[str, Any] = {
        # one thread has one schedule
        "schedules": context.limits.schedules if len(program["threads"]) > 1 else 1,
        "seed": SEED,
        "budget": context.limits.bisimulation_seconds,
    }
    fine = random_schedules(implementation, program, **drawn, race=RaceDetector(), **beside)
    coarse = random_schedules(implementation, program, **drawn, race=RaceDetector(), coarse=True)
    return fine, coarse


def _figures(fine: RandomSchedules, coarse: RandomSchedules) -> dict[str, float]:
    return {
        "schedules": fine.figures["schedules"] + coarse.figures["schedules"],
        "steps": fine.figures["steps"] + coarse.figures["steps"],
        "races": len({*fine.races, *coarse.races}),
    }
