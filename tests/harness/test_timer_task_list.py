"""The harness of TimerTaskList: its operations and its refinement mapping."""

import pytest
from hypothesis import given

from harness.timer_task_list import Harness, shared
from model.timer_task_list import Model
from tests.model.drawing import scenarios
from tests.model.timer import MECHANISM, ROOT, STEM
from wheelproof.explore import ControlledImplementation


def visible(model, state):
    pieces = dict(zip(model.variables, model.pieces(state)))
    return {name: value for name, value in pieces.items() if name not in model.AUXILIARY}


@given(scenarios())
def test_a_scenario_begins_in_the_models_initial_state(scenario):
    model = Model(scenario)
    assert shared(Harness(scenario)) == visible(model, model.initial())


def test_the_variables_are_the_models_without_its_history():
    scenario = MECHANISM.scenarios["readd"]
    model = Model(scenario)
    assert set(shared(Harness(scenario))) == set(model.variables) - model.AUXILIARY
    assert model.AUXILIARY == {"revoked", "slipped", "owed"}


SCENARIO = {
    "lists": ["l1", "l2"],
    "task_of": {"e1": "t1", "e2": "t2"},
    "ring": {"l1": ["e1"], "l2": []},
    "current": ["e1"],
    "threads": {"a": [["add", "l2", "e2"]]},
}

CHANGES = {
    "next": lambda w: setattr(w.lists["l1"].root, "next", w.lists["l1"].root),
    "prev": lambda w: setattr(w.entries["e1"], "prev", None),
    "list": lambda w: setattr(w.entries["e2"], "list", w.lists["l2"]),
    "timerTaskEntry": lambda w: setattr(w.tasks["t2"], "timer_task_entry", w.entries["e2"]),
    "taskCounter": lambda w: w.counter.add_and_get(1),
}


@pytest.mark.parametrize("variable", CHANGES)
def test_a_changed_object_is_a_changed_variable(variable):
    harness = Harness(SCENARIO)
    before = shared(harness)
    CHANGES[variable](harness)
    after = shared(harness)
    assert {name for name in before if before[name] != after[name]} == {variable}


@pytest.mark.parametrize(
    "variable, label", [("listMonitor", "A1"), ("entryMonitor", "A2"), ("taskMonitor", "C1")]
)
def test_a_held_monitor_is_a_changed_variable(variable, label):
    scenario = SCENARIO | {"threads": {"a": [["add", "l2", "e2"], ["cancel", "t1"]]}}
    run = ControlledImplementation.load(ROOT, STEM).begin(scenario)
    while run.labels != [label]:
        run.step(0)
    before = run.shared()
    run.step(0)
    after = run.shared()
    run.end()
    assert {name for name in before if before[name] != after[name]} == {variable}
    assert ("a", 1) in after[variable]


def test_an_object_of_another_harness_has_no_name():
    harness, other = Harness(SCENARIO), Harness(SCENARIO)
    harness.entries["e1"].next = other.entries["e1"]
    with pytest.raises(KeyError):
        shared(harness)


def test_every_operation_of_a_program_is_a_method():
    operations = {
        operation
        for scenario in MECHANISM.scenarios.values()
        for program in scenario["threads"].values()
        for operation, *_ in program
    }
    assert operations == {"add", "remove", "cancel", "schedule", "flush", "expire"}
    assert all(callable(getattr(Harness, operation)) for operation in operations)
