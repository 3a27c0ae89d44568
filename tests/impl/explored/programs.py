"""Scenarios as programs of plain threads, for `wheelproof explore`: it reads no label.

A program's folder has the implementation and the harnesses, perhaps without a decision, and one
file that starts a thread for each of the scenario's. At the end the variables must be those of a
final state of the model.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests import forked
from tests.found import ROOT, mechanisms
from wheelproof.checks.comparisons import reduced_graph
from wheelproof.checks.jobs import plan, size_of
from wheelproof.checks.stress import outcomes
from wheelproof.project.mechanism import Config, Mechanism
from wheelproof.protocols import programs

COPIED = {"impl": "impl", "harness": "harness", "runtime/wheelproof_runtime": "wheelproof_runtime"}

EXECUTIONS = 20_000
"""Of a program, at most."""

PROGRAM = """\
from importlib import import_module
from threading import Thread

DECLARED = import_module("harness.{mechanism}")
RUN = import_module(getattr(DECLARED, "ON_THREADS", "harness.{mechanism}"))
BROKEN = getattr(RUN, "broken", lambda harness: ())
SCENARIO = {scenario!r}
PROGRAMS = {programs!r}
FINAL = {final!r}
KEPT = {kept!r}


def operate(harness, operations):
    for name, *arguments in operations:
        getattr(harness, str(name))(*arguments)


def program():
    harness = RUN.Harness(SCENARIO)
    threads = [
        Thread(target=operate, args=(harness, operations), name=str(name))
        for name, operations in PROGRAMS.items()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    values = tuple(value for _, value in sorted(DECLARED.shared(harness).items()))
    assert values in FINAL, values
    assert not KEPT.intersection(BROKEN(harness))
"""


@dataclass(frozen=True, order=True)
class Case:
    """A scenario on the implementation without a decision. ``decision``: empty for none."""

    mechanism: str
    scenario: str
    decision: str = ""

    @property
    def subject(self) -> Mechanism:
        return mechanisms()[self.mechanism]


@dataclass(frozen=True)
class Answer:
    """What `wheelproof explore` says. ``word``: the answer; ``racy``: files with their texts."""

    word: str
    text: str
    racy: frozenset[str]


@cache
def scenarios(mechanism: str) -> dict[str, Config]:
    """Scenario -> its config, of those that the layer `stress` runs, the smallest first."""
    subject = mechanisms()[mechanism]
    jobs = plan(subject, "nightly", lambda *layers: "stress" in layers)
    configs = [subject.configs[job.name] for job in jobs if job.kind == "runs"]
    return {config.name: config for config in sorted(configs, key=size_of)}


def sound() -> list[Case]:
    """Every scenario on the whole implementation, the smallest of a mechanism first."""
    return [Case(mechanism, name) for mechanism in mechanisms() for name in scenarios(mechanism)]


def mutants() -> list[Case]:
    """Each mutant of an implementation that breaks a property on real threads' scenarios."""
    return [
        Case(mechanism.name, mutant.scenario, mutant.decision)
        for mechanism in mechanisms().values()
        for mutant in mechanism.mutants.values()
        if mutant.property
        and mutant.scenario in scenarios(mechanism.name)
        and _changed(mechanism, mutant.decision)
    ]


def _changed(mechanism: Mechanism, decision: str) -> dict[str, str]:
    """Module -> text, of those of the implementation and its harness that lack a decision."""
    modules = mechanism.without(decision).modules if decision else {}
    return {
        name: text for name, text in modules.items() if name.partition(".")[0] in COPIED.values()
    }


@cache
def final(mechanism: str, scenario: str) -> frozenset[tuple[object, ...]]:
    """The values of the variables in the final states of the model that break no property.

    A property that the scenario is there to break does not count.
    """
    subject = mechanisms()[mechanism]
    kept = subject.invariants_of(scenarios(mechanism)[scenario])
    graph = reduced_graph(subject, scenario, lambda *_: None)
    ends = outcomes(graph, kept)
    return frozenset(_plain(values) for values, wrong in ends.items() if not wrong)


def _plain(value: Any) -> Any:
    """A value whose text is Python: a monitor of the model as a tuple."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, frozenset):
        return frozenset(map(_plain, value))
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return value


def write(case: Case, folder: Path) -> None:
    """Write a case's program and the files that it runs into an empty folder."""
    for source, target in COPIED.items():
        unwanted = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / source, folder / target, ignore=unwanted)
    for module, text in _changed(case.subject, case.decision).items():
        folder.joinpath(*module.split(".")).with_suffix(".py").write_text(text, encoding="utf-8")
    program = case.subject.scenarios[case.scenario]
    text = PROGRAM.format(
        mechanism=case.mechanism,
        scenario=_plain(program),
        programs=_plain(programs(program)),
        final=set(final(case.mechanism, case.scenario)),
        kept=set(case.subject.invariants_of(scenarios(case.mechanism)[case.scenario])),
    )
    (folder / "program.py").write_text(text, encoding="utf-8")


def explored(case: Case, folder: Path) -> Answer:
    """The answer for a case, whose files are written to a folder that does not exist yet."""
    write(case, folder)
    out = folder / "out.txt"
    arguments = ["explore", "program.py::program", "--executions", str(EXECUTIONS)]
    forked.run(arguments, folder, {}, out, folder / "err.txt")
    lines = out.read_text(encoding="utf-8").splitlines()
    word = next((line.partition(":")[0] for line in lines if ": " in line), "")
    places = (re.fullmatch(r"  (\S+\.py):\d+: (.*)", line) for line in lines)
    return Answer(word, "\n".join(lines), frozenset(": ".join(p.groups()) for p in places if p))
