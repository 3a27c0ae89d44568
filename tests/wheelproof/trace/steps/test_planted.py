"""Faults in the use of a semaphore, event, barrier or queue, on real threads: the follower refuses
each by name. And a barrier whose action fails."""

from __future__ import annotations

import pytest

from tests.wheelproof.trace.steps.projects import inside, scenario, written
from wheelproof.trace.steps import moments
from wheelproof.trace.steps.follow import follow
from wheelproof.trace.steps.record import record

NONE_FREE = {"value": 0}
FAULTS = [
    # primitive, fault, old, new, program, why the recording is refused
    (
        "semaphore",
        "releases twice",
        "release(n)",
        "release(n + 1)",
        scenario(a="leave 1"),
        "value is [3], and [2] in the model",
    ),
    (
        "semaphore",
        "keeps its place",
        "with self.places:  # lock H1, unlock H2",
        "if self.places.acquire():  # lock H1",
        scenario(a="hold"),
        "a's operation returns null, and has not ended in the model",
    ),
    (
        "semaphore",
        "takes a failure for a place",
        "acquire(False)",
        "acquire(False) is not None",
        inside(scenario(a="attempt"), **NONE_FREE),
        "returns true, and false in the model",
    ),
    (
        "semaphore",
        "waits for another time",
        "acquire(True, n)",
        "acquire(True, n + 1)",
        inside(scenario(a="within 1", b="sleep 1"), **NONE_FREE),
        "a waits at W2 for ever, and in the model it can go on",
    ),
    (
        "bounded_semaphore",
        "has no bound",
        "BoundedSemaphore(",
        "Semaphore(",
        scenario(a="leave 1"),
        'returns null, and "too many" in the model',
    ),
    (
        "bounded_semaphore",
        "has a place more",
        'scenario["value"]',
        'scenario["value"] + 1',
        scenario(a="enter; enter"),
        "value is [2], and [1] in the model",
    ),
    (
        "event",
        "clears for sets",
        "self.ready.set()",
        "self.ready.clear()",
        scenario(a="set"),
        "flag is [false], and [true] in the model",
    ),
    (
        "event",
        "waits without an end",
        "self.ready.wait(n)",
        "self.ready.wait(None)",
        scenario(a="within 1", b="sleep 1"),
        "a waits at W4 for ever, and in the model it can go on",
    ),
    (
        "barrier",
        "waits for one thread more",
        'scenario["parties"]',
        'scenario["parties"] + 1',
        scenario(a="meet", b="meet"),
        'phase is ["filling"], and ["acting"] in the model',
    ),
    (
        "barrier",
        "aborts for resets",
        "self.round.reset()",
        "self.round.abort()",
        scenario(a="reset"),
        'phase is ["broken"], and ["filling"] in the model',
    ),
    (
        "barrier",
        "acts twice",
        "self.acts + 1",
        "self.acts + 2",
        scenario(a="meet", b="meet"),
        "acts is [2], and [1] in the model",
    ),
    (
        "barrier",
        "forgets what it hands out",
        "return self.round.wait()",
        "self.round.wait()",
        scenario(a="meet", b="meet"),
        "operation returns null, and",
    ),
    (
        "queue",
        "takes the last item",
        "Queue(",
        "LifoQueue(",
        scenario(a="put 1; put 2; get"),
        "returns 2, and 1 in the model",
    ),
    (
        "queue",
        "has room for one more",
        'scenario["room"]',
        'scenario["room"] + 1',
        inside(scenario(a="put 1; put 2"), room=1),
        "a takes P1, and has to wait there in the model",
    ),
    (
        "queue",
        "forgets that an item is done",
        "self.todo.task_done()",
        "pass",
        inside(scenario(a="done"), items=[1]),
        "a's operation returns null, and has not ended in the model",
    ),
    (
        "queue",
        "waits without an end",
        "self.todo.get(timeout=n)",
        "self.todo.get(timeout=None)",
        scenario(a="get_within 1", b="sleep 1"),
        "a waits at G3 for ever, and in the model it can go on",
    ),
    (
        "lifo_queue",
        "takes the first item",
        "LifoQueue(",
        "Queue(",
        scenario(a="put 1; put 2; get"),
        "returns 1, and 2 in the model",
    ),
    (
        "priority_queue",
        "takes the first item",
        "PriorityQueue(",
        "Queue(",
        scenario(a="put 2; put 1; get"),
        "returns 2, and 1 in the model",
    ),
    (
        "priority_queue",
        "takes the last item",
        "PriorityQueue(",
        "LifoQueue(",
        scenario(a="put 1; put 2; get"),
        "returns 2, and 1 in the model",
    ),
]


RUNS = 100
"""Free runs at most: in some order of the threads a fault may change nothing."""


@pytest.mark.parametrize(
    "name, fault, old, new, program, why", FAULTS, ids=[f"{row[0]} {row[1]}" for row in FAULTS]
)
def test_a_fault_is_refused_by_name(tmp_path, name, fault, old, new, program, why):
    mechanism = written(tmp_path, name, old, new)
    for _ in range(RUNS):
        verdict = follow({name: mechanism}, record(mechanism, program, "fault"))
        if verdict.verdict == "violates":
            break
    assert verdict.verdict == "violates" and why in verdict.first.message


FAILING = """self.acts = self.acts + 1  # write A1
        pause(0.3)
        raise ValueError"""


@pytest.fixture
def failing(tmp_path):
    """A barrier whose action fails some time after its last step; ``ask`` comes meanwhile."""
    mechanism = written(tmp_path, "barrier", "self.acts = self.acts + 1  # write A1", FAILING)
    for file, changes in {
        "impl": (
            ("except BrokenBarrierError", "except (BrokenBarrierError, ValueError)"),
            (
                "from wheelproof_runtime import Prio",
                "from time import sleep as pause\nfrom wheelproof_runtime import Prio",
            ),
            ("return self.round.broken", "pause(0.1)\n        return self.round.broken"),
        ),
        "model": (
            ('"draining" if self.inside else "filling"', '"broken"'),
            ("self.ended(t, t.n)", 'self.ended(t, "broken")'),
        ),
    }.items():
        path = tmp_path / file / "barrier.py"
        text = path.read_text()
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        path.write_text(text)
    return mechanism


MEETING = scenario(a="meet", b="meet", c="ask")


def test_what_a_failing_action_changes_belongs_to_its_last_step(failing):
    verdict = follow({failing.name: failing}, record(failing, MEETING, "failing"))
    assert verdict.verdict == "conforms", verdict.findings


def test_a_look_before_the_action_has_changed_the_barrier_is_refused(failing, monkeypatch):
    """The recorder without its wait for the thread that runs the action."""

    def blocks(self, actor):
        return self._awaits is not None and not self._awaits.admits(actor)

    monkeypatch.setattr(moments.Waits, "blocks", blocks)
    verdict = follow({failing.name: failing}, record(failing, MEETING, "failing"))
    assert verdict.verdict == "violates" and verdict.first.event["thread"] == "c"
    assert "c's operation returns false, and true in the model" in verdict.first.message
