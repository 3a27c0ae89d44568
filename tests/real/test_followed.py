"""Recordings of released Kafka followed on the model of the timer: each event is a step in Kafka's
order, and D1 is none in the corrected order."""

import dataclasses
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from real.record import __main__ as command
from real.record import followed, report
from tests.nights import by_night
from tests.real.recorded_kafka import D1, LOAD, OTHERS, ROOT, SOUND, corrected, judged, kafka
from tests.wheelproof.trace import confluence
from wheelproof import project
from wheelproof.errors import UsageError
from wheelproof.trace import commands
from wheelproof.trace.format.jsonl import Reader
from wheelproof.trace.judging.verdict import CONFORMS, VIOLATES
from wheelproof.trace.model import observed
from wheelproof.trace.model.following import Steps

LATE = {"QueuedOnceWithItsKey", "KeyBeforeDeadline", "LatenessBound"}
"""The properties that D1 breaks."""


# -- recordings as they are


@pytest.mark.parametrize(
    "file, timers, events",
    [
        (SOUND, 2, 122),
        (D1, 3, 204),
        (LOAD, 2, 766),
        pytest.param(OTHERS / "late.jsonl.gz", 1, 68, marks=pytest.mark.nightly),
        pytest.param(OTHERS / "timer.jsonl.gz", 1, 740, marks=pytest.mark.nightly),
        (OTHERS / "purgatory.jsonl.gz", 1, 193),
    ],
    ids=lambda value: value.stem.partition(".")[0] if isinstance(value, Path) else None,
)
def test_each_event_of_a_timer_is_a_step_in_kafkas_order(file, timers, events):
    found = kafka(file)
    assert (found.verdict.verdict, found.verdict.findings) == (CONFORMS, ())
    assert (len(found.replay.runs), found.replay.figures["followed"]) == (timers, events)
    assert found.replay.figures["largest"] < 10
    assert all(one.labels["W2"] and one.labels["Q1"] for one in found.replay.runs)


def test_no_property_fails_in_a_sound_run():
    assert kafka(SOUND).broken == kafka(LOAD).broken == {}


def test_d1_breaks_the_models_own_properties_at_the_second_write_of_the_key():
    (broken,) = kafka(D1).broken.values()
    assert broken.keys() == LATE
    (found,) = report.read(D1).occurrences
    second = next(line for line, event in Reader(D1) if event["lc"] == found.second["lc"])
    assert broken["QueuedOnceWithItsKey"] == second


def test_d1_is_no_run_of_the_corrected_order_and_the_step_is_named():
    refused = corrected(D1).refused
    (found,) = report.read(D1).occurrences
    # The reaper goes to the key of the bucket that it polled, and an earlier one is in the queue.
    assert (refused.event["k"], refused.event["wheel_ms"]) == (
        "clock_advance",
        found.poll["key_ms"],
    )
    assert f"{found.first['key_ms']} in the model (R7)" in refused.message


def test_where_no_bucket_comes_first_both_orders_are_one():
    assert corrected(LOAD).verdict.verdict == CONFORMS
    assert corrected(LOAD).labels["R1"] and not corrected(LOAD).labels["Q1"]


@pytest.mark.parametrize(
    "scenario",
    [
        "kafka_stalled_adder",
        by_night("kafka_executor"),
        by_night("kafka_added_again"),
        by_night("kafka_cancel_one"),
        by_night("kafka_closing"),
        by_night("stalled_adder"),
        by_night("cancel_one"),
    ],
)
def test_steps_that_are_taken_at_once_commute_with_all_that_others_do(scenario):
    mechanism = followed.mechanisms()[followed.MECHANISM]
    steps = Steps(observed.read(mechanism, "kafka_timer"), mechanism.scenarios[scenario])
    assert list(confluence.faults(steps)) == []


def test_that_they_commute_can_fail():
    mechanism = followed.mechanisms()[followed.MECHANISM]
    table = observed.read(mechanism, "kafka_timer")
    rows = {**table.rows, "E1": dataclasses.replace(table.rows["E1"], eager=True)}
    steps = Steps(dataclasses.replace(table, rows=rows), mechanism.scenarios["two_workers"])
    assert any("E1" in fault for fault in confluence.faults(steps))


# -- the model without a decision


@pytest.mark.parametrize(
    "decision, says",
    [
        by_night(("M10", "rw_release")),
        by_night(("M11", "it is at W3")),
        ("M12", "(V2)"),
        by_night(("M15", "it is at Q6")),
        ("M19", "(F2)"),
        by_night(("HandsOverAnyway", "it is at K1")),
    ],
)
def test_kafkas_timer_is_not_the_model_without_a_decision(decision, says):
    reader = Reader(LOAD)
    events = [event for _, event in reader][:200]
    verdict = judged(reader.header, events, decision)
    assert verdict.verdict == VIOLATES and says in verdict.first.message


# -- the report and the commands


def test_the_report_names_the_steps_and_those_that_no_event_was():
    printed = "\n".join(followed.lines(kafka(D1), corrected(D1)))
    for part in (
        "all events: 204 followed in 3 timers",
        "in Kafka's order: each is a step",
        "QueuedOnceWithItsKey fails from line",
        "in the corrected order: line",
        "20 of 21",
        "rw_acquire         A1 6, Q2 5",
        "cancel             X1 -",
    ):
        assert part in printed
    assert "X1 5" in "\n".join(followed.lines(kafka(LOAD), corrected(LOAD)))


def test_a_run_is_as_it_must_be_only_where_d1_is_none_of_the_corrected_order(monkeypatch):
    orders = zip(followed.ORDERS, (kafka, corrected), strict=True)
    found = {(file, order): judge(file) for order, judge in orders for file in (D1, LOAD)}
    monkeypatch.setattr(followed, "follow", lambda file, order: found[file, order])
    known = {run.name: run for run in command.RUNS}
    assert command.follow_on_model(known["d1"], D1)
    assert not command.follow_on_model(known["d1"], LOAD)
    assert command.follow_on_model(known["load"], LOAD)


@pytest.fixture
def declarations(monkeypatch):
    """The declarations are read once: they are the dearest of these commands."""
    known = followed.mechanisms()
    monkeypatch.setattr(project, "find", lambda root: known)


def run(*arguments):
    return CliRunner().invoke(commands.app, [*map(str, arguments)])


@pytest.mark.usefixtures("declarations")
def test_the_page_shows_what_the_command_prints(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "record-kafka.md").read_text(encoding="utf-8")
    _, *shown = page.split("```console\n$ wheelproof trace ")
    assert len(shown) == 2
    for number, block in enumerate(shown):
        command_line, _, text = block.partition("```")[0].partition("\n")
        ended = run(*command_line.split())
        assert ended.exit_code == number
        assert ended.output.startswith(text.removesuffix("...\n"))


@pytest.mark.usefixtures("declarations")
def test_the_model_judges_a_recording_from_the_command_line():
    checked = run("check", SOUND, "--engine", "model")
    assert checked.exit_code == 0 and "1 conforms of 1 traces" in checked.output
    reported = run("check", D1, "--engine", "model")
    assert reported.exit_code == 0 and "1 conforms of 1 traces" in reported.output
    for name, line in kafka(D1).broken[next(iter(kafka(D1).broken))].items():
        assert f"in the model {name} fails from line {line} on" in reported.output
    data = json.loads(run("check", D1, "--engine", "model", "--json").output)
    assert len(data["verdicts"][0]["notes"]) == len(LATE)
    wrong = run("replay", SOUND, "--model", "--field", "speed=2")
    assert isinstance(wrong.exception, UsageError) and "no field speed" in str(wrong.exception)
    for arguments in (("--field", "timer=SystemTimer"), ("--model", "--field", "timer")):
        assert isinstance(run("replay", SOUND, *arguments).exception, UsageError)
    oracle = run("replay", SOUND, "--oracle")
    assert oracle.exit_code == 0 and "it follows no program that is inferred" in oracle.output
