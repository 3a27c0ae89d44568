"""docs/races.md is made of the outcomes that are kept, and names each row that has not run."""

from dataclasses import replace

from benchmarks.races import packages, results, scores, table
from benchmarks.races.checkers.outcome import BUG, Outcome
from benchmarks.races.table import BUGGY, FIXED
from tests.docs.reading import ROOT
from tools import races

TABLE = table.read()
ROWS = table.chosen(TABLE, "kafka_future,watchdog_close")
FOUND = Outcome(BUG, 7, "AssertionError", cpu=0.5, preemptions=1)


def kept(row, side):
    return {(row.name, side, "stress"): results.Kept(FOUND, 5, results.subject(row, side))}


def test_the_page_has_each_outcome_and_names_each_row_that_has_not_run():
    known = replace(TABLE, rows=ROWS)
    made = races.parts(known, kept(ROWS[0], BUGGY) | kept(ROWS[0], FIXED))
    assert "found, 7 / 0.50, 1 pr." in made["races-outcomes"]
    assert "**false alarm**, 7 / 0.50, 1 pr." in made["races-outcomes"]
    lines = made["races-not-run"].splitlines()
    assert "| kafka_future | buggy | wheelproof, frontrun, interleave-test |" in lines
    assert "| watchdog_close | fixed | wheelproof, frontrun, interleave-test, stress |" in lines
    assert len(lines) == 2 + 4
    assert (
        "* stress: real threads, a switch interval of 1 us; 5 CPU s for each run"
        in (made["races-options"])
    )
    assert "; not run" in made["races-options"]
    for row in ROWS:
        assert f"| {row.name} | {row.symptom} |" in made["races-rows"]
    for each in TABLE.omitted:
        assert each.reason in made["races-left-out"]


def test_a_row_whose_subject_has_changed_has_not_run():
    (row,) = table.chosen(TABLE, "kafka_future")
    other = replace(row, needs=("six==1.17.0",))
    made = races.parts(replace(TABLE, rows=(other,)), kept(row, BUGGY))
    assert (
        "| kafka_future | buggy | wheelproof, frontrun, interleave-test, stress |"
        in (made["races-not-run"])
    )
    assert "found" not in made["races-outcomes"]


def test_the_page_has_a_line_for_each_package_and_for_each_that_is_left_out():
    page = (ROOT / "docs" / "races.md").read_text(encoding="utf-8")
    known, omitted = packages.read()
    for line in packages.lines(known, results.read(packages.FILE)):
        assert f"| {' | '.join(line)} |" in page
    for each in omitted:
        assert f"| {each.package} | {each.reason} |" in page
    assert scores.unrun([]) == "Each row has run."
