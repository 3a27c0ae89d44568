"""The delay queue's waiting under control: in every schedule of small programs a due head is
taken, once, and not before its time."""

from __future__ import annotations

import pytest

from tests.impl.production.loading import text
from tests.model.floors import ROOT
from wheelproof.explore import Run, Subject
from wheelproof.explore.states import explore_states

CLOCK = {"clock": [["clock"]]}
SCENARIOS = {
    "one_poller": {"threads": {"p": [["poll", 3]], "o": [["offer", 2]], **CLOCK}},
    "an_earlier_head": {
        "threads": {"p": [["poll", 4]], "o": [["offer", 3], ["offer", 1]], **CLOCK}
    },
    "nothing_comes": {"threads": {"p": [["poll", 1]], "q": [["poll", 2]], **CLOCK}},
    "too_late": {"threads": {"p": [["poll", 1]], "o": [["offer", 2]], **CLOCK}},
    "two_pollers": {
        "threads": {"p": [["poll", 4]], "q": [["poll", 4]], "o": [["offer", 2]], **CLOCK}
    },
    "two_pollers_two_elements": {
        "threads": {
            "p": [["poll", 4]],
            "q": [["poll", 4]],
            "o": [["offer", 2], ["offer", 1]],
            **CLOCK,
        }
    },
    "a_poller_that_does_not_wait": {
        "threads": {"p": [["poll", 4]], "q": [["offer", 0], ["poll_now"]], **CLOCK}
    },
    "two_offers_at_once": {
        "threads": {
            "p": [["poll", 4], ["poll", 4]],
            "o": [["offer", 2]],
            "r": [["offer", 1]],
            **CLOCK,
        }
    },
}
LONG = ("two_pollers_two_elements", "two_offers_at_once")


def taken_once(world, run: Run) -> bool:
    """No element is taken twice, and at rest each is taken or queued."""
    taken = [at for at, _ in world.taken.value]
    left = [element.at for element in world.queue.heap]
    offered = sorted(element.at for element in world.elements.values())
    return len(set(taken)) == len(taken) and (not run.done or sorted(taken + left) == offered)


def not_early(world, run: Run) -> bool:
    return all(at <= when for at, when in world.taken.value)


def a_due_head_is_taken(world, run: Run) -> bool:
    """Where time passes only when no thread can move: before it does, each queued element is in
    the future, and a sleeper wakes in time."""
    asleep, heap = world.gate.due.asleep, world.queue.heap
    if not asleep or not heap or set(run.enabled()) - {world.clock_number}:
        return True
    return (
        world.time.now < heap[0].at
        and min(deadline for _, deadline in world.time.alarms) <= heap[0].at
    )


def the_gate_is_given_back(world, run: Run) -> bool:
    return not run.done or world.gate.due.lock.owner is None


ALWAYS = {each.__name__: each for each in (taken_once, not_early, the_gate_is_given_back)}
IN_TIME = ALWAYS | {"a_due_head_is_taken": a_due_head_is_taken}

NOTIFIES = "                self.gate.notify()"
MUTANTS = {
    "notify keeps the leader": (
        "two_pollers_two_elements",
        "a_due_head_is_taken",
        "gate",
        "        self.leader = None  # write N1\n",
        "",
    ),
    "who leaves wakes nobody": (
        "two_pollers_two_elements",
        "a_due_head_is_taken",
        "gate",
        "        if self.leader is None:\n            self.due.notify()  # notify L1\n",
        "",
    ),
    "offer wakes nobody": (
        "one_poller",
        "a_due_head_is_taken",
        "delay_queue",
        NOTIFIES,
        "                pass",
    ),
    "offer wakes for the first element only": (
        "an_earlier_head",
        "a_due_head_is_taken",
        "delay_queue",
        "if self.heap[0] is element:",
        "if len(self.heap) == 1:",
    ),
    "offer wakes when another element is first": (
        "one_poller",
        "a_due_head_is_taken",
        "delay_queue",
        "if self.heap[0] is element:",
        "if self.heap[0] is not element:",
    ),
    "poll takes after it has left the gate": (
        "a_poller_that_does_not_wait",
        "exception",
        "delay_queue",
        "        try:\n            return self._take()\n        finally:\n            self.gate.release()",
        "        self.gate.release()\n        return self._take()",
    ),
    "poll_now takes without the gate": (
        "a_poller_that_does_not_wait",
        "exception",
        "delay_queue",
        "        with self.gate:\n            return self._take()",
        "        return self._take()",
    ),
    "poll keeps the gate where it finds nothing": (
        "nothing_comes",
        "NoDeadlock",
        "delay_queue",
        "        try:\n            return self._take()\n        finally:\n            self.gate.release()",
        "        taken = self._take()\n        if taken is not None:\n            self.gate.release()\n        return taken",
    ),
    "what is not due is taken": (
        "too_late",
        "not_early",
        "delay_queue",
        "if not heap or heap[0].get_delay() > 0:",
        "if not heap:",
    ),
    "followers have no time of their own": (
        "nothing_comes",
        "NoDeadlock",
        "gate",
        "self.due.wait(min(left, TIMEOUT_MAX))",
        "self.due.wait()",
    ),
    "an element stays when it is taken": (
        "a_poller_that_does_not_wait",
        "taken_once",
        "delay_queue",
        "first, last = heap[0], heap.pop()",
        "first, last = heap[0], heap[0]",
    ),
}


def explored(scenario: str, *changes: tuple[str, str, str], patient: bool):
    """``patient``: time passes only when no thread can move. Else it may pass between any two
    steps, and a sleep may be too long by that."""
    texts = {"mapping.waiting": (ROOT / "tests/impl/life/queue_harness.py").read_text()}
    for module in {name for name, _, _ in changes}:
        texts[f"impl.{module}"] = text(
            module, [(old, new) for name, old, new in changes if name == module], labels=True
        )
    subject = Subject.load(ROOT, "waiting", texts=texts, lint=False)
    return explore_states(
        subject,
        SCENARIOS[scenario],
        IN_TIME if patient else ALWAYS,
        patient="clock" if patient else "",
    )


EVERY = [
    pytest.param(name, patient, marks=pytest.mark.nightly)
    if name in LONG or name == "two_pollers" and not patient
    else (name, patient)
    for name in SCENARIOS
    for patient in (True, False)
]


@pytest.mark.parametrize("scenario, patient", EVERY)
def test_pollers_and_offers_keep_the_queues_promises(scenario, patient):
    found = explored(scenario, patient=patient)
    assert found.outcome == "kept" and found.ends > 0, found


@pytest.mark.nightly
def test_time_that_does_not_wait_may_make_a_sleep_too_long():
    """Why time is patient where lateness is judged: a sleep is as long as the head was away when
    it was looked at."""
    subject = Subject.load(
        ROOT,
        "waiting",
        texts={"mapping.waiting": (ROOT / "tests/impl/life/queue_harness.py").read_text()},
        lint=False,
    )
    found = explore_states(subject, SCENARIOS["two_pollers_two_elements"], IN_TIME)
    assert (found.outcome, found.property) == ("violated", "a_due_head_is_taken")


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_breaks_the_named_promise(name):
    scenario, property, module, old, new = MUTANTS[name]
    found = explored(scenario, (module, old, new), patient=True)
    assert (found.outcome, found.property) == ("violated", property), found
