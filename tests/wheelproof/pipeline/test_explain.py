"""The report of the violations stands, whatever becomes of their explanations."""

import json
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from wheelproof.errors import ToolError
from wheelproof.pipeline import command, explain, shrinking, validate

GOLDEN = Path(__file__).parents[1] / "trace" / "golden"
MUTANT = GOLDEN / "mutant_M2.jsonl"
FOUND = {"index": 0, "run_id": "r", "rule": "AtMostOneList", "trusted": True, "detail": "twice"}
RULE = {
    "family": "entries",
    "says": "",
    "unit": "event",
    "applied": 3,
    "broken": 1,
    "verdict": "violated",
}
LONG_S = 600
"""An explanation that takes so long is to be given up after two seconds; the test is not to depend
on how fast the machine does it."""


@pytest.fixture
def checked(monkeypatch) -> validate.Report:
    """A violating run, found without Spark."""
    report = validate.Report(
        runs=[
            {
                "run": "r",
                "path": str(MUTANT),
                "verdict": "violates",
                "events": 9,
                "broken": {"AtMostOneList": 1},
                "problems": [],
            }
        ],
        rules={"AtMostOneList": RULE},
        violations=[FOUND],
        violated=1,
        events=9,
        coverage={"kinds": {}, "kinds_unseen": [], "edges": {}, "edges_untaken": [], "actions": {}},
    )
    monkeypatch.setattr(command, "session", lambda options: nullcontext(None))
    monkeypatch.setattr(validate, "check", lambda *arguments, **options: report)
    return report


def run(output: Path, as_json: bool = False) -> int:
    return command.run([MUTANT], command.options_of("local[1]", "1g", None), output, as_json)


@pytest.mark.parametrize("as_json", [False, True])
def test_the_report_survives_an_explanation_that_fails(
    checked, tmp_path, monkeypatch, capsys, as_json
):
    seen = []

    def fail(*_):
        seen.append(
            json.loads((tmp_path / "trace-check.json").read_text())
        )  # the report is there before
        raise ToolError("The replay broke.")

    monkeypatch.setattr(explain, "explain", fail)
    assert run(tmp_path, as_json) == 1
    assert seen[0]["violations"] == [FOUND] and seen[0]["violated"] == 1
    printed, written = (
        capsys.readouterr().out,
        json.loads((tmp_path / "trace-check.json").read_text()),
    )
    assert written["violations"] == [FOUND] and written["unexplained"] == "The replay broke."
    assert "AtMostOneList" in printed and "The replay broke." in printed
    if as_json:
        assert json.loads(printed) == written


def test_a_defect_in_an_explanation_is_named_and_the_report_stands(
    checked, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(explain, "explain", lambda *_: 1 // 0)
    monkeypatch.setattr(explain.failures, "reported", lambda *_: nullcontext())
    assert run(tmp_path) == 1
    assert "not explained: ZeroDivisionError" in capsys.readouterr().out


def test_ctrl_c_amid_the_explanations_leaves_the_report(checked, tmp_path, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(explain, "attempted", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    assert "AtMostOneList" in capsys.readouterr().out
    assert json.loads((tmp_path / "trace-check.json").read_text())["violations"] == [FOUND]


def test_explanations_that_take_too_long_are_given_up(spark, checked, monkeypatch):
    def slow(chosen):
        time.sleep(LONG_S)
        return iter(chosen)

    monkeypatch.setattr(explain, "_explanations", slow)
    began = time.monotonic()
    with pytest.raises(ToolError, match="took longer than 2 s"):
        explain.explain(spark, checked, 1000, patience=2)
    assert time.monotonic() - began < LONG_S / 2
    assert spark.range(3).count() == 3


def test_an_error_of_shrinking_is_one_trace_s_error(monkeypatch, tmp_path):
    whole = explain.explanation(MUTANT)
    assert whole["property"] == "AtMostOneList" and whole["shrunk"] and "not_shrunk" not in whole
    (tmp_path / "a.jsonl").write_text("{}")
    assert explain.explanation(tmp_path / "a.jsonl").keys() == {"not_shrunk"}
    monkeypatch.setattr("wheelproof.pipeline.shrinking.shrunk", lambda *_: 1 // 0)
    assert "ZeroDivisionError" in explain.explanation(MUTANT)["not_shrunk"]


def test_a_trace_that_conforms_is_not_explained():
    assert "no event breaks" in explain.explanation(GOLDEN / "readd.jsonl")["not_shrunk"]


@pytest.mark.nightly
def test_shrinking_ends_with_its_time_and_what_is_left_is_refused_still():
    smallest, first = shrinking.shrunk(MUTANT), shrinking.shrunk(MUTANT, 0.0)
    assert len(smallest.events) < len(first.events)
    assert first.property == smallest.property == "AtMostOneList"
