"""The theorems about module OverflowWheel: what they are made of, their faults and assumptions."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from proofs.overflow_wheel import module, planted, runs
from proofs.overflow_wheel.published import Published
from proofs.overflow_wheel.unlinked import Unlinked
from proofs.overflow_wheel.words import WORDS
from wheelproof.errors import UsageError
from wheelproof.graph.explorer import explore
from wheelproof.prove import variants
from wheelproof.prove.invariant import conditions as of_invariant
from wheelproof.prove.invariant.conditions import Conditions
from wheelproof.prove.invariant.runs import broken_goal
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module import states, systems
from wheelproof.prove.ts.concrete import Compiled
from wheelproof.prove.ts.instances import Instances

SUBJECT = module.SUBJECT
WHEEL = variants.mechanisms()["overflow_wheel"]
OF_PROPERTIES = {
    "SafePublication": (Published, {"safe_publication"}),
    "OneOverflowWheel": (Published, {"one_overflow_wheel"}),
    "CancelWins": (Published, {"cancel_wins"}),
    "CancelUnlinks": (Unlinked, {"cancel_unlinks", "list_is_never_buffered"}),
}
"""The module's properties, with the theorem's system and the conjuncts that say the same."""


def test_every_goal_of_every_label_is_in_a_condition(monkeypatch):
    """Each theorem has a condition for each label, of all its ways and of each new conjunct."""
    conditions = Conditions(SUBJECT, Published)
    assert set(conditions.module.LABELS) == set(WHEEL.labels)
    new = []
    for of, name in SUBJECT.theorems.items():
        vcs = [vc.name for vc in module.THEORY.theorems[name].vcs]
        assert sorted(vcs) == sorted(["start", *WHEEL.labels])
        new += Conditions(SUBJECT, of).new
    assert sorted(new) == sorted(Unlinked.conjuncts())
    taken = []
    monkeypatch.setattr(conditions, "way", lambda name: (taken.append(name), ({}, None))[1])
    monkeypatch.setattr(conditions, "condition", lambda *_: None)
    monkeypatch.setattr(of_invariant, "all_of", lambda _: None)
    for label in WHEEL.labels:
        conditions.step(label)
    assert sorted(taken) == sorted(conditions.module.actions())


def test_every_property_is_of_a_theorem():
    assert set(OF_PROPERTIES) == set(WHEEL.invariants)
    for of, names in OF_PROPERTIES.values():
        assert names <= set(of.conjuncts())
        assert names & set(Conditions(SUBJECT, of).new)


def test_a_way_is_proved_and_not_without_what_it_needs(monkeypatch):
    """O4 stores the wheel: its time is marked since the constructor has stored it."""
    conditions = Conditions(SUBJECT, Published)
    assert conditions.way("O4_to_O5")
    fewer = dict(conditions.premises)
    del fewer["constructor_has_stored"]
    monkeypatch.setattr(conditions, "premises", fewer)
    monkeypatch.setattr(conditions, "instances", Instances(fewer))
    with pytest.raises(ProofError, match="O4_to_O5: published_with_its_time.* does not follow"):
        conditions.way("O4_to_O5")


@pytest.mark.nightly
def test_what_the_terms_oblige_to_is_a_goal(monkeypatch):
    """B1 takes the next of the wheels, which must be there."""
    conditions = Conditions(SUBJECT, Published)
    fewer = dict(conditions.premises)
    del fewer["who_needs_a_wheel_can_make_one"]
    monkeypatch.setattr(conditions, "premises", fewer)
    monkeypatch.setattr(conditions, "instances", Instances(fewer))
    with pytest.raises(ProofError, match="B1_to_B2: obligation 1.* does not follow"):
        conditions.way("B1_to_B2")


# -- what is assumed, and that it is needed


def breaks(name, program) -> bool:
    """Whether the compiled module breaks a property in a scenario."""
    model = WHEEL.compiled_model(program)
    seen, waiting = {model.initial()}, [model.initial()]
    for state in waiting:
        if not model.holds(name, state):
            return True
        new = {after for _, _, after in model.successors(state)} - seen
        seen |= new
        waiting += new
    return False


TWO_CANCELS = runs.scenario(a="add", b="cancel; cancel", memory="")
ADDED_AGAIN = runs.scenario(linked=True, a="add", b="cancel", memory="")
ONE_CANCEL = runs.scenario(a="add", b="cancel", memory="")
TWO_OF_LINKED = runs.scenario(linked=True, a="cancel", b="cancel; cancel", memory="")


@pytest.mark.nightly
@pytest.mark.parametrize("program", [TWO_CANCELS, ADDED_AGAIN])
def test_programs_that_are_assumed_away_break_the_theorem(program):
    """A-CANCEL: they are refused, and the module breaks CancelUnlinks."""
    with pytest.raises(ValueError, match="assumes of its constants"):
        SUBJECT.placed(program, Unlinked)
    assert breaks("CancelUnlinks", program)
    assert not any(breaks(name, program) for name in OF_PROPERTIES if name != "CancelUnlinks")


@pytest.mark.nightly
@pytest.mark.parametrize("program", [ONE_CANCEL, TWO_OF_LINKED])
def test_programs_that_keep_to_what_is_assumed_are_not_refused(program):
    assert SUBJECT.placed(program, Unlinked)
    assert not breaks("CancelUnlinks", program)


@pytest.mark.parametrize(
    ("program", "assumption"),
    [
        (runs.scenario(a="place a", memory=""), "EveryThreadHasItsWheel"),
        (runs.scenario(a="check", memory="z list"), "MemoryIsOfThreads"),
        (runs.scenario(a="add", b="add", memory=""), "OneAdd"),
    ],
)
def test_what_else_is_assumed_of_programs_are_assumptions_of_the_module(program, assumption):
    with pytest.raises(UsageError, match=f"breaks ASSUME {assumption}"):
        WHEEL.compiled_model(program)


# -- faults


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_no_proof_and_breaks_the_goal_in_a_run(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_every_goal_holds_in_the_same_run_of_the_module_itself(fault):
    assert replace(fault, changes=()).find().verdict == "unsat"


@pytest.mark.nightly
def test_a_state_that_breaks_a_property_breaks_its_conjunct():
    """In the states of the modules with faults, each property is judged by both."""
    broken = set()
    for fault in planted.FAULTS:
        reached = SUBJECT.reached(fault.program, Unlinked, fault.changes)
        for edge in reached.edges():
            for name, (_, conjuncts) in OF_PROPERTIES.items():
                if not reached.model.holds(name, edge.frozen):
                    broken.add(name)
                    assert set(reached.instance.broken(edge.move.after)) & conjuncts, fault.name
    assert broken == set(OF_PROPERTIES)


# -- the terms against the compiled module


@pytest.mark.nightly
def test_every_label_is_taken_where_its_premises_are_shown_to_hold():
    for of in SUBJECT.theorems:
        assert set(SUBJECT.witnesses(of)) == {"start", *WHEEL.labels}


@pytest.mark.nightly
def test_ghosts_are_read_by_no_step():
    system = SUBJECT.system(Unlinked)()
    for name in system.actions():
        way = system.way(name)
        read = " ".join(map(str, (*way.guards, *way.after.values(), *way.obligations)))
        assert not re.search(r"\b(slot|Adder|Adding|Canceller|Cancelling)\b", read)


PLAIN = [(), *[planted.volatile(*of) for of in ((), ("list", "timer_task_entry"))]]
"""The module, and two whose fields are not volatile: several stores wait in their buffers."""
DELAYED = (
    runs.scenario(
        "w1 w2",
        a="place a",
        b="place b",
        memory="a overflow_wheel; a current_time; b overflow_wheel; b current_time",
    ),
    runs.scenario(a="add; check", b="cancel", memory="a list; b list; b timer_task_entry"),
    runs.scenario(linked=True, a="cancel", b="cancel", memory="a list; b timer_task_entry"),
)
"""Every field's stores reach memory late."""


def at_size(compiled, program, changes) -> runs.Here:
    return runs.Here(
        compiled,
        SUBJECT.specification(changes).model(
            WHEEL.constants_of(program), tuple(program["threads"])
        ),
        WHEEL.constants_of(program),
        runs.elements(program),
    )


@pytest.mark.nightly
def test_every_edge_is_a_step_of_the_terms_and_every_step_is_an_edge():
    """An add that finds the entry linked again needs a second add, which OneAdd excludes."""
    found, every = states.Differences(), set()
    for changes in PLAIN:
        module_ = SUBJECT.specification(changes).module
        steps = systems.made("OverflowWheelSteps", module_, WORDS)
        compiled = Compiled(steps())
        every |= set(steps().actions())
        for program in (*runs.SMALL, *DELAYED, ADDED_AGAIN):
            placed = at_size(compiled, program, changes)
            states.compare(placed, explore(placed.model, bound=5_000), found)
    assert found.wrong == []
    assert every - found.taken == {"A3_to_A10"}


@pytest.mark.nightly
def test_a_difference_is_noticed():
    """Control: terms of a volatile field against the module in which it is none."""
    found, plain = states.Differences(), PLAIN[2]
    steps = systems.made("OverflowWheelSteps", SUBJECT.specification(()).module, WORDS)
    placed = at_size(Compiled(steps()), runs.SMALL[0], plain)
    states.compare(placed, explore(placed.model, bound=1_000), found)
    assert any("O4" in each and "buffer" in each for each in found.wrong)


@pytest.mark.nightly
@pytest.mark.parametrize("changes", PLAIN[1:])
def test_gaps_in_the_buffer_change_no_step(changes):
    """A state with its stores at every other place takes the same steps as without gaps."""
    steps = systems.made("OverflowWheelSteps", SUBJECT.specification(changes).module, WORDS)
    placed = at_size(Compiled(steps()), DELAYED[0], changes)
    several = 0
    for frozen in explore(placed.model, bound=5_000).states[::4]:
        state = placed.state(frozen)
        apart = placed.moved(state, lambda number: 2 * number)
        assert placed.normal(apart) == state
        several += apart != state
        assert _steps(placed, apart) == _steps(placed, state)
    assert several > 100


def _steps(placed, state) -> set:
    return {
        (move.action, move.arguments[0], placed.normal(move.after))
        for move in placed.instance.moves(state)
    }


@pytest.mark.nightly
@pytest.mark.parametrize("name", WHEEL.scenarios)
@pytest.mark.parametrize("of", SUBJECT.theorems)
def test_every_conjunct_holds_in_the_states_of_every_scenario(of, name):
    reached = SUBJECT.reached(WHEEL.scenarios[name], of, bound=1_000)
    assert reached.instance.initial(reached.start)
    assert reached.instance.broken(reached.start) == []
    assert broken_goal(reached) is None
