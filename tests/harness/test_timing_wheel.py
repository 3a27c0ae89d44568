"""The harness of TimingWheel: its operations and its refinement mapping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.outside import present
from harness.progress import Progress, Queue
from harness.timing_wheel import Harness, shared
from impl import timing_wheel
from model.timing_wheel import Model
from tests.model.timing_wheel import MECHANISM, ROOT, STEM, scenario
from wheelproof.explore import ControlledImplementation


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
    assert model.AUXILIARY == {"rekeyed", "early"}


@st.composite
def programs(draw):
    """One thread, which adds entries and then may take them out again: a wheel that has been used has gone on."""
    size, start = draw(st.integers(2, 4)), draw(st.integers(0, 9))
    deadline = {
        f"e{i}": draw(st.integers(0, start + size**3)) for i in range(draw(st.integers(1, 5)))
    }
    program = [["add", entry] for entry in deadline]
    return scenario(
        size, start, deadline, a=program + draw(st.sampled_from([[], [["expire"]], [["withdraw"]]]))
    )


def ends(of, decision=""):
    """Where production classes end, and where the model without a decision does."""
    harness, model = Harness(of), MECHANISM.without(decision).model_of(of)
    for operation, *arguments in of["threads"]["a"]:
        getattr(harness, operation)(*arguments)
    while model.step(0):
        pass
    assert model.final(model.freeze())
    return shared(harness), visible(model, model.freeze())


@given(programs())
def test_a_thread_alone_ends_in_the_models_state(of):
    found, expected = ends(of)
    assert found == expected


@pytest.mark.parametrize(
    "decision, deadline, rest",
    [
        ("M12", {"far": 3}, [["expire"]]),
        ("M17_late", {"due": 0}, []),
        ("M17_turn", {"turn": 2}, []),
        ("WrongSlot", {"far": 2}, []),
        ("SaysNo", {"far": 3}, []),
    ],
)
def test_that_comparison_sees_a_model_without_a_decision(decision, deadline, rest):
    of = scenario(2, 0, deadline, levels=2, a=[*(["add", entry] for entry in deadline), *rest])
    found, expected = ends(of)
    assert found == expected
    found, expected = ends(of, decision)
    assert found != expected


OF = scenario(2, 0, {"far": 3, "near": 1}, levels=2, a=[["add", "far"], ["add", "near"]])


def above(harness):
    """The second level, made beforehand: what is made does not change what it holds."""
    return harness.wheel.parent()


CHANGES = {
    "made": lambda w: above(w),
    "current": lambda w: setattr(w.wheel, "current_time", 1),
    "content": lambda w: timing_wheel.TimerTaskList.add(w.wheel.buckets[1], w.entries["near"]),
    "key": lambda w: w.wheel.buckets[0].expiration.set(0),
    "queue": lambda w: w.queue.offer(w.wheel.buckets[1]),
    "taskCounter": lambda w: w.task_counter.add_and_get(1),
    "adding": lambda w: setattr(w.progress, "left", 1),
    "handed": lambda w: w.handed.add_and_get((w.entries["far"],)),
}
ALONG = {"made": {"current"}, "content": {"taskCounter"}}
"""What changes with a variable: a level has a clock, and a linked entry is counted."""


@pytest.mark.parametrize("variable", CHANGES)
def test_a_changed_object_is_a_changed_variable(variable):
    harness = Harness(OF)
    before = shared(harness)
    CHANGES[variable](harness)
    after = shared(harness)
    assert {name for name in before if before[name] != after[name]} == {variable} | ALONG.get(
        variable, set()
    )


@pytest.mark.parametrize("level, slot, number", [(1, 0, 1), (1, 1, 2), (2, 0, 3), (2, 1, 4)])
def test_buckets_are_numbered_level_by_level(level, slot, number):
    harness = Harness(OF)
    above(harness)
    wheel = harness.wheel if level == 1 else harness.wheel.overflow_wheel
    wheel.buckets[slot].expiration.set(7)
    harness.queue.offer(wheel.buckets[slot])
    found = shared(harness)
    assert found["queue"] == ((number,),) and found["key"] == tuple(
        7 if i == number else -1 for i in range(1, 5)
    )


def test_a_level_that_there_is_not_reads_as_the_model_has_it():
    harness, made = Harness(OF), Harness(OF)
    above(made)
    assert shared(harness) | {"made": (2,), "current": (0, 0)} == shared(made)


@pytest.mark.parametrize(
    "variable, label, of, expected",
    [
        ("monitor", "A1", OF, ("a", 1)),
        ("monitor", "V1", dict(OF) | {"threads": {"a": [["add", "far"], ["withdraw"]]}}, ("a", 1)),
        ("readers", "L1", OF, frozenset("a")),
        ("writer", "R2", dict(OF) | {"threads": {"a": [["add", "far"], ["expire"]]}}, "a"),
    ],
)
def test_a_held_lock_is_a_changed_variable(variable, label, of, expected):
    run = ControlledImplementation.load(ROOT, STEM).begin(of)
    while run.labels != [label]:
        run.step(0)
    before = run.shared()
    run.step(0)
    after = run.shared()
    run.end()
    assert (
        variable
        in {name for name in before if before[name] != after[name]}
        <= {variable, "content", "taskCounter"}
    )
    assert expected in after[variable] and expected not in before[variable]
    assert set(CHANGES) | {"monitor", "readers", "writer"} == set(after)


def test_a_mutants_classes_take_the_place_of_the_implementations():
    class Other(timing_wheel.TimingWheel):
        __slots__ = ()

    class namespace:
        TimingWheel = Other

    wheel = Harness(OF, namespace).wheel
    assert type(wheel) is type(wheel.parent()) is Other and not hasattr(wheel, "__dict__")
    assert type(Harness(OF).wheel) is timing_wheel.TimingWheel


def test_every_operation_of_a_program_is_a_method():
    operations = {
        step[0]
        for of in MECHANISM.scenarios.values()
        for program in of["threads"].values()
        for step in program
    }
    assert operations == {"add", "expire", "withdraw"}
    assert all(callable(getattr(Harness, operation)) for operation in operations)


# -- who waits at the queue, and when it is over


def waited(left, counted, bucket=None):
    """Whether the queue says that it is over, what ``due`` and ``poll`` find."""
    queue = Queue()
    queue.progress, queue.task_counter = Progress(left), timing_wheel.Atomic(counted)
    if bucket is not None:
        queue.offer(bucket)
    return queue.over(), queue.due(1), queue.poll(1)


def test_nobody_waits_for_what_cannot_come():
    bucket = Harness(OF).wheel.buckets[0]
    assert waited(0, 0) == (True, False, None)
    assert waited(1, 0) == waited(0, 1) == (False, False, None)
    assert waited(0, 1, bucket) == (False, True, bucket), "due leaves it there"


def test_a_thread_at_the_queue_moves_when_it_is_over_or_something_is_due():
    """Under control: a waiting thread is let go by the last add, whatever that did."""
    of = scenario(2, 5, {"due": 1}, a=[["add", "due"]], w=[["withdraw"]])
    run = ControlledImplementation.load(ROOT, STEM).begin(of)
    able = []
    while not run.done:
        able.append(1 in run.enabled())
        run.step(0 if 0 in run.enabled() else 1)
    run.end()
    assert able == sorted(able) and able[-1] and not able[0]


def test_what_an_atomic_variable_holds_is_read_without_a_step():
    assert present(timing_wheel.Atomic(3)) == 3
    run = ControlledImplementation.load(ROOT, STEM).begin(OF)
    before = run.labels
    assert present(run.harness.task_counter) == 0 and run.labels == before
    run.end()
