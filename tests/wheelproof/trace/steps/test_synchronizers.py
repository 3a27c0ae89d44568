"""Semaphores, events, barriers and queues recorded on real threads, and followed on a model by
hand: runs of the implementation conform, those of faults and changed recordings do not."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from tests.wheelproof.trace.steps.followed import with_events
from tests.wheelproof.trace.steps.projects import SMALL, inside, scenario, written
from wheelproof.cli import app
from wheelproof.trace.steps.follow import follow
from wheelproof.trace.steps.record import record

NONE_FREE = {"value": 0}
FULL = {"room": 1, "items": [5]}
ON_SEMAPHORES = {
    "one place": scenario(a="hold; enter; leave 1", b="attempt; attempt; hold"),
    "no place": inside(scenario(a="enter", b="hold", c="leave 1"), **NONE_FREE),
    "in time": inside(scenario(a="within 2", b="sleep 1; leave 1"), **NONE_FREE),
    "late": inside(scenario(a="within 1; within 1", b="sleep 2; sleep 2"), **NONE_FREE),
}
ON_QUEUES = {
    "two items": scenario(a="put 2; put 1", b="get; get; is_empty"),
    "two getters": scenario(a="get", b="get", c="put 2; put 1"),
    "room for one": inside(scenario(a="put 1; is_full; put 2", b="get; get"), room=1),
    "attempts": inside(scenario(a="try_put 1; try_get; size", b="try_put 2; try_get"), room=1),
    "joined": inside(scenario(a="get; done; done", b="join; size"), items=[3]),
    "in time": inside(scenario(a="put_within 2", b="sleep 1; get; get_within 2"), **FULL),
    "late": inside(scenario(a="put_within 1; put_within 1", b="sleep 1; sleep 3"), **FULL),
}
PROGRAMS = {
    "semaphore": ON_SEMAPHORES | {"two": inside(scenario(a="hold", b="leave 2"), **NONE_FREE)},
    "bounded_semaphore": {
        "one place": ON_SEMAPHORES["one place"],
        # A release of another thread that holds the semaphore could be the one too many.
        "too many": scenario(a="hold; leave 1", b="sleep 0"),
        "in time": scenario(a="enter; sleep 1; leave 1", b="within 2; leave 1"),
        "late": ON_SEMAPHORES["late"],
    },
    "event": {
        "set": scenario(a="wait; look", b="wait", c="set; clear"),
        "in time": scenario(a="within 2; look", b="sleep 1; set"),
        "late": scenario(a="within 1", b="within 3", c="sleep 1; set; clear"),
        "never": scenario(a="wait", b="clear"),
    },
    "barrier": {
        "two rounds": scenario(a="meet; meet; count", b="meet; count; meet"),
        "three for two": scenario(a="meet", b="meet", c="meet"),
        "reset": scenario(a="meet", b="count; reset; ask; meet", c="ask"),
        "abort": scenario(a="meet; ask", b="abort; ask; reset; ask"),
        "late": scenario(a="within 1; ask", b="sleep 1; meet", c="sleep 0"),
        "one": inside(scenario(a="meet; meet", b="meet"), parties=1),
    },
    "queue": ON_QUEUES,
    "lifo_queue": ON_QUEUES,
    "priority_queue": ON_QUEUES,
}
SWAPPED = {
    # primitive -> program, two steps of which the second must come behind the first, why
    "semaphore": (
        inside(scenario(a="leave 1", b="enter"), **NONE_FREE),
        "R1",
        "A1",
        "b takes A1, and has to wait there in the model",
    ),
    "bounded_semaphore": (
        scenario(a="enter; leave 1", b="leave 1"),
        "A1",
        "R1",
        "a takes R1, A1 in the model",
    ),
    "event": (
        scenario(a="set", b="wait"),
        "S1",
        "W2",
        "b takes W2, and has to wait there in the model",
    ),
    "barrier": (
        scenario(a="meet", b="meet"),
        "A1",
        "M2",
        "takes M2, and has to wait there in the model",
    ),
    "queue": (
        scenario(a="put 1", b="get"),
        "P1",
        "G1",
        "b takes G1, and has to wait there in the model",
    ),
    "lifo_queue": (
        scenario(a="put 1; join", b="get; done"),
        "D1",
        "J1",
        "a takes J1, and has to wait there in the model",
    ),
    "priority_queue": (
        scenario(a="put 1", b="get"),
        "P1",
        "G1",
        "b takes G1, and has to wait there in the model",
    ),
}


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return {name: written(tmp_path_factory.mktemp(name), name) for name in SMALL}


def judged(mechanism, run):
    return follow({mechanism.name: mechanism}, run)


def schedule_of(mechanism, program, *wanted):
    """A schedule of the model that takes the steps of these labels in their order, as the last."""
    model = mechanism.model_of(program)

    def search(state, behind):
        moves = model.successors(state)
        silent = [move for move in moves if move[1] in mechanism.silent]
        for index, label, after in silent[:1] or moves:
            taken = [] if silent else [(model.threads[index], label)]
            late = behind[1:] if behind and label == behind[0] else behind
            if label in wanted and late == behind:
                continue
            rest = search(after, late)
            if rest is not None:
                return taken + rest
        return None if moves or behind else []

    return search(model.initial(), wanted)


@pytest.mark.parametrize(
    "name, program", [(name, about) for name, programs in PROGRAMS.items() for about in programs]
)
def test_a_free_run_conforms(name, program, small):
    run = record(small[name], PROGRAMS[name][program], "free", seed=1)
    verdict = judged(small[name], run)
    assert verdict.verdict == "conforms", verdict.findings


@pytest.mark.parametrize("name", SMALL)
def test_a_recording_with_a_step_dropped_is_refused(name, small):
    program = next(iter(PROGRAMS[name].values()))
    run = record(small[name], program, "whole", schedule=schedule_of(small[name], program))
    assert judged(small[name], run).verdict == "conforms"
    steps = [place for place, event in enumerate(run.events) if event["k"] == "step"]
    assert len(steps) > 3
    for gone in steps:
        left = [event for place, event in enumerate(run.events) if place != gone]
        assert judged(small[name], with_events(run, left)).verdict == "violates", run.events[gone]


@pytest.mark.parametrize("name", SMALL)
def test_a_recording_with_two_steps_swapped_is_refused_by_name(name, small):
    mechanism, (program, first, second, why) = small[name], SWAPPED[name]
    schedule = schedule_of(mechanism, program, first, second)
    run = record(mechanism, program, "in-order", schedule=schedule)
    assert judged(mechanism, run).verdict == "conforms"
    events = [event for event in run.events if event["k"] in ("step", "stop")]
    place = {event.get("label"): at for at, event in enumerate(events)}
    one, two = place[first], place[second]
    assert one < two
    events[one : two + 1] = [events[two], *events[one + 1 : two], events[one]]
    verdict = judged(mechanism, with_events(run, events))
    assert verdict.verdict == "violates" and why in verdict.first.message


@pytest.mark.parametrize("name", SMALL)
def test_where_all_threads_wait_the_recording_ends_with_it(name, small, tmp_path):
    mechanism = small[name]
    file = tmp_path / "stuck.jsonl"
    where = ("--subject", str(mechanism.root))
    command = ["trace", "record", name, "stuck", "--steps", "-o", str(file), *where]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert '"k":"blocked","label":"' in file.read_text()
    checked = CliRunner().invoke(app, ["trace", "check", str(file), *where])
    assert checked.exit_code == 0 and "1 conforms of 1 traces" in checked.output


@pytest.mark.parametrize("name", [name for name in SMALL if name != "event"])
def test_a_wait_for_ever_that_the_model_does_not_have_is_refused(name, small):
    """That recording beside a model in which a thread can go on."""
    run = record(small[name], "stuck", "stuck")
    events = [event for event in run.events if event["k"] != "state"]
    assert judged(small[name], with_events(run, events)).verdict == "conforms"
    program = inside(run.header["program"], value=1, parties=2, items=[1])
    able = type(run)(run.header | {"program": program}, events)
    verdict = judged(small[name], with_events(able, events))
    assert verdict.verdict == "violates"
    assert "for ever, and in the model it can go on" in verdict.first.message


@pytest.mark.parametrize("name", SMALL)
def test_each_change_of_an_object_makes_a_version(name, small):
    version: dict[str, int] = {}
    for program in PROGRAMS[name].values():
        version.clear()
        run = record(small[name], program, "versions")
        for event in run.events:
            for kind, of, number, mode in event.get("ord", ()):
                if kind == "V":
                    version[of] = version.get(of, 0) + (mode == "w")
                    assert number == version[of]
        assert any(of.startswith(name.replace("_", "")) for of in version)


@pytest.mark.parametrize("name", ["queue", "lifo_queue", "priority_queue"])
def test_a_version_is_made_by_each_put_and_get_and_by_no_look(name, small):
    run = record(small[name], PROGRAMS[name]["two items"], "versions", seed=2)
    modes = [(event["label"], event["ord"][-1][2:]) for event in run.events if event["k"] == "step"]
    changes = [label for label, (_, mode) in modes if mode == "w"]
    assert sorted(changes) == ["G1", "G1", "P1", "P1"]
    assert [number for label, (number, _) in modes if label in ("G1", "P1")] == [1, 2, 3, 4]
    assert [mode for label, (_, mode) in modes if label == "K2"] == ["r"]
