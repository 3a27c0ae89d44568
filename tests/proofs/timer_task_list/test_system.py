"""P1 - P5, P12: the invariants of the bucket's ring, their faults, their tie to this program."""

from __future__ import annotations

import sys

import pytest
from z3 import BoolVal, ForAll, Implies, IntSort, Not, Store

from proofs.timer_task_list import state as systems
from proofs.timer_task_list.faults import EVERYTHING, FAULTS, scenario, view_of
from proofs.timer_task_list.mutants import Stuck
from proofs.timer_task_list.state import PLACE, TASK, THREAD, E, T, go, is_at
from proofs.timer_task_list.system import OneReaper, TimerTaskList
from proofs.timer_task_list.theory import THEORY
from proofs.timer_task_list.view import ACTIONS, SYSTEMS, View, views
from tests.nights import first
from tests.proofs.checks import (
    compared,
    graph_of,
    grounded_failing,
    grounded_needs,
    leaves_invariant,
    mechanism,
    refuted,
    replayed,
)
from wheelproof.checks import proof_edges
from wheelproof.prove.ts.faults import NotFollowed, follow
from wheelproof.prove.ts.system import System, action, conditions, conjunct, when
from wheelproof.prove.ts.theory import Conditions, inherited

NAME = "timer_task_list"
TRACED = [name for name, fault in FAULTS.items() if not fault.unreached]
SMALL = (
    "two_adders",
    "cancel_cancel",
    "cancels_crossed",
    "remove_cancel",
    "expire_cancel",
    "two_expire",
    "expire_readd",
    "moved_on",
    "flush_into_itself",
    "opposite_flushes",
    "flush_cancel",
    "two_entries_crossed",
)


# -- theorems


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in THEORY.theorems if name != "Inv.TimerTaskList"])
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
    assert list(THEORY.theorems) == [
        "Inv.TimerTaskList",
        "P1",
        "P2",
        "P3",
        "P4",
        "P5",
        "Inv.OneReaper",
        "P12.OneReaper",
    ]
    assert THEORY.theorems["Inv.OneReaper"].rests_on == ("Inv.TimerTaskList",)


@pytest.mark.nightly
def test_every_condition_of_the_invariant_holds():
    """All conditions within seconds: the layer proof adds the second solver and the seeds."""
    assert not grounded_failing(Conditions(TimerTaskList(), FAULTS["M2"].scope))


@pytest.mark.nightly
def test_no_conjunct_can_go():
    kept = {name for name, formula in OneReaper.conjuncts().items() if formula.kept}
    assert {name for name in OneReaper.conjuncts() if not grounded_needs(OneReaper, name)} == kept


def test_what_a_restriction_inherits_is_not_proved_again():
    own = {vc.name for vc in THEORY.theorems["Inv.OneReaper"].vcs}
    conditions = Conditions(OneReaper(), FAULTS["M4"].scope, TimerTaskList)
    assert own <= {"init", *(f"step {name}" for name in OneReaper.actions())}
    for name in (
        "flushes",
        "adds",
    ):  # the one has a guard more than the base's, the other is the base's
        assert "list_owner" not in conditions.made[f"step {name}"].goal.sexpr(), name
    without_guard = type("Wide", (OneReaper,), {"flushes": TimerTaskList.expires})
    assert (
        "list_owner"
        in Conditions(without_guard(), EVERYTHING, TimerTaskList).made["step flushes"].goal.sexpr()
    )


def helper(name, value):
    """OneReaper with one thing changed that its actions call or read."""
    return type("Changed", (OneReaper,), {name: value})


@pytest.mark.parametrize(
    ("changed", "step"),
    [
        pytest.param(
            helper("free", lambda self, s, t, l: BoolVal(True)),
            "locks_list_to_unlink",
            id="a helper",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            helper(
                "left",
                lambda self, s, l: {
                    "list_owner": Store(s.list_owner, l, systems.NO_THREAD),
                    "list_depth": s.list_depth,
                },
            ),
            "unlocks_list_after_unlink",
            id="a helper of updates",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            helper("entry_done", lambda self, s, t: Store(s.at, t, PLACE.Idle)),
            "hands_over",
            id="where a call returns to",
        ),
    ],
)
def test_a_changed_helper_unproves_the_restriction(changed, step):
    """What the base has proved is not the restriction's once a helper of its actions differs."""
    of = Conditions(changed(), EVERYTHING, TimerTaskList)
    assert f"step {step}" in {vc.name for vc in of.invariant()}
    scope = FAULTS["FlushWithoutMonitor"].scope
    assert leaves_invariant(changed(), scope, step), "a run refutes the condition"
    assert not leaves_invariant(OneReaper(), scope, step)


class Reads(System):
    """A system whose action reads a property, a class attribute and a function of a module."""

    SORTS = (THREAD,)
    STATES = "a counter"
    VARIABLES = {"count": IntSort()}
    STEP = 1

    @property
    def avoided(self):
        return 5

    def initially(self, s):
        return [s.count == 0]

    @action(t=THREAD)
    def counts(self, s, t):
        return when(s.count != self.avoided, count=s.count + self.STEP * weight())

    @conjunct
    def positive(self, s):
        """It is not negative."""
        return s.count >= 0


def weight():
    return 1


def test_what_an_action_reads_is_compared(monkeypatch):
    of_base = {condition.name: condition for condition in conditions(Reads())}
    same = type("Same", (Reads,), {"another": 1})
    assert all(inherited(condition, of_base) for condition in conditions(same()))
    for changed in (
        type("P", (Reads,), {"avoided": property(lambda self: 6)}),
        type("A", (Reads,), {"STEP": -1}),
    ):
        assert [c.name for c in conditions(changed()) if not inherited(c, of_base)] == [
            "step/counts/positive"
        ]
    monkeypatch.setattr(sys.modules[__name__], "weight", lambda: -1)
    assert [c.name for c in conditions(same()) if not inherited(c, of_base)] == [
        "step/counts/positive"
    ]


def test_fewer_premises_are_not_inherited():
    of_base = {condition.name: condition for condition in conditions(Reads())}
    fewer = type("Fewer", (Reads,), {"initially": lambda self, s: []})
    assert [c.name for c in conditions(fewer()) if not inherited(c, of_base)] == ["init/positive"]
    more = type("More", (Reads,), {"given": lambda self, s: [s.count < 7]})
    assert all(inherited(condition, of_base) for condition in conditions(more()))


# -- faults


def test_the_faults_are_the_mutants_of_the_spec():
    mutants = mechanism(NAME).mutants
    assert set(mutants) <= set(FAULTS) and set(FAULTS) - set(mutants) == {"opposite_flushes"}
    for name, mutant in mutants.items():
        assert FAULTS[name].decision == mutant.decision, name
        assert FAULTS[name].property == (mutant.property or ""), name
        assert bool(mutant.equivalent) == bool(FAULTS[name].unreached), name


@pytest.mark.parametrize("name", first(TRACED, 2))
def test_a_fault_has_a_trace_that_model_and_implementation_run(name):
    fault = FAULTS[name]
    trace = fault.searched.trace
    assert replayed(NAME, fault, scenario(fault, trace), view_of(fault, trace)) >= len(trace) > 10


@pytest.mark.parametrize("name", first(TRACED, 2))
def test_the_right_system_has_no_such_trace(name):
    fault = FAULTS[name]
    right = OneReaper if issubclass(fault.system, OneReaper) else TimerTaskList

    class Right(right):
        locals().update({fault.formula: getattr(fault.system, fault.formula)})

    found = type(fault)(fault.name, fault.says, Right, fault.scope, fault.formula).searched
    assert found.trace is None and found.states > 40


@pytest.mark.parametrize("name", first(TRACED, 2))
def test_a_fault_breaks_the_induction_in_a_step_that_it_changes(name):
    condition = refuted(FAULTS[name])
    if issubclass(FAULTS[name].system, Stuck):
        assert condition == "safety/some_thread_moves", "the ranks imply it, and they are not kept"
    else:
        step, action, _ = condition.split("/")
        assert step == "step" and action in vars(FAULTS[name].system)


@pytest.mark.nightly
def test_a_single_attempt_keeps_every_property():
    """Its own conditions are proved; the others are the right system's, to the term."""
    fault = FAULTS["M5"]
    of = Conditions(fault.system(), fault.scope, OneReaper)
    assert fault.unreached and "step unlocks_list_after_unlink" in of.made
    assert not grounded_failing(of)


def test_the_right_model_does_not_follow_a_faults_trace():
    fault = FAULTS["M2"]
    trace = fault.searched.trace
    right = View(mechanism(NAME).model_module.Model(scenario(fault, trace)), fault.system)
    with pytest.raises(NotFollowed):
        follow(right, trace, fault.property)


# -- the proof is about this program


def test_labels_and_actions_name_each_other():
    assert proof_edges.table_faults(mechanism(NAME).labels, ACTIONS, SYSTEMS) == []


@pytest.mark.nightly
def test_every_edge_is_a_step_and_every_action_is_an_edge():
    """By day the row `edges` of `make verify` compares these systems."""
    found = compared(NAME, views, *SMALL)
    assert not found.wrong and not found.broken
    assert proof_edges.idle(SYSTEMS, found.taken) == []
    assert found.states > 5_000 and found.edges > 10_000


class Able(OneReaper):
    """Asks whether every thread that is in an operation can move: false where one waits."""

    @conjunct
    def all_are_able(self, s):
        """A thread in an operation has an action to take."""
        return ForAll([T], Implies(Not(is_at(s, T, "Idle")), self.can_move(s, T)))


def test_who_can_move_is_who_has_a_step():
    """The formula of P12 against the steps, on states with waiting threads and without."""
    seen = set()
    for name in ("opposite_flushes", "two_adders"):
        graph = graph_of(NAME, name)
        view = View(graph.model, Able, graph.model.threads[0])
        ends = [action for action, taken in Able.actions().items() if not taken.begins]
        for state in {view.state(state) for state in graph.states}:
            busy = [
                thread
                for thread, place in enumerate(view.instance.named(state)["at"].values())
                if place != "Idle"
            ]
            able = all(any(view.instance.moves(state, ends, thread)) for thread in busy)
            assert view.instance.formulas["all_are_able"](state) == able
            seen.add(able)
    assert seen == {True, False}


class WrongConjunct(TimerTaskList):
    @conjunct
    def linked_iff_named(self, s):
        """An entry names exactly the list that it is linked into, at every step (it does not)."""
        return ForAll([E], Implies(s.list[E] != systems.NO_LIST, s.linked[E][s.list[E]]))


class WrongGuard(TimerTaskList):
    @action(t=THREAD)
    def is_linked_again(self, s, t):
        return when(is_at(s, t, "A3"), s.list[s.ae[t]] == s.al[t], at=go(s, t, "A10"))


class WrongUpdate(TimerTaskList):
    @action(t=THREAD)
    def clears_list(self, s, t):
        return when(is_at(s, t, "U8"), at=go(s, t, "U9"))


class MissingAction(TimerTaskList):
    cancel_returns = None


class WrongEverywhere(TimerTaskList):
    @action(t=THREAD)
    def cancel_returns(self, s, t):
        return when(
            is_at(s, t, "C4"),
            at=go(s, t, "Idle"),
            ct=Store(s.ct, t, TASK.null),
            task_owner=Store(s.task_owner, s.ct[t], systems.NO_THREAD),
        )


@pytest.mark.parametrize(
    "system, scenario, message",
    [
        (WrongGuard, "two_adders", "A3 is no step"),
        (WrongUpdate, "remove_cancel", "U8 is no step"),
        (MissingAction, "cancel_cancel", "C4 is no step"),
        (WrongEverywhere, "cancel_cancel", "C4 is no step"),
        (FAULTS["M2"].system, "two_adders", "A2 is no step"),
    ],
)
def test_a_system_that_is_another_one_is_noticed(system, scenario, message):
    found = compared(NAME, lambda model: [View(model, system)], scenario)
    assert any(message in fault for fault in found.wrong), found.wrong[:3]


def test_a_conjunct_that_does_not_hold_is_noticed():
    found = compared(NAME, lambda model: [View(model, WrongConjunct)], "two_adders")
    assert set(found.broken) == {"linked_iff_named"} and not found.wrong
