"""The rules of an operation's timeout: each rejects a fault by name, and sound runs conform, also
Kafka's."""

import checked
import damages
import one_step_timer as timer
import pytest

RULES = ("LeftIsTimed", "TimedOnce", "RunsAsTimed", "CancelledOnce", "TakenWhileTimed")


@pytest.fixture(scope="module")
def traces():
    return timer.traces() | variants()


@pytest.fixture(scope="module")
def answers(traces):
    """Name -> the answer of the table, of all traces in one question."""
    judged = checked.judge(traces.values(), listed=checked.ALL)
    return dict(zip(traces, judged, strict=True))


def test_a_sound_run_conforms_and_every_rule_has_looked_at_it(answers):
    answer = answers[timer.SOUND]
    assert answer.violations == []
    assert all(answer.applied[name] for name in (*RULES, "NoLeakedTimer", "ExpiredByTimeoutOnly"))


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
def test_the_rules_in_bulk_that_are_named_reject_a_fault_and_no_others(name, answers):
    assert {*answers[name].broken} == timer.FAULTS[name][1]


@pytest.mark.parametrize("name", ["timed_twice", "runs_though_cancelled"])
def test_a_rule_about_the_word_names_the_event(name, traces, answers):
    event, _ = at_fault(name, traces[name][1])
    (row,) = answers[name].violations
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


def left_open(events):
    """No one cancels the key of the operation for which no event comes."""
    del events[next(at for at, each in enumerate(events) if each["k"] == "cancel_key_begin") :]


def variants():
    """Name -> a run with two changes, or one that is no fault."""
    left_untimed, never_cancelled = (
        timer.FAULTS[name][0] for name in ("left_untimed", "never_cancelled")
    )
    changes = {
        "of a purgatory that is named": (left_untimed, named),
        "on a timer with tasks of its own": (left_untimed, apart),
        "open at the end": (left_open,),
        "completed at the end": (never_cancelled, left_open),
    }
    return {
        name: timer.made(name, lambda events, steps=steps: [step(events) for step in steps])
        for name, steps in changes.items()
    }


@pytest.mark.parametrize(
    "name", ["of a purgatory that is named", "on a timer with tasks of its own"]
)
def test_an_operation_need_not_be_timed_where_its_timer_is_not_known(name, answers):
    """The operation's purgatory may have no timer, or its task may be any. The control is the fault
    itself, which is refused."""
    assert answers[name].broken == {} != answers["left_untimed"].broken


def test_a_timer_may_have_the_task_of_an_operation_that_is_open_at_the_end(answers):
    """The control: that of a completed one it may not."""
    answer = answers["open at the end"]
    assert answer.violations == [] and answer.applied["NoLeakedTimer"] == 3
    assert {*answers["completed at the end"].broken} == timer.FAULTS["never_cancelled"][1]


def test_nothing_is_known_of_a_task_behind_a_write_that_was_not_recorded(traces):
    """The timer may have got it by that write. The control: where it is the first, it has not."""
    head, events, footer = traces[timer.SOUND]
    run = next(event for event in events if event["k"] == "task_run")
    _, _, version, _ = run["ord"][-1]
    assert version == 2
    left = [event for event in events if event.get("task") != run["task"] or event is run]
    first = run | {"ord": (*run["ord"][:-1], (*run["ord"][-1][:2], 1, "w"))}
    others = [event for event in left if event is not run]
    behind, at_first = checked.judge(
        [(head, left, footer), (head, [first, *others], footer)],
        checked.families_of("TakenWhileTimed"),
    )
    assert "TakenWhileTimed" not in behind.broken and "TakenWhileTimed" in at_first.broken


def test_kafka_s_operations_are_looked_at_and_conform():
    """A recording of Kafka's classes: its timer has entries, and writes no such word."""
    head, events = damages.read(damages.FOLDER / "purgatory.jsonl.gz")
    (answer,) = checked.judge([(head, events, checked.footer_of(head, events))])
    assert answer.broken == {}
    assert answer.applied["LeftIsTimed"] == answer.applied["RunsAsTimed"] == 5
    assert answer.applied["TakenWhileTimed"] == answer.applied["TimedOnce"] == 0
