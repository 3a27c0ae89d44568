"""Recorded synchronizers and queues are the controlled ones: by random schedules of these, the
recording takes the same steps and comes to the same results, or to the same wait for ever."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from tests.wheelproof.python.runtime import (
    queue_box,
    shutdown_box,
    synchronizer_box,
)
from tests.wheelproof.python.runtime.test_queue_shutdown import ENDING as ON_SHUT_DOWN
from tests.wheelproof.python.runtime.test_queues import PROGRAMS as ON_QUEUES
from tests.wheelproof.python.runtime.test_synchronizers import PROGRAMS as ON_SYNCHRONIZERS
from wheelproof.errors import ToolError
from wheelproof.python.runtime import queues, registry
from wheelproof.trace.recording.grain import Grain
from wheelproof.trace.steps import recorder, synchronizers
from wheelproof.trace.steps.record import record

OF = {
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
        found[box] = box.load(root), mechanism
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
    got = [list(each) for each in run.shared()["got"]]
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
    except ToolError:
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
    patch.setattr(synchronizers.Moments, "time", None)


def without_wakes(patch):
    """A wake is an event of the line that fell asleep."""
    of = Grain.step_of

    def step_of(self, frame, operation):
        return of(self, frame, "wait" if operation == "wake" else operation)

    patch.setattr(Grain, "step_of", step_of)


def with_another_queue(patch):
    some = registry.select

    def other(names, scheduler):
        built = some(names, scheduler)
        built["LifoQueue"] = built["Queue"]
        return built

    patch.setattr(registry, "select", other)


def without_shutdown(patch):
    some = registry.select

    def other(names, scheduler):
        built = some(names, scheduler)
        built["Queue"].is_over = lambda self: False
        return built

    patch.setattr(registry, "select", other)


FAULTS = {
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
