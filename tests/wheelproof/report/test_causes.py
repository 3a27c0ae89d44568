"""One fault is one cause: rows with one reason, and rows that may follow from a difference."""

from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from wheelproof.report import causes, page, terminal
from wheelproof.verdict import Results, judge

REASON = "impl/thing.py:5: random is out of the scheduler's control"


def row(layer, name, verdict, why, **more):
    expected = {"random": "sampled"}.get(layer, "exhaustive")
    return judge("thing", layer, name, expected=expected, verdict=verdict, why=why, **more)


REFUSED = tuple(
    row(layer, name, "refused", REASON)
    for layer, name in (("bisimulation", "two"), ("coverage", "labels"), ("random", "two"))
)
DIFFERENT = (
    row("tlc", "two", "error", "TLC was killed"),
    row("coverage", "labels", "vacuous", "no scenario exercises A1"),
    row("bisimulation", "two", "violated", "at the start: a takes A2", property="Bisimulation"),
    row("random", "two", "violated", "race on x", property="Bisimulation", trace="random.json"),
    row("random", "slow", "inconclusive", "60 s are over"),
)


def groups(rows):
    return [
        (cause.row.layer, [r.layer for r in cause.same], [r.layer for r in cause.follow])
        for cause in causes.causes(rows)
    ]


def test_rows_with_one_reason_are_one_cause():
    assert groups(REFUSED) == [("bisimulation", ["coverage", "random"], [])]
    other = replace(REFUSED[1], why=REFUSED[1].why + " too")
    assert len(groups((REFUSED[0], replace(other, layer="graph")))) == 2, "the control"


def test_rows_of_an_implementation_that_differs_may_follow_from_that():
    assert groups(DIFFERENT) == [
        ("tlc", [], []),
        ("bisimulation", [], ["coverage", "random"]),
        ("random", [], []),
    ], "a time-out follows from no difference"
    equal = tuple(r for r in DIFFERENT if r.layer != "bisimulation")
    assert [lead for lead, *_ in groups(equal)] == ["tlc", "coverage", "random", "random"]
    elsewhere = replace(DIFFERENT[2], mechanism="other")
    assert len(groups((elsewhere, DIFFERENT[1]))) == 2, "of another mechanism"


@pytest.mark.parametrize("rows", [REFUSED, DIFFERENT])
def test_each_row_that_is_not_in_order_is_in_one_cause(rows):
    inside = [r.title() for c in causes.causes(rows) for r in (c.row, *c.same, *c.follow)]
    assert sorted(inside) == sorted(r.title() for r in rows)


def printed(rows, verbose=False):
    target = Console(width=300, file=None, force_terminal=False)
    results = replace(Results.begin({}), rows=rows, complete=True)
    with target.capture() as text:
        terminal.print_report(target, results, Path("build"), {}, verbose=verbose)
    return text.get()


def test_the_screen_says_one_cause_once_and_names_the_others():
    text = printed(REFUSED)
    assert text.count(REASON) == 1 and "0 of 3 checks in order" in text
    assert "    for the same reason (2): coverage / labels, random / two\n" in text
    assert "    may follow (2): coverage / labels, random / two\n" in printed(DIFFERENT)
    assert printed(REFUSED, verbose=True).count(REASON) == 3


def test_the_page_has_the_others_below_the_cause():
    results = replace(Results.begin({}), rows=DIFFERENT, complete=True)
    text = page.render(results, {}, {}, Path(), Path("build"))
    head, _, rest = text.partition("May follow from it: coverage / labels, random / two")
    assert "at the start: a takes A2" in head and "no scenario exercises A1" in rest
    findings = text[text.index('id="findings"') : text.index("Mechanisms and layers")]
    assert all(findings.count(f"<strong>{r.title()}</strong>") == 1 for r in DIFFERENT)
