"""Data races: the implementations have none, and a mutant has one only where its table says so."""

from __future__ import annotations

import pytest

from tests.found import mechanisms
from tests.model.artefacts import ROOT, Artefacts
from tests.nights import of_each_mechanism
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    random_schedules,
)

MECHANISMS = mechanisms()

SCHEDULES = {
    "delayed_operation": (None, 10),
    "overflow_wheel": (None, 20),
    "system_timer": (("one_adder", "two_adders", "cancel_one", "executor"), 10),
    "timer_task_list": (None, 20),
    "timing_wheel": (("cascade", "two_adders", "two_withdrawn"), 10),
}
"""Mechanism -> scenarios, None for all of the fast profile; schedules of each in each grain."""

RACY = {
    "coordinator_load": {"StopsOutside"},
    "delay_queue": {"TakesOutside", "TakesOutsideAtOnce"},
    "event_queue": {"LooksOutside"},
    "overflow_wheel": {"PlainWheel", "M6", "M7"},
    "read_write_lock": {
        "EntersBesideWriter",
        "EntersOutside",
        "WritesBesideReaders",
        "WritesBesideWriter",
    },
    "share_fetch": {"LooksOutside"},
    "task_executor": {"LooksOutside"},
    "timer_task_list": {"M2", "FlushWithoutMonitor"},
    "timing_wheel": {"M13"},
}
"""Mechanism -> decisions without which it races. Fields of the others are final or atomic."""


def runs():
    for mechanism, (names, schedules) in SCHEDULES.items():
        for name in Artefacts(mechanism).fast if names is None else names:
            yield mechanism, name, schedules


@pytest.mark.parametrize("mechanism, scenario, schedules", of_each_mechanism(runs(), 2))
def test_the_implementation_has_no_race(mechanism, scenario, schedules):
    for coarse in False, True:
        detector = RaceDetector()
        found = random_schedules(
            ControlledImplementation.load(ROOT, mechanism),
            MECHANISMS[mechanism].scenarios[scenario],
            schedules=schedules,
            seed=5,
            race=detector,
            coarse=coarse,
        )
        assert found.outcome == "passed" and found.figures["schedules"] == schedules
        assert not found.figures["deadlocks"] and not found.races and not detector.found


def test_the_tables_name_the_decisions_that_race():
    found = {
        mechanism: {mutant.decision for mutant in of.mutants.values() if mutant.data_race}
        for mechanism, of in MECHANISMS.items()
    }
    assert {mechanism: names for mechanism, names in found.items() if names} == RACY


def races(mechanism, decision, scenario, coarse):
    """The fields that threads race for in 12 random schedules, however those end."""
    options = {"atomicity": "COMPOSED"} if mechanism == "system_timer" else {}
    detector, subject = RaceDetector(), Artefacts(mechanism).mutant(decision, **options)
    for seed in range(12):
        random_schedules(
            subject,
            MECHANISMS[mechanism].scenarios[scenario],
            schedules=1,
            seed=seed,
            max_steps=1_000,
            race=detector,
            coarse=coarse,
        )
    return {race.field for race in detector.found}


@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(
    "mechanism, scenario", [("system_timer", "one_adder"), ("timing_wheel", "a_turn")]
)
def test_an_add_without_the_read_lock_races_for_the_clock(mechanism, scenario, coarse):
    assert races(mechanism, "M13", scenario, coarse) == {"TimingWheel.current_time"}
    assert not races(mechanism, "", scenario, coarse)
