"""``python -m benchmarks.lincheck``: three structures in Python here, and in Java under Lincheck.

Each has a planted fault, and a side without it. A process checks each side. Both checkers have the
same limits: programs, runs of each, and two threads of at most two calls. The exit code is 0 where
both reject each fault and pass each sound side, 1 where one does not, 4 where Java is missing and 5
where a jar is.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lincheck import harnesses
from wheelproof import java, reading, toml
from wheelproof.artifacts import Artifact
from wheelproof.errors import ToolError, WheelproofError
from wheelproof.jvm import setup
from wheelproof.jvm.jars import locate
from wheelproof.linearizability.options import declaration_of

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LIMITS = ("30", "1000")
"""Programs of each side, and runs of each program."""

SECONDS = 300
"""Limit of one side."""

STRUCTURES = ("stack", "cache", "queue")
HEAD = ["structure", "checker", "with the fault", "calls", "CPU s", "without it", "CPU s", "lines"]


class Checker:
    """A checker of harnesses: its name, and the command that checks one."""

    name: str

    passed: str
    """How its last word begins where it has run all of a sound side."""

    def command(self, harness: str) -> list[str]:
        raise NotImplementedError

    def lines(self, harness: str) -> int:
        """The lines of a harness."""
        raise NotImplementedError


class OfPython(Checker):
    name = "Wheelproof"
    passed = "exhausted"

    def command(self, harness: str) -> list[str]:
        return [sys.executable, "-m", "benchmarks.lincheck.harnesses", harness, *LIMITS]

    def lines(self, harness: str) -> int:
        declaration = declaration_of(getattr(harnesses, harness))
        assert declaration is not None
        return len(inspect.getsource(declaration.factory).splitlines())


class OfJava(Checker):
    """Lincheck. Raises ToolError without Java, and NotHere without a jar."""

    passed = "no failure"

    def __init__(self) -> None:
        table = toml.tables(reading.text(HERE / "lincheck.toml"))
        jars = locate([Artifact(name, digest) for name, digest in table["jars"].items()], True)
        self.name = next(iter(table["jars"])).partition(":")[2].replace(":", " ").capitalize()
        runtime = java.locate("Lincheck", setup.MINIMUM, f"Install Java {setup.MINIMUM} or newer.")
        sources = [HERE / "Structures.java", HERE / "Harnesses.java"]
        classes = setup.compile_java(runtime.executable, sources, jars, True)
        path = os.pathsep.join(map(str, (classes, *jars)))
        self._command = [str(runtime.executable), "-cp", path, "Harnesses"]

    def command(self, harness: str) -> list[str]:
        return [*self._command, self._type(harness), *LIMITS]

    def lines(self, harness: str) -> int:
        pattern = rf"^    public static class {self._type(harness)} .*?^    }}$"
        text = reading.text(HERE / "Harnesses.java")
        (block,) = re.findall(pattern, text, re.DOTALL | re.MULTILINE)
        return len(block.splitlines())

    @staticmethod
    def _type(harness: str) -> str:
        return harness.title().replace("_", "")


@dataclass(frozen=True)
class Answer:
    """``calls``: of the failing program, or 0. ``says``: the checker's last word."""

    calls: int
    says: str
    cpu: float


def answer(command: Sequence[str]) -> Answer:
    """The answer of a process. Raises ToolError if it gives none."""
    before = _cpu_seconds()
    try:
        run = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, errors="replace", timeout=SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{command[-1]} has not ended in {SECONDS} s.") from error
    match = re.search(r"^(.+)\ncalls: (\d+)\n\Z", run.stdout, re.MULTILINE)
    if run.returncode or match is None:
        raise ToolError(f"{command[-1]} ended with {run.returncode}: {run.stderr.strip()[-2000:]}")
    return Answer(int(match[2]), match[1], _cpu_seconds() - before)


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def rows(
    checkers: Sequence[Checker], structures: Sequence[str]
) -> Iterator[tuple[list[str], bool]]:
    """The cells of each line, and whether the fault is rejected and the sound side passed: a budget
    passes nothing."""
    for structure in structures:
        for checker in checkers:
            faulty, sound = (
                answer(checker.command(prefix + structure)) for prefix in ("", "sound_")
            )
            cells = [structure, checker.name, "rejected" if faulty.calls else faulty.says]
            cells += [str(faulty.calls), f"{faulty.cpu:.1f}"]
            cells += ["rejected" if sound.calls else sound.says, f"{sound.cpu:.1f}"]
            passes = not sound.calls and sound.says.startswith(checker.passed)
            yield [*cells, str(checker.lines(structure))], bool(faulty.calls) and passes


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.lincheck", description=__doc__)
    parser.add_argument("structures", nargs="*", choices=[[], *STRUCTURES], help="default: all")
    structures = parser.parse_args(arguments).structures or STRUCTURES
    wrong = []
    try:
        checkers = [OfPython(), OfJava()]
        print(f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|", flush=True)
        for cells, is_right in rows(checkers, structures):
            print(f"| {' | '.join(cells)} |", flush=True)
            wrong += [] if is_right else [f"{cells[0]} by {cells[1]}"]
    except WheelproofError as error:
        print(f"lincheck: {error}", file=sys.stderr)
        return error.exit_code
    if wrong:
        print(f"lincheck: not judged as planted: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
