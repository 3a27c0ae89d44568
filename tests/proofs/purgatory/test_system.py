"""P6 - P9 and P14 of the purgatory: the invariant, its faults, and its tie to this program."""

from __future__ import annotations

from dataclasses import replace

import pytest
from z3 import BoolVal, ForAll, Implies

from proofs.purgatory.faults import EVERYTHING, FAULTS, RANKED, view_of
from proofs.purgatory.mutants import NotLookedAtAgain, RemovesUnlocked
from proofs.purgatory.ranked import broken, controls
from proofs.purgatory.ranking import TAKES_LOCK, ranked
from proofs.purgatory.state import NO_LIST, THREAD, K, go_sec, in_sec, is_at, waits
from proofs.purgatory.system import InOrder, Purgatory
from proofs.purgatory.theory import THEORY
from proofs.purgatory.view import ACTIONS, SYSTEMS, View, views
from tests.nights import by_night, only
from tests.proofs.checks import (
    compared,
    grounded_needs,
    mechanism,
    refuted,
)
from wheelproof.checks import proof_edges
from wheelproof.graph.explorer import explore
from wheelproof.prove.kernel import Theory
from wheelproof.prove.ts.faults import control
from wheelproof.prove.ts.system import action, conjunct, when
from wheelproof.prove.ts.theory import Conditions, submit

NAME = "purgatory"
SMALL = (
    "event",
    "expiry",
    "two_checks",
    "list_removed",
    "other_list",
    "entered_again",
    "counted",
    "raising",
    "raising_first",
    "entered_holding",
    "cancelled_key",
    "cancelled_event",
    "forced",
)
MUTANTS = [name for name in FAULTS if name in mechanism(NAME).mutants]
"""Faults that are mutants of the specification; the others are duties of callers, or the timer's.
"""
OF_MUTANTS = {"P2": {"L5": "is_to_cancel on_complete_raises"}}
"""Mutant -> labels whose step is another one there, with the actions of the fault's system."""


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
    assert set(evidence.witnesses) == {each.name for each in THEORY.theorems[name].controls}


def test_what_is_proved():
    assert list(THEORY.theorems) == [
        *("Inv.Purgatory", "P6", "P8", "P9", "P14", "P15"),
        *("Inv.InOrder", "P6.InOrder", "P7.InOrder", "P15.Rank"),
    ]
    of = {name: {vc.name for vc in item.vcs} for name, item in THEORY.theorems.items()}
    assert "completed_once" in of["P6"] and of["P6.InOrder"] == {"try_excludes_complete"}
    assert of["P8"] == {"expired_by_timeout_only"} and of["P9"] == {"watcher_reachable"}
    assert of["P14"] == {"no_leaked_timer", "num_delayed_exact", "waiting_is_timed"}


@pytest.mark.nightly
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_conjunct_can_go(system):
    own = set(system.conjuncts()) - (set(Purgatory.conjuncts()) if system is InOrder else set())
    kept = {name for name in own if system.conjuncts()[name].kept}
    assert {name for name in own if not grounded_needs(system, name)} == kept


# -- faults


@pytest.mark.parametrize("name", only(FAULTS, "P1", "P2"))
def test_a_fault_breaks_the_invariant_and_has_a_trace_that_the_right_system_lacks(name):
    fault = FAULTS[name]
    assert refuted(fault).startswith(("step/", "init/", "safety/")) and fault.searched.trace
    right = next(base for base in fault.system.__mro__ if base in SYSTEMS)
    found = replace(fault, system=right).searched
    assert found.trace is None and found.states > 20


@pytest.mark.parametrize("name", only(MUTANTS, "P12"))
def test_the_mutated_model_is_the_mutated_system_and_breaks_the_same_formula(name):
    """Every edge of the mutant's graph is a step of the fault's system."""
    fault, mutant = FAULTS[name], mechanism(NAME).mutants[name]
    graph = explore(mechanism(NAME).without(mutant.decision).model(mutant.scenario))
    found = proof_edges.Compared()
    for operation in graph.model.operations:
        view = View(graph.model, operation, fault.system)
        proof_edges.compare(view, graph, ACTIONS | OF_MUTANTS.get(name, {}), found, name)
    assert not found.wrong, found.wrong[:2]
    assert fault.formula in found.broken


def test_the_faults_are_the_decisions_that_a_theorem_is_about():
    """CountsKeys and EmptyStays break counts at rest, CompletesCancelled a deadlock.

    P9 and P3_pending are mutants with operations of TryPending, which the systems lack.
    """
    left_out = {"CountsKeys", "EmptyStays", "CompletesCancelled", "P9", "P3_pending"}
    assert set(mechanism(NAME).mutants) - set(FAULTS) <= left_out | {
        name for name in mechanism(NAME).mutants if not name.startswith(("P", "St", "Rem"))
    }
    assert {"P1", "P2", "P3", "P4", "P5", "P6", "P7", "P10", "P11", "P12"} <= set(MUTANTS)


def test_the_duties_of_callers_are_needed():
    """A-DUTIES: without either of these two a property fails; TLC has the same in two configs."""
    for name, config in ("forced before", "forced"), ("raises before", "raising_leaves_the_rest"):
        assert FAULTS[name].searched.trace and config in mechanism(NAME).configs


def test_every_scenario_enters_an_operation_once():
    """A-ENTERED: programs and onComplete name each operation once, whose keys differ.

    No operation enters itself, be it through others.
    """
    for name, scenario in mechanism(NAME).scenarios.items():
        model = mechanism(NAME).model(name)
        entered = [
            step[1]
            for program in model.program.values()
            for step in program
            if step[0] in ("watch", "watch_holding")
        ]
        entered += [added for of in model.adds.values() for added in of]
        assert len(entered) == len(set(entered)), name
        for first, added in model.adds.items():
            for _ in model.adds:
                assert first not in added, name
                added = [each for other in added for each in model.adds[other]]
        for keys in scenario["keys_of"].values():
            assert len(keys) == len(set(keys)), name


# -- the proof is about this program


def test_labels_and_actions_name_each_other():
    labels = mechanism(NAME).labels
    assert proof_edges.table_faults(labels, ACTIONS, SYSTEMS) == []
    fewer = {label: names for label, names in ACTIONS.items() if label != "A6"}
    assert proof_edges.table_faults(labels, fewer, SYSTEMS) == [
        "A6 has no action",
        "no label names the action arms",
    ]


@pytest.mark.nightly
def test_every_edge_is_a_step_and_every_action_is_an_edge():
    """By day the row `edges` of `make verify` compares these systems."""
    found = compared(NAME, views, *SMALL)
    assert not found.wrong and not found.broken and not found.blocked
    assert proof_edges.idle(SYSTEMS, found.taken) == []
    assert found.states > 5_000 and found.edges > 13_000


class WrongConjunct(InOrder):
    @conjunct
    def waits_in_the_timer(self, s):
        """What waits is in the timer (it is not, before its thread has come so far)."""
        return Implies(waits(s), s.armed)


class WrongGuard(InOrder):
    @action(t=THREAD)
    def arms(self, s, t):
        return when(is_at(s, t, "A6"), s.completed, at=s.at)


class MissingAction(InOrder):
    gets_list = None


class WrongUpdate(InOrder):
    @action(t=THREAD)
    def removes_list(self, s, t):
        return when(in_sec(s, t, "R4"), section=go_sec(s, t, "R5"))


@pytest.mark.parametrize(
    "system, message",
    [
        (WrongGuard, "A6 is no step"),
        by_night((MissingAction, "C2 is no step")),
        (WrongUpdate, "R4 is no step"),
        by_night((RemovesUnlocked, "R1 is no step")),
    ],
)
def test_a_system_that_is_another_one_is_noticed(system, message):
    found = compared(NAME, lambda model: [View(model, "o", system)], "event")
    assert any(message in fault for fault in found.wrong), found.wrong[:3]


def test_a_conjunct_that_does_not_hold_is_noticed():
    found = compared(NAME, lambda model: [View(model, "o", WrongConjunct)], "event")
    assert set(found.broken) == {"waits_in_the_timer"} and not found.wrong


def test_a_view_that_shows_too_little_is_noticed():
    class Blind(View):
        def acts(self, index, frozen):
            return False

    assert compared(NAME, lambda model: [Blind(model, "o")], "event").wrong


class Waits(InOrder):
    """A thread that the model lets wait for a shard goes on here."""

    @action(t=THREAD)
    def shuts_to_watch(self, s, t):
        return when(in_sec(s, t, "W2"), section=go_sec(s, t, "W3"))


def test_a_wait_of_the_model_alone_is_noticed():
    found = compared(NAME, lambda model: [View(model, "o", Waits)], "event")
    assert any("waits at W2" in wait for wait in found.blocked)


class NeverWaits(InOrder):
    """A thread that the model lets wait for the callers' lock goes on here."""

    @action(t=THREAD)
    def locks_callers_lock(self, s, t):
        return when(in_sec(s, t, "D2"), section=go_sec(s, t, "D3"), outer=t)


@pytest.mark.parametrize("operation", ["o", "p"])
def test_a_wait_for_the_callers_lock_is_noticed(operation):
    """It is waited for in the operation's own onComplete (o), or in another one's (p)."""
    found = compared(NAME, lambda model: [View(model, operation, NeverWaits)], "entered_holding")
    assert not found.wrong and any("waits at D2" in wait for wait in found.blocked)


# -- links


class Says(Purgatory):
    """An invariant that says nothing of lists that were dropped or are the key's."""

    waits_in_its_list = None


@pytest.mark.nightly
def test_an_invariant_that_says_less_proves_less():
    of = Conditions(Says(), EVERYTHING, lemma="Inv.Says")
    theory = Theory("less", mechanism="m")
    theory.theorem("Inv.Says", "", of.invariant()[:1], is_lemma=True)
    theory.theorem("P9", "", [of.vc("watcher_reachable")], is_lemma=True, rests_on=("Inv.Says",))
    assert theory.check("P9", 1).verdict != "proved"


class Empty(InOrder):
    """A restriction whose own conjunct on tries says nothing."""

    @conjunct
    def open_while_tried(self, s):
        """Nothing."""
        return ForAll([K], Implies(s.home[K] == NO_LIST, BoolVal(True)))


@pytest.mark.nightly
def test_a_weakened_lemma_takes_what_rests_on_it():
    of = Conditions(Empty(), EVERYTHING, Purgatory, "Inv.Empty", "Inv.Purgatory")
    theory = Theory("weak", mechanism="m")
    theory.theorem("Inv.Empty", "", of.invariant()[:1], is_lemma=True)
    theory.theorem(
        "P6", "", [of.vc("try_excludes_complete")], is_lemma=True, rests_on=("Inv.Empty",)
    )
    assert theory.check("P6", 1).verdict != "proved"


@pytest.mark.nightly
def test_a_system_that_is_not_inductive_is_refuted_by_the_kernel():
    theory = Theory("wrong", mechanism=NAME)
    submit(theory, NotLookedAtAgain, EVERYTHING, FAULTS.values(), view_of, lemma="Inv.Wrong")
    vcs = [
        vc
        for vc in theory.theorems["Inv.Wrong"].vcs
        if vc.name in ("step leaves_armed", "step arms")
    ]
    alone = Theory("alone", mechanism=NAME)
    alone.theorem("Inv.Wrong", "", vcs, is_lemma=True)
    evidence = alone.check("Inv.Wrong", seeds=1)
    assert evidence.verdict in ("violated", "inconclusive") and "leaves_armed" in evidence.why


def test_a_control_that_cannot_fail_is_noticed():
    fault = replace(FAULTS["P4"], system=Purgatory)
    assert control(fault, view_of).find(0).verdict == "unsat"


# -- the rank


@pytest.mark.nightly
def test_a_rank_that_counts_nothing_is_refuted():
    """Each control's claim fails, and the theorem's own claims hold on the same runs."""
    assert {each.name: each.find(0).verdict for each in controls(RANKED)} == {
        "takings are not counted": "sat",
        "no distance": "sat",
    }
    assert broken(Purgatory(), ranked(Purgatory()), RANKED, 3_000).verdict == "unsat"


def test_the_rank_is_of_every_action_that_takes_no_lock():
    names = {vc.name for vc in THEORY.theorems["P15.Rank"].vcs}
    every = {f"rank {name}" for name in Purgatory.actions()}
    assert every - names == {f"rank {name}" for name in TAKES_LOCK} and names < every
