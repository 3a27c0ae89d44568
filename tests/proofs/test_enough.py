"""The numbers of instances that were enough once: they spare a search, and prove nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import z3

from proofs import enough, ts_instances
from proofs.protocols.several_conditions import Watching
from proofs.protocols.several_conditions_theory import THEORY
from proofs.ts import Condition, conditions
from proofs.ts_instances import needed
from tools import instances

ROOT = Path(__file__).parents[2]
SYSTEM = Watching()


def condition(name):
    return next(each for each in conditions(SYSTEM) if each.name == name)


@pytest.fixture
def searched(monkeypatch):
    """The number of formulas in each search of all instances."""
    found = []

    def noted(formulas, goal):
        found.append(len(formulas))
        return real(formulas, goal)

    real = ts_instances.refuting
    monkeypatch.setattr(ts_instances, "refuting", noted)
    return found


NAME = next(
    each.name
    for each in conditions(SYSTEM)
    if each.kind == "step" and len(needed(SYSTEM, each)[1]) > 1
)


def test_numbers_that_are_enough_spare_the_search(searched):
    made, numbers = needed(SYSTEM, condition(NAME))
    assert len(searched) == 1 and 1 < len(numbers) < searched[0]
    again, same = needed(SYSTEM, condition(NAME), numbers)
    assert len(searched) == 1 and same == numbers
    assert again.goal.eq(made.goal) and again.premises.keys() == made.premises.keys()
    assert all(again.premises[name].eq(made.premises[name]) for name in made.premises)


@pytest.mark.parametrize(
    "known",
    [
        pytest.param(lambda numbers: numbers[:1], id="too few"),
        pytest.param(lambda numbers: [(999, 0, 0)], id="no such premise"),
        pytest.param(lambda numbers: [(0, 99, 0)], id="no such part"),
        pytest.param(lambda numbers: [(*numbers[0][:-1], 99)], id="no such conjunct"),
        pytest.param(lambda numbers: [(*numbers[0], 0)], id="too many terms"),
    ],
)
def test_numbers_that_are_not_enough_are_searched_anew(searched, known):
    made, numbers = needed(SYSTEM, condition(NAME))
    again, found = needed(SYSTEM, condition(NAME), known(numbers))
    assert len(searched) == 2 and found == numbers and again.goal.eq(made.goal)


def test_no_numbers_make_a_false_condition_pass():
    given = condition(NAME)
    false = Condition(given.name, given.kind, given.premises, z3.BoolVal(False))
    _, numbers = needed(SYSTEM, given)
    made, found = needed(SYSTEM, false, numbers)
    solver = z3.Solver()
    solver.add(*made.premises.values(), z3.Not(made.goal))
    assert found == [] and solver.check() == z3.sat


def test_every_condition_of_a_system_is_in_the_file(searched):
    heard = {}
    with enough.heard(lambda system, name, tried, used: heard.setdefault(name, (tried, used))):
        for theorem in THEORY.theorems.values():
            for vc in theorem.vcs:
                assert vc.premises
    known = enough.known()["Watching"]
    assert {name for name, (tried, _) in heard.items() if tried} == known.keys()
    assert all([*map(list, used)] == known[name] for name, (_, used) in heard.items() if used)


def test_a_line_of_the_file_that_is_not_what_a_proof_needs_is_stale():
    known = {"A": {"init": [[0, 0, 0]], "step a": [[1, 0, 0]]}}
    assert instances.stale(known, known) == []
    changed = {"A": {"init": [[0, 1, 0]], "step a": [[1, 0, 0]]}}
    assert instances.stale(known, changed) == ["A: init"]
    assert instances.stale(known, {}) == ["A: init", "A: step a"]
    assert instances.stale({}, {"B": {"init": [[0]]}}) == ["B: init"]
    assert json.loads(instances.written(known)) == known


@pytest.mark.nightly
def test_the_file_has_what_each_condition_needs():
    ran = subprocess.run(
        [sys.executable, "tools/instances.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
