"""The table beside Lincheck: its rows, what fails the command, and where a tool is missing."""

import sys

import pytest

from benchmarks.lincheck import __main__ as lincheck
from benchmarks.lincheck import structures
from tests.found import ROOT
from wheelproof.errors import ToolError

TABLE = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")


def test_the_table_has_each_structure_and_both_checkers():
    part = TABLE.partition("<!-- lincheck: the output")[2].partition("<!-- lincheck: end -->")[0]
    head, *rows = [line.strip("| ").split(" | ") for line in part.splitlines() if line[:2] == "| "]
    assert head == lincheck.HEAD
    both = ["Wheelproof", "Lincheck 3.7"]
    assert [row[:2] for row in rows] == [[s, c] for s in lincheck.STRUCTURES for c in both]
    assert {row[2] for row in rows} == {"rejected"}
    assert all(row[5].startswith(("exhausted: ", "no failure: ")) for row in rows)
    python = lincheck.OfPython()
    assert {int(row[7]) for row in rows[::2]} == {python.lines(s) for s in lincheck.STRUCTURES}


class Scripted(lincheck.Checker):
    """A checker whose processes print these calls."""

    name = "scripted"
    passed = "exhausted"

    def __init__(self, faulty, sound, says="exhausted: all"):
        self.calls = {False: faulty, True: sound}
        self.says = says

    def command(self, harness):
        calls = self.calls[harness.startswith("sound_")]
        return [sys.executable, "-c", f"print('{self.says}\\ncalls: {calls}')"]

    def lines(self, harness):
        return 3


@pytest.mark.parametrize(
    ("faulty", "sound", "says", "code"),
    [
        (2, 0, "exhausted: all", 0),
        (0, 0, "exhausted: all", 1),
        (2, 2, "bug: x", 1),
        (2, 0, "budget: few", 1),
        (2, 0, "vacuous: none", 1),
    ],
)
def test_a_wrong_judgement_fails_the_command(monkeypatch, capsys, faulty, sound, says, code):
    monkeypatch.setattr(lincheck, "OfPython", lambda: Scripted(2, 0))
    monkeypatch.setattr(lincheck, "OfJava", lambda: Scripted(faulty, sound, says))
    assert lincheck.main(["queue"]) == code
    assert ("not judged as planted: queue by scripted" in capsys.readouterr().err) == bool(code)


@pytest.mark.parametrize("script", ["", "print('calls: 2')", "print('a\\ncalls: 2'); exit(1)"])
def test_a_process_without_an_answer_is_an_error(script):
    with pytest.raises(ToolError, match="ended with [01]"):
        lincheck.answer([sys.executable, "-c", script])


def test_without_its_jars_nothing_is_checked(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("WHEELPROOF_OFFLINE", "1")
    monkeypatch.setattr("wheelproof.kept.cache", lambda: tmp_path)
    assert lincheck.main([]) == 5
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "org.jetbrains.lincheck:lincheck:3.7 was not found" in printed.err
    assert "Connect to a network" in printed.err


@pytest.mark.parametrize("name", ["Stack", "Cache", "Queue"])
def test_a_structure_does_what_its_sound_side_does_in_one_thread(name):
    faulty, sound = getattr(structures, name)(), getattr(structures, f"Sound{name}")()
    calls = {
        "Stack": [("push", 1), ("push", 2), ("pop",), ("push", 3), ("pop",), ("pop",), ("pop",)],
        "Cache": [("put", 1, 1), ("put", 2, 2), ("get", 1), ("put", 3, 3), ("get", 2), ("get", 1)],
        "Queue": [("offer", 1), ("offer", 2), ("poll",), ("poll",), ("offer", 3)],
    }[name]
    results = [
        [getattr(structure, call)(*args) for call, *args in calls] for structure in (faulty, sound)
    ]
    assert results[0] == results[1]


@pytest.mark.nightly
def test_the_command_judges_a_structure_as_planted():
    assert lincheck.main(["queue"]) == 0
