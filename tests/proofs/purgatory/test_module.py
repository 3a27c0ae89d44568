"""The theorem about module Purgatory: what it is made of, faults, and assumptions."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import z3

from proofs.purgatory import module, planted, runs
from proofs.purgatory.ghosts import NEVER
from proofs.purgatory.links_lists import Linked
from proofs.purgatory.simulation import Simulation, cases
from proofs.purgatory.system import Purgatory
from proofs.purgatory.view import ACTIONS, SYSTEMS
from proofs.purgatory.words import WORDS
from wheelproof.graph.explorer import explore
from wheelproof.prove import variants
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module import states, systems
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.ts.concrete import Compiled

PURGATORY = variants.mechanisms()["purgatory"]
BLOCKING = {
    name: program
    for name, program in PURGATORY.scenarios.items()
    if program.get("protocol", "Blocking") == "Blocking"
}


def test_every_way_of_every_label_is_an_action_of_the_proof():
    system = runs.system()
    assert set(system.LABELS) == set(ACTIONS) == set(PURGATORY.labels) == set(module.LABELS)
    made = system()
    s = made.symbols()
    t = made.arguments(made.actions()["L5_to_D1"])["t"]
    named = set()
    for name in made.actions():
        label, _, to = name.partition("_to_")
        own = cases(name, s, t)
        assert bool(own) == (label not in NEVER and to not in ("X1", "P1") and name not in OTHERS)
        for case in own:
            assert not case.action or case.action in ACTIONS[label].split()
        named |= {case.action for case in own}
    assert named - {""} == {name for each in SYSTEMS for name in each.actions()}


OTHERS = {"A0_to_Y1", "A2_to_Z1"}
"""Ways that only operations of TryPending have."""


def test_every_goal_is_in_a_condition(monkeypatch):
    """A label that has two conditions has each of its goals in one of them."""
    names = [vc.name for vc in module.THEORY.theorems["Spec.Purgatory"].vcs]
    apart = [f"{label}_iterators" for label in module.APART]
    assert sorted(names) == sorted(["start", *module.LABELS, *apart])
    conditions = module.Conditions()
    lists: list[set[str]] = []

    def follow(name, guards, goals):
        lists.append(set(goals))
        return {}, z3.BoolVal(True)

    monkeypatch.setattr(conditions, "follow", follow)
    for label in module.APART:
        for way in conditions.simulation.module.LABELS[label]:
            lists.clear()
            for iterators in (True, False, None):
                conditions.way(way, iterators)
            ours, others, every = lists
            assert ours and others and ours | others == every and not ours & others


def test_a_way_without_its_identity_check_is_no_step():
    """The guard of R2 is left out of the terms: the goal that needs it is named."""
    conditions, of = module.Conditions(), Simulation(runs.system()())
    _, made = of.step("R2_to_R3")
    goals = {"is_its_list: guard 3": simple(dict(of.goals("R2_to_R3"))["is_its_list: guard 3"])}
    guards = {f"guard {i}": simple(each) for i, each in enumerate(made.guards, 1)}
    assert conditions.follow("R2_to_R3", guards, goals)
    fewer = {name: each for name, each in guards.items() if "list" not in str(each)}
    assert len(fewer) == len(guards) - 1
    with pytest.raises(ProofError, match="R2_to_R3: is_its_list: guard 3 does not follow"):
        conditions.follow("R2_to_R3", fewer, goals)


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_no_proof(fault):
    """Z3 finds no proof of the way, and the goal that is not proved is named."""
    way, _, goal = fault.goal.partition(": ")
    conditions = module.Conditions(fault.changes)
    with pytest.raises(ProofError, match=rf"{way}: .*{goal or planted.ENABLED}.* does not follow"):
        conditions.way(way) if "_to_" in way else conditions.can(way)


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_breaks_the_goal_in_a_run(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_every_goal_holds_in_the_same_run_of_the_module_itself(fault):
    assert planted.broken_goal(replace(fault, changes=()).reached()) is None


@pytest.mark.nightly
def test_every_label_is_taken_where_its_premises_are_shown_to_hold():
    assert set(runs.witnesses().taken) == set(module.LABELS) - set(NEVER)


@pytest.mark.nightly
def test_ghosts_are_read_by_no_step():
    system = runs.system()()
    for name in system.actions():
        way = system.way(name)
        read = " ".join(map(str, (*way.guards, *way.after.values(), *way.obligations)))
        for each in (*Linked.VARIABLES, "viewed", "place"):
            assert not re.search(rf"\b{each}\b", read)


@pytest.mark.nightly
def test_the_theorem_speaks_of_the_system_whose_properties_are_proved():
    assert type(Simulation(runs.system()()).proof) is Purgatory


# -- the terms against the compiled module


@pytest.mark.nightly
def test_every_edge_is_a_step_of_the_terms_and_the_other_way_round():
    steps = systems.made("PurgatorySteps", PURGATORY.compiled.module, WORDS)
    found, compiled = states.Differences(), Compiled(steps())
    small = [
        program
        for name, program in PURGATORY.scenarios.items()
        if 0 < PURGATORY.sizes.get(name, 0) < 2_000
    ]
    for program in (runs.EVERY_LABEL, *small):
        model = PURGATORY.compiled_model(program)
        constants = PURGATORY.constants_of(program)
        placed = states.Placed(compiled, model, constants, {"Watchers": ()})
        states.compare(placed, explore(model, bound=3_000), found)
    assert found.wrong == []
    taken = {name.partition("_to_")[0] for name in found.taken}
    assert taken >= set(module.LABELS) - set(NEVER)


# -- assumptions


@pytest.mark.nightly
def test_every_scenario_starts_as_it_is_assumed():
    """A-INIT, and A-PROGRAM: the constants of each scenario of Blocking are as `given` says."""
    seen = 0
    for program in BLOCKING.values():
        for name in program["need"]:
            reached = runs.Reached(program, name)
            assert reached.instance.initial(reached.start)
            seen += 1
    assert seen > 20


@pytest.mark.nightly
def test_purge_comes_to_keys_that_have_a_list():
    """A-ORDER: purge comes to a key that has a list, and to this list."""
    seen = 0
    for name, program in BLOCKING.items():
        steps = [step[0] for of in program["threads"].values() for step in map(list, of)]
        if "purge" not in steps or PURGATORY.sizes.get(name, 0) > 20_000:
            continue
        model = PURGATORY.compiled_model(program)
        own = {each: place for place, each in enumerate(model.process_variables)}
        lists = model.variables.index("list")
        graph = explore(model, bound=20_000)
        for (shared, _), edges in zip(graph.states, graph.edges, strict=True):
            for thread, label, after in edges:
                process = graph.states[after][1][thread]
                if label == "G6" and process[own["pc"]] == "H1":
                    found = states.values.as_plain(shared[lists])[process[own["hk"]]]
                    assert process[own["hw"]] == found != 0
                    seen += 1
    assert seen
