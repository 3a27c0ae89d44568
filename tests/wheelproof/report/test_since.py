"""What is new in a run, beside the runs before it."""

from dataclasses import replace

import pytest

from wheelproof.report.since import Since, since
from wheelproof.verdict import judge

LATER = "2026-01-03T08:09:10+00:00"


def row(name, verdict="exhaustive", layer="tlc"):
    return judge("thing", layer, name, expected="exhaustive", verdict=verdict)


def of(results, *rows, **fields):
    return replace(results, rows=rows, **fields)


def every(*check):
    return True


@pytest.mark.parametrize(
    ("then", "now", "found"),
    [
        ([row("a")], [row("a")], {}),
        ([row("a")], [row("a", "error")], {"broken": ("thing / tlc / a",)}),
        ([row("a")], [row("a"), row("b", "error")], {"broken": ("thing / tlc / b",)}),
        ([row("a", "error")], [row("a", "vacuous")], {}),
        ([row("a", "error")], [row("a")], {"mended": ("thing / tlc / a",)}),
        ([row("a"), row("b")], [row("b")], {"gone": ("thing / tlc / a",)}),
        ([row("a")], [row("a"), row("b")], {"added": ("thing / tlc / b",)}),
        (
            [row("a")],
            [row("a", layer="graph")],
            {"gone": ("thing / tlc / a",), "added": ("thing / graph / a",)},
        ),
    ],
)
def test_each_kind_of_news(good, then, now, found):
    assert since([of(good, *then)], of(good, *now), every) == Since(good.started, **found)


def test_the_later_run_of_a_check_counts(good):
    whole, part = of(good, row("a"), row("b", "error")), of(good, row("b"), started=LATER)
    assert since([whole, part], of(good, row("a"), row("b")), every) == Since(LATER)
    broken = since([whole, part], of(good, row("a"), row("b", "error")), every)
    assert broken == Since(LATER, broken=("thing / tlc / b",))


def test_checks_that_this_run_would_not_have_are_not_gone(good):
    then = of(good, row("a"), row("b"), row("c", layer="jvm"))
    now = of(good, row("a"), not_run={"jvm": "no Java"})
    found = since([then], now, lambda mechanism, layer, name: name != "b")
    assert found == Since(good.started)
    assert since([then], replace(now, not_run={}), every).gone == (
        "thing / tlc / b",
        "thing / jvm / c",
    )
    assert since([then], of(good, row("a"), complete=False), every) == Since(good.started)
    night = of(good, row("a"), row("d"), profile="nightly")
    assert since([then], night, every) == Since(good.started), "another profile has others"
    assert since([], now, every) is None
    assert since([then], now, lambda *check: False) is None


def test_the_news_are_a_line_of_counts_and_the_first_titles():
    found = Since(LATER, ("x / a", "x / b"), ("x / c",), ("x / d",), ("x / e",))
    assert list(found.lines(2, faults=3)) == [
        "new since 2026-01-03 08:09 UTC: 2 not in order, 1 in order again, 1 gone, 1 added",
        "    not in order: x / a",
        "    not in order: x / b",
    ]
    assert list(found.lines(9, faults=2))[1:] == [
        "    in order again: x / c",
        "    gone: x / d",
        "    added: x / e",
    ]
    assert list(Since(LATER).lines(9, 0)) == ["new since 2026-01-03 08:09 UTC: nothing"]
