"""The model of TimerTaskList: the operations of a single thread."""

import pytest
from hypothesis import given

from model.timer_task_list import Model
from tests.model.alone import ended, lists_of, meant_for_lists
from tests.model.broken_states import TWO_LISTS
from tests.model.drawing import programs


def run(scenario):
    return ended("timer_task_list", scenario)


@pytest.mark.parametrize(
    "operation, l1, l2",
    [
        (["add", "l1", "e3"], ["e1", "e2", "e3"], []),
        (["add", "l2", "e1"], ["e2"], ["e1"]),
        (["add", "l1", "e1"], ["e2", "e1"], []),
        (["remove", "e1"], ["e2"], []),
        (["remove", "e3"], ["e1", "e2"], []),
        (["cancel", "t1"], ["e2"], []),
        (["schedule", "l2", "e3"], ["e2"], ["e3"]),
        (["schedule", "l1", "e1"], ["e2", "e1"], []),
        (["flush", "l1", "l2"], [], ["e1", "e2"]),
        (["flush", "l2", "l1"], ["e1", "e2"], []),
        (["expire", "l1"], [], []),
    ],
    ids=" ".join,
)
def test_an_operation_alone(operation, l1, l2):
    machine = run(TWO_LISTS | {"threads": {"a": [operation]}})
    assert [list(machine.members(name)) for name in ("l1", "l2")] == [l1, l2]
    assert machine.task_counter == len(l1) + len(l2)


def test_an_entry_that_was_cancelled_while_linked_is_dropped_at_its_check():
    linked = TWO_LISTS | {"current": ["e2"]}
    for operation, l2 in (["flush", "l1", "l2"], ["e2"]), (["expire", "l1"], []):
        machine = run(linked | {"threads": {"a": [operation]}})
        assert machine.members("l1") == () and list(machine.members("l2")) == l2
        assert machine.owed["t1"] == 1, "it was never handed over"


@given(programs())
def test_a_thread_alone_does_what_lists_of_names_do(scenario):
    machine = run(scenario)
    assert lists_of(machine) == meant_for_lists(scenario)
    assert machine.task_counter == sum(map(len, lists_of(machine)[0].values()))
    for name in (*Model.INVARIANTS, "Termination"):
        assert getattr(machine, name)(), name
    assert not any(machine.list_monitor[name].depth for name in machine.lists)
