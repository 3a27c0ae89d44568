"""Layer search: seeded random walks of the implementation, with a happens-before race detector on its plain fields.

Fine walks go along with the model, as a second net beside the bisimulation. Coarse ones do not yield at plain fields, which is
sound only where there is no race: the detector shows that, and both grains must come to the same verdict.
"""
from __future__ import annotations

from typing import Any

from wheelproof.explore import RaceDetector, Walks, walk
from wheelproof.graph import reduced
from wheelproof.layers.bench import Bench, Report
from wheelproof.layers.safety import parted
from wheelproof.subject import Config, Mutant
from wheelproof.trace.story import labelled, tell
from wheelproof.verdict import Verdict

SEED = 7
RACE = "NoDataRace"


def check(bench: Bench, config: Config) -> Report:
    """Random walks of a passing scenario: as the model says, in both grains, and no race."""
    started = bench.begin("search", config.name)
    graph = reduced.reduce(bench.mechanism.model(config.scenario), bench.mechanism.silent)
    fine, coarse = _walks(bench, config.scenario, graph)
    verdict, name, fault, trace = Verdict.SAMPLED, None, "", None
    races = sorted({*fine.races, *coarse.races})
    if "inconclusive" in (fine.outcome, coarse.outcome):
        verdict = Verdict.INCONCLUSIVE
    if races:
        verdict, name, fault = Verdict.VIOLATED, RACE, str(races[0])
    if difference := fine.difference or coarse.difference:
        verdict, name, fault = Verdict.VIOLATED, "Bisimulation", str(difference)
        trace = parted(bench, graph.model, config, difference, "search", config.name)
    if fine.figures["deadlocks"] or coarse.figures["deadlocks"]:
        verdict, name, fault = Verdict.VIOLATED, "NoDeadlock", f"after {' '.join(fine.schedule or coarse.schedule)}"
    return Report([bench.row(
        "search", config.name, started, expected="sampled", verdict=verdict, property=name, why=fault or fine.why or coarse.why,
        bound=f"{bench.bound(config.scenario)}, seed {SEED}", figures=_figures(fine, coarse), trace=trace)])


def check_mutant(bench: Bench, mutant: Mutant) -> Report:
    """Random walks of a mutant that loses a lock: the detector must report a race, in both grains."""
    started = bench.begin("search", mutant.name)
    mutated = bench.without(mutant.decision)
    fine, coarse = _walks(mutated, mutant.scenario, None)
    found = fine.races and coarse.races
    trace = _told(mutated, mutant, fine) if found else None
    return Report([bench.row(
        "search", mutant.name, started, expected="violated", expected_property=RACE, property=RACE if found else None,
        verdict=Verdict.VIOLATED if found else Verdict.SAMPLED, why=str(min(coarse.races)) if found else "no race was reported in one of the grains",
        bound=f"{bench.bound(mutant.scenario)}, seed {SEED}", figures=_figures(fine, coarse), trace=trace)])


def _told(bench: Bench, mutant: Mutant, walks: Walks) -> str:
    """The first walk with a race, up to its end, as a file."""
    mechanism = bench.mechanism
    model = mechanism.model(mutant.scenario)
    return bench.keep(tell(
        mechanism, model, labelled(model, walks.schedule, mechanism.silent), layer="search", name=mutant.name, scenario=mutant.scenario,
        property=RACE, explanation=str(min(walks.races)), sources=bench.sources(mutant.scenario)))


def _walks(bench: Bench, scenario: str, graph: Any) -> tuple[Walks, Walks]:
    """Fine and coarse walks; the fine ones beside the model's graph where there is one."""
    subject, program = bench.subject(), bench.mechanism.scenarios[scenario]
    beside = {}
    if graph is not None:
        beside = {"rows": reduced.rows(graph), "shared_of": reduced.shared_of(graph)}
    runs = bench.limits.walks
    fine = walk(subject, program, walks=runs, seed=SEED, race=RaceDetector(), **beside)
    coarse = walk(subject, program, walks=runs, seed=SEED, race=RaceDetector(), coarse=True)
    return fine, coarse


def _figures(fine: Walks, coarse: Walks) -> dict[str, int]:
    return {"walks": fine.figures["walks"] + coarse.figures["walks"], "steps": fine.figures["steps"] + coarse.figures["steps"],
            "races": len({*fine.races, *coarse.races})}
