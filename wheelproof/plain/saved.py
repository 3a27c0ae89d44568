"""Schedules that stay: a test in pytest's form, which runs one again in a process of its own.

A schedule names threads and places, not lines, so that edits elsewhere do not change it. Where the
program no longer comes to its places, the orders with as many preemptions are searched instead.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wheelproof import documents, reading, temporary
from wheelproof.errors import ToolError, UsageError
from wheelproof.files import replace
from wheelproof.plain import columns
from wheelproof.plain.answers import EXIT_CODES, Exploration, Schedule, Switch

IMPOSSIBLE = "this schedule is no longer possible"
HOLDS = "the schedule runs, and nothing fails"
MARK = "# An order of threads in which a test fails, written by `wheelproof explore --save`."

Row = tuple[str, str, int, str]
"""Thread, key of the place that it stops in front of, for which time, thread that goes on."""

EXECUTIONS = 5_000
"""Executions of the search that replaces a schedule, at most."""


@dataclass(frozen=True)
class Again:
    """A schedule that was run again, or a search in its stead. ``note`` says which."""

    note: str
    exploration: Exploration | None

    @property
    def exit_code(self) -> int:
        return 0 if self.exploration is None else EXIT_CODES[self.exploration.answer]


def check_writable(file: Path) -> None:
    """Raises UsageError if a file is there that is no saved schedule."""
    if file.exists() and (not file.is_file() or not reading.text(file).startswith(MARK)):
        raise UsageError(f"{file} exists, and is no saved schedule.", "Give another name.")
    if not file.parent.is_dir():
        raise UsageError(f"There is no folder {file.parent}.")


def save(file: Path, test: str, exploration: Exploration, into: Sequence[str]) -> None:
    """Write the schedule of a failure. ``test``: the node id, from the working directory."""
    replace(file, text(file, test, exploration, into).encode())


def text(file: Path, test: str, exploration: Exploration, into: Sequence[str]) -> str:
    schedule, failure = exploration.schedule, exploration.failure
    assert schedule is not None and failure is not None
    path, _, name = test.partition("::")
    path = Path(os.path.relpath(path, file.parent)).as_posix()
    function = re.sub(r"\W+", "_", name).strip("_").removeprefix("test_")
    lines = [MARK, "#"]
    lines += [f"# {line}".rstrip() for line in columns.text(exploration, 78).splitlines()]
    if exploration.test:  # the program alone: its orders are searched again
        module = Path(path).stem
        head = ["", "import wheelproof", f"from {module} import {name}", "", ""]
        return "\n".join([*lines, *head, exploration.test, ""])
    lines += ["", "import wheelproof", "", "", f"def test_schedule_of_{function}():"]
    lines += ["    wheelproof.replay(", f"        {json.dumps(f'{path}::{name}')},"]
    lines += ["        # a thread, the place that it stops in front of, for which time, and the"]
    lines += ["        # thread that goes on; without a place it waits or has ended", "        ["]
    for switch in schedule.switches:
        row = (switch.thread, switch.place, switch.visit, switch.following)
        lines.append(f"            ({', '.join(map(json.dumps, row))}),")
    lines += ["        ],", "        places=["]
    lines += [f"            {json.dumps(place)}," for place in schedule.places]
    lines += ["        ],", f"        bound={failure.preemptions},"]
    if into:
        lines.append(f"        into=[{', '.join(map(json.dumps, into))}],")
    return "\n".join([*lines, "    )", ""])


def replay(
    test: str, switches: Sequence[Row], places: Sequence[str], bound: int, into: Sequence[str],
    folder: Path,
) -> None:  # fmt: skip
    """Run a saved schedule of a test, whose file is named from a folder.

    Raises AssertionError if it fails; warns if it is no longer possible, and skips the test if
    nothing can be shown in its place. Raises UsageError and ToolError.
    """
    __tracebackhide__ = True
    file, _, name = test.partition("::")
    path = os.path.relpath(folder / file)
    if not Path(path).is_file():
        raise UsageError(f"There is no file {path}: {IMPOSSIBLE}.", "Explore the test again.")
    document = {"switches": switches, "places": places, "bound": bound}
    with temporary.folder("schedule") as scratch:
        schedule = scratch / "schedule.json"
        documents.write_text(schedule, json.dumps(document))
        options = [part for module in into for part in ("--into", module)]
        command = [sys.executable, "-m", "wheelproof", "explore", f"{path}::{name}"]
        process = subprocess.run(
            [*command, "--schedule", str(schedule), *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        )
    output = (process.stdout + process.stderr).strip()
    if process.returncode == 0:
        if IMPOSSIBLE in output:
            warnings.warn(output, stacklevel=3)
    elif process.returncode == 1:
        raise AssertionError(output)
    elif process.returncode in (3, 5):
        import pytest

        pytest.skip(output)
    elif process.returncode == 2:
        raise UsageError(output)
    else:
        raise ToolError(output)


def read(file: Path) -> tuple[Schedule, int]:
    """The schedule of a document, and its preemptions. Raises UsageError."""
    try:
        document = json.loads(reading.text(file))
        switches = tuple(Switch(*row) for row in document["switches"])
        return Schedule(switches, tuple(document["places"])), int(document["bound"])
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is no schedule: {type(error).__name__}: {error}.") from None
