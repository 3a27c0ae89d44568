"""The harness of SystemTimer: one thread, its clock and pool, and a flush over several steps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.system_timer import Harness, Pool, shared
from impl import system_timer
from impl.timer_task_list import TimerTaskEntry
from model.system_timer import Model
from tests.harness.changes import TIMER, near
from tests.harness.mapping import ends
from tests.model.artefacts import ROOT
from tests.model.system_timer import MECHANISM, NAME
from wheelproof.graph import reduced
from wheelproof.python import ControlledImplementation, bisimulate
from wheelproof.python.findings import StepError


def scenario(*program, **others):
    """One thread, and what is another way than usual."""
    return TIMER | others | {"threads": {"a": [step.split() for step in program]}}


@st.composite
def programs(draw):
    """One thread with any program, which may then wait until everything is due and reap it."""
    size, levels = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    task_of = {f"e{i}": draw(st.sampled_from("xyz")) for i in range(draw(st.integers(1, 4)))}
    # an entry is known by its task and its deadline
    deadlines = draw(
        st.lists(
            st.integers(0, size**levels - 1),
            min_size=len(task_of),
            max_size=len(task_of),
            unique=len(task_of) <= size**levels,
        )
    )
    deadline = dict(zip(task_of, deadlines))
    if len({*zip(task_of.values(), deadlines)}) < len(task_of):
        task_of = {entry: f"t{entry}" for entry in task_of}
    other = st.sampled_from(
        ["tick", *(f"cancel {task}" for task in dict.fromkeys(task_of.values()))]
    )
    program = []
    for entry in task_of:
        program += [*draw(st.lists(other, max_size=2)), f"add {entry}"]
    program += [*draw(st.lists(other, max_size=2)), *draw(st.sampled_from([[], ["close"]]))]
    program += draw(
        st.sampled_from(
            [[], ["tick"] * max(deadlines) + ["reap"] + ["execute"] * draw(st.integers(0, 3))]
        )
    )  # nothing comes any more: the executor does not wait
    return scenario(*program, wheel_size=size, levels=levels, task_of=task_of, deadline=deadline)


@given(programs())
def test_a_thread_alone_ends_in_the_models_state(of):
    found, expected = ends(NAME, of)
    assert found == expected


@pytest.mark.parametrize(
    "decision, program",
    [
        ("M10", ["add far", "add near"]),
        ("HandsOverAnyway", ["add far"]),
        ("M17", ["tick", "add near"]),
        ("M19", ["add far", "cancel f"]),
        ("M8", ["add far"]),
    ],
)
def test_that_comparison_sees_a_model_without_a_decision(decision, program):
    """But for a decision that takes two threads to see."""
    of = scenario(*program, deadline={"far": 3, "near": 2 if decision == "M10" else 1})
    found, expected = ends(NAME, of)
    assert found == expected
    found, expected = ends(NAME, of, decision)
    assert (found == expected) == (decision == "M8")


def test_a_closed_timer_refuses_what_is_due_and_links_what_is_not():
    harness = Harness(scenario("close", "add far", "add near", deadline={"far": 3, "near": 0}))
    for step in (["close"], ["add", "far"], ["add", "near"]):
        result = getattr(harness, step[0])(*step[1:])
    found = shared(harness)
    assert (
        result == ("raised", "RuntimeError")
        and found["shut"] == (True,)
        and found["adding"] == (0,)
        and found["taskCounter"] == (1,)
    )
    assert found["refused"] == (("near",),)


@pytest.mark.parametrize("level, slot, number", [(1, 0, 1), (1, 1, 2), (2, 0, 3), (2, 1, 4)])
def test_buckets_are_numbered_level_by_level(level, slot, number):
    harness = Harness(scenario())
    wheel = harness.timer.wheel if level == 1 else harness.timer.wheel.overflow_wheel
    wheel.buckets[slot].expiration.set(7)
    harness.queue.offer(wheel.buckets[slot])
    found = shared(harness)
    assert found["queue"] == ((number,),) and found["key"] == tuple(
        7 if i == number else -1 for i in range(1, 5)
    )


def test_all_levels_are_there_at_first():
    assert [len(shared(Harness(scenario(levels=levels)))["current"]) for levels in (1, 2, 3)] == [
        1,
        2,
        3,
    ]


def test_time_stands_for_who_adds_and_not_for_the_queue():
    """An entry's deadline is the scenario's, whenever its adder comes."""
    harness = Harness(scenario("add far"))
    harness.clock.advance(2)
    harness.add("far")
    assert harness.tasks["f"].timer_task_entry.expiration_ms == 3
    assert harness.timer.advance_clock(1), "its bucket has the key 2"
    harness.timer.clock = harness.clock
    harness.add("near")
    assert harness.tasks["n"].timer_task_entry.expiration_ms == 3


def test_the_pool_gives_its_tasks_first_in_first_out_and_refuses_more_once_it_is_shut():
    harness, pool = Harness(scenario()), Pool(lambda: False)
    first, second = near(harness), near(harness)
    assert pool.take() is None, "nothing has come"
    for entry in (first, second):
        pool.submit(entry)
    pool.close()
    with pytest.raises(RuntimeError, match="was shut down"):
        pool.submit(first)
    assert pool.refused == (first,) and not pool.over()
    assert [pool.take(), pool.take(), pool.take()] == [first, second, None] and pool.over()
    assert isinstance(harness.timer.executor, Pool)


def test_a_mutants_classes_take_the_place_of_the_implementations():
    class Other(system_timer.SystemTimer):
        __slots__ = ()

    class namespace:
        SystemTimer = Other

    assert (
        type(Harness(scenario(), namespace).timer) is Other
        and type(Harness(scenario()).timer) is system_timer.SystemTimer
    )


# -- a monitor that a flush holds over its steps


def in_the_flush(subject):
    """A run of cancel_one in its first flush, which has the monitor of the entry's bucket."""
    run = subject.begin(MECHANISM.scenarios["cancel_one"])
    place = {thread.name: thread.index for thread in run.threads}
    for name, label in (("adder", "Done"), ("clock", "Done"), ("reaper", "V1")):
        while run.labels[place[name]] != label:
            run.step(place[name])
    before = run.enabled()
    run.step(place["reaper"])
    return run, place["canceller"], before


def test_cancel_waits_while_a_flush_holds_the_bucket_of_its_entry():
    run, canceller, before = in_the_flush(ControlledImplementation.load(ROOT, NAME))
    assert (
        before[canceller] == "X1"
        and canceller not in run.enabled()
        and run.labels[canceller] == "X1"
    )
    assert run.shared()["flushing"] == (4,)
    run.end()


def test_a_wait_that_the_harness_does_not_foresee_is_a_finding():
    text = (ROOT / "harness" / f"{NAME}.py").read_text(encoding="utf-8")
    foreseen = "return None if bucket is None else bucket.monitor"
    assert text.count(foreseen) == 1
    subject = ControlledImplementation.load(
        ROOT, NAME, texts={f"harness.{NAME}": text.replace(foreseen, "return None")}
    )
    run, canceller, _ = in_the_flush(subject)
    with pytest.raises(StepError, match="needs a lock that reaper holds over several steps"):
        run.step(canceller)


def test_a_model_without_that_wait_is_another_machine():
    """X1 could come at any time before the monitor was looked at."""

    class Careless(Model):
        def held(self, entry):
            return False

    graph = reduced.reduce(Careless(MECHANISM.scenarios["cancel_one"]), MECHANISM.silent)
    found = bisimulate(
        ControlledImplementation.load(ROOT, NAME),
        MECHANISM.scenarios["cancel_one"],
        reduced.rows(graph),
        reduced.shared_of(graph),
    )
    assert (
        found.outcome == "different"
        and found.difference.kind == "enabled"
        and "X1" in str(found.difference)
    )


def test_a_ring_that_does_not_close_is_read_to_an_end():
    """A fault of the list gives a state that differs, and no harness that never comes back."""
    harness = Harness(scenario("add near"))
    bucket = harness.timer.wheel.buckets[0]
    entry = TimerTaskEntry(*harness.due["near"])
    bucket.root.next, entry.next, entry.prev = entry, entry, entry
    (content,) = [each for each in shared(harness)["content"] if each]
    assert set(content) == {"near"} and len(content) > len(harness.due)
