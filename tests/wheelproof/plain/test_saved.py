"""Saved schedules: they fail on the faulty version, pass on the sound one, and survive edits."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.pages import wheelproof
from wheelproof.errors import UsageError
from wheelproof.plain import saved

ROOT = Path(__file__).resolve().parents[3]

POOL = """
import threading

class Pool:
    def __init__(self):
        self.free, self.lock = [0], threading.Lock()

    def get(self):
        if self.free:
            with self.lock:
                return self.free.pop()
        return None
"""

TEST = """
import threading, pytest, wheelproof
from pool import Pool

@pytest.fixture
def pool():
    return Pool()

def test_pool(pool, explore):
    got = []
    def work():
        got.append(pool.get())
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(got) == {0, None}
"""

FIXED = POOL.replace(
    """        if self.free:
            with self.lock:
                return self.free.pop()
        return None
""",
    """        with self.lock:
            if self.free:
                return self.free.pop()
        return None
""",
)

EDITED = (
    POOL.replace("import threading", "import threading\n\nLIMIT = 3\n\ndef helper():\n    pass\n")
    .replace("        if self.free:", "        # a comment\n        if self.free:")
    .replace("    def get", "    def size(self):\n        return len(self.free)\n\n    def get")
)

RENAMED = POOL.replace("self.free", "self.items")

VERSIONS = {
    "faulty": (POOL, 1, "the saved schedule fails"),
    "edited elsewhere": (EDITED, 1, "the saved schedule fails"),
    "fixed": (FIXED, 0, saved.IMPOSSIBLE),
    "renamed, and as faulty": (RENAMED, 1, saved.IMPOSSIBLE),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A project with a saved schedule."""
    folder = tmp_path_factory.mktemp("saved")
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "pool.py").write_text(POOL)
    (folder / "test_pool.py").write_text(TEST)
    code, printed = wheelproof(
        folder, "explore", "test_pool.py::test_pool", "--save", "test_saved.py"
    )
    assert code == 1 and "written: test_saved.py" in printed, printed
    return folder


@pytest.fixture(scope="module")
def schedule(folder, tmp_path_factory):
    """The schedule in the saved file, as the command takes it."""
    given = {}

    def replay(test, switches, **rest):
        given.update(test=test, switches=switches, **rest)

    import wheelproof as tool

    real, tool.replay = tool.replay, replay
    try:
        module = runpy.run_path(str(folder / "test_saved.py"))
        module["test_schedule_of_pool"]()
    finally:
        tool.replay = real
    assert given.pop("test") == "test_pool.py::test_pool"
    file = tmp_path_factory.mktemp("schedule") / "schedule.json"
    file.write_text(json.dumps(given))
    return file


def test_a_saved_schedule_names_places_and_no_lines(schedule):
    document = json.loads(schedule.read_text())
    assert document["bound"] == 1
    assert any(place.startswith("pool:Pool.get:self.free") for place in document["places"])
    preemptions = [row for row in document["switches"] if row[1]]
    assert [row[1] for row in preemptions] == ["pool:Pool.get:self.free.pop()#1"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_schedule_fails_where_the_fault_is_and_only_there(folder, schedule, version):
    source, code, stated = VERSIONS[version]
    (folder / "pool.py").write_text(source)
    ended, printed = wheelproof(
        folder, "explore", "test_pool.py::test_pool", "--schedule", str(schedule)
    )
    assert (ended, stated in printed) == (code, True), printed
    assert (saved.IMPOSSIBLE in printed) == ("self.items" in source or code == 0)


def test_a_schedule_that_runs_without_a_failure_passes(folder, schedule):
    (folder / "pool.py").write_text(
        POOL.replace("return self.free.pop()", "return self.free.pop() if self.free else None")
    )
    ended, printed = wheelproof(
        folder, "explore", "test_pool.py::test_pool", "--schedule", str(schedule)
    )
    assert ended == 0, printed
    assert saved.HOLDS in printed or saved.IMPOSSIBLE in printed


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("source", "outcome"), [(POOL, "1 failed"), (FIXED, "1 passed, 1 warning")]
)
def test_the_saved_file_is_a_test_of_pytest(folder, source, outcome):
    (folder / "pool.py").write_text(source)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_saved.py"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert outcome in ended.stdout, ended.stdout + ended.stderr


def test_files_of_others_are_not_overwritten(folder):
    ended, printed = wheelproof(
        folder, "explore", "test_pool.py::test_pool", "--save", "test_pool.py"
    )
    assert ended == 2 and "test_pool.py exists, and is no saved schedule" in printed


def test_what_is_no_schedule_is_named(tmp_path):
    file = tmp_path / "schedule.json"
    for text in ("{", "[]", '{"switches": [[1]], "places": [], "bound": 1}'):
        file.write_text(text)
        with pytest.raises(UsageError) as caught:
            saved.read(file)
        assert "schedule.json is no schedule" in str(caught.value)
