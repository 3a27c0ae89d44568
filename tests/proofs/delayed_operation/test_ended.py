"""P17 and its limit: attempts of TryPending end, or go round for ever, on small runs too."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
import z3

from proofs.delayed_operation import ended, view
from proofs.delayed_operation.ended import OF_ONE, OF_OTHERS, PLANTED
from proofs.delayed_operation.ranking import (
    Ending,
    EndingBlocking,
    EndingCheckedTry,
    EndingLockedTry,
    EndingTryOnce,
    OneCaller,
)
from proofs.delayed_operation.steps import CONDITION, THREAD
from tests.nights import only
from tests.proofs import declared
from wheelproof.checks import proof_edges, prove
from wheelproof.checks.context import Context
from wheelproof.prove import variants
from wheelproof.prove.ts.concrete import Compiled, Instance
from wheelproof.prove.ts.ranks import moves
from wheelproof.verdict import Verdict

BY_NAME = {each.name: each for each in (*PLANTED, *OF_ONE, *OF_OTHERS)}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ended.THEORY.theorems)
def test_a_theorem_is_proved_with_its_controls(name):
    evidence = ended.THEORY.check(name, seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert evidence.second == {"unsat"} and not evidence.unused
    assert set(evidence.links) == set(ended.THEORY.theorems[name].rests_on)
    assert set(evidence.witnesses) == {each.name for each in ended.THEORY.theorems[name].controls}


def test_the_rank_is_of_every_action_that_begins_nothing():
    ranks = {"TryPending": Ending, "OneCaller": OneCaller} | {
        each.__name__.removeprefix("Ending"): each
        for each in (EndingTryOnce, EndingLockedTry, EndingCheckedTry, EndingBlocking)
    }
    assert {name for name in ended.THEORY.theorems if name.startswith("P17.")} == {
        f"P17.{name}" for name in ranks
    }
    for name, system in ranks.items():
        whole = Ending if system is OneCaller else system
        within = {each for each, taken in whole.actions().items() if not taken.begins}
        names = {vc.name for vc in ended.THEORY.theorems[f"P17.{name}"].vcs}
        assert {each.partition(" ")[2] for each in names - {"can move"}} == within
    assert set(OneCaller.NEVER) == set(Ending.actions()) - set(OneCaller.actions())


# -- waits of the model


def test_a_wait_for_a_lock_of_the_callers_is_assumed_away_and_no_other(tmp_path):
    """A-CALLERS, of the operations whose onComplete takes such a lock, and P17 needs it."""
    mechanism = variants.mechanisms()["delayed_operation"]
    broken = {
        (name, each.operation): each.breaks
        for name in mechanism.scenarios
        for each in view.views(mechanism.model(name))
    }
    locking = {
        (name, operation)
        for name, program in mechanism.scenarios.items()
        for operation in program["locking"]
    }
    assert {key for key, breaks in broken.items() if breaks} == locking & broken.keys() != set()
    config = mechanism.configs["try_once_callers_lock"]
    chosen = replace(mechanism, configs={config.name: config})
    (row,) = proof_edges.check(Context(chosen, tmp_path)).rows
    assert row.figures["waiting"] == {}
    assert {*row.figures["excused"]["TryOnce"]} == {"A-CALLERS"}
    assert "waits at D2" in row.figures["excused"]["TryOnce"]["A-CALLERS"]
    row = replace(row, verdict=Verdict.EXHAUSTIVE)
    (theorem,) = (each for each in declared.theorems() if each.name == "P17.TryOnce")
    assert prove.not_carried(theorem, row) == ""
    fewer = tuple(each for each in theorem.assumes if each != "A-CALLERS")
    assert "waits at D2" in prove.not_carried(replace(theorem, assumes=fewer), row)


# -- faults


@pytest.mark.parametrize("name", only(BY_NAME, "condition", "two callers"))
def test_a_fault_breaks_the_condition_that_it_names(name):
    planted = BY_NAME[name]
    found = planted.find(0)
    assert found.verdict == "sat" and not found.contradiction, found
    assert found.witness.startswith(f"{planted.breaks}: ")


@pytest.mark.nightly
@pytest.mark.parametrize("name", sorted(set(BY_NAME) - {"condition", "two callers"}))
def test_the_right_operation_breaks_no_condition_in_the_same_runs(name):
    planted = BY_NAME[name]
    right = next(base for base in planted.system.__mro__[1:] if "NEVER" in dir(base))
    assert replace(planted, system=right).find(0).verdict == "unsat"


# -- the numbers


def ascents(system, scope):
    """The steps that begin nothing and do not lower the five numbers of a state; all such steps."""
    compiled = Compiled(system)
    instance = Instance(compiled, scope.elements, scope.rigid)
    s = system.symbols()
    t, c = z3.Const("t!", THREAD.z3), z3.Const("c!", CONDITION.z3)
    free = {"stage": (t,), "unread": (t, c)}
    made = []
    for part in system.PARTS:
        values = free.get(part, ())
        names = tuple(str(value).removesuffix("!") for value in values)
        term = getattr(system, part)(s, *values)
        made.append((names, instance.function(compiled.code(term, names))))
    places = {
        "t": range(len(instance.elements["Thread"])),
        "c": range(len(instance.elements["Condition"])),
    }

    def numbers(state):
        return tuple(
            sum(int(value(state, *each)) for each in product(*(places[name] for name in names)))
            for names, value in made
        )

    found, steps = set(), 0
    for state, move in moves(instance, scope, 5_000):
        if not system.actions()[move.action].begins:
            steps += 1
            if not numbers(move.after) < numbers(state):
                found.add(move.action)
    return found, steps


@pytest.mark.parametrize(
    ("system", "scope"),
    [
        pytest.param(Ending, "ONCE", id="conditions hold"),
        pytest.param(Ending, "READY", id="two conditions hold", marks=pytest.mark.nightly),
        pytest.param(OneCaller, "ALONE", id="one caller", marks=pytest.mark.nightly),
        pytest.param(EndingTryOnce, "EVERYTHING", id="TryOnce", marks=pytest.mark.nightly),
        pytest.param(EndingLockedTry, "EVERYTHING", id="LockedTry", marks=pytest.mark.nightly),
        pytest.param(EndingCheckedTry, "EVERYTHING", id="CheckedTry", marks=pytest.mark.nightly),
        pytest.param(EndingBlocking, "EVERYTHING", id="Blocking", marks=pytest.mark.nightly),
    ],
)
def test_the_numbers_fall_on_every_step_that_begins_nothing(system, scope):
    found, steps = ascents(system(), getattr(ended, scope))
    assert not found and steps > 100


def test_the_numbers_rise_where_a_condition_is_false():
    found, _ = ascents(Ending(), ended.FALSE)
    assert "reads_false" in found
