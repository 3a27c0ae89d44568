"""Which of the specifications' actions traces came from."""

from __future__ import annotations

from pathlib import Path

import pytest
from inputs import WITH_ALL

from tests.found import mechanisms
from traces.bulk import FAMILIES
from wheelproof.pipeline import actions, validate

ROOT = Path(__file__).parents[3]
KNOWN = {"ring": frozenset({"A1", "A2", "A10", "B1"}), "other": frozenset({"C1"})}


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("impl/ring.py:12 A1", ("ring", "A1")),
        ("java/org/x/Ring.java:7 A10", ("Ring", "A10")),
        ("impl/ring.py:12", None),
        ("A1", None),
        ("", None),
    ],
)
def test_a_source_names_the_action_of_the_mechanism_that_its_file_is_named_after(source, meant):
    assert actions.action(source) == meant


def test_what_no_event_came_from_is_listed():
    headers = {
        0: {"sources": ["impl/ring.py:1 A10", "impl/ring.py:2 A1"]},
        1: {"sources": ["impl/ring.py:2 A1", "impl/ring.py:9"]},
        2: {},
    }
    counts = actions.counted(
        {(0, 0): 3, (0, 1): 4, (1, 0): 5, (1, 1): 6, (1, 7): 8, (2, 0): 9}, headers
    )
    assert counts == {("ring", "A10"): 3, ("ring", "A1"): 9}
    found = actions.summary(counts, KNOWN)
    assert found == {"ring": {"taken": {"A1": 9, "A10": 3}, "untaken": ["A2", "B1"]}}
    assert list(found["ring"]["taken"]) == ["A1", "A10"], "A2 comes before A10"
    assert list(actions.lines(found)) == [
        "actions of ring: 2 of 4 that show in a trace; never A2, B1"
    ]


def test_a_subject_that_is_not_here_is_counted_all_the_same():
    assert actions.summary({("ring", "A1"): 1}, {}) == {"ring": {"taken": {"A1": 1}, "untaken": []}}


def test_the_table_has_the_labels_that_bear_an_event():
    known = actions.table(mechanisms())
    assert set(known) == set(mechanisms())
    assert {"A9", "U9"} <= known["timer_task_list"] and not {"A4", "T0"} & known["timer_task_list"]


def test_the_bulk_check_tells_which_actions_traces_came_from(report):
    known = actions.table(mechanisms())["timer_task_list"]
    found = report.coverage["actions"]["timer_task_list"]
    assert {"A1", "A9", "U9"} <= found["taken"].keys() < known
    assert {*found["taken"], *found["untaken"]} == known


@WITH_ALL
def test_a_trace_more_is_an_action_more(spark, report, tmp_path):
    golden = ROOT / "tests/wheelproof/trace/golden"
    known = actions.table(mechanisms())
    one = validate.check(spark, [golden / "two_adders.jsonl"], tmp_path, FAMILIES[:1], labels=known)
    few, many = (each.coverage["actions"]["timer_task_list"] for each in (one, report))
    assert {"A1", "A9", "U9"} <= set(few["taken"]) and {"C3", "F1", "K1"} <= set(few["untaken"])
    assert {"C3", "F1", "K1"} <= set(many["taken"]) and set(few["taken"]) < set(many["taken"])
    assert set(many["taken"]) | set(many["untaken"]) == known["timer_task_list"]
