"""Progress: lines off a terminal at a bounded rate, a redrawn display on one."""

import io

import pytest

from wheelproof.events import Beat, Check, Ended, Planned, Started, Tick
from wheelproof.report.progress import INTERVAL, Earlier, Lines, Live, Silent, progress
from wheelproof.verdict import judge

LONG, SHORT = Check("thing", "tlc", "long"), Check("thing", "tlc", "short")
FIRST = "2 checks: no earlier run tells how long they take"


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
    assert lines[:2] == [FIRST, "start  thing / tlc / long"]
    assert lines[2] == (
        "...    thing / tlc / long: 25,000 states, 1,000/s, 7 waiting, 25 s, 275 s of the "
        "budget left"
    )
    assert len(lines) == 3 + int(99 // INTERVAL)
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
    display.expect(Earlier({LONG: 100.0, SHORT: 120.0}, jobs=2))
    planned = Planned(2, frozenset({LONG, SHORT}))
    lines = run(
        display,
        [(0, planned), (0, Started(LONG)), (55, end()), (3700, end("short", "error"))],
    ).splitlines()
    assert lines[0] == "2 checks: about 2 min 0 s, as an earlier run took"
    assert lines[2].endswith("(1/2, 55 s, about 2 min 0 s left)"), "one check is one process"
    assert lines[-1].endswith("(2/2, 1 not in order, 1 h 1 min, about 0 s left)")


OTHERS = frozenset(Check("thing", "tlc", f"other {number}") for number in range(2))


@pytest.mark.parametrize(
    ("planned", "seconds", "first"),
    [
        (Planned(2, frozenset({LONG, SHORT})), {}, FIRST),
        (Planned(1, frozenset({LONG})), {SHORT: 9}, FIRST.replace("2 checks", "1 check")),
        (Planned(3, cached=2), {LONG: 100, SHORT: 20}, "3 checks, 2 cached"),
        (
            Planned(5, frozenset({LONG}), cached=4),
            {LONG: 7, SHORT: 1000},
            "5 checks, 4 cached: about 7 s, as an earlier run took",
        ),
        (
            Planned(5, frozenset({LONG}), cached=4),
            {SHORT: 1000},
            "5 checks, 4 cached: no earlier run tells how long the other 1 take",
        ),
        (
            Planned(4, OTHERS | {LONG, SHORT}),
            {LONG: 60, SHORT: 40},
            "4 checks: about 1 min 40 s, by an earlier run of 2 of them",
        ),
    ],
)
def test_the_first_line_counts_what_has_to_run_and_nothing_else(planned, seconds, first):
    display = Lines(io.StringIO())
    display.expect(Earlier(seconds, jobs=2))
    lines = run(display, [(0, planned), (0, Planned(1)), (1, Started(LONG))]).splitlines()
    assert lines == [first, "start  thing / tlc / long"]


def test_without_an_earlier_run_nothing_is_foretold():
    display = Lines(io.StringIO())
    display.expect(Earlier({}, jobs=2))
    assert "about" not in run(display, [(0, Planned(1)), (5, end())])
