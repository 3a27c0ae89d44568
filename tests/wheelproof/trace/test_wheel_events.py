"""Events of the wheels alone: levels, second attempts to link, an emptied timer."""

from __future__ import annotations

import pytest

from tests.wheelproof.trace.followed import by_rules
from tests.wheelproof.trace.recorded import mechanisms
from tests.wheelproof.trace.test_wheel_traces import (
    OVERFLOW,
    WHEEL,
    judged,
    kinds_of,
    random_run_of,
)
from wheelproof.trace.format.renumbering import renumbered
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES, Verdict
from wheelproof.trace.recording.record import Recorded, record

# -- the kinds that the making of levels, and a second attempt to link, are recorded as


def test_a_level_is_made_with_its_buckets_and_then_published_once():
    recorded = random_run_of(WHEEL, "three_adders")
    made = [
        event
        for event in recorded.events
        if event["k"] in ("bucket_new", "wheel_new", "overflow_create")
    ]
    assert [(event["k"], event["level"]) for event in made] == [
        (kind, level)
        for level in (2, 3)
        for kind in ("bucket_new", "bucket_new", "wheel_new", "overflow_create")
    ]
    assert [event["pre"]["key_ms"] for event in made if event["k"] == "wheel_new"] == [2, 4]
    assert [event["bucket"] for event in made if event["k"] == "bucket_new"] == [0, 1, 0, 1]
    assert len({event["list"] for event in made if event["k"] == "bucket_new"}) == 4
    assert all(event["tid"] == made[0]["tid"] for event in made[:4]), (
        "under one monitor, by one thread"
    )


def changed(recorded: Recorded, kind: str, change) -> Verdict:
    number, event = next(
        (number, made)
        for number, each in enumerate(recorded.events)
        if each["k"] == kind and (made := change(dict(each))) is not None
    )
    events = [*recorded.events[:number], *event, *recorded.events[number + 1 :]]
    return by_rules(recorded.header, renumbered(events))


def names(verdict: Verdict) -> set[str]:
    assert verdict.verdict == VIOLATES, verdict.first
    return {finding.property for finding in verdict.findings}


@pytest.mark.daily(6)
@pytest.mark.parametrize(
    "kind, change, property",
    [
        ("wheel_new", lambda event: [{**event, "pre": {"key_ms": 3}}], "LevelBegins"),
        (
            "wheel_new",
            lambda event: [{**event, "wheel_ms": event["wheel_ms"] + event["pre"]["key_ms"]}],
            "LevelBegins",
        ),
        ("wheel_new", lambda event: [], "MadeBeforePublished"),
        ("bucket_new", lambda event: [event, event], "FreshList"),
        ("overflow_create", lambda event: [event, event], "OneOverflowWheel"),
        (
            "list_add",
            lambda event: [
                {
                    **event,
                    "exp_ms": event["exp_ms"] - 2 * 2 ** (event["level"] - 1),
                    "bucket": event["bucket"],
                }
            ],
            "SlotInRange",
        ),
    ],
)
def test_one_changed_event_is_refused_by_the_rule_that_is_for_it(kind, change, property):
    recorded = random_run_of(WHEEL, "cascade")
    verdict = changed(recorded, kind, change)
    assert property in names(verdict)
    assert judged(recorded).verdict == CONFORMS


@pytest.mark.nightly
def test_who_finds_the_entry_in_a_list_tries_again_and_says_so():
    """Two threads add one entry: the second finds it linked when it has both monitors."""
    seen = 0
    for seed in range(1, 13):
        recorded = random_run_of("timer_task_list", "two_adders", seed)
        assert judged(recorded).verdict == CONFORMS
        for number, event in enumerate(recorded.events):
            if event["k"] == "list_add_retry":
                seen += 1
                later = [
                    other["k"] for other in recorded.events[number:] if other["tid"] == event["tid"]
                ]
                assert later[:4] == [
                    "list_add_retry",
                    "lock_release",
                    "lock_release",
                    "owner_read",
                ], "it lets go, and looks once more which list has the entry"
                verdict = changed(
                    recorded, "list_add_retry", lambda one: [{**one, "pre": {"list": 0}}]
                )
                assert "RetrySeesOwner" in names(verdict)
    assert seen > 1


# -- a timer that is emptied


def test_what_is_withdrawn_is_handed_over_as_such():
    recorded = random_run_of(WHEEL, "withdrawn")
    handed = [event for event in recorded.events if event["k"] == "expire_submit"]
    assert len(handed) == 2 and {event["cause"] for event in handed} == {"shutdown"}
    assert all(
        "cause" not in event
        for event in random_run_of(WHEEL, "cascade").events
        if event["k"] == "expire_submit"
    )
    assert "cancel_check" in kinds_of(recorded), (
        "the adders have checked, and a withdrawal does not"
    )


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "scenario, change, property",
    [
        (
            "withdrawn",
            lambda event: [{name: value for name, value in event.items() if name != "cause"}],
            "CheckedLive",
        ),
        ("withdrawn", lambda event: [event, event], "FiredOnce"),
        (
            "cascade",
            lambda event: [{**event, "cause": "shutdown"}, {**event, "cause": "shutdown"}],
            "FiredOnce",
        ),
    ],
)
def test_a_shutdown_excuses_nothing_but_the_missing_check(scenario, change, property):
    verdict = changed(random_run_of(WHEEL, scenario), "expire_submit", change)
    assert property in names(verdict)


# -- a thread that ends


def test_who_ends_with_a_monitor_is_refused():
    recorded = random_run_of(OVERFLOW, "two")
    left = [
        event
        for event in recorded.events
        if not (event["k"] == "lock_release" and event["tid"] == 1)
    ]
    assert "MonitorsReturned" in names(by_rules(recorded.header, renumbered(left)))
    last = next(event for event in reversed(recorded.events) if event["k"] == "lock_release")
    rest = [event for event in recorded.events if event is not last]
    assert "MonitorsReturned" in names(by_rules(recorded.header, renumbered(rest)))
    assert judged(recorded).verdict == CONFORMS


def test_a_memory_that_delays_nothing_is_no_thread_of_a_recording():
    for recorded in (random_run_of(OVERFLOW, "two"), record(mechanisms(), OVERFLOW, "two", "free")):
        assert set(recorded.header["threads"].values()) == {"a", "b"}
        assert {event["tid"] for event in recorded.events} == {1, 2}
