"""`wheelproof explore --output`: the rows, the files, and the commands that reports name."""

import json
import re
import shlex

import pytest

from tests.examples.pages import wheelproof
from tests.wheelproof.plain.written import RUN
from wheelproof.report import files
from wheelproof.verdict import read_results

TESTS = (
    RUN
    + """
import random, threading, pytest

class Counter:
    def __init__(self):
        self.count, self.lock = 0, threading.Lock()

    def racy(self):
        self.count += 1

    def guarded(self):
        with self.lock:
            self.count += 1

@pytest.mark.parametrize("kind", ["racy", "guarded"])
def test_count(kind):
    counter = Counter()
    run(*[getattr(counter, kind)] * 2)
    assert counter.count == 2

def test_deadlock():
    a, b = threading.Lock(), threading.Lock()
    def one():
        with a, b: pass
    def other():
        with b, a: pass
    run(one, other)

def test_alone():
    pass

async def test_asynchronous():
    pass
"""
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(TESTS)
    return tmp_path


def rows(folder, *arguments):
    code, printed = wheelproof(folder, "explore", *arguments, "--output", "build")
    return code, printed, read_results(folder / "build/results.json")


@pytest.mark.daily(4)
@pytest.mark.parametrize(
    ("arguments", "code", "verdict", "property", "bound"),
    [
        (["test_it.py::test_count[guarded]"], 0, "exhaustive", None, ""),
        (["test_it.py::test_count[guarded]", "--bound", "0"], 0, "exhaustive", None,
         "0 preemptions"),
        (["test_it.py::test_count[racy]"], 1, "violated", "assertion", ""),
        (["test_it.py::test_deadlock"], 1, "violated", "deadlock", ""),
        (["test_it.py::test_count[guarded]", "--executions", "3"], 3, "inconclusive", None, ""),
        (["test_it.py::test_alone"], 5, "vacuous", None, ""),
        (["test_it.py::test_asynchronous"], 2, "refused", None, ""),
    ],
)  # fmt: skip
def test_each_answer_is_a_row(folder, arguments, code, verdict, property, bound):
    ended, printed, results = rows(folder, *arguments)
    (row,) = results.rows
    assert (ended, row.verdict, row.property, row.bound) == (code, verdict, property, bound)
    assert (row.mechanism, row.layer) == ("test_it.py", "explore") and results.complete
    assert row.ok == (code == 0) and bool(row.why) == (code != 0)
    assert (row.trace is not None) == (verdict == "violated")
    assert "written: build/review.html" in printed
    assert {file.name for file in (folder / "build").iterdir()} >= {*files.MADE, "results.json"}


def test_each_test_is_a_row_and_the_command_ends_with_the_worst(folder):
    code, _, results = rows(folder, "test_it.py::test_count")
    assert code == 1 and results.only == "test_it.py::test_count"
    assert [(row.name, row.verdict) for row in results.rows] == [
        ("test_count[racy]", "violated"),
        ("test_count[guarded]", "exhaustive"),
    ]


@pytest.mark.daily(2)
@pytest.mark.parametrize("test", ["test_it.py::test_deadlock", "test_it.py::test_count[racy]"])
def test_the_reports_name_commands_that_work(folder, test):
    rows(folder, test)
    text = (folder / "build/junit.xml").read_text()
    commands = dict(re.findall(r"(show|replay): +(wheelproof .*?)(?:\n|<)", text))
    for name, command in commands.items():
        words = shlex.split(command)
        code, printed = wheelproof(folder, *words[1:])
        assert words[1] == name and code == (1 if name == "replay" else 0), printed
        assert "is preempted" in printed
    assert 'file="test_it.py"' in text and len(commands) == 2


def test_a_fixed_test_leaves_no_order_behind(folder):
    test = "test_it.py::test_count[racy]"
    _, _, results = rows(folder, test)
    order = folder / "build" / results.rows[0].trace
    assert json.loads(order.read_text())["test"] == test
    (folder / "test_it.py").write_text(TESTS.replace("        self.count += 1", "        pass", 1)
                                       .replace("== 2", "in (0, 2)"))  # fmt: skip
    code, _, results = rows(folder, test)
    assert code in (0, 5) and not order.exists()


def test_an_order_that_cannot_be_read_is_named(folder):
    _, _, results = rows(folder, "test_it.py::test_deadlock")
    (folder / "build" / results.rows[0].trace).write_text("{")
    files.publish(folder / "build", results, {}, folder)
    assert "could not be read" in (folder / "build/review.md").read_text()
    assert 'class="explored"' not in (folder / "build/review.html").read_text()


def test_nothing_explored_is_no_complete_run(folder):
    code, printed = wheelproof(
        folder, "explore", "test_it.py::nowhere", "--output", "build"
    )  # fmt: skip
    results = read_results(folder / "build/results.json")
    assert code == 2 and "cannot collect" in printed
    assert not results.rows and not results.complete


@pytest.mark.parametrize(
    ("output", "says"), [("spec", "is the project's folder spec"), ("pytest.ini", "cannot be")]
)
def test_a_folder_that_is_no_place_for_files_is_refused(folder, output, says):
    (folder / "spec").mkdir()
    code, printed = wheelproof(
        folder, "explore", "test_it.py::test_alone", "--output", output
    )  # fmt: skip
    assert code in (2, 4) and says in printed


@pytest.mark.parametrize("host", ["", "true"])
def test_in_a_workflow_of_github_a_failing_order_is_an_annotation(folder, monkeypatch, host):
    monkeypatch.setenv("GITHUB_ACTIONS", host)
    _, printed, _ = rows(folder, "test_it.py::test_count")
    errors = re.findall(r"^::error file=(.*),line=[0-9]+,title=(.*?)::", printed, re.MULTILINE)
    named = [("test_it.py", "test_it.py / explore / test_count[racy]")]
    assert errors == (named if host else [])
