"""`python -m benchmarks.races.finding ROW`: one race on real threads, and explored.

It takes the release of the row's buggy side, another one, or the fixed side, into an environment of
this interpreter. The program of `threads/` shows the race on real threads, and `wheelproof explore`
calls the test of `explored/`. The exit code is 0 if both show the race, or with `--fixed` neither
does; 1 if they do not; 2 for bad usage; 4 where a tool fails and 5 where a package is absent.
`--page` writes the output into a page, too.
"""

from __future__ import annotations

import argparse
import ast
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.races import environments, table
from benchmarks.races.environments import ROOT, Unavailable
from benchmarks.races.table import BUGGY, FIXED, HERE, Row
from wheelproof import documents, reading
from wheelproof.errors import ToolError, UsageError, WheelproofError
from wheelproof.plain.answers import EXIT_CODES, Answer

THREADS, EXPLORED = HERE / "threads", HERE / "explored"

SECONDS = 600
"""Limit of each of the two runs."""

SHOWN = 9
"""Exit code of a program on real threads that shows its race: none that Python itself gives."""

ABSENT = 5

_ADDRESS = re.compile(r"(?<=\.\.\.x)[0-9a-f]+|\b[0-9a-f]{1,12}(?=>)")
"""The digits of an address, or those behind the break of a line: each run has other ones."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except WheelproofError as error:
        print(f"finding: {error}", file=sys.stderr)
        return error.exit_code
    except Unavailable as error:
        print(f"finding: {error}", file=sys.stderr)
        return ABSENT


def names() -> list[str]:
    """The rows that have a program on real threads and a test."""
    return sorted(file.stem for file in THREADS.glob("*.py"))


def test(name: str) -> str:
    """The test of a row, as FILE::TEST."""
    file = EXPLORED / f"test_{name}.py"
    for node in ast.parse(reading.text(file)).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            return f"{file.relative_to(ROOT).as_posix()}::{node.name}"
    raise UsageError(f"{file} has no test.", "Write one.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.races.finding", description=__doc__)
    parser.add_argument("row", help="a row of races.toml that has a program in threads/")
    parser.add_argument("--fixed", action="store_true", help="the fixed side")
    parser.add_argument("--release", help="another release, without the fix")
    parser.add_argument("--page", type=Path, help="a page to write the output into, between marks")
    return parser


def _run(options: argparse.Namespace) -> int:
    if options.row not in names():
        raise UsageError(f"There is no finding {options.row!r}.", f"Findings: {names()}.")
    if options.fixed and options.release:
        raise UsageError("The fix is a diff against its release.", "Leave --release out.")
    lines, shows = output(options.row, options.fixed, options.release)
    text = "\n".join(lines)
    print(text)
    if options.page is not None:
        begin = marks(options.fixed)
        documents.write_text(options.page, placed(options.page, block(options, text), *begin))
    return 0 if set(shows) == {not options.fixed} else 1


def marks(fixed: bool) -> tuple[str, str]:
    """The lines of a page between which the output of a side stands."""
    side = FIXED if fixed else "release"
    return f"<!-- finding, {side}: made by `make finding` -->", f"<!-- finding, {side}: end -->"


def placed(page: Path, text: str, begin: str, end: str) -> str:
    """A page with a text between its two marks. UsageError where it has none."""
    before, start, rest = reading.text(page).partition(begin)
    _, stop, after = rest.partition(end)
    if not stop:
        raise UsageError(f"{page} has no lines {begin} and {end}.", "Add them.")
    return f"{before}{start}\n{text}\n{stop}{after}"


def block(options: argparse.Namespace, text: str) -> str:
    """The command and its output, for a page."""
    words = f"{options.row} --fixed" if options.fixed else options.row
    command = f'make finding ARGS="{words}"' if options.fixed else f"make finding ARGS={words}"
    return f"\n```console\n$ {command}\n{text}\n```\n"


def output(name: str, fixed: bool, release: str | None = None) -> tuple[list[str], list[bool]]:
    """The output of both runs of a finding, and whether each shows its race."""
    row = prepared(table.chosen(table.read(), name)[0], release)
    side = FIXED if fixed else BUGGY
    folder = environments.side(row, side)
    lines, races = [f"{row.package} {row.side(side)}, Python {row.python}"], []
    for title, command, code in commands(name):
        text, shows = _call(command, code, folder)
        text = _ADDRESS.sub(lambda digits: "_" * len(digits[0]), text.rstrip())
        lines += ["", title, *(line.rstrip() for line in text.splitlines())]
        races.append(shows)
    return lines, races


def prepared(row: Row, release: str | None) -> Row:
    """The row for this interpreter and, if one is named, for another release."""
    buggy = replace(row.buggy, version=release) if release else row.buggy
    python = platform.python_version()
    return replace(row, name=f"{row.name}-{python}", buggy=buggy, python=python)


def commands(name: str) -> list[tuple[str, list[str], int]]:
    """The two runs of a finding: title, command, and the exit code with which it shows the race."""
    threads, test_path = THREADS / f"{name}.py", test(name)
    return [
        ("on real threads:", [sys.executable, str(threads)], SHOWN),
        (
            "explored:",
            [sys.executable, "-m", "wheelproof", "explore", test_path],
            EXIT_CODES[Answer.BUG],
        ),
    ]


def _call(command: Sequence[str], code: int, folder: Path) -> tuple[str, bool]:
    """The output of a run that finds the packages of a folder, and whether it ends with this code.

    Raises ToolError where it ends with another one, but 0.
    """
    environment = os.environ | {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
    }
    try:
        process = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{command[1]} has not ended in {SECONDS} s.") from error
    if process.returncode not in (code, 0):
        last = (process.stderr.strip() or process.stdout.strip()).splitlines()[-1:]
        words = " ".join(command[1:])
        raise ToolError(f"{words} ended with {process.returncode}: {' '.join(last)}")
    return process.stdout, process.returncode == code


if __name__ == "__main__":
    sys.exit(main())
