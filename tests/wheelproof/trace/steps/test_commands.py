"""``wheelproof trace`` on recordings of labelled operations: what it prints, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.wheelproof.trace.steps.followed import ONE_SHOT, ROOT
from wheelproof.cli import app
from wheelproof.errors import NothingChecked, UsageError
from wheelproof.trace.format import jsonl


def invoke(*arguments):
    return CliRunner().invoke(app, ["trace", *map(str, arguments)])


@pytest.fixture
def mutant(tmp_path):
    file = tmp_path / "mutant.jsonl"
    where = ("--random", 3, "--mutant", "FlagFirst", "-o", file, "--subject", ONE_SHOT)
    assert invoke("record", "one_shot", "two", *where).exit_code == 0
    return file


@pytest.mark.parametrize("extra", [(), ("--random", "5")])
def test_a_mechanism_without_events_is_recorded_by_its_labels(tmp_path, extra):
    file = tmp_path / "two.jsonl"
    result = invoke("record", "one_shot", "two", "-o", file, "--subject", ONE_SHOT, *extra)
    assert result.exit_code == 0 and "events of 2 threads" in result.output
    for command in ("check", "replay"):
        result = invoke(command, file, "--subject", ONE_SHOT)
        assert result.exit_code == 0 and "conforms" in result.output


def test_a_mechanism_with_events_is_recorded_by_its_labels_on_request(tmp_path):
    file = tmp_path / "two.jsonl"
    where = ("--steps", "-o", file, "--subject", ROOT)
    assert invoke("record", "system_timer", "one_adder", *where).exit_code == 0
    assert '"k":"begin"' in file.read_text()
    for engine in ((), ("--engine", "model")):
        result = invoke("check", file, "--subject", ROOT, *engine)
        assert result.exit_code == 0 and "1 conforms of 1 traces" in result.output


def test_a_refused_step_is_shown_with_what_led_there(mutant):
    result = invoke("replay", mutant, "--subject", ONE_SHOT)
    assert result.exit_code == 1
    for printed in (
        "violates",
        "in the model",
        "possible here: ",
        "what led there:",
        "one_shot.py:",
    ):
        assert printed in result.output


def test_a_refused_step_is_data_too(mutant):
    result = invoke("check", mutant, "--json", "--subject", ONE_SHOT)
    row = json.loads(result.output)["verdicts"][0]
    assert result.exit_code == 1 and row["findings"][0]["property"] == "Next"


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("replay", "--oracle"), "TLC checks traces of events only"),
        (("replay", "--model", "--field", "a=b"), "its program is in its header"),
        (("shrink",), "is not shrunk"),
    ],
)
def test_what_is_about_events_says_so(mutant, arguments, says):
    where = () if arguments[0] == "shrink" else ("--subject", ONE_SHOT)
    result = invoke(*arguments, mutant, *where)
    assert result.exit_code == 2 or isinstance(result.exception, (UsageError, NothingChecked))
    assert says in result.output + str(result.exception)


@pytest.mark.parametrize(
    "arguments, says",
    [
        (("--kinds", "lock_acquire"), "is recorded by its labels"),
        (("-o", "two.parquet"), "written as JSON Lines"),
    ],
)
def test_what_only_events_have_is_refused(tmp_path, arguments, says, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = invoke("record", "one_shot", "two", "--subject", ONE_SHOT, *arguments)
    assert says in result.output + str(result.exception)


def test_examples_of_a_mechanism_without_events_are_of_its_labels(tmp_path):
    result = invoke("examples", "--check", "-o", tmp_path, "--subject", ONE_SHOT)
    assert result.exit_code == 0 and "4 of mutants: each as expected" in result.output


def test_a_trace_of_starts_and_ends_alone_shows_nothing(tmp_path):
    """Until there were recordings of labels, the example was recorded so, and conformed."""
    header = {
        "schema": "wheelproof.trace/1",
        "schema_minor": 2,
        "run_id": "nothing",
        "producer": {"name": "test"},
        "clock": {"kind": "none"},
        "threads": {"1": "a"},
        "capture": {"mode": "full"},
    }
    ends = [("thread_start", 1), ("thread_stop", 2)]
    events = [
        {"tid": 1, "tseq": number, "lc": number, "k": kind, "phase": "atomic"}
        for kind, number in ends
    ]
    file = Path(tmp_path / "nothing.jsonl")
    jsonl.write(file, header, events)
    result = invoke("check", file)
    assert result.exit_code == 5 and "1 vacuous of 1 traces" in result.output
