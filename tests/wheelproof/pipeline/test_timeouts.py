"""The rules of an operation's timeout: each rejects a fault by name, and sound runs conform, also
Kafka's."""

import checked
import damages
import one_step_timer as timer
import pytest

RULES = ("LeftIsTimed", "TimedOnce", "RunsAsTimed", "CancelledOnce", "TakenWhileTimed")


@pytest.fixture(scope="module")
def traces():
    return timer.traces()


def test_a_sound_run_conforms_and_every_rule_has_looked_at_it(traces):
    head, events, footer = traces[timer.SOUND]
    found = checked.of(head, footer, events)
    assert found.violations == []
    assert all(found.applied[name] for name in (*RULES, "NoLeakedTimer", "ExpiredByTimeoutOnly"))


def test_every_rule_of_timeouts_has_a_fault():
    assert set().union(*(rules for _, rules, _ in timer.FAULTS.values())) >= set(RULES)


PLACES = {
    "timed_twice": (timer.CALLER, "add_request", 3),
    "runs_though_cancelled": (timer.TIMER, "task_run", 2),
    "cancelled_twice": (timer.EVENT, "cancel", 2),
    "expires_by_an_event": (timer.EVENT, "on_expire", 1),
}
"""Fault -> the event that is at fault: its thread, kind, and the how many-th of them it is. Of the
other faults something is missing, which is no event."""


def at_fault(name, events):
    """The event, and its line in a file, in which the header is the first."""
    tid, kind, number = PLACES[name]
    found = [
        (event, line)
        for line, event in enumerate(events, 2)
        if (event["tid"], event["k"]) == (tid, kind)
    ]
    return found[number - 1]


@pytest.mark.parametrize("name", timer.FAULTS)
def test_the_rules_in_bulk_that_are_named_reject_a_fault_and_no_others(name, traces):
    head, events, footer = traces[name]
    assert {*checked.rules(head, footer, events)} == timer.FAULTS[name][1]


@pytest.mark.parametrize("name", ["timed_twice", "runs_though_cancelled"])
def test_a_rule_about_the_word_names_the_event(name, traces):
    head, events, footer = traces[name]
    event, _ = at_fault(name, events)
    (row,) = checked.of(head, footer, events).violations
    assert all(row[column] == event[column] for column in ("tid", "tseq", "lc", "k"))


def named(events):
    """Each event says of which purgatory its operation is, as Kafka's recordings do."""
    for event in events:
        if event["k"].startswith("try_watch_"):
            event["purgatory"] = 3001


def apart(events):
    """An operation's task is another object, as with the timer of the scenario `real_timer`."""
    for event in events:
        if "task" in event:
            task = event["task"] + 5000
            event["ord"] = (*event["ord"][:-1], ("V", f"task:{task}.armed", 0, "w"))
            event["task"] = task


@pytest.mark.parametrize("change", [named, apart])
def test_an_operation_need_not_be_timed_where_its_timer_is_not_known(change):
    """The operation's purgatory may have no timer, or its task may be any. The control is the fault
    itself, which is refused."""
    left_untimed, _, _ = timer.FAULTS["left_untimed"]
    head, events, footer = timer.made("x", lambda events: (left_untimed(events), change(events)))
    assert checked.rules(head, footer, events) == {}


def _left_open(events):
    """No one cancels the key of the operation for which no event comes."""
    del events[next(at for at, each in enumerate(events) if each["k"] == "cancel_key_begin") :]


def test_a_timer_may_have_the_task_of_an_operation_that_is_open_at_the_end():
    """The control: that of a completed one it may not."""
    head, events, footer = timer.made("x", _left_open)
    found = checked.of(head, footer, events)
    assert found.violations == [] and found.applied["NoLeakedTimer"] == 3
    never_cancelled, rules, _ = timer.FAULTS["never_cancelled"]
    head, events, footer = timer.made("x", lambda each: (never_cancelled(each), _left_open(each)))
    assert {*checked.rules(head, footer, events)} == rules


def test_nothing_is_known_of_a_task_behind_a_write_that_was_not_recorded(traces):
    """The timer may have got it by that write. The control: where it is the first, it has not."""
    head, events, footer = traces[timer.SOUND]
    run = next(event for event in events if event["k"] == "task_run")
    _, _, version, _ = run["ord"][-1]
    assert version == 2
    left = [event for event in events if event.get("task") != run["task"] or event is run]
    assert "TakenWhileTimed" not in checked.rules(head, footer, left)
    first = run | {"ord": (*run["ord"][:-1], (*run["ord"][-1][:2], 1, "w"))}
    others = [event for event in left if event is not run]
    assert "TakenWhileTimed" in checked.rules(head, footer, [first, *others])


def test_kafka_s_operations_are_looked_at_and_conform():
    """A recording of Kafka's classes: its timer has entries, and writes no such word."""
    head, events = damages.read(damages.FOLDER / "purgatory.jsonl.gz")
    found = checked.of(head, checked.footer_of(head, events), events)
    assert found.violations == []
    assert found.applied["LeftIsTimed"] == found.applied["RunsAsTimed"] == 5
    assert found.applied["TakenWhileTimed"] == found.applied["TimedOnce"] == 0
