"""The table of timers names each, and each quirk that is listed for it."""

import pytest

from benchmarks.timers import __main__ as timers
from tests.found import ROOT

PAGE = (ROOT / "docs" / "timers.md").read_text(encoding="utf-8")


def test_the_page_has_every_timer_with_its_quirks():
    part = PAGE.partition("<!-- timers: the output")[2].partition("<!-- timers: end -->")[0]
    rows = [line.split(" | ") for line in part.splitlines() if line.startswith("| ")][1:]
    quirks = {timer.name: set() for timer in timers.TIMERS}
    for name, clause, *_ in rows:
        if ": " not in clause:
            quirks[name.removeprefix("| ")].add(clause)
    assert quirks == {timer.name: set(timer.quirks) for timer in timers.TIMERS}


@pytest.mark.nightly
def test_a_timer_that_breaks_a_clause_that_is_not_listed_fails_the_command(monkeypatch, capsys):
    monkeypatch.setattr(timers, "TIMERS", (timers.Timer("a timer", "of_python:OfThreading"),))
    assert timers.main(["--programs", "1", "--executions", "60"]) == 1
    assert "not as listed: a timer" in capsys.readouterr().err


def test_a_timer_of_another_interpreter_is_named(monkeypatch, capsys):
    old = timers.Timer("a timer", "of_nothing:None", python=(2, 7))
    monkeypatch.setattr(timers, "TIMERS", (old,))
    assert timers.main([]) == 0
    assert "| a timer | | | needs Python 2.7 |" in capsys.readouterr().out
