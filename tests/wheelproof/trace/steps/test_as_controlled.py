"""Recorded primitives are the controlled ones: by random schedules of these, the recording takes
the same steps and comes to the same results, or to the same wait for ever."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from tests.wheelproof.python.runtime import (
    condition_box,
    lock_box,
    queue_box,
    shutdown_box,
    synchronizer_box,
)
from tests.wheelproof.python.runtime.test_lock_time_outs import PROGRAMS as ON_LOCKS
from tests.wheelproof.python.runtime.test_queue_shutdown import ENDING as ON_SHUT_DOWN
from tests.wheelproof.python.runtime.test_queues import PROGRAMS as ON_QUEUES
from tests.wheelproof.python.runtime.test_synchronizers import PROGRAMS as ON_SYNCHRONIZERS
from wheelproof.errors import ToolError, UsageError
from wheelproof.python.runtime import queues, registry
from wheelproof.trace.recording.grain import Grain
from wheelproof.trace.steps import moments, recorder
from wheelproof.trace.steps.record import record
from wheelproof.trace.steps.values import plain

ON_CONDITIONS = {
    "a notification": condition_box.scenario(a=[("take",)], b=[("put",)]),
    "one of two sleepers": condition_box.scenario(
        a=[("once",)], b=[("once",)], c=[("ring", 1)], d=[("ring", 1)]
    ),
    "all sleepers": condition_box.scenario(a=[("take",)], b=[("take",)], c=[("fill",)]),
    "by a predicate": condition_box.scenario(a=[("take_for", 1)], b=[("put",)], c=[("tick", 1)]),
    "late": condition_box.scenario(a=[("patient", 1)], b=[("clock",)]),
    "interrupted": condition_box.scenario(a=[("hold",)], b=[("disturb", "a")]),
    "reads the clock": condition_box.scenario(a=[("hour",)], b=[("tick", 2)]),
    "one after the other": condition_box.scenario(
        a=[("grab",), ("let_go",)], b=[("grab",), ("let_go",)]
    ),
}
LOOKS = ("return self.items > 0", "return self.items > 0  # read R1")
"""A predicate that has a step of its own."""

OF = {
    condition_box: ON_CONDITIONS,
    lock_box: ON_LOCKS,
    queue_box: ON_QUEUES,
    shutdown_box: ON_SHUT_DOWN,
    synchronizer_box: ON_SYNCHRONIZERS,
}
PROGRAMS = [(box, name) for box, programs in OF.items() for name in programs]
SEEDS = (0,)


@pytest.fixture(scope="module", autouse=True)
def as_in_3_13():
    """Queues have ``shutdown`` whatever Python runs."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(queues.Queue, "shutdown", queues.shut_down, raising=False)
        yield


@pytest.fixture(scope="module")
def boxes(tmp_path_factory):
    """Box -> its controlled implementation, and what a recording needs of its mechanism."""
    found = {}
    for box in OF:
        root = tmp_path_factory.mktemp("box")
        mechanism = SimpleNamespace(
            name="box", module="Box", root=root, modules={}, spec=root / "impl/box.py"
        )
        mechanism.without = lambda decision, mechanism=mechanism: mechanism
        loaded = condition_box.load_box(root, LOOKS) if box is condition_box else box.load(root)
        found[box] = loaded, mechanism
    return found


def program_of(box, name):
    return OF[box][name]


def controlled(implementation, program, seed):
    """A random schedule; the results, and the threads that have not ended."""
    chance, schedule = random.Random(seed), []
    run = implementation.begin(program)
    while able := list(run.enabled()):
        index = chance.choice(able)
        schedule.append((run.threads[index].name, run.threads[index].label))
        run.step(index)
    got = plain(run.shared()["got"])
    left = {each.name for each in run.threads if each.label != "Done"}
    run.end()
    return schedule, got, left


def difference(boxes, box, name, seed):
    """In what the recording differs from the controlled run; "" for nothing."""
    implementation, mechanism = boxes[box]
    program = program_of(box, name)
    schedule, got, left = controlled(implementation, program, seed)
    try:
        run = record(mechanism, program, "same", schedule=schedule)
    except (ToolError, UsageError):
        return "steps"
    if [(each["thread"], each["label"]) for each in run.events if each["k"] == "step"] != schedule:
        return "steps"
    state: dict[str, object] = {}
    for event in run.events:
        state |= event.get("state", {})
    if state.get("got") != got:
        return "results"
    blocked = {event["thread"] for event in run.events if event["k"] == "blocked"}
    raised = any("raised" in event for event in run.events)
    return "ends" if blocked != left or raised else ""


@pytest.mark.daily(3)
@pytest.mark.parametrize("box, name", PROGRAMS, ids=[name for _, name in PROGRAMS])
def test_a_schedule_goes_as_under_control(box, name, boxes):
    for seed in SEEDS:
        assert difference(boxes, box, name, seed) == ""


def without_events(patch):
    patch.setattr(recorder.Recorder, "note", lambda *arguments: None)


def without_time(patch):
    """The clock that a scenario makes is not there for those who wait."""
    patch.setattr(
        moments.Moments, "time", property(lambda self: None, lambda self, clock: None), False
    )


def without_wakes(patch):
    """A wake is an event of the line that fell asleep."""
    of = Grain.step_of

    def step_of(self, frame, operation):
        return of(self, frame, "wait" if operation == "wake" else operation)

    patch.setattr(Grain, "step_of", step_of)


def with_another_queue(patch):
    some = registry.classes

    def other(scheduler):
        built = some(scheduler)
        built["LifoQueue"] = built["Queue"]
        return built

    patch.setattr(moments, "classes", other)


def without_shutdown(patch):
    some = registry.classes

    def other(scheduler):
        built = some(scheduler)
        built["Queue"].is_over = lambda self: False
        return built

    patch.setattr(moments, "classes", other)


def without_exclusion(patch):
    """A thread is let in that would have to wait."""
    patch.setattr(moments.Waits, "blocks", lambda self, actor: False)


def without_interrupts(patch):
    """A sleeper does not wait as under control while it stands in front of its wake-up."""
    of = moments.Moments._close

    def close(self, actor, call, awaits=None, result=None):
        of(self, actor, call, None, result)

    patch.setattr(moments.Moments, "_close", close)


def within_the_moment(patch):
    """A predicate that is called while its thread has the moment of the wait."""
    patch.setattr(moments.Moments, "after", lambda self, predicate: predicate)


FAULTS = {
    "no exclusion": (without_exclusion, lock_box, "never given back", "steps"),
    "no interrupt": (without_interrupts, condition_box, "interrupted", "steps"),
    "a predicate within": (within_the_moment, condition_box, "by a predicate", "steps"),
    "no event": (without_events, queue_box, "one after the other", "steps"),
    "no time passes": (without_time, queue_box, "got or late", "steps"),
    "no wake": (without_wakes, synchronizer_box, "set", "steps"),
    "nothing is shut down": (
        without_shutdown,
        shutdown_box,
        "what is there is handed out",
        "steps",
    ),
    "the wrong end": (with_another_queue, queue_box, "last first", "results"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_recorder_with_a_fault_goes_another_way(fault, boxes, monkeypatch):
    plant, box, name, differs = FAULTS[fault]
    plant(monkeypatch)
    monkeypatch.setattr("wheelproof.trace.steps.record.LOOKS", 20)  # a thread that is stuck
    assert any(difference(boxes, box, name, seed) == differs for seed in range(6))
