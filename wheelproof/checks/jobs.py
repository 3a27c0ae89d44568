"""The jobs of a verification: planned by mechanism, layers and profile."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from wheelproof.checks import agreement, composition, proof_edges, prove, sensitivity
from wheelproof.checks.context import IN_PYTHON, Wanted
from wheelproof.checks.job import (
    ClassesJob,
    ComposedJob,
    EdgesJob,
    FaultJob,
    Job,
    LivenessJob,
    MutantJob,
    PropertiesJob,
    RaceJob,
    RefinementJob,
    RefinementMutantsJob,
    RunsJob,
    SafetyJob,
    SensitivityJob,
    TheoremsJob,
)
from wheelproof.errors import UsageError
from wheelproof.jvm import tasks
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.protocols import programs


def kind_of(mechanism: Mechanism, config: Config) -> str:
    """The kind of a config's job: ``refinement`` for a module of its own, else by its property."""
    if config.module:
        return "refinement"
    kind = mechanism.properties[config.property].kind if config.property else "invariant"
    return kind if kind == "liveness" else "config"


def plan(mechanism: Mechanism, profile: str, wants: Wanted, apart: bool = False) -> list[Job]:
    """The jobs of one mechanism. The nightly profile has the fast profile's too.

    ``apart``: each liveness config is a job of its own, so that it can be chosen alone.

    Raises UsageError for a mechanism in Java without classes.
    """
    if mechanism.in_java:
        wants = _outside_python(mechanism, wants)
    profiles = ("fast",) if profile == "fast" else ("fast", "nightly")
    return [
        *_of_configs(mechanism, profiles, wants, apart),
        *_of_composed(mechanism, profiles, wants),
        *_of_faults(mechanism, profiles, wants),
        *_of_mutants(mechanism, profiles, wants),
        *_of_the_whole(mechanism, wants),
        *(in_jvm(mechanism, profile) if wants("jvm") else []),
    ]


def _outside_python(mechanism: Mechanism, wants: Wanted) -> Wanted:
    """The wanted layers but for those of Python. UsageError for a mechanism without classes."""
    if not tasks.tasks(mechanism):
        raise UsageError(
            f"{mechanism.toml}: in_java = true, and no jvm/NAME.toml has classes of it.",
            f'Write mechanism = "{mechanism.name}" in one.',
        )
    return lambda *layers: any(wants(layer) for layer in layers if layer not in IN_PYTHON)


def _of_configs(
    mechanism: Mechanism, profiles: Sequence[str], wants: Wanted, apart: bool
) -> Iterator[Job]:
    configs = [config for config in mechanism.configs.values() if config.profile in profiles]
    together = wants("tlc") and wants("liveness") and not apart
    by_config = decided_too(mechanism, configs) if together else {}
    beside = {} if apart else broken_too(mechanism, configs)
    for config in configs:
        if config.name not in (*by_config, *beside):
            decided_names = tuple(name for name, by in by_config.items() if by == config.name)
            fails = tuple(name for name, by in beside.items() if by == config.name)
            yield from _of_property(mechanism, config, wants, decided_names, fails)
        if config.keeps is not None and wants("mutant"):
            weight = 2_000 * len(mechanism.mutants)
            yield RefinementMutantsJob(mechanism.name, config.name, ("mutant",), weight)
    yield from _of_runs(mechanism, configs, profiles, wants)


def _of_property(
    mechanism: Mechanism,
    config: Config,
    wants: Wanted,
    decided_names: tuple[str, ...],
    fails: tuple[str, ...],
) -> Iterator[Job]:
    """The job that decides a config's property, on all states."""
    kind = kind_of(mechanism, config)
    layers = {
        "config": ("tlc", "graph", "bisimulation"),
        "liveness": ("liveness",),
        "refinement": ("tlc",),
    }[kind]
    of_run = tuple(layer for layer in layers if wants(layer)) + ("liveness",) * bool(decided_names)
    if not of_run:
        return
    weight = size_of(config) * (2 if kind != "config" or decided_names else 1)
    if kind == "config":
        yield SafetyJob(mechanism.name, config.name, of_run, weight, decided_names, fails)
    else:
        plain = LivenessJob if kind == "liveness" else RefinementJob
        yield plain(mechanism.name, config.name, of_run, weight)


BY_DAY = 1_500
"""Distinct states up to which a scenario runs by day at random and on threads; or the fewest."""


def _of_runs(
    mechanism: Mechanism, configs: Sequence[Config], profiles: Sequence[str], wants: Wanted
) -> Iterator[Job]:
    """The jobs that run a scenario a number of times: of small configs that hold."""
    layers: dict[str, list[str]] = {}
    for layer in ("random", "stress"):
        sizes = {
            config.name: size_of(config)
            for config in configs
            if kind_of(mechanism, config) == "config"
            and (config.expect, config.scenario) == ("exhaustive", config.name)
            and size_of(config) <= 100_000
            and (layer == "random" or has_stress(mechanism, config))
        }
        by_day = max(BY_DAY, min(sizes.values(), default=0))
        for name, size in sizes.items():
            if wants(layer) and ("nightly" in profiles or size <= by_day):
                layers.setdefault(name, []).append(layer)
    for name, names in layers.items():
        weight = 500 + size_of(mechanism.configs[name]) // 4
        yield RunsJob(mechanism.name, name, tuple(names), weight * len(names))


def size_of(config: Config) -> int:
    """A config's distinct states; a guess where they are not known."""
    return config.distinct or 10_000


def _of_composed(mechanism: Mechanism, profiles: Sequence[str], wants: Wanted) -> Iterator[Job]:
    for entry in mechanism.composed.values():
        layers = tuple(layer for layer in composition.layers_of(entry) if wants(layer))
        if entry.profile in profiles and layers:
            yield ComposedJob(mechanism.name, entry.name, layers, 8_000)


def _of_faults(mechanism: Mechanism, profiles: Sequence[str], wants: Wanted) -> Iterator[Job]:
    for fault in mechanism.faults.values():
        if fault.profile in profiles and wants("stress"):
            yield FaultJob(mechanism.name, fault.name, ("stress",), 1_000)


def _of_mutants(mechanism: Mechanism, profiles: Sequence[str], wants: Wanted) -> Iterator[Job]:
    """A job for each data race, then one for the mutants of each decision and scenario."""
    alike: dict[tuple[str, str], list[str]] = {}
    for mutant in mechanism.mutants.values():
        if mutant.profile in profiles:
            if wants("mutant"):
                alike.setdefault((mutant.decision, mutant.scenario), []).append(mutant.name)
            if mutant.data_race and wants("random"):
                yield RaceJob(mechanism.name, mutant.name, ("random",), 500)
    for first, *rest in alike.values():
        weight = 8_000 + 4_000 * len(rest)
        yield MutantJob(mechanism.name, first, ("mutant",), weight, tuple(rest))


def _of_the_whole(mechanism: Mechanism, wants: Wanted) -> Iterator[Job]:
    """The jobs that compare the two declarations of properties."""
    if wants("graph") and any(item.kind == "invariant" for item in mechanism.properties.values()):
        yield PropertiesJob(mechanism.name, agreement.NAME, ("graph",), 5_000)
        yield SensitivityJob(mechanism.name, sensitivity.NAME, ("graph",), 3_000)
    if wants("proof") and proof_edges.declared(mechanism):
        yield EdgesJob(mechanism.name, proof_edges.NAME, ("proof",), 50_000)


def in_jvm(mechanism: Mechanism, profile: str) -> list[Job]:
    """The jobs of layer jvm: the checks that share a process are one."""
    jobs: list[Job] = []
    for group in tasks.groups(mechanism, profile):
        sizes = [mechanism.sizes.get(task.scenario, 500) for task in group]
        first, *rest = [task.name for task in group]
        jobs.append(ClassesJob(mechanism.name, first, ("jvm",), sum(sizes), tuple(rest)))
    return jobs


def has_stress(mechanism: Mechanism, config: Config) -> bool:
    """Whether a config runs on real threads: its scenario has some that can interfere."""
    return config.stress and len(programs(mechanism.scenarios[config.scenario])) > 1


DUMPED = 4_000
"""Distinct states up to which one run of TLC decides safety and liveness, and writes the graph.

In a JVM of its own TLC writes the graph of its temporal check too. In larger models this costs more
than a second run does.
"""


def machine(config: Config) -> Hashable:
    """The parts of a config that decide its graph."""
    return (
        config.scenario,
        config.without,
        config.module,
        config.specification,
        tuple(sorted(config.constants.items())),
    )


def broken_too(mechanism: Mechanism, configs: Sequence[Config]) -> dict[str, str]:
    """Safety config that must fail -> a config that holds, of the same machine."""
    safety = [config for config in configs if kind_of(mechanism, config) == "config"]
    holds: dict[Hashable, str] = {}
    for config in safety:
        if config.expect == "exhaustive":
            holds.setdefault(machine(config), config.name)
    return {
        config.name: holds[machine(config)]
        for config in safety
        if config.expect == "violated" and machine(config) in holds
    }


def decided_too(mechanism: Mechanism, configs: Sequence[Config]) -> dict[str, str]:
    """Liveness config -> the safety config whose run of TLC decides it too.

    Both are to hold, of the same machine with every thread fair.
    """

    holds = [config for config in configs if config.expect == "exhaustive" and config.fair is None]
    safe = [
        config
        for config in holds
        if kind_of(mechanism, config) == "config" and (config.distinct or 0) <= DUMPED
    ]
    return {
        live.name: same[0].name
        for live in holds
        if kind_of(mechanism, live) == "liveness"
        and (same := [config for config in safe if machine(config) == machine(live)])
    }


SEEDS = {"fast": 1, "nightly": 20}
"""How many seeds a theorem is checked with, by profile."""


def proofs(
    theorems: Sequence[prove.Declared], profile: str, names: Sequence[str] = (), seeds: int = 0
) -> list[Job]:
    """One job for the theorems of each mechanism.

    ``names``: theorems or mechanisms; all of the profile where empty. ``seeds``: 0 for the
    profile's number.
    """
    theorems_of: dict[str, list[str]] = {}
    for item in theorems:
        if names:
            matches = item.name in names or item.mechanism in names
        else:
            matches = item.profile == "fast" or profile == "nightly"
        if matches:
            theorems_of.setdefault(item.mechanism, []).append(item.name)
    # The weight is that of no config: one mechanism's theorems may take longer than any of them.
    return [
        TheoremsJob(
            mechanism,
            first,
            ("proof",),
            60_000 + 400 * (1 + len(rest)),
            tuple(rest),
            seeds=seeds or SEEDS[profile],
        )
        for mechanism, (first, *rest) in theorems_of.items()
    ]
