"""The built wheel works from an empty folder, without the checkout in reach."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "-q")
NO_NETWORK = ("--no-deps", "--no-index")
MADE = {".pyc", ".pyo"}


def run(folder, *arguments, **environment):
    """(exit code, what was printed) of Python in a folder."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout


def build(folder):
    """The wheel of a distribution's folder, by the backend that its file names: pip would start
    that twice."""
    backend = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["build-system"]
    made = f"import {backend['build-backend']} as backend; backend.build_wheel('built')"
    code, printed = run(folder, "-c", made)
    assert code == 0, printed
    (built,) = (folder / "built").glob("*.whl")
    return built


def runtime(folder):
    """The wheel of the primitives, built in a new folder from a copy: its links are files there."""
    made = shutil.ignore_patterns("__pycache__", "*.egg-info")
    return build(Path(shutil.copytree(ROOT / "runtime", folder, ignore=made)))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy: a build writes beside its sources."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(
        ROOT / "wheelproof",
        folder / "wheelproof",
        ignore=shutil.ignore_patterns("__pycache__", "*.pyc"),
    )
    return build(folder)


def test_it_has_every_file_of_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    package = ROOT / "wheelproof"
    there = {
        file.relative_to(ROOT).as_posix()
        for file in package.rglob("*")
        if file.is_file() and file.suffix not in MADE and not file.name.startswith(".")
    }
    assert found == there


POOL = """
import threading

class Pool:
    def __init__(self, size):
        self.size, self.used = size, 0
        self.free = threading.Condition()

    def take(self):
        with self.free:
            if self.used == self.size:
                self.free.wait()
            self.used += 1

    def give(self):
        with self.free:
            self.used -= 1
            self.free.notify()
"""
TEST = """
import threading
from pool import Pool

def test_pool():
    pool, most = Pool(1), []

    def work():
        pool.take()
        most.append(pool.used)
        pool.give()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
"""


@pytest.mark.parametrize(
    ("loop", "code", "answer"),
    [("if", 1, "bug: AssertionError"), ("while", 0, "exhausted: ")],
)
def test_an_existing_test_is_explored_by_the_wheel_alone(wheel, tmp_path, loop, code, answer):
    """A waiter that does not look again goes on beside a third thread."""
    installed, folder = tmp_path / "installed", tmp_path / "project"
    folder.mkdir()
    (folder / "pool.py").write_text(POOL.replace("if self.used", f"{loop} self.used"))
    (folder / "test_pool.py").write_text(TEST)
    assert run(folder, *PIP, "install", *NO_NETWORK, "--target", installed, wheel)[0] == 0
    here = {"PYTHONPATH": str(installed)}
    assert run(folder, "-m", "pytest", "-q", **here)[0] == 0, "no run of pytest shows it"
    explored = run(folder, "-m", "wheelproof", "explore", "test_pool.py::test_pool", **here)
    assert explored[0] == code and answer in explored[1], explored[1]
    assert loop == "while" or "2 preemptions, the fewest" in explored[1]


@pytest.mark.nightly
def test_a_subject_that_it_starts_is_verified_in_an_empty_folder(wheel, tmp_path):
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    empty.mkdir()
    built = runtime(tmp_path / "runtime")
    code, printed = run(empty, *PIP, "install", *NO_NETWORK, "--target", installed, wheel, built)
    assert code == 0, printed
    here = {"PYTHONPATH": str(installed)}
    code, printed = run(empty, "-c", "import wheelproof; print(wheelproof.__file__)", **here)
    assert Path(printed.strip()).is_relative_to(installed), "not the checkout's"
    code, printed = run(empty, "-m", "wheelproof", "init", "my_lock", **here)
    assert code == 0, printed
    code, printed = run(empty, "-m", "wheelproof", "verify", "--jobs", "1", **here)
    assert code == 0, printed
    assert re.search(r": ([1-9]\d*) of \1 checks in order", printed), printed
    assert (empty / "spec" / "plan.json").is_file(), "no row was compared with a plan"
    assert str(ROOT) not in (empty / "build" / "results.json").read_text(encoding="utf-8")
