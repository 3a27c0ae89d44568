"""Every outcome of a condition in a model's steps is met in some graph, or in a mutant's.

An outcome that no graph meets could be anything. The bisimulation's row `branches` checks the
implementation alike. Properties are left out: row `properties` compares them with the spec.
"""

from __future__ import annotations

import contextlib
import re
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.found import mechanisms
from tests.nights import by_night
from wheelproof.graph.explorer import BudgetSpent, explore
from wheelproof.project.mechanism import Mechanism
from wheelproof.python.style.branches import NAME, Branches

ROOT = Path(__file__).resolve().parents[2]
MECHANISMS = mechanisms()

ALONE = (
    "one thread alone works on the entry and its list here; "
    "others wait for these locks in timer_task_list"
)
WITHIN = "there is one list, and a thread with the entry's lock holds the lock of that list"
FLUSHED = (
    "an adder has the read lock, so no flush; "
    "the reaper puts no entry into the bucket that it flushes"
)
HELD = "an adder has the read lock, so no flush, which has the write lock, holds an entry"
NOT_MET = {
    "atomic": {
        "C3: self.ought == t.expected is false": (
            "history: it differs from the variable once a lock is missing"
        ),
    },
    "overflow_wheel": {
        **dict.fromkeys(
            ["A1: not self.lock('bucket') is true", "C1: not self.lock('task') is true"], ALONE
        ),
        **dict.fromkeys(
            ["A2: not self.lock('entry') is true", "U2: not self.lock('entry') is true"], WITHIN
        ),
        "A3: self.look(LIST) is not None is true": "the entry is added once, when it is in no list",
        "U3: self.look(LIST) != 'l' is true": (
            "there is one list, and remove is called on the one that the entry is in"
        ),
        "K1: self.slipped is true": "what has slipped through is noted at the last check of a run",
        "C2: self.look(POINTER) is not None is false": (
            "the task is cancelled once, and it has its entry then"
        ),
    },
    "parted_timer": {
        "W2: (step := super().W2(t)) is not BLOCKED is false": (
            "an adder has the read lock, so no part of a flush, which has the write lock"
        ),
    },
    "share_fetch": {
        "A1: not self._hold(t.entered) is true": (
            "a fetch is entered once, and no other thread knows it before"
        ),
    },
    "system_timer": {
        **dict.fromkeys(
            [
                "W2: self.flushing == t.bucket is true",
                "W2: self.flushing == t.bucket and self.writer != self.me is true",
            ],
            FLUSHED,
        ),
        "A3: self.held(self.timer_task_entry[task]) is true": HELD,
        "A3: (step := super().A3(t)) is not BLOCKED is false": HELD,
        "R8: self.due() is false": (
            "the bucket that was put back is due: one reaper works, so its key has not changed"
        ),
    },
    "system_timer_reaper": {
        "J4: not self.ended is true": "only the end of the reaper wakes a thread that waits for it",
    },
}
"""Mechanism -> outcome, with the label before it -> why no graph has it."""

LARGE = 60_000
"""States above which a graph is left out."""


def noted(mechanism: Mechanism, text: str) -> tuple[types.ModuleType, Branches]:
    """The model made from a text, and what is noted of its branches."""
    branches, module = Branches(), types.ModuleType(f"model.{mechanism.name}")
    module.__dict__[NAME] = branches.note
    exec(
        branches.compile_file(module.__name__, text, str(ROOT / "model" / f"{mechanism.name}.py")),
        module.__dict__,
    )
    return module, branches


def runs(mechanism: Mechanism) -> list[str]:
    """The scenarios of all configs of the unchanged mechanism, the smallest graphs first."""
    sizes = {
        config.scenario: config.distinct or LARGE
        for config in mechanism.configs.values()
        if not config.module and not config.without
    }
    return sorted(
        (scenario for scenario, size in sizes.items() if size <= LARGE), key=sizes.__getitem__
    )


def of_mutants(mechanism: Mechanism) -> Iterator[set[str]]:
    """What is met in the graph of each mutant: history that only a fault makes is met there."""
    for mutant in mechanism.mutants.values():
        text = mechanism.without(mutant.decision).texts.get(f"model/{mechanism.name}.py")
        if text is not None:
            module, branches = noted(mechanism, text)
            scenario = mechanism.scenarios[mutant.scenario]
            with contextlib.suppress(BudgetSpent):
                explore(module.Model(scenario), bound=LARGE)
            yield branches.collect()


def unmet(mechanism: Mechanism, text: str) -> set[str]:
    """The outcomes of conditions in labels' methods, and those methods, that no graph meets.

    The graphs are those of the scenarios, and where these are not enough, of the mutants.
    """
    module, branches = noted(mechanism, text)
    left = {
        each
        for each in branches.declared
        if re.match(r"[^:]*: \w+\.[A-Z]+[0-9]+( is called|:)", each)
    }
    excepted = {each for each in left if outcome(each) in NOT_MET.get(mechanism.name, ())}
    assert len(excepted) == len(NOT_MET.get(mechanism.name, ())), "an exception names no outcome"
    for scenario in runs(mechanism):
        if left <= excepted:
            break
        explore(module.Model(mechanism.scenarios[scenario]))
        left -= branches.collect()
    for met in of_mutants(mechanism):
        if left <= excepted:
            break
        left -= met
    return set(map(outcome, left - excepted))


def outcome(noted: str) -> str:
    """``model.atomic: Model.C3: x is true`` -> ``C3: x is true``."""
    return noted.partition(": ")[2].partition(".")[2]


def text_of(mechanism: Mechanism) -> str:
    return (ROOT / "model" / f"{mechanism.name}.py").read_text(encoding="utf-8")


LONG = (
    *("delay_queue", "delayed_operation", "parted_timer", "partition_leader"),
    *("system_timer", "timer_task_list", "timing_wheel"),
)


@pytest.mark.parametrize(
    "mechanism",
    [by_night(mechanism) if mechanism in LONG else mechanism for mechanism in MECHANISMS],
)
def test_every_branch_of_a_models_steps_is_taken_somewhere(mechanism):
    assert unmet(MECHANISMS[mechanism], text_of(MECHANISMS[mechanism])) == set()


def test_a_branch_that_no_graph_takes_is_named(monkeypatch):
    monkeypatch.setattr(f"{__name__}.LARGE", 5_500)
    mechanism, old = (
        MECHANISMS["timing_wheel"],
        "        if self.queue:\n            t.polled = self.queue[0]\n",
    )
    text = text_of(mechanism)
    assert text.count(old) == 1
    wider = text.replace(
        old, old.replace("self.queue:", "self.queue or self.writer is None or False:")
    )
    assert unmet(mechanism, wider) == {"R4: self.writer is None is true"}
