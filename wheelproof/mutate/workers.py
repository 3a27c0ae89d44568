"""A process for each task, with a limit of wall time.

A change may loop, use up memory or end its process: no other task is affected.
"""

from __future__ import annotations

import json
import os
import select
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from wheelproof import temporary as folders
from wheelproof.mutate.finding import Finding, Judged

GRACE = 5.0
"""Seconds between asking a process to end, so that it ends its TLC, and ending it."""


@dataclass
class Task:
    """A task of a process, which ends with it."""

    name: Any
    body: Callable[[Path, Callable[[Judged], None]], Judged]
    """``body(scratch, send)`` returns a Judged, or passes it to ``send``."""
    limit: float
    """Seconds."""


@dataclass
class _Running:
    task: Task
    pid: int
    pipe: int
    scratch: Path
    deadline: float
    ending: bool = False
    data: bytes = b""


def temporary(scratch: Path) -> Path:
    """The folder for temporary files of the process that has a scratch folder."""
    return scratch.with_name("tmp")


def line_of(error: Exception) -> int:
    """The line of the caller's code in which an error was raised or passed."""
    return error.__traceback__.tb_lineno if error.__traceback__ else 0


def perform(tasks: Iterable[Task], jobs: int) -> Iterator[tuple[Task, Judged]]:
    """Run tasks, ``jobs`` at a time, and give each with its result.

    If the caller stops iterating, running processes are ended.
    """
    waiting = iter(tasks)
    running: dict[int, _Running] = {}
    try:
        while True:
            while len(running) < jobs and (task := next(waiting, None)) is not None:
                process = _start(task)
                running[process.pipe] = process
            if not running:
                return
            ready, _, _ = select.select(list(running), [], [], 0.5)
            for pipe in ready:
                task_running = running[pipe]
                if data := os.read(pipe, 1 << 16):
                    task_running.data += data
                    continue
                del running[pipe]
                yield task_running.task, _end(task_running)
            for task_running in list(running.values()):
                _overdue(task_running)
    finally:
        for task_running in running.values():
            os.kill(task_running.pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        for task_running in running.values():
            task_running.ending = True
            while time.monotonic() < deadline and not _is_over(task_running):
                time.sleep(0.05)
            _end(task_running)


def _start(task: Task) -> _Running:
    scratch = folders.make("mutate") / "tree"
    scratch.mkdir()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return _Running(task, pid, reading, scratch, time.monotonic() + task.limit)
    try:
        os.close(reading)
        os.setpgid(0, 0)
        # It may be ended at any moment: what it leaves goes with its scratch folder.
        folder = temporary(scratch)
        folder.mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Handled, so that a run of TLC, which has a session of its own, ends first.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)

        def send(judgement: Judged) -> None:
            with open(writing, "wb", closefd=False) as pipe:
                pipe.write(json.dumps(asdict(judgement)).encode() + b"\n")

        try:
            judgement = task.body(scratch, send)
        except Exception as error:
            judgement = Judged(
                Finding(
                    "error",
                    "mutate",
                    type(error).__name__,
                    f"{error} (line {line_of(error)})",
                )
            )
        send(judgement)
    finally:
        os._exit(0)


def _overdue(task: _Running) -> None:
    now = time.monotonic()
    if now < task.deadline:
        return
    if not task.ending:
        task.ending, task.deadline = True, now + GRACE
        os.kill(task.pid, signal.SIGTERM)
    else:
        _kill_group(task)


def _kill_group(task: _Running) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(task.pid, signal.SIGKILL)


def _finding(document: Mapping[str, object]) -> Finding:
    return Finding(*(str(document[field.name]) for field in fields(Finding)))


def _judgement(data: bytes) -> Judged:
    """The first message of a process: a changed project's code runs in it, and may have written."""
    try:
        document = json.loads(data.partition(b"\n")[0])
        return Judged(
            _finding(document["finding"]),
            {str(check): float(seconds) for check, seconds in document["seconds"].items()},
            [_finding(doubt) for doubt in document["doubts"]],
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return Judged(Finding("error", "mutate", type(error).__name__, "the answer is no result"))


def _is_over(task: _Running) -> bool:
    """Whether a process has ended; its status stays for ``_end``."""
    return os.waitid(os.P_PID, task.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(task: _Running) -> Judged:
    """The messages of a process that ended; without one, the reason."""
    while not task.ending and (data := os.read(task.pipe, 1 << 16)):
        task.data += data
    os.close(task.pipe)
    if task.ending:
        _kill_group(task)
    _, status = os.waitpid(task.pid, 0)
    _kill_group(task)  # what it has left, such as a unit test's processes
    folders.remove(task.scratch.parent)
    if task.data:
        return _judgement(task.data)
    if task.ending:
        return Judged(
            Finding(
                "inconclusive", "all checks", "limit", f"{task.task.limit:.0f} s were not enough"
            )
        )
    code = os.waitstatus_to_exitcode(status)
    return Judged(
        Finding("error", "mutate", "process", f"the process ended with {code} and without a result")
    )
