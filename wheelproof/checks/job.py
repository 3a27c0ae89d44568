"""The units of work of a verification, a class for each kind.

A class says which rows its jobs make, which files they read, and how they run.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from wheelproof import guest
from wheelproof.checks import (
    agreement,
    composition,
    failing,
    jvm,
    liveness,
    mutant,
    proof_edges,
    prove,
    random,
    refinement,
    safety,
    sensitivity,
    stress,
)
from wheelproof.checks.context import Context, Report
from wheelproof.events import Ended, Notice
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.python.search.search import rare_collections
from wheelproof.verdict import Row


@dataclass(frozen=True)
class Job:
    """One unit of work for a worker: rows of some layers, for one name or several."""

    mechanism: str
    name: str
    """The first name."""
    layers: tuple[str, ...]
    weight: int = 0
    """An estimate of the cost in states; heavy jobs start first."""
    others: tuple[str, ...] = ()
    """The further names."""

    kind: ClassVar[str]
    """The kind's name."""
    expected: ClassVar[str] = "exhaustive"
    """The verdict that a row of a job expects that an error ends."""
    with_tlc: ClassVar[bool] = False
    """Whether TLC runs."""
    with_model: ClassVar[bool] = True
    """Whether the model of the mechanism is loaded."""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.others)

    @property
    def makes(self) -> list[tuple[str, str]]:
        """Layer and name of each row that the job makes."""
        return [(layer, name) for name in self.names for layer in self.layers]

    @property
    def rows(self) -> int:
        """How many rows the job makes."""
        return len(self.makes)

    @property
    def parts(self) -> list[Job]:
        """The jobs that make its rows and are kept apart, because they read different files."""
        return [self]

    def reads(self, mechanism: Mechanism) -> tuple[str, ...]:
        """The groups of ``project.inputs.Inputs`` that the job reads besides ``machine``."""
        return ("implementation", "decisions")

    def run(self, context: Context) -> Report:
        """Make the rows. Errors go through."""
        raise NotImplementedError

    def only(self, choice: frozenset[tuple[str, str]]) -> Job | None:
        """The job with the chosen of its names, as (mechanism, name); None where it has none."""
        names = [name for name in self.names if (self.mechanism, name) in choice]
        return replace(self, name=names[0], others=tuple(names[1:])) if names else None


@dataclass(frozen=True)
class _OfConfig(Job):
    """A job on the machine of a config."""

    def run(self, context: Context) -> Report:
        config = context.mechanism.configs[self.name]
        return self.judge(context.without(config.without), config)

    def judge(self, context: Context, config: Config) -> Report:
        """Make the rows on a context without the decisions that the config takes away."""
        raise NotImplementedError

    def configs(self, mechanism: Mechanism) -> list[Config]:
        return [mechanism.configs[name] for name in self.names]

    def reads(self, mechanism: Mechanism) -> tuple[str, ...]:
        differs = any(config.without for config in self.configs(mechanism))
        return ("implementation", "decisions") if differs else ("implementation",)


@dataclass(frozen=True)
class _OnMachine(_OfConfig):
    """One that may do without the implementation. A counterexample names lines of it."""

    with_tlc = True

    def reads(self, mechanism: Mechanism) -> tuple[str, ...]:
        configs = self.configs(mechanism)
        alone = "bisimulation" not in self.layers and not any(item.without for item in configs)
        if alone and all(config.expect == "exhaustive" for config in configs):
            return ()
        return super().reads(mechanism)


@dataclass(frozen=True)
class SafetyJob(_OnMachine):
    """The job of a config whose property is one of states: TLC, the model's graph, bisimulation.

    One graph and one bisimulation are for all its configs. The further names are the liveness
    configs that its run of TLC decides too. Each has a row of layer ``liveness``, and the config
    itself has none.
    """

    broken: tuple[str, ...] = ()
    """The configs of the same machine whose property does not hold."""

    kind = "config"

    @property
    def makes(self) -> list[tuple[str, str]]:
        layers = [layer for layer in self.layers if layer != "liveness"]
        return [(layer, name) for name in (self.name, *self.broken) for layer in layers] + [
            ("liveness", name) for name in self.others
        ]

    @property
    def parts(self) -> list[Job]:
        if "bisimulation" not in self.layers or len(self.layers) == 1:
            return [self]
        rest = tuple(layer for layer in self.layers if layer != "bisimulation")
        return [
            replace(self, layers=rest),
            replace(self, layers=("bisimulation",), others=(), weight=self.weight // 2),
        ]

    def configs(self, mechanism: Mechanism) -> list[Config]:
        return [mechanism.configs[name] for name in (*self.names, *self.broken)]

    def judge(self, context: Context, config: Config) -> Report:
        configs = context.mechanism.configs
        live, fails = ([configs[name] for name in names] for names in (self.others, self.broken))
        context = replace(context, layers=frozenset(self.layers))
        return safety.check(context, config, live, fails)


@dataclass(frozen=True)
class LivenessJob(_OnMachine):
    kind = "liveness"

    def judge(self, context: Context, config: Config) -> Report:
        return liveness.check(context, config)


@dataclass(frozen=True)
class RefinementJob(_OnMachine):
    """The job of a config that has a module of its own."""

    kind = "refinement"

    def judge(self, context: Context, config: Config) -> Report:
        return refinement.check(context, config)


@dataclass(frozen=True)
class RefinementMutantsJob(Job):
    """The mutants of a mechanism, against the refinement of a config."""

    kind = "refinement mutants"

    def run(self, context: Context) -> Report:
        return refinement.check_mutants(context, context.mechanism.configs[self.name])


@dataclass(frozen=True)
class RunsJob(_OfConfig):
    """A scenario that runs a number of times: at random under control, and on real threads."""

    kind = "runs"

    def judge(self, context: Context, config: Config) -> Report:
        checks = {"random": random.check, "stress": stress.check}
        reports = [checks[layer](context, config) for layer in self.layers]
        return Report([row for report in reports for row in report.rows])


@dataclass(frozen=True)
class MutantJob(Job):
    """Mutants with the same decision and scenario, hence the same graphs."""

    kind = "mutant"
    with_tlc = True

    def run(self, context: Context) -> Report:
        return mutant.check(context, [context.mechanism.mutants[name] for name in self.names])


@dataclass(frozen=True)
class RaceJob(Job):
    """A mutant that has a data race."""

    kind = "race"

    def run(self, context: Context) -> Report:
        return random.check_mutant(context, context.mechanism.mutants[self.name])


@dataclass(frozen=True)
class ComposedJob(Job):
    kind = "composed"

    def run(self, context: Context) -> Report:
        return composition.check(context, context.mechanism.composed[self.name])


@dataclass(frozen=True)
class FaultJob(Job):
    """A fault of a primitive, which a run on real threads must notice."""

    kind = "fault"

    def run(self, context: Context) -> Report:
        return stress.check_fault(context, context.mechanism.faults[self.name])


@dataclass(frozen=True)
class PropertiesJob(Job):
    """Properties of specification and model, compared."""

    kind = "properties"

    def run(self, context: Context) -> Report:
        return agreement.check(context)


@dataclass(frozen=True)
class SensitivityJob(Job):
    """Properties, each on states where it has to be false."""

    kind = "sensitivity"

    def run(self, context: Context) -> Report:
        return sensitivity.check(context)


@dataclass(frozen=True)
class ClassesJob(Job):
    """Checks of layer ``jvm`` that share a process."""

    kind = "jvm"

    def reads(self, mechanism: Mechanism) -> tuple[str, ...]:
        return (*super().reads(mechanism), "java")

    def run(self, context: Context) -> Report:
        return jvm.check(context, self.names)


@dataclass(frozen=True)
class _OfProofs(Job):
    def reads(self, mechanism: Mechanism) -> tuple[str, ...]:
        return ("proofs",)


@dataclass(frozen=True)
class TheoremsJob(_OfProofs):
    """Theorems of a mechanism, which share lemmas."""

    seeds: int = 0
    """The number of seeds that each is checked with."""

    kind = "proof"
    expected = "proved"
    with_model = False

    def run(self, context: Context) -> Report:
        return prove.check(context, self.names, self.seeds)


@dataclass(frozen=True)
class EdgesJob(_OfProofs):
    """The terms of a proof, compared with the model's edges."""

    kind = "edges"

    def run(self, context: Context) -> Report:
        return proof_edges.check(context)


def carry_out(context: Context, job: Job) -> Report:
    """Run one job. Where something ends it early every row that is still missing says so.

    Raises LeftBehind where the job leaves a thread of the project.
    """
    start = time.monotonic()
    rows: list[Row] = []

    def hear(notice: Notice) -> None:
        if isinstance(notice, Ended):
            rows.append(notice.row)
        listener(notice)

    listener, context = context.listen, replace(context, listen=hear)
    with guest.without_threads():
        try:
            with rare_collections(), guest.in_place():
                return job.run(context)
        except failing.CAUGHT as error:
            verdict, why = failing.judge(error)
    # A row is reported once: those made before the error stay as they are.
    there = {(row.layer, row.name) for row in rows}
    missing: Sequence[tuple[str, str]] = [key for key in job.makes if key not in there]
    for layer, name in missing:
        context.row(layer, name, start, expected=job.expected, verdict=verdict, why=why)
    return Report(rows)
