"""The table and the reasons below it, on a terminal and off one."""

import io
import re
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from wheelproof.console import can_encode, console, visible
from wheelproof.report.since import Since
from wheelproof.report.terminal import kills, print_report, verdict_line
from wheelproof.verdict import judge


class Terminal(io.StringIO):
    def isatty(self):
        return True


def printed(results, stream=None, **options):
    stream = stream or io.StringIO()
    print_report(
        console(stream), results, Path("build"), {"results": "build/results.json"}, **options
    )
    return stream.getvalue()


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def test_off_a_terminal_it_is_plain_lines(good):
    lines = printed(good, verbose=True).splitlines()
    assert "\x1b" not in "".join(lines) and max(map(len, lines)) <= 120
    assert lines[0].split() == [
        "mechanism",
        "layer",
        "ok",
        "/",
        "total",
        "verdict",
        "bound",
        "states",
        "/",
        "edges",
        "seconds",
    ]
    assert lines[1].split() == [
        "thing",
        "tlc",
        "1",
        "/",
        "1",
        "exhaustive",
        "2",
        "threads",
        "1,200",
        "/",
        "-",
        "2.0",
    ]
    assert lines[2].split() == [
        "thing",
        "graph",
        "1",
        "/",
        "1",
        "exhaustive",
        "2",
        "threads",
        "1,200",
        "/",
        "3,400",
        "1.2",
    ]
    assert "violated as expected" in lines[3]
    assert "killed: M1 by Safe at depth 2 (thing, mutant)" in lines
    assert "results:    build/results.json" in lines
    assert lines[-1] == "wheelproof: 3 of 3 checks in order: every verdict as expected"


def test_every_row_that_is_not_in_order_stands_with_its_reason(bad):
    text = printed(bad)
    for message in (
        "other / tlc / broken: expected exhaustive, got error; TLC was killed",
        "other / bisimulation / empty: expected exhaustive, got vacuous; no label ran",
        "other / random / slow: expected exhaustive, got inconclusive; 60 s are over",
        "other / mutant / M2: expected violated by Safe, got exhaustive",
        "other / tlc / wrong: expected a violation of Safe, got one of Other",
    ):
        assert f"not in order: {message}\n" in text
    assert """wheelproof show 'build/counterexamples/it'"'"'s.json'\n""" in text
    assert "killed: M2" not in text and "killed: wrong" not in text
    assert (
        text.splitlines()[-1]
        == "wheelproof: 3 of 8 checks in order: FINDING: not every verdict is as expected; a TOOL "
        "FAILED in another check"
    )


def test_the_last_line_names_a_tool_that_failed_only_where_one_did(bad):
    failed = [row for row in bad.rows if row.verdict == "error"]
    found = [row for row in bad.rows if row.verdict != "error"]
    assert failed and "TOOL FAILED" not in verdict_line(replace(bad, rows=tuple(found))).plain
    assert verdict_line(replace(bad, rows=tuple(failed))).plain.endswith(
        "TOOL FAILED: not every check could be carried out"
    )


@pytest.mark.parametrize("width", ["40", "80", "120"])
def test_no_width_loses_a_reason(bad, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", width)
    assert "expected violated by Safe, got exhaustive" in printed(bad)


def test_quiet_is_the_verdict_line(bad):
    assert printed(bad, quiet=True).splitlines() == [verdict_line(bad).plain]


def test_an_empty_and_a_broken_run_never_read_as_success(good):
    assert "NOTHING SHOWN" in printed(replace(good, rows=()))
    text = printed(replace(good, complete=False))
    assert "PARTIAL RESULTS" in text and "every verdict as expected" not in text


def test_colour_on_a_terminal_only_and_never_against_no_color(good, monkeypatch):
    assert "\x1b[" in printed(good, Terminal())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in printed(good)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in printed(good, Terminal()) and "\x1b" not in printed(good)


def test_untrusted_text_is_neither_markup_nor_an_escape(good):
    hostile = judge(
        "[red]m[/red]",
        "tlc",
        "\x1b[31mname\u202e",
        expected="proved",
        verdict="error",
        why="[/bold]\nsecond",
    )
    text = printed(replace(good, rows=(hostile,)))
    assert "\x1b" not in text and "\u202e" not in text
    assert "[red]m[/red] / tlc / \\x1b[31mname\\u202e" in text and "[/bold]; second" in text


def test_different_depths_are_all_shown():
    row = judge(
        "m",
        "mutant",
        "M",
        expected="violated",
        verdict="violated",
        expected_property="P",
        property="P",
        figures={"depth_spec": 3, "depth_model": 3, "depth_impl": 4},
    )
    assert kills(row) == "M by P at depth 3 / 4 (m, mutant)"


def test_visible_keeps_what_can_be_seen():
    assert visible("añ→ |x") == "añ→ |x"
    assert visible("\t\x07\u200b") == "\\t\\x07\\u200b"
    assert can_encode(io.TextIOWrapper(io.BytesIO(), "utf-8"), "→") and not can_encode(
        io.TextIOWrapper(io.BytesIO(), "ascii"), "→"
    )


def test_many_mechanisms_are_a_line_each_in_80_columns(good, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    rows = [
        replace(row, mechanism=f"mechanism_number_{number}")
        for number in range(20)
        for row in good.rows
    ]
    rows[4] = judge("mechanism_number_1", "mutant", "M2", expected="violated", verdict="error")
    lines = printed(replace(good, rows=tuple(rows))).splitlines()
    assert max(map(len, lines[:22])) <= 80 and len(lines) <= 40
    heading = "mechanism ok / total killed states / edges seconds"
    assert lines[0].split() == heading.split()
    assert lines[1].split()[:5] == ["mechanism_number_0", "3", "/", "3", "1"]
    assert lines[2].split()[:5] == ["mechanism_number_1", "2", "/", "3", "1"]
    assert lines[21].split()[:5] == ["all", "59", "/", "60", "20"]
    assert not any(line.startswith("killed:") for line in lines)
    assert any("mechanism_number_1 / mutant / M2" in line for line in lines)


PLACES = {name: f"build/{name}" for name in ("results", "review", "page", "JUnit")}


def screen(results, terminal, **options):
    """The lines of a screen of 80 columns, a longer one divided."""
    stream = Terminal() if terminal else io.StringIO()
    target = console(stream, width=80)
    print_report(target, results, Path("build"), PLACES, **options)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    return [part for line in plain.splitlines() for part in textwrap.wrap(line, 80) or [""]]


def faulty(results, mechanisms, count):
    """Many rows, of which so many are not in order, with long reasons and traces."""
    rows = [
        replace(row, mechanism=f"mechanism_{number:02}", name=f"{row.name}_{copy}")
        for number in range(mechanisms)
        for copy in range(40 // mechanisms + 1)
        for row in results.rows
    ]
    rows += [
        judge(
            f"mechanism_{number % mechanisms:02}",
            "tlc",
            f"wrong_{number}",
            expected="exhaustive",
            verdict="violated",
            property="Safe",
            trace=f"counterexamples/{number}.json",
            why="because " * 60,
        )
        for number in range(count)
    ]
    titles = tuple(row.title() for row in rows if not row.ok)[1:]
    new = Since(results.started, titles, *(tuple(f"{kind} {'x' * 90}" * 9) for kind in "abc"))
    return replace(results, rows=tuple(rows), not_run={"jvm": "no jar " * 9}), new


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("count", [0, 1, 60])
@pytest.mark.parametrize("mechanisms", [1, 14, 30])
def test_the_screen_has_40_lines_and_80_columns(good, mechanisms, count, terminal):
    results, new = faulty(good, mechanisms, count)
    lines = screen(results, terminal, new=new)
    assert len(lines) <= 39, "and the next prompt"
    for number in range(min(mechanisms, 19)):
        assert any(line.startswith(f"mechanism_{number:02} ") for line in lines)
    shown = [line for line in lines if line.startswith("not in order: ")]
    assert len(shown) >= min(count, 1)
    if len(shown) < count:
        assert f"and {count - len(shown)} more: --verbose prints each" in lines
    if mechanisms > 20:
        assert any(line.startswith("10 more ") for line in lines)
    places = [line for line in lines if line.endswith(tuple(PLACES.values()))]
    assert len(places) == 4 and lines.index(places[-1]) < len(lines) - 1
    whole = screen(results, terminal, new=new, verbose=True)
    assert len(whole) > 40, "what does not fit is noticed"
    assert len([line for line in whole if line.startswith("not in order: ")]) == count


def test_faults_that_are_new_come_first(bad):
    titles = [row.title() for row in bad.rows if not row.ok]
    text = printed(bad, new=Since(bad.started, broken=(titles[-1],)))
    shown = [line for line in text.splitlines() if line.startswith("not in order: ")]
    assert titles[-1] in shown[0] and titles[0] in shown[1] and len(shown) == 5
    assert "new since 2026-01-02 03:04 UTC: 1 not in order\n" in text
    assert f"    not in order: {titles[-1]}\n" in text


def test_mechanisms_without_a_model_by_hand_are_a_line(good):
    model = {"model": "compiled from spec/Thing.tla"}
    rows = [replace(row, figures={**row.figures, **model}) for row in good.rows]
    assert "model: that of thing is compiled from spec/Thing.tla\n" in printed(
        replace(good, rows=tuple(rows))
    )
    rows += [replace(row, mechanism="other") for row in rows]
    text = printed(replace(good, rows=tuple(rows)))
    assert "models: compiled from the specifications: thing, other\n" in text
