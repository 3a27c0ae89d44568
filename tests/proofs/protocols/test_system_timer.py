"""P10, P11: a bucket's cycle through the queue, what breaks it, and that it is about this program."""
from __future__ import annotations

import pytest
from z3 import Implies

from proofs.protocols.system_timer import THREAD, Bucket, go, is_at
from proofs.protocols.system_timer_faults import FAULTS, KafkaOrder, KeepsKey
from proofs.protocols.system_timer_theory import THEORY
from proofs.protocols.system_timer_view import SYSTEMS, View, views
from proofs.ts import action, conjunct, when
from tests.proofs.protocols.checks import compared, failing, mechanism, needed
from wheelproof.graph.explorer import explore
from wheelproof.layers import proof_edges

STEM = "system_timer"
SMALL = ("one_adder", "stalled_adder", "one_bucket", "closing", "executor", "cancel_one")


@pytest.mark.parametrize("name", THEORY.theorems)
def test_a_theorem_is_proved_with_its_controls(name):
    evidence = THEORY.check(name, seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert evidence.second == {"unsat"} and not evidence.unused
    assert set(evidence.witnesses) == {control.name for control in THEORY.theorems[name].controls}


def test_what_is_proved():
    assert list(THEORY.theorems) == ["Inv.Bucket", "P10", "P11"]


def test_every_condition_holds_and_no_conjunct_can_go():
    assert not failing(Bucket())
    for name, formula in Bucket.conjuncts().items():
        assert needed(Bucket(), name) != bool(formula.kept), name


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_breaks_the_invariant_and_has_a_trace_that_the_right_system_lacks(name):
    fault = FAULTS[name]
    assert failing(fault.system()) and fault.searched().trace
    assert mechanism(STEM).mutants[name], "a fault has its mutant's name"
    right = type(fault)(fault.name, fault.says, Bucket, fault.scope, fault.formula).searched()
    assert right.trace is None and right.states > 1_000


def test_labels_and_actions_name_each_other():
    assert proof_edges.table_faults(mechanism(STEM).labels, SYSTEMS) == []


def test_every_edge_is_a_step_and_every_action_is_an_edge():
    found = compared(STEM, views, *SMALL)
    assert not found.wrong and not found.broken
    assert proof_edges.idle(SYSTEMS, found.taken) == []
    assert found.states > 6_000 and found.edges > 25_000


@pytest.mark.parametrize("name, scenario, broken", [("D1", "stalled_adder", "key_kept_while_queued"), ("M12", "stalled_adder", "keyed_means_one_token")])
def test_the_mutated_models_states_break_the_same_formula(name, scenario, broken):
    """The proof's trace has other buckets with any keys; the mutated model, with a wheel's, breaks the formula too."""
    switch = mechanism(STEM).mutants[name].switch
    graph = explore(mechanism(STEM).model(scenario, {switch: False}))
    found = proof_edges.Compared()
    for view in (View(graph.model, bucket, FAULTS[name].system) for bucket in graph.model.buckets):
        proof_edges.compare(view, graph, mechanism(STEM).labels, found, scenario)
    assert broken in found.broken


class WrongConjunct(Bucket):
    @conjunct
    def key_is_past_time(self, s):
        """A queued key is in the future (it is not)."""
        return Implies(s.copies > 0, s.key > s.now)


class WrongGuard(Bucket):
    @action(t=THREAD)
    def locks_to_reap(self, s, t):
        return when(is_at(s, t, "R2"), self.alone(s), s.copies == 0, at=go(s, t, "R3"), writer=t)


class MissingAction(Bucket):
    polls_other_unlocked = None


@pytest.mark.parametrize("system, said", [(WrongGuard, "R2 is no step"), (MissingAction, "R1 is no step"), (KafkaOrder, "R2 is no step"),
                                          (KeepsKey, "V2 is no step")])
def test_a_system_that_is_another_one_is_noticed(system, said):
    found = compared(STEM, lambda model: [View(model, bucket, system) for bucket in model.buckets], "one_adder")
    assert any(said in fault for fault in found.wrong), found.wrong[:3]


def test_a_conjunct_that_does_not_hold_is_noticed():
    found = compared(STEM, lambda model: [View(model, 2, WrongConjunct)], "one_adder")
    assert set(found.broken) == {"key_is_past_time"} and not found.wrong


def test_a_timer_with_two_reapers_is_refused():
    scenario = dict(mechanism(STEM).scenarios["one_bucket"])
    scenario["threads"] = {"r": [["reap"]], "q": [["reap"]]}
    with pytest.raises(ValueError, match="r, q reap"):
        View(mechanism(STEM).model_module.Model(scenario), 1)
