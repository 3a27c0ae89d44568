"""The table of known races, the form of its programs, and what an answer is worth."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.races import environments, form, packages, run, scores, table
from benchmarks.races.checkers.outcome import BUG, CANNOT, DEADLOCK, HOLDS, NOTHING, Outcome
from wheelproof.errors import UsageError

ROOT = Path(__file__).parents[2]
TABLE = table.read()
TEXT = table.TABLE.read_text()
ROW = table.chosen(TABLE, "kafka_future")[0]

PROGRAM = """import threading


def program() -> None:
    thread = threading.Thread(target=print)
    thread.start()
    thread.join()
"""


def test_every_program_and_patch_belongs_to_a_row():
    known, _ = packages.read()
    programs = {row.program for row in (*TABLE.rows, *(each.row for each in known))}
    assert programs == {p.stem for p in table.PROGRAMS.glob("*.py")} - {"__init__"}
    patches = {
        patch for row in TABLE.rows for side in (row.buggy, row.fixed) for patch in side.patches
    }
    assert patches == set(table.PATCHES.iterdir())


def test_a_program_has_the_form():
    assert list(form.faults(PROGRAM)) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("program()", "entry()", "has no function program() without parameters"),
        ("program()", "program(place)", "has no function program() without parameters"),
        ("program()", "program(*places)", "has no function program() without parameters"),
        ("threading.Thread(", "threading._Thread(", "line 5 names _Thread, which is private"),
        ("target=print", "_target=print", "line 5 names _target, which is private"),
        (
            "import threading\n",
            "from queue import _PySimpleQueue\n",
            "line 1 names _PySimpleQueue, which is private",
        ),
        ("import threading\n", "import a._b\n", "line 1 names a._b, which is private"),
        (
            "import threading\n",
            "import frontrun\n",
            "line 1 imports frontrun: a program knows no checker",
        ),
        (
            "import threading\n",
            "from wheelproof import explore\n",
            "line 1 imports wheelproof: a program knows no checker",
        ),
        ("target=print", "target=time.sleep", "line 5 names sleep, which orders threads"),
        (
            "threading.Thread(target=print)",
            "threading.Barrier(2)",
            "line 5 names Barrier, which orders threads",
        ),
        ("thread.join()\n", "thread.join()\n" + "    pass\n" * 11, "has 16 lines, of at most 15"),
    ],
)
def test_a_program_of_another_form_is_refused(old, new, fault):
    assert PROGRAM.count(old) >= 1
    assert fault in list(form.faults(PROGRAM.replace(old, new, 1)))


def test_blank_lines_of_a_program_do_not_count():
    assert list(form.faults(PROGRAM.replace("\n", "\n\n"))) == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[row]]", "[[rows]]", "field rows is unknown: omitted, row"),
        ('kind = "stdlib"', 'kind = "npm"', "field kind must be stdlib or pypi"),
        ('kind = "stdlib"', "kind = 1", "field kind must be a text that is not empty"),
        ('kind = "stdlib"\n', "", "field kind must be a text that is not empty"),
        ('python = "3.13.0"', 'python = "3.13"', "field python must be an exact version"),
        (
            'python = "3.13.0"',
            'python = "3.12.1"',
            "field python must be the version of both sides of a stdlib row",
        ),
        ('["KeyError"]', "[]", "field failures must be a list of texts that is not empty"),
        ('["KeyError"]', "[3]", "field failures must be a list of texts that is not empty"),
        ('name = "linecache_checkcache"', 'name = "nothing"', "row nothing has no program"),
        ('name = "weakset_iter"', 'name = "linecache_checkcache"', "two rows are named"),
        ("[[row]]", '[[row]]\nplace = "x"', "field place is unknown"),
        (
            'buggy = { version = "3.13.0" }',
            'buggy = "3.13.0"',
            "field buggy must be a table { version = ... }",
        ),
        (
            'buggy = { version = "3.13.0" }',
            'buggy = { version = "*" }',
            "field buggy.version must be an exact version",
        ),
        (
            'buggy = { version = "3.13.0" }',
            'buggy = { version = "3.13.0", fix = "linecache_checkcache.patch" }',
            "field buggy.fix would mend the buggy side",
        ),
        (', fix = "linecache_checkcache.patch"', "", "field fixed equals the buggy side"),
        ("linecache_checkcache.patch", "nothing.patch", "has no patch"),
        ('"typing-extensions==4.15.0"]', '"typing-extensions>=4"]', "which is no exact pin"),
        ("[[omitted]]", "[[omitted]]\nwhy = 3", "field why is unknown"),
        ("[[row]]", "[row]\n[[row]]", "not valid TOML"),
    ],
)
def test_a_table_with_a_fault_is_refused_with_its_place(tmp_path, old, new, message):
    assert old in TEXT
    path = tmp_path / "races.toml"
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(UsageError) as refused:
        table.read(path)
    assert message in str(refused.value)
    assert "races.toml" in str(refused.value)


def test_a_table_without_rows_is_refused(tmp_path):
    path = tmp_path / "races.toml"
    path.write_text("")
    with pytest.raises(UsageError, match="has no row"):
        table.read(path)


def test_a_long_fix_and_a_program_of_another_form_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "PATCHES", tmp_path)
    for row in TABLE.rows:
        for patch in (*row.buggy.patches, *row.fixed.patches):
            patch.write_text("--- a\n+++ b\n@@ -0,0 +1,10 @@\n" + "+\n" * 10)
    table.read()
    (tmp_path / "weakset_iter.patch").write_text("--- a\n+++ b\n@@ -0,0 +1,11 @@\n" + "+\n" * 11)
    with pytest.raises(UsageError, match="weakset_iter.patch adds more than 10 lines"):
        table.read()


def test_a_program_with_a_schedule_is_refused_with_the_table(tmp_path, monkeypatch):
    for row in TABLE.rows:
        (tmp_path / f"{row.program}.py").write_text(PROGRAM)
    monkeypatch.setattr(table, "PROGRAMS", tmp_path)
    table.read()
    (tmp_path / "popen_poll.py").write_text(PROGRAM.replace("print", "sleep"))
    with pytest.raises(UsageError, match="popen_poll.py line 5 names sleep"):
        table.read()


@pytest.mark.parametrize(
    ("side", "outcome", "score"),
    [
        ("buggy", Outcome(BUG, 3, "AssertionError"), scores.FOUND),
        ("buggy", Outcome(BUG, 3, DEADLOCK), scores.OTHER),
        ("buggy", Outcome(BUG, 3, "AssertionError in threading.py"), scores.OTHER),
        ("buggy", Outcome(HOLDS, 3), scores.FALSE_PASS),
        ("buggy", Outcome(HOLDS, 3, bound=2), scores.FALSE_PASS),
        ("buggy", Outcome(NOTHING, 3), scores.MISSED),
        ("buggy", Outcome(CANNOT, 0), scores.MISSED),
        ("fixed", Outcome(BUG, 3, "AssertionError"), scores.FALSE_ALARM),
        ("fixed", Outcome(BUG, 3, DEADLOCK), scores.FALSE_ALARM),
        ("fixed", Outcome(HOLDS, 3), scores.EXHAUSTED),
        ("fixed", Outcome(HOLDS, 3, bound=2), scores.BOUNDED),
        ("fixed", Outcome(NOTHING, 3), scores.NO_CLAIM),
        ("fixed", Outcome(CANNOT, 0), scores.NOT_RUN),
    ],
)
def test_an_answer_has_its_score(side, outcome, score):
    assert scores.Result(ROW, side, "stress", outcome).score == score


def test_the_tables_count_and_show_each_outcome():
    results = [
        scores.Result(ROW, "buggy", "stress", Outcome(BUG, 1234, "AssertionError", cpu=0.5)),
        scores.Result(ROW, "fixed", "stress", Outcome(NOTHING, 7, reason="no failure")),
    ]
    head, _, line = scores.summary(results, ["stress"]).splitlines()
    counts = dict(zip(head.split(" | "), line.split(" | "), strict=True))
    assert (counts[scores.FOUND], counts[scores.NO_CLAIM]) == ("1", "1")
    assert counts[scores.FALSE_PASS] == counts[scores.FALSE_ALARM] == "0"
    shown = scores.table(results, ["stress"])
    assert "| kafka_future | kafka-python 2.1.0 | found, 1,234 / 0.50 |" in shown
    assert "|  | kafka-python 2.1.1 | no claim, 7 / 0.00 |" in shown
    assert scores.reasons(results, "stress") == "* kafka_future, fixed: no claim: no failure"


def test_a_reason_names_no_folder_and_no_address():
    outcome = Outcome(CANNOT, 0, reason="/x/lib/a.py:3: <A object at 0x7f00> | failed\nhere")
    reason = scores.Result(ROW, "fixed", "stress", outcome).reason
    assert reason == "a.py:3: <A object> failed here"


def test_a_solved_row_has_no_reason():
    outcome = Outcome(BUG, 3, "AssertionError", reason="AssertionError in Thread-1")
    assert scores.Result(ROW, "buggy", "stress", outcome).reason == ""


def printed(*lines: str) -> dict[str, object]:
    """The outcome that a process of a checker of these lines prints."""
    head = "from benchmarks.races.checkers.outcome import *\nimport sys, threading"
    done = subprocess.run(
        [sys.executable, "-c", "\n".join([head, *lines]), "cached_property", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_a_checker_prints_its_outcome_though_threads_wait_for_ever():
    outcome = printed(
        "threading.Thread(target=threading.Event().wait).start()",
        "report(lambda module, seconds: Outcome(BUG, 3, module.__name__))",
    )
    assert outcome["answer"] == BUG
    assert outcome["failure"] == "benchmarks.races.programs.cached_property"


def test_a_checker_that_breaks_is_an_outcome_with_the_reason():
    outcome = printed("report(lambda module, seconds: module.nothing)")
    assert outcome["answer"] == CANNOT
    assert "AttributeError" in outcome["reason"]


def test_an_assertion_of_the_library_is_not_the_programs():
    outcome = printed(
        "def check(module, seconds):",
        "    try: threading.Thread(group=1)",
        "    except AssertionError as error: return Outcome(BUG, 1, named(error))",
        "report(check)",
    )
    assert outcome["failure"] == "AssertionError in threading.py"


def test_an_interpreter_that_is_not_installed_is_a_miss_with_the_reason():
    with pytest.raises(environments.Unavailable, match="Python 3.99.0 is not installed"):
        environments.interpreter("3.99.0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "nothing"], "There is no row 'nothing'."),
        (["--checkers", "nothing"], "There is no checker 'nothing'."),
        (["--seconds", "0"], "--seconds is from 0 to 3600."),
    ],
)
def test_bad_usage_is_refused(capsys, arguments, message):
    assert run.main(arguments) == 2
    assert message in capsys.readouterr().err


def test_the_rows_and_what_is_left_out_are_listed(capsys):
    assert run.main(["--list"]) == 0
    shown = capsys.readouterr().out
    for row in TABLE.rows:
        assert f"| {row.name} | {row.symptom} |" in shown
    for omitted in TABLE.omitted:
        assert omitted.reason in shown
