"""The harness of TimingWheel: one thread, its levels, its classes, and waiting at the queue."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.outside import present
from harness.progress import Progress, Queue
from harness.timing_wheel import Harness, shared
from impl import timing_wheel
from tests.harness.changes import WHEEL
from tests.harness.mapping import ends
from tests.model.timing_wheel import NAME, ROOT, scenario
from wheelproof.python import ControlledImplementation


@st.composite
def programs(draw):
    """One thread, which adds entries and may then take them out again, so the wheel goes on."""
    size, start = draw(st.integers(2, 4)), draw(st.integers(0, 9))
    deadline = {
        f"e{i}": draw(st.integers(0, start + size**3)) for i in range(draw(st.integers(1, 5)))
    }
    program = [["add", entry] for entry in deadline]
    return scenario(
        size, start, deadline, a=program + draw(st.sampled_from([[], [["expire"]], [["withdraw"]]]))
    )


@given(programs())
def test_a_thread_alone_ends_in_the_models_state(of):
    found, expected = ends(NAME, of)
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
    found, expected = ends(NAME, of)
    assert found == expected
    found, expected = ends(NAME, of, decision)
    assert found != expected


@pytest.mark.parametrize("level, slot, number", [(1, 0, 1), (1, 1, 2), (2, 0, 3), (2, 1, 4)])
def test_buckets_are_numbered_level_by_level(level, slot, number):
    harness = Harness(WHEEL)
    harness.wheel.parent()
    wheel = harness.wheel if level == 1 else harness.wheel.overflow_wheel
    wheel.buckets[slot].expiration.set(7)
    harness.queue.offer(wheel.buckets[slot])
    found = shared(harness)
    assert found["queue"] == ((number,),) and found["key"] == tuple(
        7 if i == number else -1 for i in range(1, 5)
    )


def test_a_level_that_there_is_not_reads_as_the_model_has_it():
    harness, made = Harness(WHEEL), Harness(WHEEL)
    made.wheel.parent()
    assert shared(harness) | {"made": (2,), "current": (0, 0)} == shared(made)


def test_a_mutants_classes_take_the_place_of_the_implementations():
    class Other(timing_wheel.TimingWheel):
        __slots__ = ()

    class namespace:
        TimingWheel = Other

    wheel = Harness(WHEEL, namespace).wheel
    assert type(wheel) is type(wheel.parent()) is Other and not hasattr(wheel, "__dict__")
    assert type(Harness(WHEEL).wheel) is timing_wheel.TimingWheel


# -- waiting at the queue, and its end


class Ends(Progress):
    """The number of adds that have not returned: ``first`` at the first looks, and then none."""

    __slots__ = ("looks",)

    def __init__(self, first, looks):
        super().__init__(first)
        self.looks = looks

    def __getattribute__(self, name):
        if name != "left":
            return super().__getattribute__(name)
        self.looks -= 1
        return super().__getattribute__("left") if self.looks >= 0 else 0


def waited(progress, counted, bucket=None):
    """Whether the queue says that it is over, what ``due`` and ``poll`` find."""
    queue = Queue()
    queue.progress, queue.task_counter = progress, timing_wheel.Atomic(counted)
    if bucket is not None:
        queue.offer(bucket)
    return queue.over(), queue.due(1), queue.poll(1)


def test_no_thread_waits_for_what_cannot_come():
    bucket = Harness(WHEEL).wheel.buckets[0]
    assert waited(Progress(0), 0) == (True, False, None)
    assert waited(Progress(0), 1, bucket) == (False, True, bucket), "due leaves it there"


def test_a_thread_waits_on_for_what_can_come():
    progress = Ends(1, looks=9)
    assert waited(progress, 0) == (False, False, None)
    assert progress.looks < 0, "due waited longer than its time"


def test_a_thread_at_the_queue_moves_when_it_is_over_or_something_is_due():
    """Under control: a waiting thread is let go by the last add, whatever that did."""
    of = scenario(2, 5, {"due": 1}, a=[["add", "due"]], w=[["withdraw"]])
    run = ControlledImplementation.load(ROOT, NAME).begin(of)
    able = []
    while not run.done:
        able.append(1 in run.enabled())
        run.step(0 if 0 in run.enabled() else 1)
    run.end()
    assert able == sorted(able) and able[-1] and not able[0]


def test_what_an_atomic_variable_holds_is_read_without_a_step():
    assert present(timing_wheel.Atomic(3)) == 3
    run = ControlledImplementation.load(ROOT, NAME).begin(WHEEL)
    before = run.labels
    assert present(run.harness.task_counter) == 0 and run.labels == before
    run.end()
