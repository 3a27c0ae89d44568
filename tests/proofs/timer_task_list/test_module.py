"""The theorems about module TimerTaskList: what they are made of, their faults and assumptions."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from proofs.timer_task_list import module, planted, runs
from proofs.timer_task_list.links import Linked
from proofs.timer_task_list.rings import RINGS
from proofs.timer_task_list.simulation import STEPS, cases
from proofs.timer_task_list.view import ACTIONS
from tests.nights import by_night, only
from wheelproof.prove import variants
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module.states import Placed

RING = variants.mechanisms()["timer_task_list"]


def placed(program):
    constants = RING.constants_of(program)
    model = runs.specification().model(constants, tuple(program["threads"]))
    return Placed(runs.compiled(), model, constants)


def test_every_way_of_every_label_is_an_action_of_the_proof():
    system = runs.system()
    assert set(system.LABELS) == set(ACTIONS) == set(RING.labels)
    s = system().symbols()
    for name in system.actions():
        t = system().arguments(system.actions()[name])["t"]
        label = name.partition("_to_")[0]
        for case in cases(name, s, t):
            assert (case.action or "stutter") in ACTIONS[label].split()
    assert set(STEPS) <= set(system.actions())


def test_every_way_is_taken_in_a_small_scenario():
    assert set(runs.witnesses()) == set(runs.system().actions())


BY_DAY = [fault for fault in planted.FAULTS if fault.name == "any_list"]


@pytest.mark.parametrize("fault", only(planted.FAULTS, *BY_DAY), ids=lambda fault: fault.name)
def test_a_fault_is_no_proof(fault):
    """Z3 finds no proof of the way, and the goal that is not proved is named."""
    way, _, goal = fault.goal.partition(": ")
    with pytest.raises(ProofError, match=rf"{way}: .*{goal}.* does not follow"):
        module.Conditions(fault.old, fault.new).step(way.partition("_to_")[0])


@pytest.mark.nightly
@pytest.mark.parametrize("fault", planted.FAULTS, ids=lambda fault: fault.name)
def test_a_fault_breaks_the_goal_in_a_run(fault):
    found = fault.find()
    assert (found.verdict, found.witness, found.contradiction) == ("sat", fault.goal, "")


@pytest.mark.nightly
@pytest.mark.parametrize("rung", runs.SMALL)
def test_every_goal_holds_on_the_states_of_small_scenarios(rung):
    assert planted.broken_goal(runs.Reached(rung, bound=300)) is None


@pytest.mark.parametrize("label", ["A3", by_night("F2")])
def test_a_label_is_proved(label):
    vc = module.Conditions().step(label)
    assert "proof list_has_its_owner" in vc.premises or vc.premises
    assert set(vc.cites.values()) == {"Inv.TimerTaskList"}


# -- assumptions


def test_init_makes_rings_in_every_scenario():
    """A-INIT, for each start that a scenario has."""
    starts = {}
    for program in RING.scenarios.values():
        key = repr([program[name] for name in ("lists", "task_of", "ring", "current")])
        first = program["lists"][0], next(iter(program["task_of"]))
        starts.setdefault(key, {**program, "threads": {"a": [["add", *first]]}})
    assert len(starts) > 5
    for program in starts.values():
        here = placed(program)
        assert here.instance.initial(runs.ghosts(here, program))


def test_an_initial_ring_that_is_open_is_noticed():
    program = next(p for p in RING.scenarios.values() if any(p["ring"].values()))
    here = placed(program)
    state = here.instance.named(runs.ghosts(here, program))
    (first,) = [e for e in state["next"] if state["linked"].get(e, {}).get(program["lists"][0])][:1]
    state["next"][first] = first
    assert not here.instance.initial(here.instance.state(state))


def test_an_operation_without_its_arguments_is_refused():
    """A-PROGRAM."""
    program = runs.SMALL[0].program()
    program["threads"]["a"] = [["add", "l1", "null"]]
    with pytest.raises(ValueError, match="assumes of its constants"):
        placed(program)


def traversed(following, start):
    met, node = [], following[start]
    while node not in (start, None) and node not in met:
        met.append(node)
        node = following[node]
    return set(met)


def test_a_traversal_along_an_order_meets_exactly_the_linked_entries():
    """A-TRAVERSAL, for every ``next`` of one list and up to three entries."""
    entries = ("e1", "e2", "e3")
    program = runs.rung({"l1": ""}, dict.fromkeys(entries, "t1"), a="remove e1").program()
    here = placed(program)
    state = here.instance.named(runs.ghosts(here, program))
    names = [each for each in RINGS if not each.startswith(("prev", "next_undoes"))]
    nodes, closed = ("l1", *entries), 0
    for linked in product((False, True), repeat=3):
        of = dict(zip(entries, linked))
        state["linked"] = {e: {"l1": True} for e in entries if of[e]}
        for order in permutations(range(3)) if all(linked) else [(0, 1, 2)]:
            state["place"], state["places"] = dict(zip(entries, order)), 3
            for values in product((*nodes, None), repeat=1 + sum(linked)):
                following = dict.fromkeys(nodes) | dict(
                    zip(("l1", *[e for e in entries if of[e]]), values)
                )
                state["next"] = following
                if not here.instance.broken(here.instance.state(state), names):
                    closed += 1
                    assert traversed(following, "l1") == {e for e in entries if of[e]}
    assert closed == 1 + 3 + 3 + 6


def test_ghosts_are_read_by_no_step():
    system = runs.system()()
    for name in system.actions():
        way = system.way(name)
        read = " ".join(map(str, (*way.guards, *way.after.values(), *way.obligations)))
        assert not [each for each in Linked.VARIABLES if f"{each}[" in read]
