"""Timer.StartsInOrder: what it is made of, its faults, its assumption, and its terms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofs.system_timer import order
from proofs.system_timer import order_module as module
from wheelproof.prove import variants
from wheelproof.prove.invariant.conditions import Conditions
from wheelproof.prove.invariant.runs import broken_goal
from wheelproof.prove.kernel import ProofError

TIMER = variants.mechanisms()["system_timer"]
SUBJECT, CONDITIONS = module.SUBJECT, Conditions(module.SUBJECT)
(THEOREM,) = module.THEORY.theorems.values()
ONE = [
    name
    for name, program in TIMER.scenarios.items()
    if sum(["execute"] in map(list, own) for own in program["threads"].values()) <= 1
]
"""The scenarios in which one thread executes, or none."""


def test_every_goal_of_every_label_is_in_a_condition():
    assert sorted(vc.name for vc in THEOREM.vcs) == sorted(["start", *TIMER.labels])
    assert CONDITIONS.new == [*order.InOrder.conjuncts()]
    assert set(CONDITIONS.module.LABELS) == set(TIMER.labels)


def test_all_scenarios_but_those_of_several_threads_are_judged():
    assert set(TIMER.scenarios) - set(ONE) == {"two_workers"}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ONE)
def test_every_conjunct_holds_in_the_states_of_every_scenario(name):
    """Each step of the module is one of the terms: else `edges` raises."""
    reached = SUBJECT.reached(TIMER.scenarios[name], bound=2_000)
    assert reached.instance.initial(reached.start)
    assert reached.instance.broken(reached.start) == []
    assert broken_goal(reached) is None


@pytest.mark.nightly
def test_the_conjunct_is_the_specifications_property():
    """In the states of the module with faults, where it is broken as well, both judge alike."""
    seen = set()
    for fault in module.FAULTS:
        reached = fault.reached()
        for edge in reached.edges():
            holds = reached.instance.formulas["starts_in_order"](edge.move.after)
            seen.add(holds)
            assert holds == reached.model.holds("StartsInOrder", edge.frozen)
    assert seen == {True, False}


@pytest.mark.nightly
def test_two_threads_that_execute_are_refused_and_break_the_property():
    """A-EXECUTOR: the scenario is assumed away, and its config expects that the property fails."""
    with pytest.raises(ValueError, match="assumes of its constants"):
        SUBJECT.placed(module.THREADS)
    assert TIMER.configs["two_workers"].expect == "violated"
    assert TIMER.configs["two_workers"].property == "StartsInOrder"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("conjunct", "way", "goal"),
    [
        ("waits_in_order", "E1_to_E2", "takes_the_next"),
        ("takes_the_next", "E2_to_T0", "starts_in_order"),
        ("one_executes", "E2_to_T0", "each_is_somewhere"),
        ("procedures_return_elsewhere", "K2_to_back", "one_executes"),
    ],
)
def test_a_way_is_not_proved_without_what_it_needs(conjunct, way, goal):
    assert Conditions(SUBJECT).way(way)
    with pytest.raises(ProofError, match=rf"{way}: .*{goal}.* does not follow"):
        Conditions(SUBJECT, without=[conjunct]).way(way)


@pytest.mark.nightly
@pytest.mark.parametrize("fault", module.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_breaks_the_goal_in_a_run_and_has_no_proof(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")


@pytest.mark.nightly
@pytest.mark.parametrize("fault", module.FAULTS, ids=lambda fault: fault.name)
def test_every_goal_holds_in_the_same_run_of_the_module_itself(fault):
    if fault.changes:
        assert replace(fault, changes=()).find().verdict == "unsat"
