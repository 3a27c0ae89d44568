"""Every property of every model: total, true at first, false somewhere; witnesses are reached."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.model import delayed_operation, overflow_wheel
from tests.model.artefacts import Artefacts
from tests.model.broken_states import TABLES
from tests.model.drawn_states import DRAWN

OF = {mechanism: Artefacts(mechanism) for mechanism in TABLES}
NAMES = [(mechanism, name) for mechanism, table in TABLES.items() for name in table.broken]


@pytest.mark.parametrize(("mechanism", "name"), NAMES)
def test_every_invariant_holds_at_first_and_can_be_false(mechanism, name):
    table = TABLES[mechanism]
    machine = table.machine()
    assert machine.holds(name, machine.initial())
    for places in table.broken[name]:
        changed = table.machine(places)
        assert not changed.holds(name, changed.freeze()), places
    for places in table.excused[name]:
        changed = table.machine(places)
        assert changed.holds(name, changed.freeze()), places


@pytest.mark.parametrize("mechanism", TABLES)
def test_every_invariant_has_such_a_state(mechanism):
    table, declared = TABLES[mechanism], OF[mechanism].mechanism
    of_states = {name: of for name, of in declared.properties.items() if of.kind == "invariant"}
    assert {*table.broken} == {*table.excused} == {*of_states}
    assert {*table.model.INVARIANTS} == {*declared.invariants}
    assert {*of_states} - {*table.model.INVARIANTS} == {
        name for name, of in of_states.items() if not of.holds
    }


@pytest.mark.parametrize("mechanism", DRAWN)
@given(st.data())
def test_every_property_is_total(mechanism, data):
    drawn = DRAWN[mechanism]
    machine = drawn.machine(data.draw)
    state = machine.freeze()
    for name in (*machine.INVARIANTS, *machine.WITNESSES, *drawn.also):
        assert getattr(machine, name)() in (True, False), name
        assert machine.holds(name, state) in (True, False), name


BOTH = [["deliver", "c1", "o"], ["deliver", "c2", "o"]]
COMPLETING = delayed_operation.scenario(completes={"o": ["p"]}, a=BOTH)


@pytest.mark.parametrize(
    ("mechanism", "scenario", "name"),
    [
        ("delayed_operation", COMPLETING, "CompletesOnce"),
        ("delayed_operation", COMPLETING, "Termination"),
        ("overflow_wheel", overflow_wheel.scenario(a=[]), "Termination"),
    ],
)
def test_what_must_come_true_is_not_so_at_first(mechanism, scenario, name):
    machine = TABLES[mechanism].machine({"of": scenario})
    assert not machine.holds(name, machine.initial())
    while moves := machine.successors(machine.freeze()):
        machine.load(moves[0][2])
    assert getattr(machine, name)()


def test_properties_of_shared_variables_do_not_look_at_the_processes():
    """Those not in OF_PROCESSES are evaluated once per value of the shared variables."""
    graph = OF["delayed_operation"].model_graph("two_completers_expirer")
    names = {*graph.model.INVARIANTS, "EveryLoserRetries", "CompletesOnce"}
    for name in names - graph.model.OF_PROCESSES:
        answers = {}
        for state in graph.states[:3_000]:
            assert answers.setdefault(state[0], answer := graph.model.holds(name, state)) == answer


# -- witnesses

REACHED = {
    "timer_task_list": [
        ("AddMustRetry", "two_adders"),
        ("RemoveComesTooLate", "remove_cancel"),
        ("CancelledInTheHand", "expire_cancel"),
        ("HandedOver", "expire_cancel"),
        ("MonitorEnteredTwice", "expire_cancel"),
        ("CancelledStaysLinked", "flush_add_cancel_two_entries"),
    ],
    "delayed_operation": [
        ("LockNotHad", "two_completers"),
        ("NoteSeen", "two_completers"),
        ("ExpiryWins", "blocking"),
        ("ExpiryTooLate", "blocking"),
        ("Unwinding", "blocking_raising"),
        ("Unwinding", "try_once_raising"),
    ],
    "overflow_wheel": [
        ("HalfBuilt", "two"),
        ("ComesTooLate", "three"),
        ("CancelledWhenLinked", "cancelled"),
        ("CheckedAfterCancel", "cancelled"),
    ],
    "timing_wheel": [
        ("GoesDownTwice", "cascade"),
        ("AddsBesideFlush", "two_withdrawn"),
        ("TwoWantTheLevel", "two_adders"),
    ],
}
"""Mechanism -> (witness, scenario that reaches it)."""

NOT_REACHED = {
    "delayed_operation": [
        ("LockNotHad", "blocking"),
        ("NoteSeen", "try_once"),
        ("ExpiryWins", "two_completers"),
        ("ExpiryTooLate", "two_completers"),
        ("Unwinding", "blocking"),
    ],
    "overflow_wheel": [
        ("HalfBuilt", "cancelled"),
        ("ComesTooLate", "cancelled"),
        ("CancelledWhenLinked", "two"),
        ("CheckedAfterCancel", "two"),
    ],
    "timing_wheel": [
        ("GoesDownTwice", "two_adders"),
        ("AddsBesideFlush", "a_turn"),
        ("TwoWantTheLevel", "cascade"),
    ],
}
"""Mechanism -> (witness, scenario that does not reach it)."""


def rows(table):
    return [(mechanism, *row) for mechanism, of in table.items() for row in of]


@pytest.mark.parametrize(("mechanism", "name", "scenario"), rows(REACHED))
def test_a_witness_is_reached_where_its_scenario_is(mechanism, name, scenario):
    graph = OF[mechanism].model_graph(scenario)
    reached = [graph.model.holds(name, state) for state in graph.states]
    assert any(reached) and not all(reached) and not reached[0]


@pytest.mark.parametrize(("mechanism", "name", "scenario"), rows(NOT_REACHED))
def test_a_witness_needs_its_scenario(mechanism, name, scenario):
    graph = OF[mechanism].model_graph(scenario)
    assert not any(graph.model.holds(name, state) for state in graph.states)


@pytest.mark.parametrize("mechanism", REACHED)
def test_every_witness_has_its_scenario(mechanism):
    assert {name for name, _ in REACHED[mechanism]} == {*TABLES[mechanism].model.WITNESSES}
