"""The theorems about module DelayedOperation: what they are made of, faults, and assumptions."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from proofs.delayed_operation import module, planted, runs
from proofs.delayed_operation import system as proofs
from proofs.delayed_operation.links import Linked
from proofs.delayed_operation.simulation import cases
from proofs.delayed_operation.view import ACTIONS, views
from proofs.delayed_operation.words import WORDS
from tests.nights import only
from wheelproof.graph.explorer import explore
from wheelproof.prove import variants
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module import states, systems
from wheelproof.prove.ts.concrete import Compiled

OPERATION = variants.mechanisms()["delayed_operation"]


def test_every_way_of_every_label_is_an_action_of_a_proof():
    system = runs.system()
    assert set(system.LABELS) == set(ACTIONS) == set(OPERATION.labels) == set(module.LABELS)
    made = system()
    s, t = made.symbols(), made.arguments(made.actions()["X4_to_back"])["t"]
    known = {name for of in runs.PROTOCOLS for name in getattr(proofs, of).actions()}
    for name in made.actions():
        label = name.partition("_to_")[0]
        for case in cases(made, name, s, t):
            assert not case.action or case.action in known
            if case.action:
                assert case.action in {*ACTIONS[label].split(), "delivers", "attempts"}


BY_DAY = [fault for fault in planted.FAULTS if fault.name == "no_note"]


@pytest.mark.parametrize("fault", only(planted.FAULTS, *BY_DAY), ids=lambda fault: fault.name)
def test_a_fault_is_no_proof(fault):
    """Z3 finds no proof of the way, and the goal that is not proved is named."""
    way, _, goal = fault.goal.partition(": ")
    with pytest.raises(ProofError, match=rf"{way}: .*{goal}.* does not follow"):
        module.Conditions(fault.of, fault.old, fault.new).proved(way.partition("_to_")[0])


def test_the_same_way_is_proved_of_the_module_itself():
    premises, _ = module.Conditions("TryPending").proved("P5")
    assert "program_is_followed" in premises


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_breaks_the_goal_in_a_run(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_every_goal_holds_in_the_same_run_of_the_module_itself(fault):
    sound = replace(fault, old="", new="")
    assert planted.broken_goal(sound.reached(), fault.of) is None


@pytest.mark.nightly
@pytest.mark.parametrize("of", [planted.LINKS, *runs.PROTOCOLS])
def test_every_label_is_taken_where_its_premises_are_shown_to_hold(of):
    viewed = module.Conditions(of).viewed
    assert set(runs.witnesses(viewed).taken) == set(module.LABELS)


@pytest.mark.nightly
@pytest.mark.parametrize("of", [planted.LINKS, *runs.PROTOCOLS])
def test_a_label_is_proved_of_each_generation(of):
    vc = module.Conditions(of).step("D4")
    assert vc.premises
    assert set(vc.cites.values()) <= {"Spec.DelayedOperation", f"Inv.{of}"}


@pytest.mark.nightly
def test_ghosts_are_read_by_no_step():
    system = runs.system()()
    for name in system.actions():
        way = system.way(name)
        read = " ".join(map(str, (*way.guards, *way.after.values(), *way.obligations)))
        for each in ("level", "xo_at", "lo_at", "viewed", "place"):
            assert not re.search(rf"\b{each}\b", read)
    assert {"level", "xo_at", "lo_at"} == set(Linked.VARIABLES)


# -- the terms against the compiled module


@pytest.mark.nightly
def test_every_edge_is_a_step_of_the_terms_and_the_other_way_round():
    steps = systems.made("DelayedOperationSteps", OPERATION.compiled.module, WORDS)
    found, compiled = states.Differences(), Compiled(steps())
    for name, program in OPERATION.scenarios.items():
        if 0 < OPERATION.sizes.get(name, 0) < 3_000:
            model = OPERATION.compiled_model(program)
            placed = states.Placed(compiled, model, OPERATION.constants_of(program))
            states.compare(placed, explore(model, bound=3_000), found)
    assert found.wrong == []
    assert {name.partition("_to_")[0] for name in found.taken} == set(module.LABELS)


# -- assumptions


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("step", "locks"),
    [
        ("deliver_after c1 o", ["outer"]),
        ("deliver c1 p", ["outer"]),
        ("hold o", ["outer"]),
        ("deliver_holding c1 o", []),
    ],
)
def test_what_events_must_keep_to_is_refused_where_they_do_not(step, locks):
    """A-EVENTS; for a lock that is not there A-PROGRAM."""
    rung = runs.rung({"o": "TryPending c1", "p": "LockedTry c2"}, {}, a="attempt o")
    program = {**rung.program(), "locks": locks}
    runs.placed(program, "o")
    program["threads"] = {"a": [step.split()]}
    with pytest.raises(ValueError, match="assumes of its constants"):
        runs.placed(program, "o")


@pytest.mark.nightly
def test_every_scenario_keeps_to_what_is_assumed_of_events():
    """A-EVENTS and A-INIT, for each operation that the proofs are compared with.

    Those in whose lock strangers are have systems of their own.
    """
    seen = 0
    for program in OPERATION.scenarios.values():
        model = OPERATION.compiled_model(program)
        for view in views(OPERATION.model_of(program)):
            if view.name.partition(" ")[0].endswith("Held"):
                continue
            here = runs.placed(program, view.operation, None, model)
            first = here.values(model.initial()) | {name: {} for name in Linked.VARIABLES}
            assert here.instance.initial(here.instance.state(first))
            first["completed"] = {view.operation: True}
            assert not here.instance.initial(here.instance.state(first))
            seen += 1
    assert seen > 20
