"""The context of one mechanism's checks: runs of TLC, graphs of the model, files, limits."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypedDict, Unpack

from wheelproof import reading
from wheelproof.counterexample.document import Counterexample
from wheelproof.events import Beat, Check, Ended, Listener, Started, ToolFound, ignore
from wheelproof.graph.explorer import StateGraph, explore
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.protocols import programs
from wheelproof.python.runtime.lock_order import Edge, Place
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.tlc import mc, process
from wheelproof.tlc.refusals import refuses
from wheelproof.tlc.result import Outcome, TlcResult
from wheelproof.tlc.values import format_tla
from wheelproof.verdict import Judged, Row, Verdict, judge

LARGE = 30_000
"""Distinct states above which TLC gets the JVM's settings for throughput."""

COMPARED = 100_000
"""States up to which a graph is compared: a full one with TLC's, a reduced one by bisimulation."""

OF_MODEL = frozenset({"graph", "bisimulation", "mutant", "random", "stress", "composition", "jvm"})
"""The layers whose rows depend on the model."""

_VERDICTS = {
    Outcome.COMPLETED: Verdict.EXHAUSTIVE,
    Outcome.VIOLATED: Verdict.VIOLATED,
    Outcome.INCONCLUSIVE: Verdict.INCONCLUSIVE,
    Outcome.ERROR: Verdict.ERROR,
}


def verdict_of(result: TlcResult) -> Verdict:
    """The verdict on a run of TLC."""
    return Verdict.REFUSED if refuses(result) else _VERDICTS[result.outcome]


IN_PYTHON = frozenset({"bisimulation", "coverage", "mutant", "random", "stress"})
"""The layers that run an implementation in Python."""


@dataclass(frozen=True)
class Limits:
    """The limits of a profile for one check."""

    tlc_seconds: float
    """Wall time of a run of TLC."""
    bisimulation_seconds: float
    """CPU time of a bisimulation, and of the random schedules of one grain."""
    heap_mb: int
    """The heap of TLC's JVM."""
    schedules: int
    """Random schedules of a scenario."""
    mutant_schedules: int
    """Random schedules until a mutant shows its race."""
    rounds: int
    """Rounds of stress."""
    second_ways: int = 24
    """States of a bisimulation that are stepped again, reached along a second path."""


LIMITS = {
    "fast": Limits(300, 120, 2500, 50, 50, 100),
    "nightly": Limits(3_600, 1_800, 6_000, 500, 1_500, 500, second_ways=1_000_000),
}


@dataclass
class Report:
    """The result of a job: its rows, and the parts that it exercised, for coverage."""

    rows: list[Row] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    """Labels of the unmutated implementation, and the silent ones of the model."""
    by_scenario: set[tuple[str, str]] = field(default_factory=set)
    """The same labels, as (scenario, label)."""
    witnesses: dict[str, str] = field(default_factory=dict)
    """Witness -> a config that reaches it."""
    branches: set[str] = field(default_factory=set)
    """Functions and outcomes of conditions that ran in the unmutated implementation."""
    changed: set[str] = field(default_factory=set)
    """Slots that had two values in some bisimulation."""
    unread: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Changed slot that the harness does not read -> (config, place)."""
    lock_classes: set[str] = field(default_factory=set)
    """Names of the locks that the unmutated implementation took."""
    lock_edges: dict[Edge, dict[str, Place]] = field(default_factory=dict)
    """Edge -> config -> the place where the held lock had been taken."""
    graphs: set[str] = field(default_factory=set)
    """The files of graphs that can be stepped through, below the output folder."""

    def exercise(self, scenario: str, labels: Iterable[str]) -> None:
        """Note labels that a scenario exercises."""
        self.labels |= (names := set(labels))
        self.by_scenario |= {(scenario, label) for label in names}


@dataclass(frozen=True)
class Context:
    """One mechanism under check."""

    mechanism: Mechanism
    output: Path
    """The folder for all files."""
    profile: str = "fast"
    layers: frozenset[str] | None = None
    """The layers of the run, None for all."""
    listen: Listener = ignore

    @property
    def limits(self) -> Limits:
        return LIMITS[self.profile]

    def without(self, decision: str) -> Context:
        """The same for the mechanism without this decision."""
        return replace(self, mechanism=self.mechanism.without(decision))

    def wants(self, *layers: str) -> bool:
        """Whether one of these layers is to be checked, and the mechanism has its artefact."""
        there = set(layers) - (IN_PYTHON if self.mechanism.in_java else set())
        return bool(there if self.layers is None else there & self.layers)

    # -- rows

    def begin(self, layer: str, name: str, budget: float | None = None) -> float:
        """Report that a check begins; the time at which it does."""
        self.listen(Started(Check(self.mechanism.name, layer, name), budget))
        return time.monotonic()

    def row(self, layer: str, name: str, start: float, **judgement: Unpack[Judged]) -> Row:
        """Judge a check and report that it ended. Keywords are those of ``judge``.

        Without a model by hand the figure ``model`` names the module that it is compiled from.
        """
        if layer in OF_MODEL and not self.mechanism.by_hand:
            source = f"compiled from spec/{self.mechanism.checked.name}"
            judgement["figures"] = {**judgement.get("figures", {}), "model": source}
        row = judge(self.mechanism.name, layer, name, seconds=time.monotonic() - start, **judgement)
        row = self.mechanism.unfilled(row)
        self.listen(Ended(row))
        return row

    def beat(self, layer: str, name: str) -> BeatCallback:
        """A progress callback ``(states, waiting)`` of one check."""
        check = Check(self.mechanism.name, layer, name)

        def report(states: int, waiting: int | None = None) -> None:
            self.listen(Beat(check, states, waiting))

        return report

    def bound(self, scenario: str) -> str:
        """A scenario's size in words."""
        works = programs(self.mechanism.scenarios[scenario]).values()
        operations = sum(map(len, works))
        return f"{count_of(len(works), 'thread')}, {count_of(operations, 'operation')}"

    def keep(self, counterexample: Counterexample) -> str:
        """Write a counterexample; its path below the output folder."""
        name = f"{counterexample.mechanism}.{counterexample.layer}.{counterexample.name}.json"
        counterexample.write(self.output / "counterexamples" / name)
        return f"counterexamples/{name}"

    # -- engines

    def tlc(
        self,
        name: str,
        config: Config,
        *,
        invariants: tuple[str, ...] = (),
        properties: tuple[str, ...] = (),
        deadlock: bool,
        dump: Path | None = None,
        go_on: bool = False,
        layer: str = "tlc",
    ) -> TlcResult:
        """Run TLC on a config. ``name``: of the generated module's folder below ``output/mc``.

        ``go_on``: to the end of the graph, although the one invariant is violated.
        """
        mechanism = self.mechanism
        description = self.describe(
            f"MC{mechanism.module}_{name}",
            config,
            invariants=invariants,
            properties=properties,
            deadlock=deadlock,
            first_only=go_on,
        )
        files = mc.generate(description, self.output / "mc" / mechanism.module / name, bare=True)
        result = self.run_tlc(
            files.module,
            timeout=self.limits.tlc_seconds,
            config=files.config,
            dump=dump,
            deadlock_check=deadlock,
            only_property=properties[0] if len(properties) == 1 else None,
            large=(config.distinct or 0) > LARGE,
            heap_mb=self.limits.heap_mb,
            go_on=go_on,
            on_progress=lambda p: self.listen(
                Beat(Check(mechanism.name, layer, config.name), p.distinct, p.queue)
            ),
        )
        if result.version:
            self.listen(ToolFound("tlc", result.version))
        return result

    def describe(
        self,
        name: str,
        config: Config,
        *,
        invariants: tuple[str, ...] = (),
        properties: tuple[str, ...] = (),
        deadlock: bool,
        first_only: bool = False,
    ) -> mc.McConfig:
        """The model-checking module of a config, by its name; options as ``McConfig`` has them."""
        mechanism = self.mechanism
        fair = config.fair
        specification = config.specification or "Spec"
        if fair is not None:
            # TLC reads a specification by its shape: a formula with a parameter would hide Init
            # and Next.
            threads = ", ".join(map(format_tla, fair))
            specification = f"Init /\\ [][Next]_vars /\\ Fairness({{{threads}}})"
        spec = (
            mechanism.spec.with_name(f"{config.module}.tla") if config.module else mechanism.checked
        )
        constants = constants_of(mechanism, config.scenario)
        if config.module:
            # An abstract module has no more of the constants than it needs.
            words = set(
                re.findall(r"\w+", "\n".join(reading.text(file) for file in mc.closure(spec)))
            )
            constants |= mechanism.module_constants
            constants = {name: value for name, value in constants.items() if name in words}
        return mc.McConfig(
            name=name,
            spec=spec,
            origin=f"spec/{mechanism.toml.name}, scenario {config.scenario}",
            constants=constants | dict(config.constants),
            texts=mechanism.specs,
            specification=specification,
            invariants=invariants,
            properties=properties,
            deadlock_check=deadlock,
            first_only=first_only,
        )

    def run_tlc(self, module: Path, **options: Unpack[process.RunOptions]) -> TlcResult:
        """One run of TLC on a generated module; the options are those of ``process.run``.

        Runs of the fast profile share a JVM. In the nightly profile each has its own.
        """
        options.setdefault("shared", self.profile == "fast")
        return process.run(module, **options)

    def explored(self, config: Config, layer: str = "graph") -> StateGraph:
        """The model's full graph of a config."""
        return explore(
            self.mechanism.model(config.scenario), progress=self.beat(layer, config.name)
        )

    def implementation(self, grain: str = "ATOMIC") -> ControlledImplementation:
        """The implementation under control. ``grain``: the harness's table of atomic modules."""
        mechanism = self.mechanism
        return ControlledImplementation.load(
            mechanism.root, mechanism.name, texts=mechanism.modules, atomicity=grain
        )

    def sources(self, scenario: str | None = None) -> dict[str, str]:
        """label -> "file:line" in the implementation and its harness.

        A line of a class that the scenario names as the alternative to run goes first. None of a
        mechanism in Java.
        """
        if self.mechanism.in_java:
            return {}
        plain: dict[str, str] = {}
        alternatives: dict[str, str] = {}
        root, texts = self.mechanism.root, self.mechanism.texts
        names = words(self.mechanism.scenarios[scenario]) if scenario else set()
        for file, of_line in self.implementation().labels.items():
            if not of_line:
                continue  # without labels there may be no file: a folder without an __init__.py
            alternative = (
                lines_of(texts.get(file) or reading.text(root / file), names) if names else ()
            )
            for line, kinds in of_line.items():
                places = alternatives if line in alternative else plain
                places.update(dict.fromkeys(kinds.values(), f"{file}:{line}"))
        return plain | alternatives


class Stated(TypedDict, total=False):
    """The checks of TLC on a module: options of :meth:`Context.tlc`."""

    invariants: tuple[str, ...]
    properties: tuple[str, ...]


class Checked(Stated, total=False):
    """The same with how it does."""

    deadlock: bool
    go_on: bool
    layer: str


class Wanted(Protocol):
    """Whether one of some layers is to be checked."""

    def __call__(self, *layers: str) -> bool: ...


class BeatCallback(Protocol):
    """A progress callback of one check."""

    def __call__(self, states: int, waiting: int | None = None, /) -> None: ...


def count_of(number: int, thing: str) -> str:
    """``1 thread``, ``2 threads``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def words(value: object) -> set[str]:
    """Every text in a scenario's fields."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, Mapping):
        value = value.values()
    return set().union(*map(words, value)) if isinstance(value, Iterable) else set()


def lines_of(text: str, names: Container[str]) -> set[int]:
    """The lines of the classes of these names at the top of a source text."""
    tree = ast.parse(text)
    return {
        line
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name in names
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def constants_of(mechanism: Mechanism, scenario: str) -> dict[str, object]:
    """The spec's constants in a scenario."""
    return mechanism.constants_of(mechanism.scenarios[scenario])


def counts_of(result: TlcResult) -> dict[str, int | None]:
    """TLC's counts as figures of a row."""
    return {"generated": result.generated, "distinct": result.distinct, "depth": result.depth}


def drift(config: Config, counts: Mapping[str, int | None]) -> str:
    """The counts that differ from those of the TOML, as a sentence; "" for none."""
    declarations = {
        "generated": config.generated,
        "distinct": config.distinct,
        "depth": config.depth,
    }
    if None in declarations.values():
        return "its counts are not recorded; run `wheelproof list --update-counts`"
    wrong = [
        f"{name} is {counts[name]:,}, declared {count:,}"
        for name, count in declarations.items()
        if counts[name] != count
    ]
    return "; ".join(wrong)


def drifts(config: Config, counts: Mapping[str, int | None]) -> dict[str, bool]:
    """Planted fault -> whether ``drift`` rejects it by name: each count is one more."""
    return {
        f"one more {name}": f"{name} is" in drift(config, {**counts, name: count + 1})
        for name, count in counts.items()
        if count is not None
    }


def graph_config(config: Config) -> Config:
    """The same config for the graph alone: nothing is checked in it, so that the graph is whole."""
    return replace(config, property=None, fair=None)
