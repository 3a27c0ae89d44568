"""Layer random: seeded random schedules of the implementation, with a race detector.

The detector orders the accesses of plain fields by happens-before. Fine schedules are compared
with the model, as in the bisimulation. Coarse ones do not yield at plain fields, which is sound
only without races: the detector shows that there are none, and both must have the same verdict.
"""

from __future__ import annotations

from functools import partial

from wheelproof.checks.comparisons import difference_file, reduced_graph
from wheelproof.checks.context import Context, Report
from wheelproof.counterexample.build import Diverged, build, labelled, settled
from wheelproof.graph import reduced
from wheelproof.graph.explorer import StateGraph
from wheelproof.project.mechanism import Config, Mutant
from wheelproof.protocols import programs
from wheelproof.python import (
    RaceDetector,
    RandomSchedules,
    random_schedules,
)
from wheelproof.python.search.refined import refine
from wheelproof.python.search.runner import Racing
from wheelproof.verdict import Verdict

SEED = 7
RACE = "NoDataRace"
DEADLOCK = "NoDeadlock"


def check(context: Context, config: Config) -> Report:
    """Random schedules of a passing scenario: equal to the model's, without a race.

    A deadlock counts before a difference, and this before a race. Each is named.
    """
    start = context.begin("random", config.name)
    graph = reduced_graph(context.mechanism, config.scenario)
    fine, coarse = _schedules(context, config.scenario, context.limits.schedules, graph)
    faults: list[tuple[str, str]] = []
    if deadlock := fine.deadlock or coarse.deadlock:
        faults.append((DEADLOCK, f"after {' '.join(deadlock)}"))
    if difference := fine.difference or coarse.difference:
        faults.append(("Bisimulation", str(difference)))
    racing = fine.racing
    if racing is None and coarse.racing is not None:
        program = context.mechanism.scenarios[config.scenario]
        racing = refine(context.implementation(), program, coarse.racing.schedule)
    if race := racing or coarse.racing:
        faults.append((RACE, str(race.race)))
    verdict, name, trace = Verdict.SAMPLED, None, None
    if "inconclusive" in (fine.outcome, coarse.outcome):
        verdict = Verdict.INCONCLUSIVE
    if faults:
        verdict, (name, _) = Verdict.VIOLATED, faults[0]
    if name == "Bisimulation" and difference:
        trace = difference_file(context, graph.model, config, difference, "random", config.name)
    elif name is not None:
        trace = _recording(context, config, name, racing, fine.deadlock)
    return Report(
        [
            context.row(
                "random",
                config.name,
                start,
                expected="sampled",
                verdict=verdict,
                property=name,
                why="; ".join(filter(None, (*(text for _, text in faults), fine.why, coarse.why))),
                bound=f"{context.bound(config.scenario)}, seed {SEED}",
                figures=_figures(fine, coarse),
                trace=trace,
            )
        ]
    )


def check_mutant(context: Context, mutant: Mutant) -> Report:
    """Random schedules of a mutant that loses a lock: the detector must report a race in both."""
    start = context.begin("random", mutant.name)
    mutation = context.without(mutant.decision)
    fine, coarse = _schedules(mutation, mutant.scenario, context.limits.mutant_schedules)
    in_both = fine.racing is not None and coarse.racing is not None
    return Report(
        [
            context.row(
                "random",
                mutant.name,
                start,
                expected="violated",
                expected_property=RACE,
                property=RACE if in_both else None,
                verdict=Verdict.VIOLATED if in_both else Verdict.SAMPLED,
                why=str(fine.racing.race)
                if in_both and fine.racing
                else "no race was reported in fine schedules or in coarse ones",
                bound=f"{context.bound(mutant.scenario)}, seed {SEED}",
                figures=_figures(fine, coarse),
                trace=_recording(mutation, mutant, RACE, fine.racing) if in_both else None,
            )
        ]
    )


def _recording(
    context: Context,
    item: Config | Mutant,
    property: str,
    racing: Racing | None,
    deadlock: tuple[str, ...] = (),
) -> str | None:
    """A schedule up to its race, or one to a deadlock, as a file.

    None where the model cannot follow it: it is of an implementation that is another machine, or
    of coarse schedules alone.
    """
    mechanism = context.mechanism
    model, silent = mechanism.model(item.scenario), mechanism.silent
    accesses: dict[int, str] = {}
    try:
        if property == RACE and racing:
            schedule = labelled(model, racing.schedule, silent)
            explanation, accesses = str(racing.race), racing.accesses
        elif property == DEADLOCK and deadlock:
            schedule = settled(model, labelled(model, deadlock, silent), silent)
            explanation = mechanism.properties[DEADLOCK].says
        else:
            return None
    except Diverged:
        return None
    return context.keep(
        build(
            mechanism,
            model,
            schedule,
            layer="random",
            name=item.name,
            scenario=item.scenario,
            property=property,
            explanation=explanation,
            sources=context.sources(item.scenario),
            accesses=accesses,
        )
    )


def _schedules(
    context: Context, scenario: str, limit: int, graph: StateGraph | None = None
) -> tuple[RandomSchedules, RandomSchedules]:
    """Fine and coarse schedules; the fine ones are compared with the model's graph, if given."""
    implementation, program = context.implementation(), context.mechanism.scenarios[scenario]
    draw = partial(
        random_schedules,
        implementation,
        program,
        # one thread has one schedule
        schedules=limit if len(programs(program)) > 1 else 1,
        seed=SEED,
        budget=context.limits.bisimulation_seconds,
    )
    rows = None if graph is None else reduced.rows(graph)
    shared_of = None if graph is None else reduced.shared_of(graph)
    fine = draw(race=RaceDetector(), rows=rows, shared_of=shared_of)
    return fine, draw(race=RaceDetector(), coarse=True)


def _figures(fine: RandomSchedules, coarse: RandomSchedules) -> dict[str, float]:
    return {
        "schedules": fine.figures["schedules"] + coarse.figures["schedules"],
        "steps": fine.figures["steps"] + coarse.figures["steps"],
        "races": len({*fine.races, *coarse.races}),
    }
