"""The jobs of a verification: what is to be run for the chosen mechanisms, layers and profile, and one job carried out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wheelproof.checks import (
    agreement,
    composition,
    liveness,
    mutant,
    proof_edges,
    prove,
    random,
    refinement,
    safety,
    stress,
)
from wheelproof.checks.context import Context, Report
from wheelproof.errors import WheelproofError
from wheelproof.events import Ended, Notice
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.verdict import Row, Verdict

RUN: dict[str, Callable[[Context, object], Report]] = {
    "liveness": liveness.check,
    "refinement": refinement.check,
    "unrefined": refinement.check_mutants,
    "composed": composition.check,
    "random": random.check,
    "race": random.check_mutant,
    "stress": stress.check,
    "fault": stress.check_fault,
}


@dataclass(frozen=True)
class Job:
    """One unit of work for a worker: it makes the rows of ``layers``, all under one name, and those of each of ``others``.

    ``others``: mutants that have decision and scenario in common with the first, and so the graphs; theorems that lemmas are shared by;
    of a safety config the liveness configs that its run of TLC decides too: their layer is ``liveness``, and the config has no such row.
    ``weight``: an estimate of its cost in states, so that the long ones start first. ``seeds``: of a job of theorems.
    """

    stem: str
    kind: str
    name: str
    layers: tuple[str, ...]
    weight: int = 0
    others: tuple[str, ...] = ()
    seeds: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.others)

    @property
    def makes(self) -> list[tuple[str, str]]:
        """Layer and name of each row that the job makes."""
        if self.kind == "config":
            return [(layer, self.name) for layer in self.layers if layer != "liveness"] + [
                ("liveness", name) for name in self.others
            ]
        return [(layer, name) for name in self.names for layer in self.layers]

    @property
    def rows(self) -> int:
        """How many rows the job makes."""
        return len(self.makes)


def kind_of(mechanism: Mechanism, config: Config) -> str:
    """Which kind of job a config is: by its module (another one than the mechanism's is the spec's alone), else its property."""
    if config.module:
        return "refinement"
    kind = mechanism.properties[config.property].kind if config.property else "invariant"
    return kind if kind == "liveness" else "config"


def plan(mechanism: Mechanism, profile: str, wants: Callable[..., bool]) -> list[Job]:
    """The jobs of one mechanism. The nightly profile has the fast profile's too."""
    profiles = ("fast",) if profile == "fast" else ("fast", "nightly")
    jobs = []
    configs = [config for config in mechanism.configs.values() if config.profile in profiles]
    decided = decided_too(mechanism, configs) if wants("tlc") and wants("liveness") else {}
    for config in configs:
        kind, size = kind_of(mechanism, config), config.distinct or 10_000
        others = tuple(name for name, by in decided.items() if by == config.name)
        layers = {
            "config": ("tlc", "graph", "bisimulation"),
            "liveness": ("liveness",),
            "refinement": ("tlc",),
        }[kind]
        if config.name not in decided and (
            wanted := tuple(layer for layer in layers if wants(layer))
            + ("liveness",) * bool(others)
        ):
            jobs.append(
                Job(
                    mechanism.stem,
                    kind,
                    config.name,
                    wanted,
                    size * (2 if kind != "config" or others else 1),
                    others,
                )
            )
        if config.keeps is not None and wants("mutant"):
            jobs.append(
                Job(
                    mechanism.stem,
                    "unrefined",
                    config.name,
                    ("mutant",),
                    2_000 * len(mechanism.mutants),
                )
            )
        if (
            kind == "config"
            and config.expect == "exhaustive"
            and size <= 100_000
            and config.scenario == config.name
        ):
            layers = (
                ("random", "stress")
                if config.real and several_threads(mechanism, config)
                else ("random",)
            )
            jobs += [
                Job(mechanism.stem, layer, config.name, (layer,), 500 + size // 4)
                for layer in layers
                if wants(layer)
            ]
    for entry in mechanism.composed.values():
        layers = tuple(layer for layer in composition.layers_of(entry) if wants(layer))
        if entry.profile in profiles and layers:
            jobs.append(Job(mechanism.stem, "composed", entry.name, layers, 8_000))
    jobs += [
        Job(mechanism.stem, "fault", entry.name, ("stress",), 1_000)
        for entry in mechanism.faults.values()
        if entry.profile in profiles and wants("stress")
    ]
    alike: dict[tuple[str, str], list[str]] = {}
    for entry in mechanism.mutants.values():
        if entry.profile in profiles:
            if wants("mutant"):
                alike.setdefault((entry.decision, entry.scenario), []).append(entry.name)
            if entry.data_race and wants("random"):
                jobs.append(Job(mechanism.stem, "race", entry.name, ("random",), 500))
    jobs += [
        Job(
            mechanism.stem, "mutant", first, ("mutant",), 8_000 + 4_000 * len(others), tuple(others)
        )
        for first, *others in alike.values()
    ]
    if wants("graph") and agreement.invariants(mechanism):
        jobs.append(Job(mechanism.stem, "properties", agreement.NAME, ("graph",), 5_000))
    if wants("proof") and proof_edges.declared(mechanism):
        jobs.append(Job(mechanism.stem, "edges", proof_edges.NAME, ("proof",), 50_000))
    return jobs


def several_threads(mechanism: Mechanism, config: Config) -> bool:
    """Whether real threads can be in each other's way: of one alone the stress rounds show nothing."""
    return len(mechanism.scenarios[config.scenario]["threads"]) > 1


def decided_too(mechanism: Mechanism, configs: Sequence[Config]) -> dict[str, str]:
    """Liveness config -> the safety config whose run of TLC decides it too.

    Both are to hold, of the same machine with every thread fair.
    """

    def machine(config: Config) -> tuple:
        return (
            config.scenario,
            config.without,
            config.module,
            config.specification,
            sorted(config.constants.items()),
        )

    holds = [config for config in configs if config.expect == "exhaustive" and config.fair is None]
    safe = [config for config in holds if kind_of(mechanism, config) == "config"]
    return {
        live.name: same[0].name
        for live in holds
        if kind_of(mechanism, live) == "liveness"
        and (same := [config for config in safe if machine(config) == machine(live)])
    }


SEEDS = {"fast": 3, "nightly": 20}
"""How many seeds a theorem is checked with, by profile."""


def proofs(
    theorems: Sequence[prove.Declared], profile: str, names: Sequence[str] = (), seeds: int = 0
) -> list[Job]:
    """One job for each mechanism's theorems. ``names``: of theorems or mechanisms, all of the profile where empty; ``seeds``: 0 for the profile's."""
    chosen: dict[str, list[str]] = {}
    for item in theorems:
        if (
            (item.name in names or item.mechanism in names)
            if names
            else (item.profile == "fast" or profile == "nightly")
        ):
            chosen.setdefault(item.mechanism, []).append(item.name)
    # Before all else: a mechanism's theorems are one job, and may take longer than any config.
    return [
        Job(
            stem,
            "proof",
            first,
            ("proof",),
            60_000 + 400 * (1 + len(others)),
            tuple(others),
            seeds or SEEDS[profile],
        )
        for stem, (first, *others) in chosen.items()
    ]


def dispatch(context: Context, job: Job) -> Report:
    """Run one job by its kind. Errors go through."""
    mechanism = context.mechanism
    if job.kind in ("config", "liveness", "refinement", "random", "stress"):
        context = context.without(mechanism.configs[job.name].without)
    if job.kind == "mutant":
        return mutant.check(context, [mechanism.mutants[name] for name in job.names])
    if job.kind == "proof":
        return prove.check(context, job.names, job.seeds)
    if job.kind == "config":
        return safety.check(
            context, mechanism.configs[job.name], [mechanism.configs[name] for name in job.others]
        )
    if job.kind == "edges":
        return proof_edges.check(context)
    if job.kind == "properties":
        return agreement.check(context)
    of_kind = {"race": mechanism.mutants, "composed": mechanism.composed, "fault": mechanism.faults}
    return RUN[job.kind](context, of_kind.get(job.kind, mechanism.configs)[job.name])


def carry_out(context: Context, job: Job) -> Report:
    """Run one job. An error of the tool ends it: each row that was not made yet has the verdict error, so that the others can go on."""
    started = time.monotonic()
    made: list[Row] = []

    def hear(notice: Notice) -> None:
        if isinstance(notice, Ended):
            made.append(notice.row)
        listener(notice)

    listener, context = context.listen, replace(context, listen=hear)
    try:
        return dispatch(context, job)
    except WheelproofError as error:
        why = str(error)
    except MemoryError:
        why = "the checker ran out of memory"
    except RecursionError as error:
        why = f"the checker broke: {error}"
    except (
        Exception
    ) as error:  # a defect of the tool or of the subject's Python: reported, never green
        import traceback

        place = traceback.extract_tb(error.__traceback__)[-1]
        why = f"{type(error).__name__}: {error} (at {place.name}, line {place.lineno} of {place.filename.rpartition('/')[2]})"
    # a row is told once: what was made before the error stays as it is
    there = {(row.layer, row.name) for row in made}
    for layer, name in [each for each in job.makes if each not in there]:
        context.row(
            layer,
            name,
            started,
            expected="proved" if job.kind == "proof" else "exhaustive",
            verdict=Verdict.ERROR,
            why=why,
        )
    return Report(made)
