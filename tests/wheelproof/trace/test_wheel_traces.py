"""The two wheels recorded: runs of their scenarios conform."""

from __future__ import annotations

from functools import cache

import pytest

from tests.wheelproof.trace.recorded import REFUSED, mechanisms
from wheelproof.pipeline import law
from wheelproof.trace import examples
from wheelproof.trace.judging.verdict import CONFORMS, Verdict
from wheelproof.trace.recording.record import Recorded, record

WHEEL, OVERFLOW = "timing_wheel", "overflow_wheel"
SCENARIOS = [
    (WHEEL, name)
    for name in (
        "cascade",
        "four_buckets",
        "two_adders",
        "three_adders",
        "withdrawn",
        "two_withdrawn",
        "a_turn",
        "two_keys",
        "two_keys_later_first",
        "unrounded",
        "two_reapers",
    )
] + [(OVERFLOW, name) for name in ("two", "three", "cancelled")]

ENDLESS = {"M17_late": "M17_slot", "M18": "M18_bucket"}
"""Mutant of timing_wheel that breaks a liveness property, which no finite trace does -> the mutant
of the same class that is refused."""


def judged(recorded: Recorded) -> Verdict:
    return law.verdict_on(recorded.header, recorded.events, recorded.footer)


@cache
def random_run_of(mechanism: str, scenario: str, seed: int = 1) -> Recorded:
    return record(
        mechanisms(),
        mechanism,
        scenario,
        f"{scenario}-{seed}",
        schedule=examples.random_schedule(mechanisms()[mechanism], scenario, seed),
    )


def kinds_of(recorded: Recorded) -> list[str]:
    return [event["k"] for event in recorded.events]


# -- runs that conform


@pytest.mark.daily(15)
@pytest.mark.parametrize("mechanism, scenario", SCENARIOS)
def test_a_scenario_conforms_by_a_schedule_and_on_threads_of_its_own(mechanism, scenario):
    for recorded in (
        random_run_of(mechanism, scenario),
        random_run_of(mechanism, scenario, 2),
        record(mechanisms(), mechanism, scenario, scenario),
    ):
        verdict = judged(recorded)
        assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert {name for _, name in SCENARIOS} >= mechanisms()[mechanism].scenarios.keys()


def test_what_breaks_liveness_alone_is_of_a_class_that_is_refused():
    mechanism = mechanisms()[WHEEL]
    for name, shown in ENDLESS.items():
        assert (WHEEL, shown) in REFUSED
        assert mechanism.properties[mechanism.mutants[name].property].kind == "liveness"
        assert mechanism.mutants[name].decision == mechanism.mutants[shown].decision
    liveness = {
        name
        for name, mutant in mechanism.mutants.items()
        if mechanism.properties[mutant.property].kind == "liveness"
    }
    assert liveness == ENDLESS.keys()
