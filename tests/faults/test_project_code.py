"""A project's own mistakes: refused with place, fault and remedy, whatever code they are in."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import forked
from tests.faults.conftest import DEADLINE, until
from tests.nights import only
from tests.wheelproof.conftest import ROOT
from wheelproof import starter

HARNESS, IMPL, SPEC, TOML = (
    "harness/my_lock.py",
    "impl/my_lock.py",
    "spec/MyLock.tla",
    "spec/MyLock.toml",
)
NEVER = "while True: pass\n"
THREAD = """
import threading, time  # production only
def spin():
    while True: time.sleep(0.1)
threading.Thread(target=spin).start()
"""


class Mistake(NamedTuple):
    """A text put in the place of another one, or at the end of a file where that is ""; how a run
    of one layer ends."""

    file: str
    old: str
    new: str
    says: tuple[str, ...]
    layer: str = "bisimulation"
    code: int = 2


MISTAKES = {
    "a harness that is no Python": Mistake(
        HARNESS, "", "def (:\n", (f"{HARNESS}:21: this is not Python", "Correct the line")
    ),
    "a harness that raises at import": Mistake(
        HARNESS, "", "raise OSError('mine')\n", (f"{HARNESS}:21: ", "cannot be imported: OSError")
    ),
    "a harness that ends the process": Mistake(
        HARNESS, "", "raise SystemExit(0)\n", (f"{HARNESS}:21: ", "cannot be imported: SystemExit")
    ),
    "a harness without SUBJECT": Mistake(HARNESS, "SUBJECT =", "OTHER =", ("SUBJECT is missing",)),
    "a harness whose SUBJECT is no list": Mistake(
        HARNESS, '("impl.my_lock",)', "5", ("SUBJECT is missing",)
    ),
    "a harness without names": Mistake(
        HARNESS, "self.names", "self.others", ("Harness has no names",)
    ),
    "an implementation that is no Python": Mistake(
        IMPL, "", "x = = 1\n", (f"{IMPL}:", "cannot be imported: invalid syntax")
    ),
    "an implementation that is not there": Mistake(
        HARNESS, "from impl import my_lock", "from impl import nowhere as my_lock", ("nowhere",)
    ),
    "shared() that raises": Mistake(
        HARNESS, "    owner = ", "    1 / 0\n    owner = ", (f"{HARNESS}:19: ZeroDivisionError",)
    ),
    "shared() that returns nothing": Mistake(
        HARNESS, 'return {"value"', 'return None and {"value"', ("shared() gives NoneType",)
    ),
    "shared() with a value that is no tuple": Mistake(
        HARNESS, "(harness.counter.value,)", "harness.counter.value", ("into a tuple",), code=1
    ),
    "an operation with other arguments": Mistake(
        HARNESS, "def add(self, amount)", "def add(self)", ("add",), code=1
    ),
    "a harness that raises": Mistake(
        HARNESS,
        "self.names =",
        "self.nowhere.at_all\n        self.names =",
        (f"{HARNESS}:11: Attr",),
    ),
    "a harness that raises on threads": Mistake(
        HARNESS,
        "self.names =",
        "self.nowhere.at_all\n        self.names =",
        (f"{HARNESS}:11: Attr",),
        "stress",
    ),
    "a harness that changes the working folder": Mistake(
        HARNESS, "SUBJECT =", "import os; os.chdir('/')  # production only\nSUBJECT =", ("folder",)
    ),
    "a line that a rule refuses": Mistake(
        IMPL, "", "counts = []\n", ("[module-state]", "keep it in a slot")
    ),
    "a scenario without a field": Mistake(
        TOML, "total = 7\n", "", ("[scenarios.two_adders]: there is no field total", "Write total")
    ),
    "a scenario with a field of another form": Mistake(
        TOML, 'as = "value"', 'as = "set"', ("total is no list", "[scenarios.two_adders]")
    ),
    "a specification that is no TLA+": Mistake(
        SPEC, "NothingLost ==", "NothingLost === ", ("MyLock",), "tlc"
    ),
    "an algorithm that is not translated": Mistake(
        SPEC, "turn = 1, before", "turn = 2, before", ("wheelproof translate",), "tlc"
    ),
    "a thread that is left": Mistake(
        HARNESS, "", THREAD, (f"{HARNESS}:", "'Thread-", "daemon=True"), "stress"
    ),
    "a harness whose import does not end": Mistake(
        HARNESS, "", NEVER, (f"{HARNESS}:21: ", "within its budget"), code=3
    ),
    "an import that waits for ever": Mistake(
        HARNESS,
        "",
        "import time; time.sleep(1e9)  # production only\n",
        (f"{HARNESS}:21: ", "within its budget"),
        code=3,
    ),
    "shared() that does not end": Mistake(
        HARNESS, "    owner = ", f"    {NEVER}    owner = ", ("within its budget",), code=3
    ),
    "a harness that does not end": Mistake(
        HARNESS, "self.names =", f"{NEVER}        self.names =", ("within its budget",), code=3
    ),
}

BY_DAY = (
    *("a harness that is no Python", "a harness that raises at import", "shared() that raises"),
    *("a scenario without a field", "a thread that is left", "a harness that ends the process"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "project"
    starter.write(folder, "my_lock")
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "project"))


def plant(project: Path, mistake: Mistake) -> None:
    """Put a mistake into its file."""
    file = project / mistake.file
    text = file.read_text(encoding="utf-8")
    if mistake.old:
        assert mistake.old in text, mistake
        file.write_text(text.replace(mistake.old, mistake.new, 1), encoding="utf-8")
    else:
        file.write_text(text + mistake.new, encoding="utf-8")


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", only(MISTAKES, *BY_DAY))
def test_a_mistake_of_the_project_is_refused_in_words(project: Path, tmp_path: Path, name: str):
    mistake = MISTAKES[name]
    plant(project, mistake)
    out = tmp_path / "out"
    words = ("verify", "--layer", mistake.layer, "--jobs", "1", "--fresh", "--verbose")
    code = forked.run(words, project, os.environ, out, timeout=DEADLINE)
    printed = out.read_text(encoding="utf-8")
    assert code == mistake.code, printed
    for word in mistake.says:
        assert word in printed, printed
    for word in ("Traceback", "a defect of Wheelproof", "TOOL FAILED", "every verdict as expected"):
        assert word not in printed, printed


@pytest.mark.nightly
def test_a_worker_with_a_thread_of_the_project_is_ended(project: Path, tmp_path: Path):
    plant(project, MISTAKES["a thread that is left"])
    words = ("verify", "--layer", "stress,tlc", "--jobs", "2", "--fresh")
    running = start(words, project, tmp_path)
    assert running.wait(DEADLINE) == 2, printed(tmp_path)
    assert "outlives the code that started it" in printed(tmp_path)


# -- signals


def start(words: tuple[str, ...], project: Path, folder: Path) -> subprocess.Popen[bytes]:
    """A command in a process of its own; what it says goes to a file."""
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    with (folder / "printed").open("wb") as stream:
        return subprocess.Popen(
            [sys.executable, "-m", "wheelproof", *words],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(scratch)},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )


def printed(folder: Path) -> str:
    return (folder / "printed").read_text(encoding="utf-8")


def group(leader: int) -> list[int]:
    """The living processes that a command has started, by their scratch folder's owner."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(place.name))
    return found


SIGNALS = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "ended by SIGTERM")}

MOMENTS = {
    "mutate": (("mutate", "--count", "30", "--jobs", "2"), "1/"),
    "verify": (("verify", "--jobs", "1", "--fresh"), "start  my_lock"),
    "a call that does not return": (("verify", "--jobs", "2", "--fresh"), "start  my_lock"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_signal_ends_a_command_with_all_that_it_started(
    project: Path, tmp_path: Path, moment: str, number: int
):
    words, begun = MOMENTS[moment]
    if moment == "a call that does not return":
        plant(project, MISTAKES["shared() that does not end"])
    running = start(words, project, tmp_path)
    try:
        assert until(lambda: begun in printed(tmp_path) or running.poll() is not None, DEADLINE)
        time.sleep(0.5)  # into whatever comes then
        running.send_signal(number)
        code, sentence = SIGNALS[signal.Signals(number)]
        assert running.wait(DEADLINE) == code, printed(tmp_path)
        assert f"wheelproof: {sentence}" in printed(tmp_path) and "Traceback" not in printed(
            tmp_path
        )
        assert until(lambda: not group(running.pid)), group(running.pid)
        assert list((tmp_path / "scratch").iterdir()) == []
    finally:
        for each in group(running.pid):
            os.kill(each, signal.SIGKILL)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_before_the_command_begins_has_a_sentence_and_no_traceback(number: int):
    """The process sends it to itself where the entry point is about to import the tool."""
    text = (
        "import os, signal, sys\n"
        "class Sender:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == 'wheelproof.cli': os.kill(os.getpid(), {int(number)})\n"
        "sys.meta_path.insert(0, Sender())\n"
        "from wheelproof.__main__ import main\n"
        "main()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=DEADLINE
    )
    code, sentence = SIGNALS[signal.Signals(number)]
    assert (ended.returncode, ended.stderr) == (code, f"wheelproof: {sentence}\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("word", only(["--version", "list", "doctor"], "list"))
def test_an_output_that_is_full_is_named(project: Path, tmp_path: Path, word: str):
    err = tmp_path / "err"
    assert forked.run([word], project, os.environ, Path("/dev/full"), err) == 4
    printed = err.read_text(encoding="utf-8")
    assert "Traceback" not in printed and "a defect of Wheelproof" not in printed, printed


def test_an_output_whose_reader_has_gone_is_no_defect(project: Path):
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "wheelproof", "list"],
        cwd=project,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=DEADLINE,
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (4, "")
