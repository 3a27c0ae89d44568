"""Progress: lines off a terminal at a bounded rate, a redrawn display on one."""

import io

import pytest

from wheelproof.events import Beat, Check, Ended, Planned, Started, Tick
from wheelproof.report.progress import INTERVAL, Earlier, Lines, Live, Silent, progress
from wheelproof.verdict import judge

LONG = Check("thing", "tlc", "long")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def end(name="long", verdict="exhaustive"):
    return Ended(judge("thing", "tlc", name, expected="exhaustive", verdict=verdict, seconds=100))


def run(display, notices):
    """Plays (time, notice) pairs to a display whose clock shows those times."""
    times = iter([time for time, _ in notices])
    display.clock = lambda: next(times)
    with display:
        for _, notice in notices:
            display(notice)
    return display.stream.getvalue()


def test_a_long_check_reports_states_rate_and_budget_but_not_too_often():
    notices = [(0, Planned(2)), (0, Started(LONG, budget=300))]
    notices += [(second, Beat(LONG, states=second * 1000, waiting=7)) for second in range(1, 100)]
    notices += [(100, end())]
    lines = run(Lines(io.StringIO()), notices).splitlines()
    assert lines[0] == "start  thing / tlc / long"
    assert lines[1] == (
        "...    thing / tlc / long: 25,000 states, 1,000/s, 7 waiting, 25 s, 275 s of the "
        "budget left"
    )
    assert len(lines) == 2 + int(99 // INTERVAL)
    assert lines[-1] == "ok     thing / tlc / long: exhaustive, 100.0 s (1/2, 1 min 40 s)"


def test_time_alone_gives_a_sign_of_life():
    text = run(
        Lines(io.StringIO()),
        [(0, Started(LONG)), (INTERVAL - 1, Tick()), (INTERVAL, Tick()), (INTERVAL + 1, Tick())],
    )
    assert text.splitlines() == [
        "start  thing / tlc / long",
        f"...    thing / tlc / long: {INTERVAL:.0f} s",
    ]


def test_what_is_not_in_order_is_marked():
    assert "NOT OK thing / tlc / long: error" in run(
        Lines(io.StringIO()), [(0, Started(LONG)), (1, end(verdict="error"))]
    )


def test_late_and_unannounced_notices_are_borne():
    run(Lines(io.StringIO()), [(0, Beat(LONG, 5)), (1, end()), (2, Beat(LONG, 6)), (3, Tick())])


def test_a_terminal_is_redrawn_and_keeps_what_is_not_in_order(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    text = run(
        Live(Terminal()),
        [(0, Started(LONG)), (1, Beat(LONG, 1000)), (2, end(verdict="error")), (3, Tick())],
    )
    assert "1,000 states" in text and "not in order: thing / tlc / long: error" in text


def test_a_terminal_is_left_in_order_when_the_run_breaks(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    display = Live(Terminal())
    with pytest.raises(RuntimeError), display:
        display(Started(LONG))
        raise RuntimeError
    assert (
        display.stream.getvalue().endswith("\x1b[?25h") or "\x1b[?25h" in display.stream.getvalue()
    )


def test_the_display_suits_the_stream(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    assert type(progress(stream=Terminal())) is Live
    assert type(progress(stream=io.StringIO())) is Lines
    assert run(Silent(io.StringIO()), [(0, Started(LONG)), (99, Tick()), (100, end())]) == ""
    assert type(progress(quiet=True)) is Silent
    monkeypatch.setenv("TERM", "dumb")
    assert type(progress(stream=Terminal())) is Lines


def test_an_earlier_run_tells_how_long_this_one_takes():
    display = Lines(io.StringIO())
    display.expect(Earlier({LONG: 100.0, Check("thing", "tlc", "short"): 20.0}, jobs=2))
    lines = run(
        display,
        [(0, Planned(2)), (0, Started(LONG)), (55, end()), (3700, end("short", "error"))],
    ).splitlines()
    assert lines[0] == "about 1 min 0 s, as an earlier run took"
    assert lines[2].endswith("(1/2, 55 s, about 10 s left)")
    assert lines[-1].endswith("(2/2, 1 not in order, 1 h 1 min, about 0 s left)")


def test_without_an_earlier_run_nothing_is_foretold():
    display = Lines(io.StringIO())
    display.expect(Earlier({}, jobs=2))
    assert "about" not in run(display, [(0, Planned(1)), (5, end())])
