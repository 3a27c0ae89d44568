"""A mutant of TimerTaskList races only where it loses a lock."""

from functools import cache

import pytest

from tests.model.timer import ARTEFACTS, MECHANISM, NAME, ROOT, source
from tests.nights import only
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    random_schedules,
)

# -- data races


@cache
def subject(decision: str = "") -> ControlledImplementation:
    return ARTEFACTS.mutant(decision)


LOST = {
    "the list's monitor lost in add": "with self.monitor:  # lock A1, unlock A11",
    "the list's monitor lost in remove": "with self.monitor:  # lock U1, unlock U11",
    "the list's monitor lost in flush": "with self.monitor:  # lock F1, unlock F4",
}


@cache
def lost(name: str) -> ControlledImplementation:
    """The implementation with one lock taken away by text."""
    text, line = source("impl"), LOST[name]
    assert text.count(line) == 1
    text = text.replace(line, line.replace("self.monitor", "NoMonitor()"))
    text = text.replace(
        "import Atomic, Monitor, Plain, Volatile",
        "import Atomic, Monitor, NoMonitor, Plain, Volatile",
    )
    return ControlledImplementation.load(ROOT, NAME, texts={f"impl.{NAME}": text})


def races(
    of: ControlledImplementation, scenario: dict, times: int, coarse: bool = False, seed: int = 5
):
    """The races that the detector reports in random schedules, by field and lines.

    A schedule may end as it will. A mutant may also crash or never end: earlier races count.
    """
    detector = RaceDetector()
    for part in range(times):
        random_schedules(
            of,
            scenario,
            schedules=1,
            seed=seed + part,
            max_steps=2_000,
            race=detector,
            coarse=coarse,
        )
    assert detector.runs == times
    return {race.lines for race in detector.found}


RACING = {
    "M2": ("two_adders", lambda: subject("M2")),
    "FlushWithoutMonitor": ("two_expire", lambda: subject("FlushWithoutMonitor")),
    # two entries: with one, the entry's monitor would hide that the list's is gone
    "the list's monitor lost in add": (
        "two_entries_crossed",
        lambda: lost("the list's monitor lost in add"),
    ),
    "the list's monitor lost in remove": (
        "cancels_crossed",
        lambda: lost("the list's monitor lost in remove"),
    ),
    "the list's monitor lost in flush": (
        "two_expire",
        lambda: lost("the list's monitor lost in flush"),
    ),
}


@pytest.mark.parametrize("name", only(RACING, "FlushWithoutMonitor"))
def test_a_lost_lock_is_a_race_in_both_grains(name):
    scenario, load = MECHANISM.scenarios[RACING[name][0]], RACING[name][1]
    fine, coarse = races(load(), scenario, 60), races(load(), scenario, 60, coarse=True)
    assert fine and coarse
    assert {field for field, _ in fine} <= {"TimerTaskEntry.next", "TimerTaskEntry.prev"}
    assert not races(subject(), scenario, 60)


@pytest.mark.parametrize("name", only(RACING, "M2"))
def test_both_grains_report_the_same_races(name):
    scenario, load = MECHANISM.scenarios[RACING[name][0]], RACING[name][1]
    runs = 400
    assert races(load(), scenario, runs) == races(load(), scenario, runs, coarse=True)


TWO_ENTRIES = {
    "lists": ["l1", "l2"],
    "task_of": {"e1": "t1", "e2": "t2"},
    "current": ["e1", "e2"],
}
LATE = TWO_ENTRIES | {
    "ring": {"l1": ["e1"], "l2": []},
    "threads": {"a": [["add", "l2", "e1"], ["add", "l2", "e2"]], "c": [["remove", "e1"]]},
}
TWICE = TWO_ENTRIES | {
    "ring": {"l1": [], "l2": []},
    "threads": {
        "a": [["add", "l1", "e1"], ["add", "l1", "e2"]],
        "b": [["add", "l2", "e1"], ["remove", "e1"]],
    },
}


@pytest.mark.parametrize("name, scenario", [("M1", LATE), ("M3", TWICE)])
@pytest.mark.parametrize("coarse", [False, True])
def test_a_lost_test_ends_in_a_race_once_a_second_entry_is_there(name, scenario, coarse):
    """A ring then changes under the other list's monitor, beside an adder of the second entry."""
    assert races(subject(name), scenario, 100, coarse)
    assert not races(subject(), scenario, 100, coarse)


def test_with_one_entry_its_monitor_hides_that():
    """The detector need not see each mutant that races: properties kill M3, and nothing races."""
    for coarse in False, True:
        assert not races(subject("M3"), MECHANISM.scenarios["two_adders"], 100, coarse)
