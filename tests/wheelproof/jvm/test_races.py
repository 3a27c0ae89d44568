"""Data races on the fields of released classes: each that is planted is reported by its field."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.found import bindings, mechanisms
from wheelproof.checks import jvm as layer
from wheelproof.checks.context import Context
from wheelproof.jvm import tasks
from wheelproof.jvm.marks import Compared, compare
from wheelproof.jvm.process import Jvm
from wheelproof.python.search.run import ControlledImplementation
from wheelproof.verdict import Verdict

ROOT = Path(__file__).resolve().parents[3]
BINDING = bindings()["timer_task_list"]
MECHANISM = mechanisms()["timer_task_list"]
RELEASE = BINDING.releases[0]
SCENARIO = "expire_cancel"
SMALL = replace(BINDING, fast=(SCENARIO,))


def explored(jvm, change="", fine=False):
    jvm.load(BINDING, change)
    jvm.begin(BINDING, MECHANISM.scenarios[SCENARIO], fine)
    jvm.explore(20_000, 300)
    return jvm.races()


@pytest.mark.parametrize("fine", [False, True])
def test_released_classes_have_no_race_and_their_fields_are_watched(jvm, fine):
    found = explored(jvm, fine=fine)
    assert found["races"] == []
    assert found["plain"] == ["TimerTaskEntry.next", "TimerTaskEntry.prev"]
    assert found["volatile"] == ["TimerTask.timerTaskEntry", "TimerTaskEntry.list"]


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize("name", ["plain-list", "plain-pointer", "flush-races"])
def test_a_lost_volatile_or_monitor_is_a_race_on_its_field(jvm, name, fine):
    races = explored(jvm, name, fine)["races"]
    assert {field for field, _, _ in races} == set(BINDING.changes[name].races)


def test_each_race_names_both_accesses(jvm):
    ((field, one, other),) = explored(jvm, "plain-list")["races"]
    assert field == "TimerTaskEntry.list"
    assert one == "TimerTaskEntry.remove:GETFIELD list#0"
    assert other == "TimerTaskList.remove:PUTFIELD list#0"


def rows(output, monkeypatch, binding, *names):
    monkeypatch.setattr(tasks, "find", lambda root: {"timer_task_list": binding})
    found = layer.check(Context(MECHANISM, output), [f"{name}@{RELEASE}" for name in names])
    return {row.name.partition("@")[0]: row for row in found.rows}


def test_the_row_counts_what_was_watched(jvm, output, monkeypatch):
    row = rows(output, monkeypatch, SMALL, SCENARIO, "races")["races"]
    assert (row.verdict, row.ok) == (Verdict.SAMPLED, True)
    assert {name: row.figures[name] for name in ("plain", "volatile", "races", "as_in_python")} == {
        "plain": 2,
        "volatile": 2,
        "races": 0,
        "as_in_python": 4,
    }


def test_a_race_that_is_declared_and_not_there_is_not_in_order(jvm, output, monkeypatch):
    wrong = replace(SMALL, races={"TimerTaskEntry.next": "planted"})
    row = rows(output, monkeypatch, wrong, SCENARIO, "races")["races"]
    assert (row.verdict, row.ok) == (Verdict.VACUOUS, False)
    assert "no race on TimerTaskEntry.next" in row.why


def test_a_race_without_a_reason_is_not_in_order(jvm, output, monkeypatch):
    def load(self, binding, change=""):
        return plain(self, binding, change or "plain-list")

    plain = Jvm.load
    monkeypatch.setattr(Jvm, "load", load)
    row = rows(output, monkeypatch, SMALL, SCENARIO, "races")["races"]
    assert (row.verdict, row.property, row.ok) == (Verdict.VIOLATED, "NoDataRace", False)
    assert "race on TimerTaskEntry.list" in row.why


def test_a_change_with_races_on_other_fields_is_not_in_order(jvm, output, monkeypatch):
    change = replace(BINDING.changes["plain-list"], races=("TimerTaskEntry.next",))
    wrong = replace(SMALL, changes={"plain-list": change})
    row = rows(output, monkeypatch, wrong, "plain-list")["plain-list"]
    assert not row.ok and "races on TimerTaskEntry.list" in row.why


MARKS = {"Entry.next": False, "Entry.list": True, "Wheel.current_time": False}


def java(plain=(), volatile=()):
    return {"races": [], "plain": list(plain), "volatile": list(volatile)}


def test_fields_are_compared_by_their_spelling_or_by_the_table():
    found = compare(
        java(["Entry.next", "Wheel.currentTime", "Other.left"], ["Entry.list"]),
        MARKS,
        {},
        (),
        {"Other.left": "why"},
    )
    assert found == Compared(("Entry.list", "Entry.next", "Wheel.currentTime"), ())
    renamed = compare(
        java(["Wheel.currentTimeMs"]), MARKS, {"Wheel.currentTimeMs": "Wheel.current_time"}, ()
    )
    assert renamed == Compared(("Wheel.currentTimeMs",), ())


@pytest.mark.parametrize(
    ("fields", "renamed", "fault"),
    [
        (
            java(["Entry.list"]),
            {},
            "Entry.list is plain here, and volatile in the implementation",
        ),
        (
            java(volatile=["Wheel.currentTime"]),
            {},
            "Wheel.currentTime is volatile here, and plain in the implementation",
        ),
        (
            java(),
            {"Wheel.now": "Wheel.current_time"},
            "Wheel.now was not accessed, and is Wheel.current_time of the implementation",
        ),
        (
            java(["Wheel.now"]),
            {"Wheel.now": "Wheel.time"},
            "the implementation has no marked field Wheel.time, which Wheel.now is",
        ),
        (
            java(["Entry.following"]),
            {},
            "the implementation has no marked field Entry.following, and Entry.following has no "
            "reason in the table apart",
        ),
    ],
)
def test_a_field_that_is_another_in_the_implementation_is_a_fault(fields, renamed, fault):
    assert compare(fields, MARKS, renamed, ()).faults == (fault,)


def test_a_field_with_races_may_differ():
    assert compare(java(["Entry.list"]), MARKS, {}, {"Entry.list": "why"}) == Compared((), ())


def test_a_field_that_is_renamed_in_the_implementation_is_a_fault(jvm, output, monkeypatch):
    """It was left out in silence: fewer fields were compared."""
    marks = ControlledImplementation.load(ROOT, "timer_task_list").marks
    renamed = {name.replace(".next", ".following"): mark for name, mark in marks.items()}
    monkeypatch.setattr(ControlledImplementation, "marks", property(lambda self: renamed))
    row = rows(output, monkeypatch, SMALL, SCENARIO, "races")["races"]
    assert (row.verdict, row.property, row.ok) == (Verdict.VIOLATED, "FieldMarks", False)
    assert "no marked field TimerTaskEntry.next" in row.why


def test_fields_of_base_classes_have_marks():
    marks = ControlledImplementation.load(ROOT, "timing_wheel").marks
    assert (
        marks["TimingWheel.overflow_wheel"] is True and marks["TimingWheel.current_time"] is False
    )


def test_a_mark_that_is_not_kafkas_is_rejected_by_its_name(jvm, output, monkeypatch):
    marks = {**ControlledImplementation.load(ROOT, "timer_task_list").marks}
    monkeypatch.setattr(
        ControlledImplementation,
        "marks",
        property(lambda self: marks | {"TimerTaskEntry.next": True}),
    )
    row = rows(output, monkeypatch, SMALL, SCENARIO, "races")["races"]
    assert (row.verdict, row.property, row.ok) == (Verdict.VIOLATED, "FieldMarks", False)
    assert row.why.endswith(
        "; TimerTaskEntry.next is plain here, and volatile in the implementation"
    )
