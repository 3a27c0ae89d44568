"""The theorems about module Controller: what they are made of, their faults and assumptions."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from proofs.controller import module, planted, runs
from proofs.controller.elected import Elected, Fenced
from proofs.controller.epochs import Epochs
from wheelproof.graph.explorer import explore
from wheelproof.prove import variants
from wheelproof.prove.invariant import conditions as of_invariant
from wheelproof.prove.invariant.conditions import Conditions
from wheelproof.prove.invariant.runs import broken_goal
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module import states
from wheelproof.prove.ts.instances import Instances

SUBJECT = module.SUBJECT
CONTROLLER = variants.mechanisms()["controller"]
OF_PROPERTIES = {
    "EpochIncreases": (Epochs, "epoch_counts_elections"),
    "NoLostUpdate": (Epochs, "no_lost_update"),
    "ActOnlyIfActive": (Epochs, "who_works_acts"),
    "FencedWrites": (Fenced, "fenced_writes"),
    "OneController": (Elected, "one_controller"),
    "DeletesOwnNode": (Elected, "deletes_its_own_node"),
    "NoPhantom": (Elected, "own_epochs_were_won"),
}
"""The module's properties that are proved, with the theorem's system and its conjunct."""
NOT_PROVED = {"TypeOK", "NoOrphan", "NoVacancy"}
"""Of TypeOK what the proofs need is proved."""


def test_every_goal_of_every_label_is_in_a_condition(monkeypatch):
    """Each theorem has a condition for each label, of all its ways and of each new conjunct."""
    assert set(SUBJECT.system(Elected).LABELS) == set(CONTROLLER.labels)
    new = []
    for of, name in SUBJECT.theorems.items():
        vcs = [vc.name for vc in module.THEORY.theorems[name].vcs]
        assert sorted(vcs) == sorted(["start", *CONTROLLER.labels])
        new += Conditions(SUBJECT, of).new
    assert sorted(new) == sorted(Elected.conjuncts())
    conditions, taken = Conditions(SUBJECT), []
    monkeypatch.setattr(conditions, "way", lambda name: (taken.append(name), ({}, None))[1])
    monkeypatch.setattr(conditions, "condition", lambda *_: None)
    monkeypatch.setattr(of_invariant, "all_of", lambda _: None)
    for label in CONTROLLER.labels:
        conditions.step(label)
    assert sorted(taken) == sorted(SUBJECT.system(Elected).actions())


def test_every_property_is_a_conjunct_of_its_theorem_or_named_as_unproved():
    assert {*OF_PROPERTIES, *NOT_PROVED} == set(CONTROLLER.invariants)
    for of, conjunct in OF_PROPERTIES.values():
        assert conjunct in Conditions(SUBJECT, of).new


def test_a_way_is_proved_and_not_without_what_it_has_read(monkeypatch):
    """C2 goes on where /controller names no broker; without that guard a goal is named."""
    conditions = Conditions(SUBJECT)
    assert conditions.way("C2_to_C3")
    guards, goals = conditions.goals("C2_to_C3")
    fewer = {name: each for name, each in guards.items() if "node_id" not in str(each)}
    assert len(fewer) < len(guards)
    monkeypatch.setattr(conditions, "goals", lambda _: (fewer, goals))
    with pytest.raises(ProofError, match="C2_to_C3: elects_itself_.* does not follow"):
        conditions.way("C2_to_C3")


@pytest.mark.nightly
def test_what_the_terms_oblige_to_is_a_goal(monkeypatch):
    """N1 applies functions at its victim, which must be a broker."""
    conditions = Conditions(SUBJECT, Epochs)
    assert conditions.way("N1_to_back")
    fewer = dict(conditions.premises)
    del fewer["arguments_are_brokers"]
    monkeypatch.setattr(conditions, "premises", fewer)
    monkeypatch.setattr(conditions, "instances", Instances(fewer))
    with pytest.raises(ProofError, match="N1_to_back: obligation 1.* does not follow"):
        conditions.way("N1_to_back")


# -- what is assumed, and that it is needed


def breaks(name, *programs) -> bool:
    """Whether the compiled module breaks a property in one of these scenarios."""
    for program in programs:
        constants = CONTROLLER.constants_of(program)
        model = CONTROLLER.compiled.model(constants, tuple(program["threads"]))
        seen, waiting = {model.initial()}, [model.initial()]
        for state in waiting:
            if not model.holds(name, state):
                return True
            new = {after for _, _, after in model.successors(state)} - seen
            seen |= new
            waiting += new
    return False


WRITTEN = runs.scenario(a="serve", b="serve", z="overwrite a; rest")
TWO_CONNECTIONS = runs.scenario(b="serve", c="connect b", d="connect b", z="expire b; rest")


def test_a_brokers_name_that_is_written_by_hand_is_refused_and_breaks_the_theorem():
    """A-WRITTEN: ``a`` is refused, and finds its name and the epoch that it would have had."""
    with pytest.raises(ValueError, match="assumes of its constants"):
        SUBJECT.placed(WRITTEN)
    assert breaks("OneController", WRITTEN)


NEVER = (
    runs.scenario("never", b="serve", z="visit; rest"),
    runs.scenario("never", early="b", b="serve", z="rest"),
)
TWO_ENDS = runs.scenario(b="serve", z="leave b abruptly; leave b gracefully; rest")


@pytest.mark.parametrize("program", [TWO_CONNECTIONS, *NEVER, TWO_ENDS])
def test_a_program_that_is_assumed_away_is_refused(program):
    """A-CONNECT, A-FIRST and A-END."""
    with pytest.raises(ValueError, match="assumes of its constants"):
        SUBJECT.placed(program)


@pytest.mark.nightly
def test_an_election_needs_the_node_of_the_epoch():
    """A-FIRST: a visit, or the elector up to 2.0, raises the epoch where there is no node of it."""
    assert all(breaks("EpochIncreases", program) for program in NEVER)
    assert not breaks("EpochIncreases", runs.scenario("never", b="serve", z="rest"))


def test_an_elector_up_to_2_0_is_refused_where_it_is_assumed_away():
    """A-ELECTOR. The same scenario with the other elector is none that is refused."""
    with pytest.raises(ValueError, match="assumes of its constants"):
        SUBJECT.placed(runs.EARLY[2])
    assert SUBJECT.placed(runs.scenario(b="serve", z="remove; visit; rest"))


@pytest.mark.nightly
def test_two_connections_of_a_broker_break_the_theorem():
    """A-CONNECT: /controller goes with a session that lives."""
    assert breaks("TypeOK", TWO_CONNECTIONS)
    assert not breaks("TypeOK", runs.SMALL[2])


@pytest.mark.nightly
def test_an_operation_without_its_broker_is_refused():
    """A-PROGRAM, and that a thread that serves is a broker's."""
    for thread, steps in (("z", [["expire", "null"]]), ("z", [["serve"]])):
        program = runs.scenario(b="serve", z="rest")
        program["threads"][thread] = steps
        with pytest.raises(ValueError, match="assumes of its constants"):
            SUBJECT.placed(program, Epochs)


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


# -- the terms against the compiled module


@pytest.mark.nightly
def test_every_label_is_taken_where_its_premises_are_shown_to_hold():
    assert set(SUBJECT.witnesses(Epochs)) == {"start", *CONTROLLER.labels}
    early = {label for label, of in SUBJECT.system(Elected).PROCEDURES.of.items() if "early" in of}
    assert set(SUBJECT.witnesses(Elected)) == {"start", *CONTROLLER.labels} - early


@pytest.mark.nightly
def test_ghosts_are_read_by_no_step():
    system = SUBJECT.system(Elected)()
    for name in system.actions():
        way = system.way(name)
        read = " ".join(map(str, (*way.guards, *way.after.values(), *way.obligations)))
        assert not re.search(r"\b(winner|Connection|Manner)\b", read)


@pytest.mark.nightly
def test_every_edge_is_a_step_of_the_terms_and_what_they_oblige_to_holds():
    found = states.Differences()
    small = [
        program
        for name, program in CONTROLLER.scenarios.items()
        if 0 < CONTROLLER.sizes.get(name, 0) < 1_000
    ]
    for program in (*runs.SMALL, *runs.EARLY, *small):
        placed = SUBJECT.placed(program, Invariant)
        states.compare(placed, explore(placed.model, bound=1_000), found)
    assert found.wrong == []
    assert set(SUBJECT.system(Invariant).actions()) - found.taken <= RARE


RARE = {
    "B1_to_back",
    "B2_to_back",
    "E2_to_back",
    "E6_to_back",
    "M3_to_back",
    "S1_to_back_2",
    "Y1_to_back",
}
"""Ways that graphs of this size do not take."""


@pytest.mark.nightly
@pytest.mark.parametrize("name", CONTROLLER.scenarios)
def test_every_conjunct_holds_in_the_states_of_every_scenario(name):
    """A-PROGRAM, A-CONNECT, A-ELECTOR and A-WRITTEN: those that keep to them, each start first."""
    program = CONTROLLER.scenarios[name]
    early = "EarlyElector" in program["elector"].values()
    of = Epochs if early else Fenced if name in ("written", "late_both") else Elected
    reached = SUBJECT.reached(program, of, bound=1_000)
    assert reached.instance.initial(reached.start)
    assert reached.instance.broken(reached.start) == []
    assert broken_goal(reached) is None
