"""The runs in which a system took its actions once: they spare a search, and prove nothing."""

import json

import pytest

from proofs.several_conditions.faults import EVERYTHING
from proofs.several_conditions.system import Watching
from tools import instances
from wheelproof.prove.ts.system import action, when
from wheelproof.prove.ts.witness import RUNS, Witnesses, runs

KEPT = RUNS.known()["Watching"]


@pytest.fixture
def searched(monkeypatch):
    """The system of each search."""
    found = []

    def noted(self, bound):
        found.append(type(self.system).__name__)
        real(self, bound)

    real = Witnesses._search
    monkeypatch.setattr(Witnesses, "_search", noted)
    return found


def keep(monkeypatch, runs):
    monkeypatch.setattr(RUNS, "known", lambda: {"Watching": runs})


def test_runs_that_take_every_action_spare_the_search(searched):
    found = Witnesses(Watching(), EVERYTHING)
    assert searched == [] and found.taken.keys() == Watching.actions().keys()
    for name, (state, move) in found.taken.items():
        assert name == move.action
        assert found.instance.take(name, state, move.arguments) == move.after


def test_a_search_finds_the_same_runs(searched, monkeypatch):
    keep(monkeypatch, [])
    found = Witnesses(Watching(), EVERYTHING)
    assert searched == ["Watching"] and not found.missing
    assert [[*map(tuple, run)] for run in found.runs] == KEPT
    keep(monkeypatch, found.runs)
    again = Witnesses(Watching(), EVERYTHING)
    assert searched == ["Watching"] and again.taken.keys() == found.taken.keys()


FIRST, *REST = max(KEPT, key=len)
WRONG = {
    "no run": [],
    "a run lacks": KEPT[:-1],
    "no such action": [[("unknown", (0,))], *KEPT],
    "too few arguments": [[(FIRST[0], ())], *KEPT],
    "no such element": [[(FIRST[0], (99, *FIRST[1][1:]))], *KEPT],
    "a step is not enabled": [REST, *KEPT],
}


@pytest.mark.parametrize("wrong", WRONG)
def test_runs_that_are_none_are_searched_anew(wrong, searched, monkeypatch):
    keep(monkeypatch, WRONG[wrong])
    found = Witnesses(Watching(), EVERYTHING)
    assert searched == ["Watching"] and not found.missing


def test_no_run_reaches_an_action_that_a_fault_forbids(searched):
    name, taken = next(iter(Watching.actions().items()))
    forbidden = action(begins=taken.begins, **taken.parameters)(
        lambda self, s, **values: when(s.completed != s.completed)
    )
    forbidden.declared = taken.__class__(name, taken.parameters, forbidden, taken.begins)
    system = type("Watching", (Watching,), {name: forbidden})()
    found = Witnesses(system, EVERYTHING, bound=500)
    assert searched == ["Watching"] and name in found.missing
    assert len(found.before(name)) == 1


def test_runs_that_begin_another_one_are_left_out():
    class Taken(tuple):
        action = property(lambda self: self[0])
        arguments = property(lambda self: self[1])

    a, b, c = (Taken((name, (0,))) for name in "abc")
    before = {0: None, 1: (0, a), 2: (1, b)}
    assert runs([(0, a), (1, b), (0, a), (2, c)], before) == [[a, b, c]]
    assert runs([(0, a), (0, b), (0, b)], before) == [[a], [b]]


def test_the_file_is_written_as_it_is_read():
    read = json.loads(instances.written_runs({"A": KEPT}))
    assert [[(name, tuple(values)) for name, *values in run] for run in read["A"]] == KEPT
    assert RUNS.path.read_text(encoding="utf-8") == instances.written_runs(RUNS.known())
