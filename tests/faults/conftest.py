"""Faults in a small project or in the tools: no command line on them may end green."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import forked
from tests.wheelproof.conftest import ROOT, SmallSubject
from wheelproof.tlc import java as javas
from wheelproof.verdict import RESULTS_FILE, Results, read_results

DEADLINE = 300.0
"""Seconds after which a run counts as hanging: many times its cost on a busy machine."""


@dataclass(frozen=True)
class Ended:
    """How a run ended: exit code, its output, and the folder of its files."""

    code: int
    out: str
    err: str
    output: Path

    @property
    def results(self) -> Results:
        return read_results(self.output / RESULTS_FILE)

    @property
    def lines(self) -> list[str]:
        """The messages: one per row that is not in order, or the one that ended the run early."""
        rows = [
            line.removeprefix("not in order: timer_task_list / ")
            for line in self.out.splitlines()
            if line.startswith("not in order: ")
        ]
        return rows + [
            line.removeprefix("wheelproof: ")
            for line in self.err.splitlines()
            if line.startswith("wheelproof: ")
        ]

    def is_green(self) -> None:
        """The positive control: nothing is wrong, and something was checked."""
        assert (self.code, self.lines) == (0, []), self
        results = self.results
        assert results.complete and results.rows and all(row.ok for row in results.rows)
        self.is_tidy()

    def fails(self, code: int, *words: str) -> None:
        """It ended with this code and one sentence with these words; no file reads as a success."""
        assert self.code == code and len(self.lines) == 1, self
        for word in words:
            assert word in self.lines[0], self
        assert "every verdict as expected" not in self.out and "Traceback" not in self.err, self
        if (self.output / RESULTS_FILE).exists():
            assert not self.results.complete or not all(row.ok for row in self.results.rows)
        self.is_tidy()

    def is_tidy(self) -> None:
        """No half-written file and no dump is left."""
        assert [file for file in self.output.rglob("*") if file.suffix in (".tmp", ".dot")] == []


class Command:
    """`wheelproof verify` as a process of its own on one subject."""

    def __init__(self, subject: SmallSubject, folder: Path) -> None:
        self.subject, self.folder, self.output = subject, folder, folder / "output"
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.scratch)}
        for name in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "COLUMNS"):
            self.environment.pop(name, None)

    def arguments(self, *layers: str, jobs: int = 1, profile: str = "fast") -> list[str]:
        """Those of `wheelproof`. It prints every row that is not in order."""
        chosen = ["--layer", ",".join(layers)] if layers else []
        where = ["--subject", self.subject.root, "--output", self.output]
        options = ["--verbose", "--jobs", jobs, "--profile", profile, *chosen]
        return [*map(str, ["verify", *where, *options])]

    def start(self, *layers: str, jobs: int = 1, profile: str = "fast", **more) -> subprocess.Popen:
        """The command as a user starts it."""
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "wheelproof",
                *self.arguments(*layers, jobs=jobs, profile=profile),
            ],
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more},
        )

    def end(self, process: subprocess.Popen) -> Ended:
        try:
            out, err = process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            pytest.fail(f"the run hangs:\n{out}\n{err}")
        return Ended(process.returncode, out or "", err or "", self.output)

    def __call__(self, *layers: str, jobs: int = 1, profile: str = "fast", **more) -> Ended:
        """How the command ends; alone in its process and with nothing more, it is forked."""
        if jobs > 1 or more:
            return self.end(self.start(*layers, jobs=jobs, profile=profile, **more))
        written = self.folder / "out", self.folder / "err"
        arguments = self.arguments(*layers, profile=profile)
        code = forked.run(arguments, self.folder, self.environment, *written, DEADLINE)
        return Ended(code, *(file.read_text(encoding="utf-8") for file in written), self.output)

    def java(self, script: str, during: str = "tlc2.TLC") -> None:
        """Put a shell script in Java's place for runs with ``during`` among their arguments.

        `$JAVA` is the real one.

        It makes no archive of classes: that would stay in the user's cache.
        """
        real = javas.locate().executable
        home = self.folder / "jdk"
        (home / "bin").mkdir(parents=True)
        stand_in = home / "bin" / "java"
        stand_in.write_text(
            f'#!/bin/sh\nJAVA={real}\ncase " $* " in *" -XX:ArchiveClassesAtExit="*) exit 1;; *" '
            f'{during} "*) ;; *) exec "$JAVA" "$@";; esac\n'
            f"{textwrap.dedent(script)}"
        )
        stand_in.chmod(0o755)
        self.environment["JAVA_HOME"] = str(home)

    def processes(self) -> list[str]:
        """The processes with a path of this test's folder in arguments or environment."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                text = (place / "cmdline").read_bytes() + (place / "environ").read_bytes()
                alive = (place / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
            except OSError:
                continue
            if str(self.folder).encode() in text and alive and int(place.name) != os.getpid():
                command = (place / "cmdline").read_bytes().replace(bytes(1), b" ")
                found.append(f"{place.name} {command.decode(errors='replace')}")
        return found

    def leaves_nothing(self) -> None:
        """No JVM, no worker and no scratch file remains, after a moment for orphans to end."""
        assert until(lambda: not self.processes()), self.processes()
        assert list(self.scratch.iterdir()) == []


def until(true: Callable[[], object], seconds: float = 120.0) -> bool:
    """Wait for something to become true; whether it did."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def there(folder: Path, pattern: str) -> bool:
    """Whether a folder has such a file somewhere. Folders in it may vanish during the search."""
    try:
        return any(folder.rglob(pattern))
    except FileNotFoundError:
        return False


@pytest.fixture
def small(tmp_path: Path) -> SmallSubject:
    return SmallSubject(tmp_path / "subject")


@pytest.fixture
def verify(small: SmallSubject, tmp_path: Path) -> Iterator[Command]:
    command = Command(small, tmp_path)
    yield command
    for line in command.processes():  # of a test that failed
        os.kill(int(line.split()[0]), signal.SIGKILL)
