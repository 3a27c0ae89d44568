"""The programs on widely used packages: their table, and how an alarm is judged."""

import pytest

from benchmarks.races import packages, results, run
from benchmarks.races.checkers.outcome import BUG, CANNOT, HOLDS, NOTHING, Outcome
from benchmarks.races.table import BUGGY
from wheelproof.errors import UsageError

TEXT = packages.TABLE.read_text()
KNOWN, OMITTED = packages.read()
ALARM = Outcome(BUG, 7, "AssertionError", cpu=0.5, preemptions=1)
PASS = Outcome(HOLDS, 9, cpu=0.25)

ONE = """[[package]]
name = "tqdm_update"
package = "tqdm"
version = "1.0"
python = "3.13.0"
asks = "count"
"""


def table(tmp_path, text):
    path = tmp_path / "packages.toml"
    path.write_text(text)
    return path


def test_twenty_packages_are_explored_and_the_others_have_a_reason():
    assert len({each.row.package for each in KNOWN}) >= 20
    assert all(each.reason for each in OMITTED)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("asks", "ask", "field ask is unknown"),
        ('version = "1.0"\n', "", "field version must be a text"),
        ("tqdm_update", "nothing", "package nothing has no program"),
        ('asks = "count"', 'asks = "count"\nneeds = ["six>=1"]', "which is no exact pin"),
        ('asks = "count"', 'asks = "count"\njudged = "fine"\nwhy = "x"', "must be one of bug"),
        ('asks = "count"', 'asks = "count"\njudged = "bug"', "belongs to judged"),
        ('asks = "count"', 'asks = "count"\nwhy = "x"', "belongs to judged"),
        ("[[package]]", "[[packages]]", "field packages is unknown"),
        ('asks = "count"\n', 'asks = "count"\n' + ONE, "is there twice"),
        ('asks = "count"\n', 'asks = "count"\n[[omitted]]\npackage = "x"\n', "reason must be"),
    ],
)
def test_a_table_of_packages_with_a_fault_is_refused(tmp_path, old, new, message):
    packages.read(table(tmp_path, ONE))
    with pytest.raises(UsageError, match=message):
        packages.read(table(tmp_path, ONE.replace(old, new, 1)))


def kept(package, outcome):
    subject = results.subject(package.row, BUGGY)
    return {(package.row.name, BUGGY, "wheelproof"): results.Kept(outcome, 5, subject)}


def judged(tmp_path):
    fields = 'judged = "documented"\nwhy = "its page on threads"\n'
    (package,), _ = packages.read(table(tmp_path, ONE + fields))
    return package


def test_an_alarm_must_be_judged_and_a_judgement_needs_an_alarm(tmp_path):
    (bare,), _ = packages.read(table(tmp_path, ONE))
    named = judged(tmp_path)
    for package, outcome, wrong in (
        (bare, ALARM, ["tqdm_update: its alarm is not judged: add the fields judged and why"]),
        (named, PASS, ["tqdm_update: it is judged documented, and there is no alarm"]),
        (
            named,
            Outcome(NOTHING, 1),
            ["tqdm_update: it is judged documented, and there is no alarm"],
        ),
        (named, ALARM, []),
        (bare, PASS, []),
        (bare, Outcome(CANNOT, 0), []),
    ):
        assert list(packages.unjudged([package], kept(package, outcome))) == wrong


def test_the_kept_alarms_are_judged_and_each_package_has_run():
    entries = results.read(packages.FILE)
    assert list(packages.unjudged(KNOWN, entries)) == []
    for each in KNOWN:
        entry = entries[each.row.name, BUGGY, "wheelproof"]
        assert entry.subject == results.subject(each.row, BUGGY), each.row.name


@pytest.mark.parametrize(
    ("outcome", "cells"),
    [
        (ALARM, ["AssertionError", "7 / 0.50, 1 pr.", "documented: its page on threads"]),
        (PASS, ["exhausted", "9 / 0.25", "documented: its page on threads"]),
        (Outcome(HOLDS, 9, bound=2), ["bounded at 2", "9 / 0.00"]),
        (Outcome(NOTHING, 9), ["not through", "9 / 0.00"]),
        (Outcome(CANNOT, 0), ["not run", "0 / 0.00"]),
    ],
)
def test_a_line_says_what_was_found(tmp_path, outcome, cells):
    package = judged(tmp_path)
    (line,) = packages.lines([package], kept(package, outcome))
    assert line[:2] == ["tqdm 1.0", "count"] and line[2 : 2 + len(cells)] == cells


def test_an_outcome_of_another_release_does_not_count(tmp_path):
    package = judged(tmp_path)
    found = kept(package, ALARM)
    (other,), _ = packages.read(table(tmp_path, ONE.replace("1.0", "1.1")))
    (line,) = packages.lines([other], found)
    assert line[2] == "has not run"


def test_the_command_keeps_each_outcome_and_refuses_an_alarm_that_is_not_judged(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(packages, "FILE", tmp_path / "explored.json")
    monkeypatch.setattr(packages, "read", lambda: (KNOWN, OMITTED))
    name = next(each.row.name for each in KNOWN if not each.judged)
    for outcome, code in ((PASS, 0), (ALARM, 1)):
        monkeypatch.setattr(run, "outcome", lambda *given, outcome=outcome: outcome)
        assert packages.main(["--rows", name]) == code
        (entry,) = results.read(packages.FILE).values()
        assert entry.outcome == outcome
    printed = capsys.readouterr()
    assert f"{name}: exhausted: 9 / 0.25" in printed.out
    assert f"{name}: its alarm is not judged" in printed.err


@pytest.mark.parametrize("arguments", [["--rows", "nothing"], ["--seconds", "0"]])
def test_bad_usage_of_packages_is_refused(arguments, capsys):
    assert packages.main(arguments) == 2
    assert "packages: " in capsys.readouterr().err
