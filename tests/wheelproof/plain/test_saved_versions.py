"""Saved schedules under other interpreters: written under one, run under another one."""

import functools
import re
import sys

import pytest

from tests.nights import by_night, first
from tests.wheelproof.plain import interpreters
from tests.wheelproof.plain.test_saved import EDITED, FIXED, POOL, RENAMED, TEST
from wheelproof.plain import saved

THIS = "this one"
MODULES = ("greenlet", "pytest", "typer", "rich", "hypothesis")
"""What the command needs."""

LISTED = """
import threading

class Pool:
    def __init__(self):
        self.free = [0]

    def get(self):
        got = [item for item in self.free if self.take(item)]
        return got[0] if got else None

    def take(self, item):
        match item:
            case 0 if (free := [each for each in self.free]):
                self.free = [each for each in free if each != item]
                return True
        return False
"""
"""A racy access within a comprehension, which has a scope of its own before 3.12."""

LISTED_FIXED = LISTED.replace(
    "self.free = [0]", "self.free, self.lock = [0], threading.Lock()"
).replace(
    "        got = [item for item in self.free if self.take(item)]",
    "        with self.lock:\n            got = [i for i in list(self.free) if self.take(i)]",
)

WAITING = """
import threading

class Pool:
    def __init__(self):
        self.free, self.changed = [], threading.Condition()
        threading.Thread(target=self.fill).start()

    def fill(self):
        with self.changed:
            self.free.append(0)
            self.free.append(None)
        with self.changed:
            self.changed.notify()

    def get(self):
        with self.changed:
            while not self.free:
                self.changed.wait()
            return self.free.pop(0)
"""
"""Two threads wait, and one is woken: a lost wake-up in the interpreter's own source."""

WAITING_FIXED = WAITING.replace("self.changed.notify()", "self.changed.notify_all()")

PROGRAMS = {
    "pool": {
        "faulty": (POOL, "1 failed", ""),
        "edited elsewhere": (EDITED, "1 failed", ""),
        "fixed": (FIXED, "1 passed, 1 warning", saved.IMPOSSIBLE),
        "renamed, and as faulty": (RENAMED, "1 failed", saved.IMPOSSIBLE),
    },
    "comprehension": {
        "faulty": (LISTED, "1 failed", ""),
        "fixed": (LISTED_FIXED, "1 passed, 1 warning", saved.IMPOSSIBLE),
    },
    "condition": {
        "faulty": (WAITING, "1 failed", ""),
        "fixed": (WAITING_FIXED, "1 passed", ""),
    },
}
"""Program -> its versions: source, what pytest prints of the saved test, and what that says."""


def save(python, folder, source):
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "pool.py").write_text(source)
    (folder / "test_pool.py").write_text(TEST)
    ended = interpreters.run(
        python, "-m", "wheelproof", "explore", "test_pool.py::test_pool", "--save",
        "test_saved.py", folder=folder,
    )  # fmt: skip
    assert ended.returncode == 1 and "written: test_saved.py" in ended.stdout, ended.stderr


def outcome(python, folder, source):
    """The last line of pytest, and all that it prints."""
    (folder / "pool.py").write_text(source)
    ended = interpreters.run(
        python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_saved.py", folder=folder
    )
    printed = ended.stdout + ended.stderr
    counts = re.search(r"^(\d+ (?:failed|passed).*?) in ", printed, re.MULTILINE)
    return counts[1] if counts else "", printed


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """The folder of a program with its schedule, saved under this interpreter."""

    @functools.cache
    def folder(name):
        made = tmp_path_factory.mktemp(name)
        save(sys.executable, made, PROGRAMS[name]["faulty"][0])
        return made

    return folder


CASES = [(name, version) for name, versions in PROGRAMS.items() for version in versions]
BY_DAY = [
    case if case in (("pool", "faulty"), ("pool", "fixed")) else by_night(case) for case in CASES
]


@pytest.mark.daily(2)
@pytest.mark.parametrize(("name", "version"), BY_DAY)
@pytest.mark.parametrize("python", [THIS, *interpreters.BY_DAY_AND_NIGHT])
def test_a_schedule_of_this_interpreter_runs_under_another_one(folder_of, python, name, version):
    other = python != THIS
    python = interpreters.needed(python, *MODULES) if other else sys.executable
    source, counts, says = PROGRAMS[name][version]
    ended, printed = outcome(python, folder_of(name), source)
    assert (ended, says in printed) == (counts, True), printed
    assert (saved.IMPOSSIBLE in printed) == (says == saved.IMPOSSIBLE), printed


@pytest.mark.parametrize("version", interpreters.BY_DAY_AND_NIGHT)
@pytest.mark.parametrize("name", first(PROGRAMS))
def test_a_schedule_of_another_interpreter_runs_under_this_one(tmp_path, version, name):
    python = interpreters.needed(version, *MODULES)
    faulty, fixed = PROGRAMS[name]["faulty"], PROGRAMS[name]["fixed"]
    save(python, tmp_path, faulty[0])
    for source, counts, says in (faulty, fixed):
        ended, printed = outcome(sys.executable, tmp_path, source)
        assert (ended, says in printed) == (counts, True), printed
