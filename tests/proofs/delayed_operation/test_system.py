"""P6 - P8: the completion protocol's invariants, their faults, and their tie to this program."""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3
from z3 import And, ForAll, Implies, Not, Store

from proofs.delayed_operation import system as systems
from proofs.delayed_operation.faults import (
    EVERYTHING,
    FAULTS,
    OPERATION,
    scenario,
    view_of,
)
from proofs.delayed_operation.steps import NO_THREAD, THREAD
from proofs.delayed_operation.theory import THEORY
from proofs.delayed_operation.view import ACTIONS, SYSTEMS, View, views
from tests.model.delayed_operation import PROTOCOLS
from tests.nights import by_night, first
from tests.proofs.checks import (
    compared,
    failing,
    mechanism,
    needed,
    refuted,
    replayed,
)
from wheelproof.checks import proof_edges
from wheelproof.prove import evidence
from wheelproof.prove.kernel import Theory
from wheelproof.prove.ts.faults import NotFollowed, follow
from wheelproof.prove.ts.system import action, conjunct, when
from wheelproof.prove.ts.theory import submit

NAME = "delayed_operation"
TRACED = [name for name, fault in FAULTS.items() if not fault.unreached]
SMALL = (
    "two_completers",
    "two_expirers",
    "raising",
    "completes_another",
    "try_once",
    "try_once_alone",
    "try_once_holder",
    "locked_try_events",
    "locked_try_holder",
    "checked_try_events",
    "checked_try_holder",
    "pending_holder",
    "blocking",
    "blocking_holder",
    "blocking_crossed",
    "blocking_completes_another",
    "three_completers",
)
T = THREAD.consts("thread")[0]


# -- theorems


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


def test_what_is_proved_of_each_protocol():
    of = {
        "Inv": PROTOCOLS,
        "P6": PROTOCOLS,
        "P8": PROTOCOLS,
        "P7": [name for name in PROTOCOLS if name != "TryOnce"],
    }
    assert set(THEORY.theorems) == {
        f"{each}.{system}" for each, systems_of in of.items() for system in systems_of
    }
    assert "try_excludes_complete" in {vc.name for vc in THEORY.theorems["P6.Blocking"].vcs}


@pytest.mark.parametrize("system", first(SYSTEMS))
def test_no_conjunct_can_go(system):
    for name, formula in system.conjuncts().items():
        assert needed(system(), name) != bool(formula.kept), f"{system.__name__} without {name}"


@pytest.mark.parametrize("system", [systems.TryOnceHeld, systems.TryPendingHeld])
def test_every_condition_of_a_system_with_strangers_holds(system):
    """No theorem is about these two: a theorem's conditions are proved with it."""
    assert system.__name__ not in {each.system for each in THEORY.theorems.values()}
    assert not failing(system())


def test_strangers_take_p7_from_try_pending():
    assert (
        "no_completion_lost" in systems.TryPending.safety()
        and "no_completion_lost" not in systems.TryPendingHeld.safety()
    )
    assert refuted(FAULTS["pending_holder"]) == "safety/no_completion_lost"
    assert refuted(FAULTS["article_lost_completion"]) == "safety/no_completion_lost"


# -- faults

NOT_IMPLIED = {
    "UnlockedTry",
    "checked_try_beside_complete",
    "article_lost_completion",
    "pending_holder",
}
"""Faults whose systems keep their invariant; the property that breaks does not follow from it."""


def test_the_faults_are_the_mutants_of_the_spec():
    mutants = mechanism(NAME).mutants
    same_race = {"P9_live", "H7"}  # P9 is their safety form, or that of the class that has it
    # the proof's systems have locks of the callers' as waits, and each lock excludes
    of_callers_locks = {"H6", "H8", "H11"}
    assert set(mutants) - set(FAULTS) == same_race | of_callers_locks
    for name in set(mutants) & set(FAULTS):
        assert (FAULTS[name].decision, FAULTS[name].property) == (
            mutants[name].decision,
            mutants[name].property,
        ), name


@pytest.mark.parametrize("name", first(TRACED, 2))
def test_a_fault_breaks_the_invariant_and_has_a_trace(name):
    fault = FAULTS[name]
    assert refuted(fault).partition("/")[0] == ("safety" if name in NOT_IMPLIED else "step")
    if fault.property:
        assert len(
            follow(view_of(fault, fault.searched.trace), fault.searched.trace, fault.property)
        ) >= len(fault.searched.trace)


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "name",
    first(
        [
            name
            for name in TRACED
            if FAULTS[name].property
            and not name.startswith(("TryOnce_", "LockedTry_", "CheckedTry_", "Blocking_"))
        ],
        2,
    ),
)
def test_the_mutated_implementation_runs_the_trace(name):
    fault = FAULTS[name]
    trace = fault.searched.trace
    assert replayed(NAME, fault, scenario(fault, trace), view_of(fault, trace)) >= len(trace)


@pytest.mark.parametrize(
    "name",
    [
        "P1",
        "P9",
        "ClearedLate",
        "ReadEarly",
        "NoRetry",
        "UnlockedTry",
        "P10",
        "P11",
        "P12",
        "unannounced",
    ],
)
def test_the_right_system_has_no_such_trace(name):
    fault = FAULTS[name]
    right = next(base for base in fault.system.__mro__ if base in SYSTEMS)
    mutant = type(fault)(fault.name, fault.says, right, fault.scope, fault.formula)
    found = mutant.searched
    assert found.trace is None and found.states > 10


def test_the_right_model_does_not_follow_a_faults_trace():
    fault = FAULTS["P9"]
    trace = fault.searched.trace
    right = View(mechanism(NAME).model_module.Model(scenario(fault, trace)), OPERATION)
    with pytest.raises(NotFollowed):
        follow(right, trace, fault.property)
    with pytest.raises(NotFollowed, match="CompletedOnce holds"):
        follow(view_of(fault, trace), trace, "CompletedOnce")


def test_a_wait_more_breaks_nothing():
    assert FAULTS["BlockingTry"].unreached and not failing(FAULTS["BlockingTry"].system())


# -- the proof is about this program


def test_labels_and_actions_name_each_other():
    labels = mechanism(NAME).labels
    assert proof_edges.table_faults(labels, ACTIONS, SYSTEMS) == []
    fewer = {label: names for label, names in ACTIONS.items() if label != "P5"}
    assert proof_edges.table_faults(labels, fewer, SYSTEMS) == [
        "P5 has no action",
        "no label names the action leaves_note",
    ]
    other = {**ACTIONS, "P9": "stutter"}
    assert proof_edges.table_faults(labels, other, SYSTEMS) == ["there is no label P9"]
    more = proof_edges.table_faults(
        labels, ACTIONS, tuple(system for system in SYSTEMS if system is not systems.Blocking)
    )
    assert "the labels name need_not_lock, which is no action" in more


@pytest.mark.nightly
def test_every_edge_is_a_step_and_every_action_is_an_edge():
    """By day the row `edges` of `make verify` compares these systems."""
    found = compared(NAME, views, *SMALL)
    assert not found.wrong and not found.broken
    assert not proof_edges.idle(SYSTEMS, found.taken)
    assert found.states > 5_000 and found.edges > 15_000


def test_an_action_that_no_edge_is_is_named():
    found = compared(NAME, views, "two_completers")
    assert "Blocking.locks" in proof_edges.idle(SYSTEMS, found.taken)


class WrongConjunct(systems.TryPending):
    @conjunct
    def note_is_short(self, s):
        """A note is only left at a completed operation (it is not)."""
        return Implies(s.pending, s.completed)


class WrongGuard(systems.TryPending):
    @action(t=THREAD)
    def leaves_note(self, s, t):
        return when(
            self.is_at(s, t, "P5"),
            Not(s.pending),
            at=self.go(s, t, "P6"),
            retry=Store(s.retry, t, Not(s.pending)),
            pending=z3.BoolVal(True),
        )


class WrongUpdate(systems.TryPending):
    @action(t=THREAD)
    def unlocks(self, s, t):
        return when(self.is_at(s, t, "P3"), at=self.go(s, t, "P6"), owner=NO_THREAD)


class MissingAction(systems.TryPending):
    tries_again = None


class WrongStart(systems.TryPending):
    def initially(self, s):
        return [*super().initially(s), And(ForAll([T], s.retry[T]))]


@pytest.mark.parametrize(
    "system, message",
    [
        by_night((WrongGuard, "P5 is no step")),
        by_night((WrongUpdate, "P3 is no step")),
        by_night((MissingAction, "P6 is no step")),
        (WrongStart, "does not start"),
        by_night((FAULTS["NoRetry"].system, "P5 is no step")),
    ],
)
def test_a_system_that_is_another_one_is_noticed(system, message):
    found = compared(NAME, lambda model: [View(model, "o", system)], "three_completers")
    assert any(message in fault for fault in found.wrong), found.wrong[:3]


def test_a_conjunct_that_does_not_hold_is_noticed():
    found = compared(NAME, lambda model: [View(model, "o", WrongConjunct)], "two_completers")
    assert set(found.broken) == {"note_is_short"} and not found.wrong


def test_a_view_that_shows_too_little_is_noticed():
    class Blind(View):
        def acts(self, index, frozen):
            return False

    assert compared(NAME, lambda model: [Blind(model, "o")], "two_completers").wrong


# -- theorems that are not put together as they must be


def of_step(theory, name, step):
    """The evidence of one step of an invariant."""
    theorem = theory.theorems[name]
    (vc,) = (vc for vc in theorem.vcs if vc.name == f"step {step}")
    return evidence.check(replace(theorem, vcs=(vc,), hypotheses=()), seeds=1)


def test_an_action_that_no_run_takes_makes_the_lemma_vacuous():
    class Never(systems.TryPending):
        @action(t=THREAD)
        def never(self, s, t):
            return when(self.is_at(s, t, "P1"), s.completions == 7, at=self.go(s, t, "Idle"))

    theory = Theory("never", mechanism=NAME)
    submit(theory, Never, EVERYTHING, FAULTS.values(), view_of, suffix=".TryPending")
    found = of_step(theory, "Inv.TryPending", "never")
    assert found.verdict == "vacuous" and found.why.startswith("step never")
    assert of_step(theory, "Inv.TryPending", "leaves_note").verdict == "proved"


def test_a_system_that_is_not_inductive_is_refuted_by_the_kernel():
    theory = Theory("wrong", mechanism=NAME)
    submit(theory, FAULTS["P11"].system, EVERYTHING, FAULTS.values(), view_of, suffix=".Blocking")
    found = of_step(theory, "Inv.Blocking", "sets_completed")
    assert found.verdict in ("violated", "inconclusive") and "sets_completed" in found.why
