"""The numbers of instances that were enough once: they spare a search, and prove nothing."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import z3

from proofs.several_conditions import theory as several_conditions_theory
from proofs.several_conditions.faults import EVERYTHING
from proofs.several_conditions.system import Watching
from tools import instances
from wheelproof.prove.evidence import check
from wheelproof.prove.kernel import Theorem
from wheelproof.prove.ts import enough
from wheelproof.prove.ts import instances as ts_instances
from wheelproof.prove.ts.ground import Ground
from wheelproof.prove.ts.instances import needed, refutes, taken
from wheelproof.prove.ts.system import Condition, conditions
from wheelproof.prove.ts.theory import Conditions

ROOT = Path(__file__).parents[4]
SYSTEM = Watching()


def condition(name):
    return next(each for each in conditions(SYSTEM) if each.name == name)


@pytest.fixture
def searched(monkeypatch):
    """The number of formulas, or of premises, in each search of all instances."""
    sizes = []

    def noted(name):
        search = getattr(ts_instances, name)

        def note(*arguments):
            first = arguments[0]
            sizes.append(len(first.premises if isinstance(first, Condition) else first))
            return search(*arguments)

        monkeypatch.setattr(ts_instances, name, note)

    noted("fewest")
    noted("core")
    return sizes


NAME = next(
    each.name
    for each in conditions(SYSTEM)
    if each.kind == "step" and len(needed(SYSTEM, each)[1]) > 1
)


def test_numbers_that_are_enough_spare_the_search(searched):
    made, numbers = needed(SYSTEM, condition(NAME))
    assert len(searched) == 1 and 1 < len(numbers) < searched[0]
    again = taken(SYSTEM, condition(NAME), numbers)
    assert len(searched) == 1
    assert again.goal.eq(made.goal) and again.premises.keys() == made.premises.keys()
    assert all(again.premises[name].eq(made.premises[name]) for name in made.premises)


def test_none_of_the_instances_can_be_left_out():
    _, numbers = needed(SYSTEM, condition(NAME))
    ground = Ground(SYSTEM, condition(NAME))
    formulas = [instance.formula for instance in ground.chosen(numbers)]
    assert refutes(formulas, ground.goal)
    for place in range(len(formulas)):
        assert not refutes(formulas[:place] + formulas[place + 1 :], ground.goal)


WRONG = {
    "no such premise": lambda numbers: [(999, 0, 0)],
    "no such part": lambda numbers: [(0, 99, 0)],
    "no such conjunct": lambda numbers: [(*numbers[0][:-1], 99)],
    "too many terms": lambda numbers: [(*numbers[0], 0)],
}


@pytest.mark.parametrize("wrong", WRONG)
def test_numbers_of_no_instances_are_searched_anew(wrong, searched, monkeypatch):
    made, numbers = needed(SYSTEM, condition(NAME))
    known = {"Watching": {NAME: WRONG[wrong](numbers)}}
    monkeypatch.setattr(enough.INSTANCES, "known", lambda: known)
    again = enough.instantiated(SYSTEM, condition(NAME))
    assert len(searched) == 2 and again.goal.eq(made.goal)
    assert again.premises.keys() == made.premises.keys()


def one_vc():
    """The theory's condition, made anew."""
    of = Conditions(SYSTEM, EVERYTHING)
    return of.vc(f"step {NAME.split('/')[1]}")


def evidence_of(vc):
    return check(Theorem("T", "", (vc,), theory="t", is_lemma=True), 1)


def test_numbers_that_are_not_enough_are_searched_anew_once_a_solver_says_so(searched, monkeypatch):
    name = one_vc().name
    _, numbers = needed(SYSTEM, Conditions(SYSTEM, EVERYTHING).made[name])
    keep_all = {"Watching": {name: numbers[:1]}}
    monkeypatch.setattr(enough.INSTANCES, "known", lambda: keep_all)
    searched.clear()
    found = evidence_of(one_vc())
    assert found.verdict == "proved" and len(searched) == 1
    keep_all["Watching"][name] = numbers
    searched.clear()
    again = evidence_of(one_vc())
    assert again.verdict == "proved" and searched == [] and again.hashes == found.hashes


def test_no_numbers_make_a_false_condition_pass(monkeypatch):
    of = Conditions(SYSTEM, EVERYTHING)
    name = one_vc().name
    given = of.made[name]
    _, numbers = needed(SYSTEM, given)
    monkeypatch.setattr(enough.INSTANCES, "known", lambda: {"Watching": {name: numbers}})
    of.made[name] = Condition(given.name, given.kind, given.premises, z3.BoolVal(False))
    found = evidence_of(of.vc(name))
    assert found.verdict in ("violated", "inconclusive") and not found.second


def test_every_condition_of_a_system_is_in_the_file(searched):
    """Conditions are made once: the theory is loaded anew, since another test may have made its."""
    heard, theory = {}, runpy.run_path(several_conditions_theory.__file__)["THEORY"]
    with enough.INSTANCES.heard(lambda system, name, used: heard.setdefault(name, used)):
        for theorem in theory.theorems.values():
            for vc in theorem.vcs:
                assert vc.premises
    known = enough.INSTANCES.known()["Watching"]
    assert {name for name, used in heard.items() if used} == known.keys()
    # Without numbers all instances are tried, and then those of inner quantifiers.
    assert len(searched) == 2 * sum(not used for used in heard.values())
    assert all([*map(list, used)] == known[name] for name, used in heard.items() if used)


def test_a_line_of_the_file_that_is_not_what_a_proof_needs_is_stale():
    known = {"A": {"init": [[0, 0, 0]], "step a": [[1, 0, 0]]}}
    assert instances.stale(known, known) == []
    changed = {"A": {"init": [[0, 1, 0]], "step a": [[1, 0, 0]]}}
    assert instances.stale(known, changed) == ["A: init"]
    assert instances.stale(known, {}) == ["A: init", "A: step a"]
    assert instances.stale({}, {"B": {"init": [[0]]}}) == ["B: init"]
    assert json.loads(instances.render(known)) == known


@pytest.mark.nightly
def test_the_file_has_what_each_condition_needs():
    ran = subprocess.run(
        [sys.executable, "tools/instances.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
