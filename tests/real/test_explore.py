"""Released classes are explored by one command with one set of options."""

from dataclasses import replace

import pytest

from real.explore import __main__ as command
from tests.docs.reading import ROOT
from wheelproof.jvm.jars import NotHere
from wheelproof.plain.answers import Answer

PAGE = (ROOT / "docs" / "verify-java.md").read_text(encoding="utf-8")


def explored(subject):
    """The answer of a subject; without its jars nothing is run."""
    try:
        return command.explore(subject)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")


def test_a_heartbeat_is_lost_on_the_released_class():
    released = next(each for each in command.subjects() if each.harness.stem == "Tracker")
    exploration = explored(released)
    assert exploration.answer is Answer.BUG and exploration.failure.preemptions == 1
    assert command.row(released, exploration) in PAGE


def test_every_row_of_the_page_is_a_subject():
    subjects = command.subjects()
    rows = [line for line in PAGE.splitlines() if line.startswith("| `") and " lines" not in line]
    rows = [line for line in rows if any(f"| `{each.type}` | {each.release} |" in line
                                         for each in subjects)]  # fmt: skip
    assert len(rows) == len(subjects)
    for line, subject in zip(rows, subjects, strict=True):
        assert line.startswith(f"| `{subject.type}` | {subject.release} | `{subject.harness.stem}`")
        assert f", {subject.lines} | {subject.expect} |" in line
        assert line.endswith(f"| {subject.issue} |")


@pytest.mark.nightly
def test_another_answer_ends_with_one(monkeypatch, capsys):
    subject = command.subjects()[0]
    found = explored(next(each for each in command.subjects() if each.harness.stem == "Cyclic"))
    monkeypatch.setattr(command, "explore", lambda _: found)
    monkeypatch.setattr("sys.argv", ["explore", subject.type])
    wrong = replace(subject, expect="exhausted")
    monkeypatch.setattr(command, "subjects", lambda: [subject, wrong])
    assert command.main() == 1
    printed = capsys.readouterr()
    assert "expected exhausted" in printed.out and "1 of 2 as expected" in printed.err
    monkeypatch.setattr(command, "subjects", lambda: [subject])
    assert command.main() == 0


def test_a_harness_orders_no_threads():
    for subject in command.subjects():
        code = subject.harness.read_text(encoding="utf-8")
        for word in ("CountDownLatch", "CyclicBarrier", "Phaser", "yield(", "onSpinWait"):
            assert word not in code, (subject.harness, word)


def test_a_harness_is_short():
    assert {subject.harness.stem for subject in command.subjects() if subject.lines > 78} == set()
    assert min(subject.lines for subject in command.subjects()) >= 15


def test_a_fix_of_our_own_is_short_and_named_in_its_row():
    fixes = sorted((command.HERE / "fixes").glob("*.diff"))
    assert fixes
    for diff in fixes:
        lines = diff.read_text(encoding="utf-8").splitlines()[2:]
        assert sum(line.startswith("+") for line in lines) <= 10, diff
        (row,) = [each for each in command.subjects() if each.patch == diff]
        assert row.issue.endswith(f"with our own fix: `fixes/{diff.name}`")
        assert row.expect == Answer.EXHAUSTED


@pytest.mark.nightly
def test_the_table_of_the_page_is_what_the_command_prints():
    for subject in command.subjects():
        exploration = explored(subject)
        assert exploration.answer == subject.expect
        assert command.row(subject, exploration) in PAGE
