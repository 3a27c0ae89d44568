"""Layer random: seeded random schedules of the implementation, with a happens-before race detector on its plain fields.

Fine schedules go along with the model, as a second net beside the bisimulation. Coarse ones do not yield at plain fields, which is
sound only where there is no race: the detector shows that, and both grains must come to the same verdict.
"""

from __future__ import annotations

from typing import Any

from wheelproof.checks.context import Context, Report
from wheelproof.checks.safety import parted
from wheelproof.counterexample.build import labelled, tell
from wheelproof.explore import RaceDetector, RandomSchedules, random_schedules
from wheelproof.graph import reduced
from wheelproof.project.mechanism import Config, Mutant
from wheelproof.verdict import Verdict

SEED = 7
RACE = "NoDataRace"


def check(context: Context, config: Config) -> Report:
    """Random schedules of a passing scenario: as the model says, in both grains, and no race."""
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
    """Random schedules of a mutant that loses a lock: the detector must report a race, in both grains."""
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
                else "no race was reported in one of the grains",
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
        tell(
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
    context: Context, scenario: str, graph: Any
) -> tuple[RandomSchedules, RandomSchedules]:
    """Fine and coarse schedules; the fine ones beside the model's graph where there is one."""
    subject, program = context.subject(), context.mechanism.scenarios[scenario]
    beside = {}
    if graph is not None:
        beside = {"rows": reduced.rows(graph), "shared_of": reduced.shared_of(graph)}
    runs = context.limits.schedules
    fine = random_schedules(
        subject, program, schedules=runs, seed=SEED, race=RaceDetector(), **beside
    )
    coarse = random_schedules(
        subject, program, schedules=runs, seed=SEED, race=RaceDetector(), coarse=True
    )
    return fine, coarse


def _figures(fine: RandomSchedules, coarse: RandomSchedules) -> dict[str, int]:
    return {
        "schedules": fine.figures["schedules"] + coarse.figures["schedules"],
        "steps": fine.figures["steps"] + coarse.figures["steps"],
        "races": len({*fine.races, *coarse.races}),
    }
