"""The harness of OverflowWheel: one thread, its monitor and its delayed stores, its classes."""

import pytest

from harness.overflow_wheel import Harness, shared
from impl import overflow_wheel, timer_task_list
from model.overflow_wheel import Model
from tests.harness.mapping import visible
from tests.model.overflow_wheel import NAME, ROOT, scenario
from wheelproof.python import ControlledImplementation

PROGRAM = [["check"], ["place", "a"], ["add"], ["cancel"], ["place", "a"], ["check"]]


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
    run = ControlledImplementation.load(ROOT, NAME).begin(scenario(a=[["place", "a"]]))
    for _ in range(steps - 1):
        run.step(0)
    before = run.shared()
    run.step(0)
    after = run.shared()
    run.end()
    assert before[variable] != after[variable]
    assert expected in (after[variable] if variable == "monitor" else after[variable][0])


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
