"""Every outcome of a condition in a model's steps is met in some graph: one that is not could be anything.

The bisimulation's row `branches` says this of the implementation. Properties are not asked: row `properties` compares them with the spec.
"""
from __future__ import annotations

import re
import types
from pathlib import Path

import pytest

from wheelproof import subject
from wheelproof.explore.branches import NAME, Branches
from wheelproof.graph.explorer import explore
from wheelproof.subject import Mechanism

ROOT = Path(__file__).resolve().parents[2]
MECHANISMS = subject.find(ROOT)

NOT_MET = {
    "Model.__init__: (unknown := (set(switches) - set(SWITCHES))) is true": "a switch that there is not raises ValueError; the model's own tests give one",
}
"""Outcome, without its module -> why no graph has it."""

LARGE = 120_000
"""States above which a graph is left out."""


def noted(mechanism: Mechanism, text: str) -> tuple[types.ModuleType, Branches]:
    """The model made from a text, and what is noted of its branches."""
    branches, module = Branches(), types.ModuleType(f"model.{mechanism.stem}")
    module.__dict__[NAME] = branches.note
    exec(branches.compiled(module.__name__, text, str(ROOT / "model" / f"{mechanism.stem}.py")), module.__dict__)
    return module, branches


def runs(mechanism: Mechanism) -> list[tuple[str, tuple[tuple[str, bool], ...]]]:
    """The (scenario, switches) of the fast lane, those of the smallest graphs first; a mutant's size is that of its scenario."""
    sizes = {(config.scenario, tuple(config.switches.items())): config.distinct or LARGE
             for config in mechanism.configs.values() if config.lane == "fast" and not config.module}
    of_scenario = {scenario: size for (scenario, _), size in sizes.items()}
    for mutant in mechanism.mutants.values():
        sizes.setdefault((mutant.scenario, ((mutant.switch, False),)), of_scenario.get(mutant.scenario, LARGE))
    return sorted((run for run, size in sizes.items() if size <= LARGE), key=lambda run: sizes[run])


def unmet(mechanism: Mechanism, text: str) -> set[str]:
    """The outcomes of conditions in the methods of labels, and those methods, that no graph comes to."""
    module, branches = noted(mechanism, text)
    left = {each for each in branches.declared if re.match(r"[^:]*: Model\.[A-Z]+[0-9]+( is called|:)", each)}
    for scenario, switches in runs(mechanism):
        if not left:
            break
        model = module.Model(mechanism.scenarios[scenario], dict(switches))
        explore(model)
        left -= branches.collect()
    return {each.partition(": Model.")[2] for each in left}


def text_of(mechanism: Mechanism) -> str:
    return (ROOT / "model" / f"{mechanism.stem}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("stem", MECHANISMS)
def test_every_branch_of_a_models_steps_is_taken_somewhere(stem):
    assert unmet(MECHANISMS[stem], text_of(MECHANISMS[stem])) - set(NOT_MET) == set()


def test_a_branch_that_no_graph_takes_is_named():
    mechanism, old = MECHANISMS["timing_wheel"], "        if self.queue:\n            t.polled = self.queue[0]\n"
    text = text_of(mechanism)
    assert text.count(old) == 1
    wider = text.replace(old, old.replace("self.queue:", "self.queue or self.writer is None:"))
    assert unmet(mechanism, wider) - set(NOT_MET) == {"R4: self.writer is None is true"}
