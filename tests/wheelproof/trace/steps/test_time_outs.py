"""Locks with time-outs on real threads: what is recorded is what the schedule says."""

from types import SimpleNamespace

import pytest

from tests.wheelproof.python.runtime import lock_box
from tests.wheelproof.python.runtime.boxes import ends
from tests.wheelproof.python.runtime.lock_box import scenario
from wheelproof.errors import ToolError
from wheelproof.python.runtime import locks, patience
from wheelproof.trace.steps import record
from wheelproof.trace.steps.loading import Subject
from wheelproof.trace.steps.recorder import Actor, Recorder

PROGRAMS = {
    "free": scenario(a="take_within 1; give", b="sleep 1"),
    "in time or late": scenario(a="take; give", b="take_within 1; give", c="sleep 1"),
    "late": scenario(a="take", b="take_within 1", c="clock_on"),
    "time stands still": scenario(a="take", b="take_within 1", c="sleep 0"),
    "without an end": scenario(a="take; give", b="take_within_any -1"),
    "looks": scenario(a="take; give", b="look; look"),
    "by its condition": scenario(a="take; give", b="take_changed_within 1", c="sleep 1"),
    "monitor again": scenario(a="enter; enter_within 1; leave; leave", b="enter_within 1; sleep 1"),
}


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    """The root of the box, and the box under control."""
    root = tmp_path_factory.mktemp("box")
    return root, lock_box.load(root)


def labels_of(controlled, program, schedule):
    """(thread, label) of each step of a schedule."""
    run, steps = controlled.begin(program), []
    for thread in schedule:
        steps.append((run.threads[thread].name, run.threads[thread].label))
        run.step(thread)
    run.end()
    return steps


def recorded(root, program, schedule):
    """The results of each thread of a recorded run, and (thread, label) of its steps."""
    recorder = Recorder()
    mechanism = SimpleNamespace(name="box", root=root, modules={})
    harness = Subject(mechanism, recorder).set_up(program)
    recorder.actors = {name: Actor(name, place) for place, name in enumerate(program["threads"])}
    recorder.directed = schedule is not None
    record._run(recorder, harness, program["threads"], schedule)
    assert recorder.refused is None
    assert [event for event in recorder.events if "raised" in event] == []
    results = tuple(
        tuple(value for thread, value in harness.box.got if thread == place)
        for place in range(1, 1 + len(recorder.actors))
    )
    steps = [(each["thread"], each["label"]) for each in recorder.events if each["k"] == "step"]
    blocked = any(each["k"] == "blocked" for each in recorder.events)
    return (not blocked, results), steps


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_run_by_a_schedule_ends_as_the_schedule_does(name, box):
    root, controlled = box
    found = ends(controlled, PROGRAMS[name])
    assert found
    for end, schedule in found.items():
        steps = labels_of(controlled, PROGRAMS[name], schedule)
        assert recorded(root, PROGRAMS[name], steps) == (end, steps)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_free_run_ends_as_some_schedule(name, box):
    root, controlled = box
    assert recorded(root, PROGRAMS[name], None)[0] in ends(controlled, PROGRAMS[name])


def test_time_outs_that_never_come_are_rejected(box, monkeypatch):
    root, controlled = box
    late = next(
        schedule
        for (done, results), schedule in ends(controlled, PROGRAMS["late"]).items()
        if done and results[1] == (False,)
    )
    steps = labels_of(controlled, PROGRAMS["late"], late)
    monkeypatch.setattr(patience, "late", lambda scheduler, thread: False)
    monkeypatch.setattr(record, "LOOKS", 10)
    with pytest.raises(ToolError, match="Thread b of the recorded run comes to no step"):
        recorded(root, PROGRAMS["late"], steps)


def test_a_time_out_that_is_ignored_is_rejected(box, monkeypatch):
    """The recorder once took every lock without an end, whatever its time-out was."""
    root, controlled = box
    schedule = next(iter(ends(controlled, PROGRAMS["free"]).values()))
    steps = labels_of(controlled, PROGRAMS["free"], schedule)
    monkeypatch.setattr(locks, "is_limited", lambda blocking, timeout: False)
    with pytest.raises(ToolError, match="a waits at L8, and should take L3"):
        recorded(root, PROGRAMS["free"], steps)
