"""Primitives of a project's own on a recorder: by random schedules of the controlled classes the
recording takes the same steps and comes to the same end."""

from __future__ import annotations

import random
from types import SimpleNamespace

import pytest

from tests.wheelproof.python.runtime.latch_project import TEXTS, texts_with
from wheelproof.errors import UsageError
from wheelproof.python import ControlledImplementation
from wheelproof.trace.steps.record import record
from wheelproof.trace.steps.values import plain


def scenario(count, **threads):
    return {"count": count, "threads": threads}


PROGRAMS = {
    "opens for all": scenario(2, p=[["prepare"], ["prepare"]], g=[["go"]], h=[["go"]]),
    "never opens": scenario(2, p=[["prepare"]], g=[["go"]]),
    "in time or late": scenario(1, p=[["prepare"]], g=[["go_within", 1]], c=[["sleep", 1]]),
    "a lock": scenario(0, f=[["forward"]], e=[["fail"]], g=[["forward"]]),
}


def project(root, texts):
    """What a recording needs of the mechanism with these sources."""
    for folder in ("impl", "harness", "model"):
        (root / folder).mkdir()
    spec = root / "harness" / "start.py"
    spec.write_text(texts["harness.start"], encoding="utf-8")
    mechanism = SimpleNamespace(name="start", module="Start", root=root, modules=texts, spec=spec)
    mechanism.without = lambda decision: mechanism
    return mechanism


def controlled(root, program, seed):
    """A random schedule, the variables at its end, and the threads that have not ended."""
    implementation = ControlledImplementation.load(root, "start", texts=TEXTS)
    chance, schedule, run = random.Random(seed), [], implementation.begin(program)
    while able := list(run.enabled()):
        index = chance.choice(able)
        schedule.append((run.threads[index].name, run.threads[index].label))
        run.step(index)
    end = {name: plain(values) for name, values in run.shared().items()}
    waiting = {thread.name for thread in run.threads if thread.label != "Done"}
    run.end()
    return schedule, end, waiting


def recorded(mechanism, program, schedule):
    run = record(mechanism, program, "own", schedule=schedule)
    end = {}
    for event in run.events:
        end |= event.get("state", {})
    steps = [(each["thread"], each["label"]) for each in run.events if each["k"] == "step"]
    return steps, end, {each["thread"] for each in run.events if each["k"] == "blocked"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_schedule_goes_as_under_control(name, tmp_path):
    mechanism = project(tmp_path, TEXTS)
    for seed in range(4):
        expected = controlled(tmp_path, PROGRAMS[name], seed)
        assert recorded(mechanism, PROGRAMS[name], expected[0]) == expected


def test_a_latch_that_opens_early_goes_another_way(tmp_path):
    """Two threads go on where one has to wait: the recorder runs the project's class."""
    early = texts_with(
        "harness.primitives",
        ("return self.count == 0 or", "return self.count <= 1 or"),
        ("            if self.count > 0:\n                scheduler.unplanned()\n", ""),
    )
    mechanism = project(tmp_path, early)
    expected = controlled(tmp_path, PROGRAMS["never opens"], 1)
    assert expected[2] == {"g"}
    assert recorded(mechanism, PROGRAMS["never opens"], expected[0])[2] == set()


def test_an_operation_without_a_label_is_refused(tmp_path):
    texts = texts_with("impl.start", ("self.latch.wait()  # wait G1", "self.latch.wait()"))
    mechanism = project(tmp_path, texts)
    with pytest.raises(UsageError, match=r"Latch.wait cannot be recorded: its line has no label"):
        record(mechanism, PROGRAMS["opens for all"], "own")
