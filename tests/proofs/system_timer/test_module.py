"""The theorem about module SystemTimer: what it is made of, its faults and assumptions."""

from __future__ import annotations

import pytest
import z3

from proofs.system_timer import module, planted, runs, simulation
from proofs.system_timer.links import Linked
from proofs.system_timer.view import ACTIONS
from proofs.system_timer.words import WORDS
from proofs.timer_task_list.planted import broken_goal
from tests.nights import only
from wheelproof.graph.explorer import explore
from wheelproof.prove import variants
from wheelproof.prove.kernel import ProofError
from wheelproof.prove.module import states, systems
from wheelproof.prove.ts.concrete import Compiled
from wheelproof.tla import values

TIMER = variants.mechanisms()["system_timer"]
TINY = runs.scenario({"one": 1}, a="add one", c="tick", r="reap")
IMPOSSIBLE = {"R8_to_R6"}
"""Ways that are shown to be steps, and that no run takes: what was put back is still due."""


@pytest.fixture(scope="module")
def steps():
    """The module's system without ghosts."""
    return systems.made("SystemTimerSteps", TIMER.compiled.module, WORDS)


def never(system) -> set[str]:
    return {
        name
        for name in system.actions()
        if name in simulation.NEVER or name.partition("_to_")[0] in simulation.NEVER
    }


def test_every_way_of_every_label_is_an_action_of_the_proof():
    system = runs.system()
    assert set(system.LABELS) == set(ACTIONS) == set(TIMER.labels)
    of = simulation.TimerSimulation(system())
    t = z3.Const("t!", WORDS.threads.z3)
    for name in set(system.actions()) - never(system) - IMPOSSIBLE:
        (case,) = of.cases(name, t)
        assert (case.action or "stutter") in ACTIONS[name.partition("_to_")[0]].split()
    assert set(simulation.STEPS) == set(system.actions()) - never(system)


def test_a_way_that_no_action_is_named_for_is_an_error(monkeypatch):
    """So is each label that is added to the module."""
    monkeypatch.delitem(simulation.STEPS, "W2_to_W3")
    of = simulation.TimerSimulation(runs.system()())
    with pytest.raises(ProofError, match=r"module SystemTimer, line \d+: W2_to_W3 is no action"):
        of.cases("W2_to_W3", z3.Const("t!", WORDS.threads.z3))


@pytest.mark.nightly
def test_every_way_is_taken_in_a_small_scenario():
    system = runs.system()
    assert set(runs.witnesses()) == set(system.actions()) - never(system) - IMPOSSIBLE


BY_DAY = [fault for fault in planted.FAULTS if fault.name == "loses_bucket"]


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
@pytest.mark.parametrize("program", runs.SMALL)
def test_every_goal_holds_on_the_states_of_small_scenarios(program):
    reached = runs.ReachedTimer(program, bound=300)
    assert broken_goal(reached, simulation.TimerSimulation) is None


@pytest.mark.nightly
@pytest.mark.parametrize("label", ["V1", "W1", "Q2"])
def test_a_label_is_proved(label):
    vc = module.Conditions().step(label)
    assert vc.premises
    assert {"Inv.Buckets"} >= {each for each in vc.cites.values() if each.startswith("Inv")}


@pytest.mark.nightly
def test_ghosts_are_read_by_no_step():
    system = runs.system()()
    for name in system.actions():
        way = system.way(name)
        read = " ".join(map(str, (*way.guards, *way.after.values(), *way.obligations)))
        assert not [each for each in Linked.VARIABLES if each in read]


# -- the terms against the compiled module


def compared(system, *programs):
    found, compiled = states.Differences(), Compiled(system)
    for program in programs:
        model = TIMER.compiled_model(program)
        placed = states.Placed(compiled, model, TIMER.constants_of(program))
        states.compare(placed, explore(model, bound=100_000), found)
    return found


@pytest.mark.nightly
def test_every_edge_is_a_step_of_the_terms_and_the_other_way_round(steps):
    found = compared(steps(), TINY)
    assert found.wrong == []
    assert found.edges > 300 and found.blocked > 50


@pytest.mark.nightly
def test_every_edge_of_graphs_of_both_timers(steps):
    names = ("one_bucket", "cancel_one", "executor", "closed")
    kafka = ("kafka_one_bucket", "kafka_closed", "kafka_closing_executor")
    found = compared(steps(), *runs.SMALL, *[TIMER.scenarios[name] for name in (*names, *kafka)])
    assert found.wrong == []
    assert {"V3_to_back", "F3_to_V3", "Q6_to_back"} <= found.taken


def changed(steps, action, variable, value):
    """The system with one variable's next value replaced."""
    right = steps.way

    def way(self, name):
        found = right(self, name)
        if name == action:
            found.after[variable] = value(self.terms.s, found)
        return found

    return type("Planted", (steps,), {"way": way})()


@pytest.mark.nightly
def test_a_wrong_term_of_a_sequence_is_named_with_label_and_cell(steps):
    """Poll that takes nothing out of the queue."""
    wrong = changed(steps, "R1_to_R2", "queue", lambda s, way: s.queue)
    found = compared(wrong, TINY)
    assert found.wrong
    assert all("R1, R1_to_R2: queue is " in each for each in found.wrong)


# -- assumptions


@pytest.mark.nightly
def test_the_start_is_init_and_another_one_is_noticed():
    here = runs.placed(TINY)
    start = runs.ghosts(here)
    assert here.instance.initial(start)
    state = here.instance.named(start)
    for name, value in (("queue", {1: 1}), ("now", 1), ("writer", "a"), ("polled", {"a": 1})):
        assert not here.instance.initial(here.instance.state(state | {name: value})), name


@pytest.mark.nightly
@pytest.mark.parametrize(
    "program",
    [
        runs.scenario({"one": 2}, a="add one"),
        runs.scenario({"one": 1}, a="add one; add one"),
        runs.scenario({"one": 1}, a="add one", b="add one"),
        runs.scenario({"one": 1}, q="reap", r="reap"),
        runs.scenario({"one": 1}, a="add one") | {"timer": "KafkaTimer"},
    ],
    ids=["beyond_the_wheel", "added_twice", "added_by_two", "two_reapers", "the_other_timer"],
)
def test_what_is_assumed_of_constants_is_needed_of_a_scenario(program):
    """A-REACH, A-ONCE, A-REAPER."""
    with pytest.raises(ValueError, match="assumes of its constants"):
        runs.placed(program)


def test_every_scenario_keeps_what_is_assumed_of_constants():
    """A-REACH and A-ONCE."""
    for program in TIMER.scenarios.values():
        reach = program["wheel_size"] ** program["levels"]
        assert all(0 <= due < reach for due in program["deadline"].values())
        adds = [step[1] for of in program["threads"].values() for step in of if step[0] == "add"]
        assert len(adds) == len(set(adds))


def test_a_tick_is_at_least_one():
    """A-POWER."""
    for size in range(2, 9):
        assert size**0 == 1
        for level in range(1, 30):
            assert size ** (level - 1) >= 1
            assert size**level == size * size ** (level - 1)


def least_first(name: str) -> dict[bool, set[bool]]:
    """Whether some key has changed -> whether the first of the queue has the least key."""
    graph = explore(TIMER.compiled_model(TIMER.scenarios[name]), bound=100_000)
    found: dict[bool, set[bool]] = {False: set(), True: set()}
    place = graph.model.variables.index
    for shared, _ in graph.states:
        queue, key, rekeyed = (
            values.as_plain(shared[place(each)]) for each in ("queue", "key", "rekeyed")
        )
        if queue:
            of = [key[bucket - 1] for bucket in queue]
            found[bool(rekeyed)].add(of[0] == min(of))
    return found


@pytest.mark.nightly
def test_the_first_of_the_queue_has_the_least_key_until_one_changes():
    """A-HEAP, of Offer and Poll of the module."""
    assert least_first("stalled_adder") == {False: {True}, True: set()}
    assert least_first("kafka_bystander")[False] == {True}
    assert False in least_first("kafka_bystander")[True]
