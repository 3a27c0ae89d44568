"""The delay queue's waiting while time passes only where no thread can move: before it does, each
queued element lies in the future, and a sleeper wakes in time for the first.

The mechanism delay_queue compares every step with the model and has the queue's other promises.
There time may pass between any two steps, and a sleep is too long by what passed before it began.
"""

from __future__ import annotations

import pytest

from tests.model.artefacts import ROOT, Artefacts
from wheelproof.python import ControlledImplementation, Run
from wheelproof.python.search.states import explore_states

QUEUE = Artefacts("delay_queue")
CLOCK = "c"
SCENARIOS = tuple(
    name
    for name, scenario in QUEUE.mechanism.scenarios.items()
    if CLOCK in scenario["threads"] and name != "sooner_interrupted"
)
LONG = ("two_takers", "sooner_for_two", "two_offers_at_once")


def a_due_head_is_taken(harness, run: Run) -> bool:
    """Where no thread but the clock can move, the first element lies ahead, and a thread wakes for
    it."""
    asleep, heap = harness.gate.due.asleep, harness.queue.heap
    if not asleep or not heap or set(run.enabled()) - {harness.threads.index(CLOCK)}:
        return True
    return (
        harness.time.now < heap[0].at
        and min(deadline for _, deadline in harness.time.alarms) <= heap[0].at
    )


NOTIFIES = "                self.gate.notify()"
MUTANTS = {
    "notify keeps the leader": (
        "two_takers",
        "gate",
        "        self.leader = None  # write N1\n",
        "",
    ),
    "a leaving thread wakes no thread": (
        "two_items",
        "gate",
        "        if self.leader is None:\n            self.due.notify()  # notify L1\n",
        "",
    ),
    "the leader sleeps twice as long": (
        "two_items",
        "gate",
        "self.due.wait(min(wait, TIMEOUT_MAX))",
        "self.due.wait(2 * wait)",
    ),
    "offer wakes no thread": ("one_taker", "delay_queue", NOTIFIES, "                pass"),
    "offer wakes for the first element only": (
        "sooner",
        "delay_queue",
        "if self.heap[0] is element:",
        "if len(self.heap) == 1:",
    ),
    "offer wakes when another element is first": (
        "one_taker",
        "delay_queue",
        "if self.heap[0] is element:",
        "if self.heap[0] is not element:",
    ),
}


def explored(scenario: str, *change: str, patient: str = CLOCK):
    """``change``: module, old text, new text."""
    texts = {}
    if change:
        module, old, new = change
        text = (ROOT / "impl" / f"{module}.py").read_text(encoding="utf-8")
        assert text.count(old) == 1
        texts[f"impl.{module}"] = text.replace(old, new)
    subject = ControlledImplementation.load(ROOT, QUEUE.name, texts=texts, lint=False)
    properties = {"a_due_head_is_taken": a_due_head_is_taken}
    return explore_states(subject, QUEUE.mechanism.scenarios[scenario], properties, patient=patient)


@pytest.mark.parametrize(
    "scenario",
    [pytest.param(name, marks=pytest.mark.nightly) if name in LONG else name for name in SCENARIOS],
)
def test_an_element_is_taken_when_it_is_due(scenario):
    found = explored(scenario)
    assert found.outcome == "kept" and found.ends > 0, found


def test_time_that_does_not_wait_may_make_a_sleep_too_long():
    """Why time is patient here: a sleep is as long as the first element was away when it was
    looked at."""
    found = explored("not_long_enough", patient="")
    assert (found.outcome, found.property) == ("violated", "a_due_head_is_taken")


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_late(name):
    scenario, *change = MUTANTS[name]
    found = explored(scenario, *change)
    assert (found.outcome, found.property) == ("violated", "a_due_head_is_taken"), found
