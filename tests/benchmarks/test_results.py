"""The outcomes that `make races` keeps."""

import json
from dataclasses import replace

import pytest

from benchmarks.races import results, run, scores, table
from benchmarks.races.checkers.outcome import BUG, CANNOT, HOLDS, NOTHING, Outcome
from benchmarks.races.table import BUGGY, FIXED
from wheelproof.errors import UsageError

TABLE = table.read()
ROWS = table.chosen(TABLE, "kafka_future,watchdog_close")
FIRST, SECOND = ROWS
FOUND = Outcome(BUG, 7, "AssertionError", cpu=0.5, preemptions=1)


def result(row, side, outcome, checker="stress"):
    return scores.Result(row, side, checker, outcome)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.json"


def test_outcomes_are_read_as_they_were_kept(path):
    assert results.read(path) == {}
    bounded = Outcome(HOLDS, 3, bound=2)
    results.keep([result(FIRST, BUGGY, FOUND), result(FIRST, FIXED, bounded)], 5, path)
    kept = results.read(path)
    assert kept["kafka_future", BUGGY, "stress"].outcome == FOUND
    assert kept["kafka_future", FIXED, "stress"].outcome == bounded
    assert {each.seconds for each in kept.values()} == {5}


def test_a_later_run_replaces_its_own_outcomes_alone(path):
    results.keep([result(FIRST, BUGGY, FOUND), result(SECOND, BUGGY, FOUND)], 5, path)
    results.keep([result(SECOND, BUGGY, Outcome(NOTHING, 9))], 8, path)
    kept = results.read(path)
    assert kept["kafka_future", BUGGY, "stress"].outcome == FOUND
    assert kept["watchdog_close", BUGGY, "stress"].outcome.executions == 9
    assert kept["watchdog_close", BUGGY, "stress"].seconds == 8


@pytest.mark.parametrize(
    ("executions", "peer", "line"),
    [
        (40, 50, "| kafka_future | 1,000 | 50 | 20.0 |"),
        (19, 50, "No row has rates."),
        (40, None, "No row has rates."),
    ],
)
def test_a_rate_is_that_of_enough_executions_on_a_fixed_side(executions, peer, line):
    done = [
        result(FIRST, FIXED, Outcome(HOLDS, executions, rate=1000), "wheelproof"),
        result(FIRST, FIXED, Outcome(HOLDS, 60, rate=peer), "frontrun"),
        result(SECOND, BUGGY, Outcome(BUG, 60, rate=9), "wheelproof"),
    ]
    assert scores.rates(done, run.TIMED).splitlines()[-1] == line


def test_a_kept_reason_names_no_folder(path):
    outcome = Outcome(CANNOT, 0, reason="/x/y/a.py: <A object at 0x7f00>\n| gone")
    results.keep([result(FIRST, BUGGY, outcome)], 5, path)
    (kept,) = results.read(path).values()
    assert kept.outcome.reason == "a.py: <A object> gone"


@pytest.mark.parametrize(
    "change",
    [
        {"python": "3.12.1"},
        {"needs": ("six==1.17.0",)},
        {"package": "kafka"},
        {"program": "watchdog_close"},
        {"buggy": table.Side("2.0.9")},
        {"buggy": table.Side("2.1.0", port="redis_port.patch")},
    ],
)
def test_an_outcome_of_another_subject_does_not_count(path, change):
    results.keep([result(FIRST, BUGGY, FOUND)], 5, path)
    done, absent = results.current([FIRST], ["stress"], results.read(path))
    assert [each.score for each in done] == [scores.FOUND]
    assert absent == [("kafka_future", FIXED, "stress")]
    changed = replace(FIRST, **change)
    done, absent = results.current([changed], ["stress"], results.read(path))
    assert done == [] and len(absent) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"wheelproof.races/1"', '"wheelproof.races/2"', "has the schema"),
        ('"executions": 7', '"executions": "7"', "executions must be a number"),
        ('"preemptions": 1', '"preemptions": -1', "preemptions must be from 0"),
        ('"subject"', '"about"', "subject is missing"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(path, old, new, message):
    results.keep([result(FIRST, BUGGY, FOUND)], 5, path)
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(UsageError, match=message):
        results.read(path)


def test_a_run_keeps_each_row_once_it_is_through(monkeypatch, capsys):
    kept = []
    monkeypatch.setattr(run, "outcome", lambda row, side, name, seconds: FOUND)
    monkeypatch.setattr(results, "keep", lambda done, seconds: kept.append((done, seconds)))
    arguments = ["--rows", "kafka_future,watchdog_close", "--checkers", "stress", "--seconds", "2"]
    assert run.main(arguments) == 0
    assert [(each.row.name, each.side) for done, _ in kept for each in done] == [
        (row.name, side) for row in ROWS for side in (BUGGY, FIXED)
    ]
    assert [(len(done), seconds) for done, seconds in kept] == [(2, 2), (2, 2)]
    assert "| kafka_future | kafka-python 2.1.0 | found, 7 / 0.50, 1 pr. |" in (
        capsys.readouterr().out
    )


def test_the_kept_outcomes_are_of_the_rows_and_checkers_that_there_are():
    kept = json.loads(results.FILE.read_text())["results"]
    names = {row.name for row in TABLE.rows}
    assert {each["row"] for each in kept} <= names
    assert {each["checker"] for each in kept} <= run.CHECKERS.keys()
