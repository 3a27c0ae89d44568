"""The whole timer recorded: runs of the model conform, and one changed event is refused."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.wheelproof.trace.followed import by_rules
from tests.wheelproof.trace.recorded import mechanisms
from wheelproof.pipeline import law
from wheelproof.trace import examples
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES, Verdict
from wheelproof.trace.recording.record import Recorded, record
from wheelproof.trace.recording.runs import Infeasible

NAME = "system_timer"
SCENARIOS = (
    "one_adder",
    "stalled_adder",
    "two_adders",
    "one_bucket",
    "canceller",
    "added_again",
    "executor",
    "two_adders_far",
    "closing",
)


def judged(recorded: Recorded) -> Verdict:
    return law.verdict_on(recorded.header, recorded.events, recorded.footer)


@pytest.mark.daily(9)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_recorded_run_of_the_model_conforms(scenario, seed):
    schedule = examples.random_schedule(mechanisms()[NAME], scenario, seed)
    recorded = record(mechanisms(), NAME, scenario, "bisimulation", schedule=schedule)
    assert judged(recorded).verdict == CONFORMS


def test_the_kinds_of_a_wheel_are_recorded_and_judged():
    recorded = record(
        mechanisms(),
        NAME,
        "two_adders_far",
        "kinds",
        schedule=examples.random_schedule(mechanisms()[NAME], "two_adders_far", 1),
    )
    kinds = Counter(event["k"] for event in recorded.events)
    assert (
        kinds["add_request"] == kinds["entry_new"] == 2
        and kinds["wheel_place"] == kinds["list_add"] >= 3
    )
    assert (
        kinds["wheel_reject"] == kinds["expire_submit"] == 2
        and kinds["reinsert"] == kinds["list_remove"] >= 3
    )
    assert kinds["thread_start"] == kinds["thread_stop"] == 4
    request = next(event for event in recorded.events if event["k"] == "add_request")
    made = next(
        event
        for event in recorded.events
        if event["k"] == "entry_new" and event["task"] == request["task"]
    )
    assert made["exp_ms"] == request["now_ms"] + request["delay_ms"]
    verdict = judged(recorded)
    assert (
        verdict.verdict == CONFORMS
        and min(verdict.applied[name] for name in ("SlotInRange", "LevelBound", "NotEarly")) >= 3
    )


@pytest.mark.daily(5)
@pytest.mark.parametrize(
    ("kind", "change", "property"),
    [
        ("wheel_place", lambda event: {**event, "bucket": event["bucket"] + 1}, "SlotInRange"),
        ("wheel_place", lambda event: {**event, "wheel_ms": event["exp_ms"]}, "NotEarly"),
        (
            "wheel_place",
            lambda event: (
                {
                    **event,
                    "level": 2,
                    "vid": event["exp_ms"] // 3,
                    "bucket": event["exp_ms"] // 3 % 3,
                }
                if event["level"] == 1
                else None
            ),
            "LevelBound",
        ),
        (
            "wheel_place",
            lambda event: (
                {**event, "level": 1, "vid": event["exp_ms"], "bucket": event["exp_ms"] % 3}
                if event["level"] == 2
                else None
            ),
            "LevelBound",
        ),
        ("wheel_reject", lambda event: {**event, "wheel_ms": event["exp_ms"] - 1}, "NotEarly"),
        (
            "bucket_expiry_set",
            lambda event: {**event, "key_ms": -1} if event["pre"]["key_ms"] == -1 else None,
            "ResetWhenEmpty",
        ),
    ],
)
def test_one_changed_event_is_refused_by_its_rule(kind, change, property):
    recorded = record(
        mechanisms(),
        NAME,
        "two_adders_far",
        "kinds",
        schedule=examples.random_schedule(mechanisms()[NAME], "two_adders_far", 1),
    )
    number, changed = next(
        (number, changed)
        for number, event in enumerate(recorded.events)
        if event["k"] == kind and (changed := change(dict(event))) is not None
    )
    verdict = by_rules(
        recorded.header, [*recorded.events[:number], changed, *recorded.events[number + 1 :]]
    )
    names = {finding.property for finding in verdict.findings}
    assert verdict.verdict == VIOLATES and property in names, names
    assert judged(recorded).verdict == CONFORMS


def test_a_schedule_that_a_lock_forbids_is_infeasible():
    """The adder links into the bucket that the reaper is flushing, whose monitor the reaper
    holds."""
    begin = [
        ("adder", label)
        for label in ["A1", "A2", "A3", "W1", "W2", "W3", "W4", "A4", "A1", "A2", "A3", "W1"]
    ]
    schedule = [
        *begin,
        ("clock", "C1"),
        *(("reaper", label) for label in ["R1", "R2", "R3", "R8", "R5", "R7", "V1", "F2"]),
        ("adder", "W2"),
    ]
    with pytest.raises(Infeasible) as caught:
        record(mechanisms(), NAME, "closing", "forbidden", mutant="M13", schedule=schedule)
    assert caught.value.steps == len(schedule)


def test_what_a_timer_read_and_for_whom_is_recorded():
    """The clock that a poll and an add read, and the entry for which a bucket is keyed: what rules
    of single events look at."""
    recorded = record(
        mechanisms(),
        NAME,
        "two_adders_far",
        "read",
        schedule=examples.random_schedule(mechanisms()[NAME], "two_adders_far", 1),
    )
    polls = [event for event in recorded.events if event["k"] == "dq_poll" and "list" in event]
    assert polls and all(event["key_ms"] <= event["now_ms"] for event in polls)
    made = [event for event in recorded.events if event["k"] == "entry_new"]
    assert made and all(event["exp_ms"] == event["now_ms"] + event["delay_ms"] for event in made)
    keyed = [
        event
        for event in recorded.events
        if event["k"] == "bucket_expiry_set" and event["key_ms"] >= 0
    ]
    ticks = {1: 1, 2: 3}
    assert keyed and all(
        event["key_ms"] == event["exp_ms"] // ticks[event["level"]] * ticks[event["level"]]
        for event in keyed
    )
