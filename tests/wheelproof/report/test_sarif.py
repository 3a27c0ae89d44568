"""SARIF, annotations and the summary: each finding once, at its line; no false green."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from wheelproof.report import places, sarif, summary
from wheelproof.verdict import judge

BUILD = Path("build")
WRONG = "counterexamples/it's.json"


def document(results, found):
    return json.loads(sarif.render(results, found, BUILD))


def test_a_good_run_has_no_result(good):
    made = document(good, {})
    (run,) = made["runs"]
    assert made["version"] == "2.1.0" and run["results"] == [] == run["tool"]["driver"]["rules"]
    assert run["invocations"] == [{"executionSuccessful": True}]
    assert list(sarif.annotations(good, {})) == []


def test_a_run_that_was_broken_off_or_is_empty_is_no_success(good):
    for results in (replace(good, complete=False), replace(good, rows=())):
        (run,) = document(results, {})["runs"]
        assert run["invocations"] == [{"executionSuccessful": False}]


def test_each_row_that_is_not_in_order_is_a_result_of_a_known_rule(bad, trace):
    (run,) = document(bad, {WRONG: trace})["runs"]
    wrong = [row for row in bad.rows if not row.ok]
    assert len(run["results"]) == len(wrong) == 5
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    for result, row in zip(run["results"], wrong, strict=True):
        assert result["ruleId"] in rules and result["level"] == "error"
        assert f"{row.mechanism} / {row.layer} / {row.name}" in result["message"]["text"]
    assert run["results"][-1]["ruleId"] == "Other"
    assert len({json.dumps(each["partialFingerprints"]) for each in run["results"]}) == 5


def test_a_result_is_at_the_last_line_of_its_counterexample(bad, trace):
    sources = [step.source for step in trace.steps if step.source]
    file, _, line = sources[-1].partition(":")
    (run,) = document(bad, {WRONG: trace})["runs"]
    (location,) = run["results"][-1]["locations"]
    place = location["physicalLocation"]
    assert place["artifactLocation"]["uri"] == file
    assert place["region"]["startLine"] == int(line)
    assert all("locations" not in result for result in run["results"][:-1])
    without = replace(trace, steps=tuple(replace(step, source=None) for step in trace.steps))
    (run,) = document(bad, {WRONG: without})["runs"]
    assert "locations" not in run["results"][-1]


def test_annotations_are_one_line_each_whatever_the_texts_hold(bad, trace):
    hostile = judge(
        "a,b:c", "tlc", "x\n::error::y", expected="exhaustive", verdict="error", why="50 %\r\nmore"
    )
    lines = list(sarif.annotations(replace(bad, rows=(*bad.rows, hostile)), {WRONG: trace}))
    assert len(lines) == 6 and all("\n" not in line and "\r" not in line for line in lines)
    assert lines[4].startswith("::error file=")
    assert re.match(r"::error title=a%2Cb%3Ac[^,:]*::[^\n]*50 %25", lines[5])


def test_the_summary_has_the_verdict_and_the_first_findings(bad, good):
    text = summary.render(bad, BUILD)
    assert text.startswith("**wheelproof: 3 of 8 checks in order: ")
    assert text.count("\n* ") == summary.SHOWN + 1 and "* and 1 more" in text
    assert "wheelproof: 3 of 3 checks in order: every verdict as expected" in summary.render(
        good, BUILD
    )


@pytest.mark.parametrize("count", [0, 1, 4, 5, 900])
def test_the_summary_has_at_most_ten_lines(good, count):
    rows = tuple(
        judge("m", "tlc", f"a\n* {n}", expected="exhaustive", verdict="error", why="long " * 400)
        for n in range(count)
    )
    results = replace(good, rows=(*good.rows, *rows), not_run={"jvm": "no\nJava"})
    text = summary.render(results, BUILD)
    assert text.count("\n") <= 10 and "Not run: layer jvm" in text
    assert max(map(len, text.splitlines())) < 2 * summary.WIDEST


def test_a_run_that_was_broken_off_does_not_read_as_a_success(good):
    assert "PARTIAL RESULTS" in summary.render(replace(good, complete=False), BUILD)


def test_a_project_in_a_folder_of_a_repository_has_places_in_the_repository(
    tmp_path, monkeypatch, bad, trace
):
    project = tmp_path / "a" / "project"
    project.mkdir(parents=True)
    assert places.prefix(project) == ""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert places.prefix(project) == "a/project/" and places.prefix(tmp_path) == ""
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "elsewhere"))
    assert places.prefix(project) == ""
    (line,) = (line for line in sarif.annotations(bad, {WRONG: trace}, "a/") if "file=" in line)
    assert line.startswith("::error file=a/")
