"""Traces followed on the model: runs of the implementation conform, those of mutants do not, and
what the model accepts the rules accept."""

from __future__ import annotations

import dataclasses
import sys
from collections import Counter

import pytest

from tests.nights import of_each_mechanism
from tests.wheelproof.trace.followed import (
    MUTANTS,
    OPERATION,
    RUNS,
    TIMER,
    UNLIKE,
    by_model,
    by_rules,
    judged_changes,
    random_run_of,
)
from tests.wheelproof.trace.recorded import (
    NAME,
    busy,
    mechanisms,
    mutant_of,
    of_mutant,
    random_run,
)
from wheelproof.trace.judging.verdict import CONFORMS, INCOMPLETE, OUT_OF_MODEL, VIOLATES
from wheelproof.trace.model import observed
from wheelproof.trace.recording import record as records
from wheelproof.trace.recording.record import record

MEAN = 10
"""States per event, at most, on average: without a normal form it is a multiple of it."""


def table(**rows: dict):
    """The table of timer_task_list with some rows replaced."""
    found = observed.read(mechanisms()[NAME])
    return dataclasses.replace(
        found,
        rows={
            **found.rows,
            **{
                name: dataclasses.replace(found.rows[name], **values)
                for name, values in rows.items()
            },
        },
    )


# -- the header


def test_a_recording_says_which_operations_its_threads_ran():
    recorded = random_run("readd", 1)
    scenario = mechanisms()[NAME].scenarios["readd"]
    assert recorded.header["program"] == {
        name: value for name, value in scenario.items() if name != "about"
    }
    assert set(recorded.header["names"].values()) >= {"l1", "l2", "t1", "e1", "e2"}


def test_a_long_program_is_left_out(monkeypatch):
    monkeypatch.setattr(records, "LONGEST_PROGRAM", 2)
    recorded = record(mechanisms(), NAME, "readd", "long")
    assert "program" not in recorded.header
    assert by_model(recorded.header, recorded.events)[0].verdict == OUT_OF_MODEL


# -- runs of the implementation


@pytest.mark.parametrize("mechanism, scenario", RUNS)
def test_a_run_of_the_implementation_is_one_of_the_model(mechanism, scenario):
    recorded = random_run_of(mechanism, scenario)
    verdict, run = by_model(recorded.header, recorded.events, recorded.footer)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    passed_over = sum(event["k"] == observed.START for event in recorded.events)
    assert run.figures["followed"] == len(recorded.events) - passed_over > 8
    assert run.figures["sum"] <= MEAN * run.figures["followed"]


@pytest.mark.parametrize(
    "mechanism, scenario",
    [
        (TIMER, "flush_add_cancel"),
        (TIMER, "readd"),
        (TIMER, "adders_flush_cancels"),
        (TIMER, "flush_two_cancels_readd"),
        (OPERATION, "three_completers_expirer"),
        (OPERATION, "callers_lock"),
        (OPERATION, "three_losers"),
        (OPERATION, "blocking_three"),
        (OPERATION, "try_once"),
    ],
)
def test_a_run_on_real_threads_is_one_of_the_model(mechanism, scenario):
    recorded = record(mechanisms(), mechanism, scenario, scenario)
    assert by_model(recorded.header, recorded.events, recorded.footer)[0].findings == ()


@pytest.mark.nightly
def test_many_runs_on_real_threads_are_of_the_model():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for mechanism, scenario in RUNS:
            for _ in range(40):
                recorded = record(mechanisms(), mechanism, scenario, scenario)
                assert (
                    by_model(recorded.header, recorded.events, recorded.footer)[0].findings == ()
                ), scenario
    finally:
        sys.setswitchinterval(before)


@pytest.mark.nightly
def test_a_crowd_on_real_threads_is_one_of_the_model():
    recorded = record(mechanisms(), NAME, busy(40, 1), "busy")
    verdict, run = by_model(recorded.header, recorded.events, recorded.footer)
    assert (verdict.verdict, verdict.findings) == (CONFORMS, ())
    assert run.figures["followed"] > 2000


@pytest.mark.parametrize(
    "kinds",
    [("list_add", "list_remove"), ("cancel", "cancel_check", "list_remove", "expire_submit")],
)
def test_kinds_that_were_not_recorded_are_steps_that_nothing_shows(kinds):
    recorded = record(mechanisms(), NAME, "expire_cancel", "few", kinds=kinds)
    verdict, run = by_model(recorded.header, recorded.events, recorded.footer)
    assert verdict.verdict == CONFORMS and run.figures["followed"] == len(recorded.events)


# -- mutants


@pytest.mark.parametrize("mechanism, name", of_each_mechanism(MUTANTS, 4))
def test_a_mutant_s_run_is_none_of_the_model(mechanism, name):
    recorded = mutant_of(mechanism, name)
    verdict, _ = by_model(recorded.header, recorded.events, recorded.footer)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, "Next")
    assert verdict.first.event in recorded.events


def test_a_task_without_its_monitor_is_refused_by_the_model_alone():
    """The rules see a cancel and then a schedule; the model misses the lock that cancel takes."""
    of = mutant_of(TIMER, "UnguardedTask")
    trace = of.header, of.events, of.footer
    assert mechanisms()[TIMER].mutants["UnguardedTask"].untraced
    assert by_rules(*trace).verdict == CONFORMS
    verdict, _ = by_model(*trace)
    assert (verdict.verdict, verdict.first.property) == (VIOLATES, "Next")
    assert verdict.first.event["k"] == "cancel" and "C1" in verdict.first.message
    assert by_model(*trace, without="UnguardedTask")[0].verdict == CONFORMS


@pytest.mark.parametrize("mechanism, name", [item for item in MUTANTS if item not in UNLIKE])
def test_a_mutant_s_run_is_one_of_the_model_without_its_decision(mechanism, name):
    recorded = mutant_of(mechanism, name)
    verdict, _ = by_model(
        recorded.header,
        recorded.events,
        recorded.footer,
        without=mechanisms()[mechanism].mutants[name].decision,
    )
    assert verdict.verdict in (CONFORMS, INCOMPLETE) and {
        finding.property for finding in verdict.findings
    } <= {"Program", "Bracket"}, verdict.findings


@pytest.mark.parametrize("name", ["M9", "M19"])
def test_another_decision_taken_away_does_not_excuse_a_mutant(name):
    recorded = of_mutant(name)
    assert (
        by_model(recorded.header, recorded.events, recorded.footer, without="M5")[0].verdict
        == VIOLATES
    )


# -- changed traces


def agree(mechanism: str, scenario: str, seed: int, sample: int | None) -> Counter:
    """Hold the rules and the model to each other on changed traces; how often each had which
    verdict."""
    recorded, seen = random_run_of(mechanism, scenario, seed), Counter()
    for what, events, rules in judged_changes(recorded, sample, seed):
        model, _ = by_model(recorded.header, events)
        seen[rules.verdict, model.verdict] += 1
        assert model.verdict != CONFORMS or rules.verdict == CONFORMS, (what, rules.first)
    return seen


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    "mechanism, scenario",
    of_each_mechanism(
        [
            (TIMER, "flush_add_cancel"),
            (TIMER, "expire_readd"),
            (OPERATION, "two_completers_expirer"),
            (OPERATION, "blocking_three"),
        ]
    ),
)
def test_of_changed_traces_the_rules_accept_what_the_model_accepts(mechanism, scenario):
    """So that what the rules refuse the model refuses; and it refuses more."""
    seen = agree(mechanism, scenario, 1, 80)
    assert seen[VIOLATES, VIOLATES] and seen[CONFORMS, VIOLATES] and seen[CONFORMS, CONFORMS]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mechanism, scenario", RUNS)
def test_of_all_changed_traces_the_rules_accept_what_the_model_accepts(mechanism, scenario, seed):
    assert agree(mechanism, scenario, seed, None)[CONFORMS, VIOLATES]
