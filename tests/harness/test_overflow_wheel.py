"""The harness of OverflowWheel: its operations and its refinement mapping."""

import pytest

from harness.overflow_wheel import START, Harness, shared
from impl import overflow_wheel, timer_task_list
from model.overflow_wheel import Model
from tests.model.overflow_wheel import MECHANISM, ROOT, STEM, scenario
from wheelproof.explore import ControlledImplementation

PROGRAM = [["check"], ["place", "a"], ["add"], ["cancel"], ["place", "a"], ["check"]]


def visible(model, state):
    pieces = dict(zip(model.variables, model.pieces(state)))
    return {name: value for name, value in pieces.items() if name not in model.AUXILIARY}


@pytest.mark.parametrize("name", MECHANISM.scenarios)
def test_a_scenario_begins_in_the_models_initial_state(name):
    model = Model(MECHANISM.scenarios[name])
    assert shared(Harness(MECHANISM.scenarios[name])) == visible(model, model.initial())


def test_the_variables_are_the_models_without_its_history():
    model = Model(scenario(a=[]))
    assert set(shared(Harness(scenario(a=[])))) == set(model.variables) - model.AUXILIARY
    assert model.AUXILIARY == {"wheel", "time", "settled", "late", "unlinked", "revoked", "slipped"}


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("length", range(len(PROGRAM) + 1))
def test_a_thread_alone_ends_in_the_models_state(linked, length):
    """Production classes, which delay nothing, against the model when all stores have arrived."""
    of = scenario(linked, a=PROGRAM[:length])
    harness, model = Harness(of), Model(of)
    for program in of["threads"].values():
        for operation, *arguments in program:
            getattr(harness, operation)(*arguments)
    while any(model.step(index) for index in range(len(model.threads))):
        pass
    assert shared(harness) == visible(model, model.freeze())


def found(harness):
    harness.found["a"].wheel_and_time = (harness.wheel.overflow_wheel, None)


CHANGES = {
    "overflowWheel": lambda w: setattr(w.wheel, "overflow_wheel", type(w.wheel)(w.heap, 2)),
    "currentTime": lambda w: setattr(w.heap.clocks[2], "current_time", START),
    "list": lambda w: setattr(w.entry, "list", w.bucket),
    "timerTaskEntry": lambda w: setattr(w.task, "timer_task_entry", None),
    "made": lambda w: setattr(w.heap, "made", 1),
    "taskCounter": lambda w: w.counter.add_and_get(1),
    "submitted": lambda w: w.submitted.add_and_get(1),
    "foundWheel": lambda w: setattr(w.found["a"], "wheel_and_time", (w.wheel, None)),
    "foundTime": lambda w: setattr(w.found["a"], "wheel_and_time", (None, START)),
}


@pytest.mark.parametrize("variable", CHANGES)
def test_a_changed_object_is_a_changed_variable(variable):
    harness = Harness(scenario(a=[], b=[]))
    harness.heap.clocks[2].current_time = (
        START if variable == "overflowWheel" else None
    )  # the wheel that is put there has it
    before = shared(harness)
    CHANGES[variable](harness)
    after = shared(harness)
    assert {name for name in before if before[name] != after[name]} == {variable}


@pytest.mark.parametrize(
    "steps, variable, expected",
    [
        (2, "monitor", ("a", 1)),
        (5, "buffer", ("a", "current_time", "w1", "start", frozenset())),
        (6, "buffer", ("a", "current_time", "w1", "start", frozenset({"overflow_wheel"}))),
        (7, "buffer", ("a", "current_time", "w1", "start", frozenset({"overflow_wheel", "wheel"}))),
    ],
)
def test_a_held_monitor_and_a_delayed_store_are_changed_variables(steps, variable, expected):
    run = ControlledImplementation.load(ROOT, STEM).begin(scenario(a=[["place", "a"]]))
    for _ in range(steps - 1):
        run.step(0)
    before = run.shared()
    run.step(0)
    after = run.shared()
    run.end()
    assert before[variable] != after[variable]
    assert expected in (after[variable] if variable == "monitor" else after[variable][0])
    assert set(CHANGES) | {"buffer", "monitor"} == set(after)


def test_the_wheel_is_of_the_implementations_class_and_a_mutants_takes_its_place():
    assert isinstance(Harness(scenario(a=[])).wheel, overflow_wheel.Overflowing)

    class Other(overflow_wheel.Overflowing):
        __slots__ = ()

    class namespace:
        Overflowing = Other
        TimerTask, TimerTaskEntry, TimerTaskList = (
            timer_task_list.TimerTask,
            timer_task_list.TimerTaskEntry,
            timer_task_list.TimerTaskList,
        )

    wheel = Harness(scenario(a=[]), namespace).wheel
    assert isinstance(wheel, Other) and not hasattr(wheel, "__dict__")


def test_every_operation_of_a_program_is_a_method():
    operations = {
        step[0]
        for of in MECHANISM.scenarios.values()
        for program in of["threads"].values()
        for step in program
    }
    assert operations == {"place", "add", "cancel", "check", "memory"}
    assert all(callable(getattr(Harness, operation)) for operation in operations)
