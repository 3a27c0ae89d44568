"""The table and the reasons below it, on a terminal and off one."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from wheelproof.console import can_encode, console, visible
from wheelproof.report.terminal import killed, print_report, verdict_line
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
    lines = printed(good).splitlines()
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
    assert "[red]m[/red] / tlc / \\x1b[31mname\\u202e" in text and "[/bold]\\nsecond" in text


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
    assert killed(row) == "M by P at depth 3 / 4 (m, mutant)"


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
        for number in range(25)
        for row in good.rows
    ]
    rows[4] = judge("mechanism_number_1", "mutant", "M2", expected="violated", verdict="error")
    lines = printed(replace(good, rows=tuple(rows))).splitlines()
    assert max(map(len, lines[:27])) <= 80 and len(lines) <= 40
    heading = "mechanism ok / total killed states / edges seconds"
    assert lines[0].split() == heading.split()
    assert lines[1].split()[:5] == ["mechanism_number_0", "3", "/", "3", "1"]
    assert lines[2].split()[:5] == ["mechanism_number_1", "2", "/", "3", "1"]
    assert lines[26].split()[:5] == ["all", "74", "/", "75", "25"]
    assert not any(line.startswith("killed:") for line in lines)
    assert any("mechanism_number_1 / mutant / M2" in line for line in lines)
