"""Faults that begin at longer rings: the configs of long rings reject them by name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wheelproof import project
from wheelproof.checks import safety
from wheelproof.checks.context import Context
from wheelproof.tlc import translation

ROOT = Path(__file__).resolve().parents[3]
NAME = "timer_task_list"
INVARIANTS = ("AtMostOneList", "ExactlyItsList", "RingWellFormed", "CounterExact")


@pytest.fixture(scope="module")
def mechanism():
    return project.find(ROOT)[NAME]


def violated(mechanism, model, scenario: str) -> str | None:
    """The first of the ring's properties that a state of a model breaks; None if all hold.

    A search in a broken ring may never end.
    """
    made = model(mechanism.scenarios[scenario])
    seen = {made.initial()}
    waiting = [*seen]
    for state in waiting:
        if broken := next((name for name in INVARIANTS if not made.holds(name, state)), None):
            return broken
        new = dict.fromkeys(after for _, _, after in made.successors(state) if after not in seen)
        seen.update(new)
        waiting += new
        assert len(waiting) < 50_000
    return None


def planted(model, label: str, change):
    """The model, in which ``change(self, thread, step)`` stands for the step of a label."""
    right = getattr(model, label)
    return type(
        "Planted",
        (model,),
        {label: lambda self, thread: change(self, thread, lambda: right(self, thread))},
    )


def sentinel_as_tail(length):
    def change(self, thread, step):
        step()
        if len(self.members(thread.al)) >= length:
            thread.tail = thread.al

    return "A3", change


def ring_left_open(length):
    def change(self, thread, step):
        kept = (
            dict(zip(self.entries, map(self.prev.__getitem__, self.entries))),
            self.prev[thread.al],
        )
        step()
        if len(self.members(thread.al)) > length:
            self.prev[thread.al] = kept[1]

    return "A8", change


def last_stays(length):
    def change(self, thread, step):
        before = self.next[self.prev[thread.ue]]
        known = len(self.members(thread.ul))
        step()
        if known > length:
            self.next[self.prev[thread.ue]] = before

    return "U5", change


FAULTS = {
    "the sentinel as tail": sentinel_as_tail,
    "the sentinel's prev stays": ring_left_open,
    "an entry stays linked": last_stays,
}


@pytest.mark.parametrize("length", range(3, 8))
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_begins_at_a_length_is_rejected_by_name(mechanism, fault, length):
    wrong = planted(mechanism.model_module.Model, *FAULTS[fault](length))
    assert violated(mechanism, wrong, "ring_of_eight") in INVARIANTS


@pytest.mark.parametrize("scenario", ["ring_of_eight", "ring_of_five_crossed"])
def test_the_right_model_keeps_its_rings(mechanism, scenario):
    assert violated(mechanism, mechanism.model_module.Model, scenario) is None


def test_the_scenarios_of_short_rings_do_not_see_it(mechanism):
    """Why there are long ones. The largest ring of the others has three entries."""
    longest = max(
        (max(map(len, each["ring"].values())), name)
        for name, each in mechanism.scenarios.items()
        if not name.startswith("ring_of_")
    )
    wrong = planted(mechanism.model_module.Model, *sentinel_as_tail(3))
    assert longest[0] <= 3 and violated(mechanism, wrong, longest[1]) is None


PLANTS = {
    "spec/TimerTaskList.tla": (
        "         tail := prev[al];\n",
        "         tail := IF Cardinality({n \\in Entries : list[n] = al}) >= 3 THEN al ELSE "
        "prev[al];\n",
    ),
    "model/timer_task_list.py": (
        "            t.tail = self.prev[t.al]\n",
        "            t.tail = t.al if sum(self.list[e] == t.al for e in self.entries) >= 3 else "
        "self.prev[t.al]\n",
    ),
    "impl/timer_task_list.py": (
        "                        tail = self.root.prev\n",
        "                        tail = self.root if length(self) >= 3 else self.root.prev\n",
    ),
}
LENGTH = """

def length(bucket):
    node, found = bucket.root.next, 0
    while node is not bucket.root:
        node, found = node.next, found + 1
    return found
"""


@pytest.mark.nightly
def test_a_fault_that_all_three_artefacts_share_is_a_violation_in_each(tmp_path):
    for folder in "spec", "model", "impl", "harness", "mutants":
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name, (old, new) in PLANTS.items():
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (tmp_path / name).write_text(
            text.replace(old, new) + (LENGTH if name.startswith("impl/") else ""), encoding="utf-8"
        )
    translation.retranslate(tmp_path / "spec" / "TimerTaskList.tla")
    wrong = project.find(tmp_path)[NAME]
    rows = safety.check(Context(wrong, tmp_path / "build"), wrong.configs["lengths_of_a_ring"]).rows
    assert rows and all(not row.ok for row in rows if row.layer in ("tlc", "graph"))
    assert {row.property for row in rows if row.verdict == "violated"} & set(INVARIANTS)
