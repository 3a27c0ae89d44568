"""P10, P11: a bucket's cycle through the queue, its faults, and its tie to this program."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from z3 import BoolVal, ForAll, Implies

from impl import delay_queue
from model.heap import offered, polled
from proofs.arith import order
from proofs.system_timer.faults import EVERYTHING, FAULTS, KafkaOrder, KeepsKey
from proofs.system_timer.steps import NO_BUCKET, THREAD, B, go, is_at
from proofs.system_timer.system import Buckets
from proofs.system_timer.theory import THEORY
from proofs.system_timer.view import ACTIONS, SYSTEMS, View, views
from tests.nights import first
from tests.proofs.checks import (
    compared,
    grounded_needs,
    mechanism,
    refuted,
)
from wheelproof.checks import proof_edges
from wheelproof.graph.explorer import explore
from wheelproof.prove.kernel import Theory
from wheelproof.prove.ts.system import action, conjunct, when
from wheelproof.prove.ts.theory import Conditions
from wheelproof.prove.ts.witness import Witnesses

NAME = "system_timer"
SMALL = ("one_adder", "stalled_adder", "one_bucket", "closing", "executor", "cancel_one")


@pytest.mark.nightly
@pytest.mark.parametrize("name", THEORY.theorems)
def test_a_theorem_is_proved_with_its_controls(name):
    """With one seed: `make verify` proves each with more, but for those of its nightly profile."""
    evidence = THEORY.check(name, seeds=1)
    assert evidence.verdict == "proved", evidence.why
    assert (
        evidence.second == {"unsat"}
        and not evidence.unused
        and set(evidence.links) == set(THEORY.theorems[name].rests_on)
    )
    assert set(evidence.witnesses) == {control.name for control in THEORY.theorems[name].controls}


def test_what_is_proved():
    assert list(THEORY.theorems) == ["Inv.Buckets", "P10", "P11"]


@pytest.mark.nightly
def test_no_conjunct_can_go():
    kept = {name for name, formula in Buckets.conjuncts().items() if formula.kept}
    assert {name for name in Buckets.conjuncts() if not grounded_needs(Buckets, name)} == kept


@pytest.mark.parametrize("name", first(FAULTS))
def test_a_fault_breaks_the_invariant_and_has_a_trace_that_the_right_system_lacks(name):
    fault = FAULTS[name]
    assert refuted(fault).startswith("step/") and fault.searched.trace
    assert mechanism(NAME).mutants[name], "a fault has its mutant's name"
    right = type(fault)(fault.name, fault.says, Buckets, fault.scope, fault.formula).searched
    assert right.trace is None and right.states > 1_000


def test_labels_and_actions_name_each_other():
    assert proof_edges.table_faults(mechanism(NAME).labels, ACTIONS, SYSTEMS) == []


@pytest.mark.nightly
def test_every_edge_is_a_step_and_every_action_is_an_edge():
    """By day the row `edges` of `make verify` compares these systems."""
    found = compared(NAME, views, *SMALL)
    assert not found.wrong and not found.broken
    assert proof_edges.idle(SYSTEMS, found.taken) == []
    assert found.states > 2_000 and found.edges > 9_000


@pytest.mark.parametrize(
    "name, scenario, broken",
    [
        ("D1", "stalled_adder", "key_kept_while_queued"),
        ("M12", "stalled_adder", "keyed_means_one_token"),
    ],
)
def test_the_mutated_models_states_break_the_same_formula(name, scenario, broken):
    """The mutated model's graph is the mutated system's, edge by edge, and breaks the formula."""
    graph = explore(mechanism(NAME).without(name).model(scenario))
    found = proof_edges.Compared()
    proof_edges.compare(View(graph.model, FAULTS[name].system), graph, ACTIONS, found, scenario)
    assert not found.wrong, "the mutated model is the mutated system"
    assert broken in found.broken


def test_kafkas_order_is_the_proofs_without_the_correction():
    """Its graph is the faulty system's, edge by edge; the right system has another."""
    graph = explore(mechanism(NAME).model("kafka_stalled_adder"))
    found, right = proof_edges.Compared(), proof_edges.Compared()
    proof_edges.compare(View(graph.model, KafkaOrder), graph, ACTIONS, found, "kafka")
    assert not found.wrong and "key_kept_while_queued" in found.broken
    proof_edges.compare(View(graph.model), graph, ACTIONS, right, "kafka")
    assert any("Q2 is no step" in fault for fault in right.wrong)


class WrongConjunct(Buckets):
    @conjunct
    def key_is_past_time(self, s):
        """A queued key is in the future (it is not)."""
        return ForAll([B], Implies(s.copies[B] > 0, s.key[B] > s.now))


class WrongGuard(Buckets):
    @action(t=THREAD)
    def locks_to_reap(self, s, t):
        return when(
            is_at(s, t, "R2"), self.alone(s), s.copies[s.polled[t]] > 0, at=go(s, t, "R3"), writer=t
        )


class MissingAction(Buckets):
    polls_unlocked = None


@pytest.mark.parametrize(
    "system, message",
    [
        (WrongGuard, "R2 is no step"),
        (MissingAction, "R1 is no step"),
        (KafkaOrder, "R2 is no step"),
        (KeepsKey, "V2 is no step"),
    ],
)
def test_a_system_that_is_another_one_is_noticed(system, message):
    found = compared(NAME, lambda model: [View(model, system)], "one_adder")
    assert any(message in fault for fault in found.wrong), found.wrong[:3]


def test_a_conjunct_that_does_not_hold_is_noticed():
    found = compared(NAME, lambda model: [View(model, WrongConjunct)], "one_adder")
    assert set(found.broken) == {"key_is_past_time"} and not found.wrong


def test_a_timer_with_two_reapers_is_refused():
    scenario = dict(mechanism(NAME).scenarios["one_bucket"])
    scenario["threads"] = {"r": [["reap"]], "q": [["reap"]]}
    with pytest.raises(ValueError, match="r, q reap"):
        View(mechanism(NAME).model_module.Model(scenario))


# -- premises that contradict each other


class FalseTheorem(Buckets):
    """A theorem's instance that says too much."""

    def theorems(self, s, name, values):
        return (
            {"T17-key #1": BoolVal(False)}
            if name == "sets_key"
            else super().theorems(s, name, values)
        )


class NoTick(Buckets):
    """No wheel has such ticks."""

    def given(self, s):
        return [*super().given(s), ForAll([B], s.tick[B] == 0), ForAll([B], B != NO_BUCKET)]


@pytest.mark.parametrize("system", [FalseTheorem, NoTick])
def test_premises_that_contradict_each_other_are_vacuous(system):
    theory = Theory("contradiction", mechanism=NAME, after=(order.THEORY,))
    of = Conditions(system(), EVERYTHING)
    of.witnesses = Witnesses(Buckets(), EVERYTHING)
    vc = of.vc("step sets_key")
    theory.theorem("Inv", "", [vc], is_lemma=True, rests_on=sorted(set(vc.cites.values())))
    evidence = theory.check("Inv", seeds=1)
    assert "vacuous" in {verdict for verdict, _ in evidence.faults} and evidence.verdict != "proved"
    assert any("the premises contradict each other" in why for _, why in evidence.faults)


# -- A-HEAP


class Keyed:
    """An element of a delay queue, due at once, whose order is its key."""

    def __init__(self, key):
        self.key = key

    def get_delay(self):
        return 0

    def compare_to(self, other):
        return self.key - other.key


class ModelHeap:
    """The heap of ``model/system_timer.py``."""

    def __init__(self):
        self.heap, self.keys = (), {}

    def offer(self, element):
        self.keys[element] = element.key
        self.heap = offered(self.heap, element, self.keys)

    def poll_now(self):
        first, self.heap = self.heap[0], polled(self.heap, self.keys)
        return first


def drained(queue, keys, changed=None):
    """Whether each poll gives a smallest key, half of the keys offered after a first poll.

    ``changed``: (index, key) of an element whose key changes while it is queued.
    """
    elements, out = [Keyed(key) for key in keys], []
    for element in elements[:-2]:
        queue.offer(element)
    if changed:
        elements[changed[0]].key = changed[1]
        if isinstance(queue, ModelHeap):
            queue.keys[elements[changed[0]]] = changed[1]
    inside = elements[:-2]
    for element in elements[-2:]:
        first = queue.poll_now()
        out.append(first.key == min(each.key for each in inside))
        inside.remove(first)
        queue.offer(element)
        inside.append(element)
    while inside:
        first = queue.poll_now()
        out.append(first.key == min(each.key for each in inside))
        inside.remove(first)
    return all(out)


@pytest.mark.parametrize("kind", [ModelHeap, delay_queue.DelayQueue])
def test_a_heap_hands_out_a_smallest_key_until_one_changes(kind):
    """A-HEAP, on all orders of seven keys and on all choices of six small ones.

    A changed key hides others, as in the scenario D1_bystander.
    """
    assert all(drained(kind(), keys) for keys in permutations(range(7)))
    assert all(drained(kind(), keys) for keys in product(range(3), repeat=6))
    assert not all(drained(kind(), keys, (0, 9)) for keys in permutations(range(5)))


@pytest.mark.parametrize("kind", [ModelHeap, delay_queue.DelayQueue])
def test_the_first_of_a_heap_stays_until_a_poll_or_an_offer_before_it(kind):
    """A-ROOT, where a key changes that the heap does not notice."""
    kept = set()
    for *keys, changed, new in product(range(4), repeat=6):
        elements, queue = [Keyed(key) for key in keys], kind()
        for element in elements[:-1]:
            queue.offer(element)
        elements[changed % 3].key = new
        if isinstance(queue, ModelHeap):
            queue.keys[elements[changed % 3]] = new
        first = queue.heap[0]
        queue.offer(elements[-1])
        assert queue.heap[0] in (first, elements[-1])
        kept.add((queue.heap[0] is first, first.key == min(each.key for each in elements)))
    assert kept == {(True, True), (True, False), (False, False)}
