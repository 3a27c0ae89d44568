"""Damages of a sound recording of Kafka, with all numbers given anew: what each is refused by, and
why some pass. The table judges first, then the model what it passes."""

import copy
import sys
from pathlib import Path

import pytest

from real.record import followed
from tests.real.recorded_kafka import LOAD, SOUND
from wheelproof.trace.format.jsonl import write
from wheelproof.trace.judging.verdict import CONFORMS

sys.path.append(str(Path(__file__).parents[1] / "wheelproof" / "pipeline"))

import checked
import damages

# -- what no rule noticed before


def first_of(events, kind, **columns):
    return next(
        number
        for number, event in enumerate(events)
        if event["k"] == kind and columns.items() <= event.items()
    )


def without(kind, **columns):
    """Drops the first such event."""

    def change(events):
        del events[first_of(events, kind, **columns)]

    return change


def unheld(kind, monitor):
    """Takes a monitor away from the first such event."""

    def change(events):
        event = events[first_of(events, kind)]
        event["ord"] = tuple(token for token in event["ord"] if not token[1].startswith(monitor))

    return change


def other_level(events):
    event = events[first_of(events, "clock_advance", level=2)]
    event["wheel_ms"] -= 20


def two_at_once(events):
    """The second entry of a flush is unlinked before the first one is handed back."""
    at = next(
        number
        for number, event in enumerate(events)
        if event["k"] == "reinsert" and events[number - 1]["k"] == "list_remove"
    )
    later = next(
        number
        for number in range(at + 1, len(events))
        if events[number]["k"] == "cancel_check" and events[number]["tid"] == events[at]["tid"]
    )
    events.insert(later, events.pop(at))


def placed_after(events):
    at = first_of(events, "wheel_place")
    link = next(
        number
        for number in range(at, len(events))
        if events[number]["k"] == "list_add" and events[number]["entry"] == events[at]["entry"]
    )
    events.insert(link, events.pop(at))


def placed_for_another(events):
    first = first_of(events, "wheel_place")
    other = next(
        event["entry"]
        for event in events[first + 1 :]
        if event["k"] == "entry_new" and event["entry"] != events[first]["entry"]
    )
    events[first]["entry"] = other
    events[first].pop("task")


PLANTED = {
    "a reinsert is dropped": (without("reinsert"), {"HandBackAfterUnlink"}),
    "a reinsert comes late": (two_at_once, {"HandBackAfterUnlink"}),
    "a place is dropped": (without("wheel_place"), {"LinkedWherePlaced"}),
    "a place comes late": (placed_after, {"LinkedWherePlaced"}),
    "a place is another's": (placed_for_another, {"LinkedWherePlaced"}),
    "level 2 stands still": (without("clock_advance", level=2), {"LevelsAtOneTime"}),
    "level 3 stands still": (without("clock_advance", level=3), {"LevelsAtOneTime"}),
    "level 2 is behind": (other_level, {"LevelsAtOneTime"}),
    "a link without the list's monitor": (unheld("list_add", "list:"), {"LinkedUnderMonitors"}),
    "a link without the entry's monitor": (unheld("list_add", "entry:"), {"LinkedUnderMonitors"}),
    "an unlink without the list's": (unheld("list_remove", "list:"), {"LinkedUnderMonitors"}),
    "an unlink without the entry's": (unheld("list_remove", "entry:"), {"LinkedUnderMonitors"}),
}


@pytest.mark.daily(2)
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_damage_is_refused_by_the_rule_of_its_name(name):
    change, properties = PLANTED[name]
    header, events = damages.read(LOAD)
    events = copy.deepcopy(events)
    change(events)
    events = damages.renumbered(events)
    footer, families = checked.footer_of(header, events), checked.families_of(*properties)
    assert checked.rules(header, footer, events, families).keys() & properties


@pytest.mark.parametrize("kind", ["reinsert", "wheel_place"])
def test_what_is_demanded_by_name_is_not_demanded_of_who_does_not_record_it(kind):
    header, events = damages.read(SOUND)
    kept = damages.renumbered([event for event in events if event["k"] != kind])
    kinds = [name for name in header["capture"]["kinds"] if name != kind]
    silent = {**header, "capture": {**header["capture"], "kinds": kinds}}
    assert not checked.rules(silent, checked.footer_of(silent, kept), kept)


# -- every kind of damage, at night

CLOCK = "a clock that was read a little earlier or later is a clock as well"
KEPT = "other events say the same, or nothing depends on it"
COMMUTE = "the two steps share no word and no lock: either order is a run"
TIMER = "no rule compares the timer of these kinds with that of the entry or of the bracket"
BRACKET = "no rule compares the task of an add's bracket with that of the clock read in it"
RESULT = "no rule asks what a call that returns nothing returns"
ENDS = "no rule asks for the end of a run of a task, nor what it says"
UNUSED = "nothing is put into the bucket or level, so that nothing else names it"
ANY = {"now_ms": CLOCK, "swap": COMMUTE, "duplicate": KEPT}
"""What was done to an event of any kind -> why it may pass."""
OF_KIND = {
    "timer": (
        TIMER,
        "add_begin add_end wheel_place wheel_reject reinsert rw_release task_run task_done",
    ),
    "task": (BRACKET, "add_begin add_end"),
    "res": (RESULT, "add_end flush_end expire_submit task_done"),
    "drop": (KEPT, "thread_start bucket_new task_done"),
    "exp_ms": (ENDS, "task_done"),
    "level": (UNUSED, "bucket_new"),
    "bucket": (UNUSED, "bucket_new"),
}
"""What was done -> why it may pass, and the kinds of which it does."""


def may_pass(kind, what):
    if kind == "wheel_new":
        return what in ("timer", "duplicate", "swap")  # a level that is never published
    return what in ANY or kind in OF_KIND.get(what, ("", ""))[1].split()


MEANINGFUL = frozenset(
    (
        "list_add",
        "list_remove",
        "reinsert",
        "wheel_place",
        "clock_advance",
        "expire_submit",
        "set_entry",
        "bucket_expiry_set",
        "flush_begin",
        "flush_end",
        "force_cas",
        "dq_offer",
    )
)
"""Kinds of which no drop may pass: without them the timer, or an operation, is in another state."""


def is_step_of_the_model(header, events, file):
    write(file, header, events)
    return followed.follow(file).verdict.verdict == CONFORMS


@pytest.mark.nightly
@pytest.mark.slow
def test_each_damage_is_noticed_or_has_a_reason_to_pass(tmp_path):
    header, events = damages.read(SOUND)
    made = [
        (events[index]["k"], what, changed)
        for index in damages.chosen(events, every=True)
        for what, changed in damages.damaged(events, index)
    ]
    rules = damages.rejected(header, (changed for _, _, changed in made))
    passed = [
        (kind, what)
        for (kind, what, changed), rule in zip(made, rules, strict=True)
        if not rule and is_step_of_the_model(header, changed, tmp_path / "damaged.jsonl")
    ]
    assert not [each for each in passed if each[1] == "drop" and each[0] in MEANINGFUL]
    assert passed and not [each for each in passed if not may_pass(*each)]


def other_level_of(level):
    """All buckets of the lowest level are of another one."""

    def change(events):
        for event in events:
            if event["k"] == "bucket_new" and event["level"] == 1:
                event["level"] = level

    return change


def other_timer(events):
    events[first_of(events, "bucket_new", level=2)]["timer"] = 9_999


def same_slot(events):
    events[first_of(events, "bucket_new", level=2)]["bucket"] += 1


@pytest.mark.parametrize(
    "change",
    [other_level_of(2), other_level_of(63), other_level_of(10**9), other_timer, same_slot],
    ids=["no lowest level", "63 levels", "a billion levels", "a timer of one bucket", "one slot"],
)
def test_buckets_of_no_wheel_are_out_of_the_model_and_no_defect(change, tmp_path):
    header, events = damages.read(SOUND)
    events = copy.deepcopy(events)
    change(events)
    write(tmp_path / "damaged.jsonl", header, damages.renumbered(events))
    verdict = followed.follow(tmp_path / "damaged.jsonl").verdict
    assert verdict.verdict == "out-of-model", verdict.first
