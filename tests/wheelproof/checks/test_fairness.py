"""A config that names fair threads is refuted by a run that is fair to them, or refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from wheelproof import project
from wheelproof.checks import liveness
from wheelproof.checks.context import Context
from wheelproof.verdict import Verdict

ONE_SHOT = Path(__file__).resolve().parents[3] / "examples" / "one_shot"
FAIR = r"Fairness(T) == \A t \in T : WF_vars(thread(t) \/ run(t))"
WEAKER = {
    "no step is both": FAIR.replace(r"\/", r"/\ "),
    "of no thread": FAIR.replace(r"\A t \in T", r"\A t \in T \ Threads"),
    "of some thread": FAIR.replace(r"\A t \in T", r"\E t \in Threads"),
    "of one operation": FAIR.replace(r"thread(t) \/ run(t)", "thread(t)"),
}


def row(tmp_path, fairness=FAIR):
    root = tmp_path / "subject"
    shutil.copytree(ONE_SHOT, root)
    spec = root / "spec" / "OneShot.tla"
    text = spec.read_text(encoding="utf-8")
    assert text.count(FAIR) == 1
    spec.write_text(text.replace(FAIR, fairness), encoding="utf-8")
    mechanism = project.find(root)["one_shot"]
    return liveness.check(Context(mechanism, tmp_path), mechanism.configs["unfair"]).rows[0]


def test_a_run_that_is_fair_to_the_named_threads_refutes_the_property(tmp_path):
    found = row(tmp_path)
    assert found.ok and found.verdict is Verdict.VIOLATED, found.why


@pytest.mark.parametrize("fault", WEAKER)
def test_fairness_that_is_weaker_than_the_config_says_is_refused(fault, tmp_path):
    found = row(tmp_path, WEAKER[fault])
    assert not found.ok
    assert "TLC's run is not fair to a: in its loop it could always move" in found.why


class Steps:
    """A model of two threads. ``edges``: state -> its steps as (thread, label, next state)."""

    threads = ("a", "b")

    def __init__(self, edges):
        self.edges = edges

    def initial(self):
        return 0

    def successors(self, state):
        return self.edges[state]


@pytest.mark.parametrize(
    ("edges", "loop", "starved"),
    [
        ({0: [(0, "A1", 1)], 1: [(1, "B1", 2)], 2: []}, None, ["b"]),
        ({0: [(0, "A1", 1)], 1: [(1, "B1", 1)], 2: []}, None, []),  # B1 changes nothing
        ({0: [(0, "A1", 1)], 1: [(0, "A2", 0)]}, 1, []),
        ({0: [(0, "A1", 1), (1, "B1", 2)], 1: [(0, "A2", 0), (1, "B1", 2)], 2: []}, 1, ["b"]),
        ({0: [(0, "A1", 1), (1, "B1", 2)], 1: [(0, "A2", 0)], 2: []}, 1, []),  # not always able
        ({0: [(0, "A1", 1), (1, "B1", 2)], 1: [(1, "B1", 0)], 2: []}, 1, []),  # B1 closes the loop
    ],
)
def test_a_thread_starves_where_it_could_always_change_something(edges, loop, starved, monkeypatch):
    monkeypatch.setattr(liveness.traced, "schedule", lambda *_: [(0, "A1")])
    context = SimpleNamespace(mechanism=SimpleNamespace(pc="pc"))
    result = SimpleNamespace(trace=("a trace",), loop=loop, stuttering=loop is None)
    config = SimpleNamespace(fair=None)
    assert liveness.starvation(context, config, Steps(edges), result) == starved
    only_a = SimpleNamespace(fair=("a",))
    assert liveness.starvation(context, only_a, Steps(edges), result) == []
