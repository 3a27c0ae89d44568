"""``wheelproof verify --watch`` in processes of its own: each run anew, signals, and the cache."""

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.nights import by_night
from tests.wheelproof.thing import TOML
from wheelproof import starter
from wheelproof.verdict import read_results

ROOT = Path(__file__).parents[3]
LIMIT = 120
"""Seconds after which a line that does not come is a failure."""


ENGINE = """
import os, signal, sys, time, types
from wheelproof import doctor
from wheelproof.errors import ToolError
from wheelproof.events import Ended
from wheelproof.verdict import judge
doctor.versions = dict
def run(options):
    does = open("impl/does").read().strip()
    row = judge("thing", "tlc", "two", expected="exhaustive", verdict="exhaustive")
    print("process", os.getpid(), does, flush=True)
    if does == "waits":
        options.listen(Ended(row))
        print("ready", flush=True)
        time.sleep(600)
    if does == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if does == "breaks":
        raise ToolError("TLC broke.")
    return [row if does == "holds" else judge(
        "thing", "tlc", "two", expected="exhaustive", verdict="violated")]
module = types.ModuleType("wheelproof.checks.verify"); module.run = run
sys.modules["wheelproof.checks.verify"] = module
import wheelproof.checks; wheelproof.checks.verify = module
from wheelproof.cli import main; main()
"""
"""The command with an engine that does what the file impl/does says."""


class Command:
    """A command in a process group of its own, with the lines that it prints on both streams."""

    def __init__(self, folder, *words):
        self.process = subprocess.Popen(
            [sys.executable, *words],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.lines, self.coming = [], queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.coming.put(line.rstrip("\n"))
        self.coming.put(None)

    def until(self, text):
        """The lines up to one with this text, that one too."""
        found = []
        while not found or text not in found[-1]:
            line = self.coming.get(timeout=LIMIT)
            assert line is not None, f"it ended without {text!r}: {self.lines}"
            found.append(line)
            self.lines.append(line)
        return found

    def ends(self, number, whole_group=False):
        """(exit code, the lines that are left) after a signal."""
        (os.killpg if whole_group else os.kill)(self.process.pid, number)
        left = list(iter(lambda: self.coming.get(timeout=LIMIT), None))
        return self.process.wait(timeout=LIMIT), left

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=LIMIT)


def write(file, text="text\n"):
    """Append to a file, which need not be there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as out:
        out.write(text)


@pytest.fixture
def home(tmp_path):
    """A project whose verification does what a file says."""
    write(tmp_path / "spec/Thing.toml", TOML)
    write(tmp_path / "spec/Thing.tla", "---- MODULE Thing ----\n====\n")
    write(tmp_path / "impl/does", "holds\n")
    return tmp_path


def watch(home, *options):
    return Command(home, "-c", ENGINE, "verify", "--watch", *options)


def put(file, text):
    """Replace a file at once: no look sees a part of it."""
    draft = file.parents[1] / "draft"
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)


def processes(lines):
    return [line.split()[1] for line in lines if line.startswith("process ")]


@pytest.mark.nightly
def test_findings_wrong_files_and_broken_tools_are_reported_and_the_repair_goes_on(home):
    does, toml = home / "impl/does", home / "spec/Thing.toml"
    put(does, "violated\n")
    with watch(home) as command:
        first = command.until("watching 3 files")
        assert any(line.startswith("wheelproof: 0 of 1 checks in order") for line in first)
        for file, text, printed in (
            (toml, "[mechanism\n", "wheelproof: spec/Thing.toml"),
            (toml, TOML, "wheelproof: 0 of 1 checks in order"),
            (does, "breaks\n", "wheelproof: TLC broke."),
            (does, "dies\n", "wheelproof: the run was ended by SIGKILL"),
            (does, "holds\n", "wheelproof: 1 of 1 checks in order: every verdict as expected"),
        ):
            put(file, text)
            lines = command.until("watching 3 files")
            assert lines[0] == f"wheelproof: changed: {file.relative_to(home)}"
            assert any(line.startswith(printed) for line in lines), lines
        ran = processes(command.lines)
        assert len(ran) == len(set(ran)) == 5, "each run is a new process"
        assert command.ends(signal.SIGINT) == (0, [])


def test_ctrl_c_while_it_waits_gives_the_code_of_the_last_run(home):
    put(home / "impl/does", "violated\n")
    with watch(home) as command:
        command.until("watching 3 files")
        assert command.ends(signal.SIGINT, whole_group=True) == (1, [])


@pytest.mark.parametrize(
    ("number", "whole_group", "code", "line"),
    [
        (signal.SIGINT, True, 130, "wheelproof: interrupted"),
        by_night((signal.SIGINT, False, 130, "wheelproof: interrupted")),
        (signal.SIGTERM, False, 143, "wheelproof: ended by SIGTERM"),
    ],
)
def test_a_signal_during_a_run_ends_it_as_without_the_option(home, number, whole_group, code, line):
    """As in tests/wheelproof/test_cli.py: a partial report, and the message once."""
    put(home / "impl/does", "waits\n")
    with watch(home) as command:
        command.until("ready")
        ended, left = command.ends(number, whole_group)
    assert ended == code and left.count(line) == 1
    assert not any("Traceback" in each or "watching" in each for each in left)
    results = read_results(home / "build/results.json")
    assert len(results.rows) == 1 and not results.complete


# -- a real verification


@pytest.mark.nightly
def test_a_run_takes_what_the_change_does_not_concern_from_the_one_before(tmp_path):
    starter.write(tmp_path, "my_lock")
    options = ("verify", "--watch", "--layer", "random", "--jobs", "1")
    with Command(tmp_path, "-m", "wheelproof", *options) as command:

        def verdict():
            lines = command.until("watching 7 files")
            (found,) = [line for line in lines if "checks in order" in line]
            started = [line.split(" / ")[-1] for line in lines if line.startswith("start")]
            return lines[0], started, found.removeprefix("wheelproof: ").partition(":")[0]

        assert verdict()[1:] == (["two_adders", "Unlocked"], "2 of 2 checks in order")
        write(tmp_path / "build/note.md")
        write(tmp_path / "spec/__pycache__/note.md")
        write(tmp_path / "mutants/my_lock/Unlocked.md", "\n")
        assert verdict() == (
            "wheelproof: changed: mutants/my_lock/Unlocked.md",
            ["Unlocked"],
            "2 of 2 checks in order, 1 cached",
        )
        write(tmp_path / "impl/my_lock.py", "\n")
        assert verdict() == (
            "wheelproof: changed: impl/my_lock.py",
            ["two_adders", "Unlocked"],
            "2 of 2 checks in order",
        )
        assert command.ends(signal.SIGINT) == (0, [])
