"""TimerTaskList refines TimerTaskListAtomic: the theorem's parts, on finite graphs too."""

from __future__ import annotations

import json
from functools import cache

import pytest

from proofs.timer_task_list import atomic as theorem
from proofs.timer_task_list import atomic_planted as planted
from proofs.timer_task_list import atomic_words as words
from proofs.timer_task_list import runs
from proofs.timer_task_list.atomic_links import Held
from proofs.timer_task_list.atomic_simulation import ACTIONS, Refinement, cases
from proofs.timer_task_list.planted import broken_goal
from proofs.timer_task_list.rings import Rings
from tests.nights import by_night, first, only
from wheelproof.graph.explorer import explore
from wheelproof.prove import variants
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module.states import Placed
from wheelproof.tla import export, values
from wheelproof.tla.model import Compiled as Specification

RING = variants.mechanisms()["timer_task_list"]
FLUSH_CANCEL = runs.SMALL[2]


@cache
def refinement():
    return Refinement(runs.system(base=Held)())


def atomized(rung, bound=20_000):
    return planted.Atomized(runs.Reached(rung, bound=bound, base=Held), refinement())


def graph(start, instance):
    seen, waiting = {start}, [start]
    for state in waiting:
        for move in instance.moves(state):
            if move.after not in seen:
                seen.add(move.after)
                waiting.append(move.after)
    return seen


# -- the atomic module's terms


def test_every_action_of_the_atomic_module_is_a_step_of_some_way():
    of = refinement()
    t = of.module.arguments(next(iter(of.module.actions().values())))["t"]
    named = {case.action for name in of.module.actions() for case in cases(name, of.s, t)}
    assert named - {""} == set(of.machine.LABELS)
    assert set(ACTIONS) <= set(of.module.actions())


def test_the_terms_reach_as_many_states_as_tlc():
    """The scenario of the config, whose number of states TLC has found."""
    file = RING.spec.with_name("counts.json")
    counted = json.loads(file.read_text(encoding="utf-8"))["mechanisms"]["timer_task_list"]
    of = atomized(FLUSH_CANCEL, bound=1)
    start = of.start(FLUSH_CANCEL.program())
    assert len(graph(start, of.instance)) == counted["atomic_flush_cancel"]["distinct"] == 48


# -- the mapping on finite graphs


@pytest.mark.parametrize("rung", only(runs.SMALL, FLUSH_CANCEL))
def test_every_step_of_a_small_run_is_an_atomic_step_or_none(rung):
    of = atomized(rung)
    assert [*of.strange()] == []
    seen = {of.state(move.after) for _, move in of.reached.edges()}
    assert seen <= graph(of.start(rung.program()), of.instance)


def test_every_scenario_starts_as_the_atomic_module_does():
    """A-INIT: members and the tasks' entries, of which the condition of the start says nothing."""
    starts = {}
    for program in RING.scenarios.values():
        key = repr([program[name] for name in ("lists", "task_of", "ring", "current")])
        first_ = program["lists"][0], next(iter(program["task_of"]))
        starts.setdefault(key, {**program, "threads": {"a": [["add", *first_]]}})
    assert len(starts) > 5
    for program in starts.values():
        of = atomized(program, bound=1)
        assert of.state(of.reached.start) == of.start(program)


def test_a_start_with_another_member_is_noticed():
    of = atomized(FLUSH_CANCEL, bound=1)
    program = FLUSH_CANCEL.program()
    assert of.state(of.reached.start) != of.start({**program, "ring": {"l1": [], "l2": ["e1"]}})


@pytest.mark.nightly
def test_the_mapping_is_that_of_the_specification():
    """Phase, picked, members and mover are what the module for the bounded checks defines."""
    file = RING.spec.with_name("TimerTaskListRefinement.tla")
    text = file.read_text(encoding="utf-8").partition("Plain == INSTANCE")[0] + "=" * 20
    of, program = atomized(FLUSH_CANCEL), FLUSH_CANCEL.program()
    constants = {"MissAllowed": True, "OneEffect": False, "FromRing": True}
    model = Specification(export.load(file, {file.name: text})).model(
        RING.constants_of(program) | constants, tuple(program["threads"])
    )
    instance = of.reached.instance
    placed = Placed(runs.compiled(base=Held), model, RING.constants_of(program))
    own = [name for name in instance.compiled.variables if name not in Held.VARIABLES]
    places = [instance.compiled.variables.index(name) for name in own]
    mapped = {
        tuple(move.after[place] for place in places): of.instance.named(of.state(move.after))
        for _, move in of.reached.edges()
    }
    compared = 0
    for frozen in explore(model, bound=100_000).states:
        named = placed.values(frozen)
        key = tuple(instance.encode(name, named[name]) for name in own)
        if key not in mapped:
            continue  # the start, to which no step leads
        compared += 1
        seen = mapped[key]
        defined = {
            name: values.as_plain(model.predicate(f"{name}Bar")(*frozen))
            for name in ("phase", "picked", "mover", "members", "taskOwner")
        }
        assert defined["phase"] == seen["phase"]
        for name in ("picked", "mover", "taskOwner"):
            assert {k: None if v == "null" else v for k, v in defined[name].items()} == seen[name]
        assert {
            l: {e for e, held in of_list.items() if held} for l, of_list in seen["members"].items()
        } == {l: set(of_list) for l, of_list in defined["members"].items()}
    assert compared > 400


# -- the theorem


@pytest.mark.parametrize("label", ["A6", *map(by_night, ("U5", "A7", "R1", "F2", "K1"))])
def test_a_label_is_proved(label):
    vc = theorem.Conditions().step(label)
    assert {"Inv.TimerTaskList", "Spec.TimerTaskList"} >= set(vc.cites.values()) != set()
    assert not set(vc.cites) & set(Held.conjuncts()) - set(Rings.conjuncts())


@pytest.mark.nightly
def test_the_start_is_proved():
    assert "initially 1" in theorem.Conditions().start().premises


@pytest.mark.parametrize(
    "fault", only(planted.FAULTS, planted.FAULTS[0]), ids=lambda fault: fault.name
)
def test_a_fault_is_no_proof(fault):
    """Z3 finds no proof of the way, and the goal that is not proved is named."""
    way, _, goal = fault.goal.partition(": ")
    conditions = theorem.Conditions(
        fault.old, fault.new, fault.of, fault.machine(), fault.constants()
    )
    with pytest.raises(ProofError, match=rf"{way}: .*{goal}.* does not follow"):
        conditions.step(way.partition("_to_")[0])


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_breaks_the_goal_in_a_run(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")


@pytest.mark.nightly
@pytest.mark.parametrize("rung", first(runs.SMALL, len(runs.SMALL)))
def test_every_goal_holds_on_the_states_of_small_scenarios(rung):
    assert broken_goal(runs.Reached(rung, bound=300, base=Held), Refinement) is None


@pytest.mark.nightly
def test_the_history_is_read_by_no_step():
    system = runs.system(base=Held)()
    history = set(Held.VARIABLES) - set(Rings.VARIABLES)
    assert history == {"home", "holder"}
    for name in system.actions():
        way = system.way(name)
        read = " ".join(map(str, (*way.guards, *way.after.values(), *way.obligations)))
        assert not [each for each in history if f"{each}[" in read]


def test_another_text_of_the_atomic_module_that_is_not_there_is_an_error():
    with pytest.raises(ValueError, match=r"TimerTaskListAtomic.tla has 0 times: no such text"):
        words.system("no such text")
