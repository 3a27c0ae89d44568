"""`pytest --wheelproof-locks`: the report at the end of a run, and its exit code."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests import forked

ROOT = Path(__file__).resolve().parents[4]
CLEAN = ("-p", "no:cacheprovider")

BANK = """
import threading

class Bank:
    def __init__(self):
        self.first = threading.Lock()
        self.second = threading.RLock()

    def forwards(self):
        with self.first, self.second:
            pass

    def backwards(self):
        with self.second:
            self.inner()

    def inner(self):
        with self.first:
            pass

def work(*functions):
    over = [threading.Event() for _ in range(len(functions) + 1)]
    over[0].set()
    def turn(at):
        over[at].wait()
        functions[at]()
        over[at + 1].set()
    threads = [threading.Thread(target=turn, args=(at,)) for at in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""

TESTS = {
    "inverted": """
from bank import *
def test_inverted():
    bank = Bank()
    work(bank.forwards, bank.backwards)
""",
    "split": """
from bank import *
def test_forwards():
    Bank().forwards()
def test_backwards():
    Bank().backwards()
""",
    "sound": """
from bank import *
def test_sound():
    bank = Bank()
    work(bank.forwards, bank.forwards)
""",
    "failing": """
from bank import *
def test_failing():
    bank = Bank()
    work(bank.forwards)
    assert not bank
""",
    "lockless": """
def test_lockless():
    pass
""",
    "unrecorded": """
import sys, threading
def test_unrecorded():
    assert "wheelproof.plain.lock_order" not in sys.modules
    assert threading.Lock.__module__ == "_thread"
""",
    "collected": """
from bank import *
BANK = Bank()  # at collection
def test_collected():
    work(BANK.forwards, BANK.backwards)
""",
    "hanging": """
from bank import *
def test_hanging():
    bank = Bank()
    barrier = threading.Barrier(2)
    def one():
        with bank.first:
            barrier.wait()
            bank.second.acquire()
    def other():
        with bank.second:
            barrier.wait()
            bank.first.acquire()
    threads = [threading.Thread(target=target, daemon=True) for target in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(0.2)
    assert all(thread.is_alive() for thread in threads)  # they wait for each other for ever
""",
    "crashing": """
import os
def test_crashing():
    os._exit(9)
""",
    "explored": """
import pytest
from bank import *
@pytest.mark.explore
def test_explored():
    bank = Bank()
    threads = [threading.Thread(target=bank.forwards) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
@pytest.mark.explore
def test_found():
    bank = Bank()
    threads = [threading.Thread(target=each) for each in (bank.forwards, bank.backwards)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("subject")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "bank.py").write_text(BANK)
    for name, text in TESTS.items():
        (folder / f"test_{name}.py").write_text(text)
    return folder


def run(folder, *arguments, width=80):
    """(exit code, what was printed) of pytest in a folder."""
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTEST_ADDOPTS": "",
        "COLUMNS": str(width),
    }
    if "-n" not in arguments:
        with tempfile.TemporaryDirectory() as elsewhere:
            printed = Path(elsewhere) / "printed"
            code = forked.run_pytest(
                (*CLEAN, "-p", "no:xdist", *arguments), folder, environment, printed, 300
            )
            return code, printed.read_text(encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *CLEAN, *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


def section(printed):
    """The lines of the report."""
    lines = printed.splitlines()
    begin = next(at for at, line in enumerate(lines) if "= order of locks =" in line)
    rest = lines[begin + 1 :]
    end = next(at for at, line in enumerate(rest) if line.startswith("==="))
    return rest[:end]


REPORT = """
inversion of 2 locks: A -> B -> A
  A  self.first of Bank.__init__, bank.py:6
  B  self.second of Bank.__init__, bank.py:7
  Thread-1 (turn) holds A and takes B, in test_inverted.py::test_inverted
    A at bank.py:10 in Bank.forwards: with self.first, self.second:
      from bank.py:26 in work.<locals>.turn
    B at bank.py:10 in Bank.forwards: with self.first, self.second:
      from bank.py:26 in work.<locals>.turn
  Thread-2 (turn) holds B and takes A, in test_inverted.py::test_inverted
    B at bank.py:14 in Bank.backwards: with self.second:
      from bank.py:26 in work.<locals>.turn
    A at bank.py:18 in Bank.inner: with self.first:
      from bank.py:15 in Bank.backwards
      from bank.py:26 in work.<locals>.turn

5 locks of 3 places, N acquisitions, 2 orders of places
1 inversion
"""


def test_an_inversion_fails_the_run_and_is_reported(folder):
    code, printed = run(folder, "--wheelproof-locks", "test_inverted.py")
    assert code == 1 and "1 passed" in printed, printed
    lines = [re.sub(r"\d+ acquisitions", "N acquisitions", line) for line in section(printed)]
    assert [line for line in lines if line] == [line for line in REPORT.splitlines() if line]


def test_without_the_option_nothing_is_recorded(folder):
    code, printed = run(folder, "test_unrecorded.py", "test_inverted.py")
    assert code == 0 and "order of locks" not in printed, printed


def test_the_option_can_stand_in_the_configuration(folder):
    code, printed = run(folder, "-o", "wheelproof_locks=true", "test_inverted.py")
    assert code == 1 and section(printed)[-1] == "1 inversion"


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("arguments", "code", "stated"),
    [
        (["test_sound.py"], 0, "0 inversions"),
        (["test_split.py"], 0, "0 inversions, 1 of opposite orders"),
        (["--wheelproof-locks-strict", "test_split.py"], 1, "0 inversions, 1 of opposite orders"),
        (["--wheelproof-locks-strict", "test_sound.py"], 0, "0 inversions"),
        (["test_failing.py"], 1, "0 inversions"),
        (["test_collected.py"], 1, "1 inversion"),
        (["test_hanging.py"], 1, "1 inversion"),
        (["test_lockless.py"], 0, "no lock was seen"),
        (["-k", "nothing"], 5, "2 locks were created, and none was taken"),
        (["test_sound.py", "test_inverted.py", "test_split.py"], 1, "1 inversion"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else None,
)
def test_the_run_ends_with_the_code_of_tests_and_locks(folder, arguments, code, stated):
    ended, printed = run(folder, "--wheelproof-locks", *arguments)
    assert (ended, stated in "\n".join(section(printed))) == (code, True), printed


@pytest.mark.parametrize("width", [60, 80])
def test_the_report_keeps_to_the_width_of_the_terminal(folder, width):
    _, printed = run(folder, "-v", "--wheelproof-locks", "test_inverted.py", width=width)
    lines = section(printed)
    assert max(map(len, lines)) <= width
    assert "orders of places, each with a test:" in lines


def test_explored_tests_are_explored_as_ever(folder):
    code, printed = run(folder, "--wheelproof-locks", "test_explored.py")
    assert code == 1 and "1 failed, 1 passed" in printed, printed
    assert "cycle of waits" in printed and "no lock was seen" in section(printed)[0]


def test_the_processes_of_xdist_are_merged(folder):
    """The two tests of a file run in processes of their own."""
    code, printed = run(folder, "-n", "2", "-v", "--wheelproof-locks-strict", "test_split.py")
    assert {"[gw0]", "[gw1]"} <= set(printed.split()), printed
    assert code == 1 and "0 inversions, 1 of opposite orders" in section(printed), printed


def test_a_process_of_xdist_that_crashes_leaves_the_report_incomplete(folder):
    arguments = ("-n", "1", "--max-worker-restart", "0", "--wheelproof-locks", "test_crashing.py")
    code, printed = run(folder, *arguments)
    assert code == 1 and "incomplete: gw0 ended without a report" in printed
