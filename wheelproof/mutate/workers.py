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
    """``body(scratch, send)`` runs in the process and returns a Judged, or passes it to ``send``.

    It ends with that. ``limit``: seconds.
    """

    name: Any
    body: Callable[[Path, Callable[[Judged], None]], Judged]
    limit: float


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
                started = _start(task)
                running[started.pipe] = started
            if not running:
                return
            ready, _, _ = select.select(list(running), [], [], 0.5)
            for pipe in ready:
                each = running[pipe]
                if data := os.read(pipe, 1 << 16):
                    each.data += data
                    continue
                del running[pipe]
                yield each.task, _ended(each)
            for each in list(running.values()):
                _overdue(each)
    finally:
        for each in running.values():
            os.kill(each.pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        for each in running.values():
            each.ending = True
            while time.monotonic() < deadline and not _is_over(each):
                time.sleep(0.05)
            _ended(each)


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
        own = temporary(scratch)
        own.mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(own)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # Handled, so that a run of TLC, which has a session of its own, ends first.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(143))
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silent, stream)

        def send(judged: Judged) -> None:
            with open(writing, "wb", closefd=False) as pipe:
                pipe.write(json.dumps(asdict(judged)).encode() + b"\n")

        try:
            judged = task.body(scratch, send)
        except Exception as error:
            judged = Judged(
                Finding(
                    "error",
                    "mutate",
                    type(error).__name__,
                    f"{error} (line {line_of(error)})",
                )
            )
        send(judged)
    finally:
        os._exit(0)


def _overdue(each: _Running) -> None:
    now = time.monotonic()
    if now < each.deadline:
        return
    if not each.ending:
        each.ending, each.deadline = True, now + GRACE
        os.kill(each.pid, signal.SIGTERM)
    else:
        _kill_group(each)


def _kill_group(each: _Running) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(each.pid, signal.SIGKILL)


def _finding(found: Mapping[str, object]) -> Finding:
    return Finding(*(str(found[field.name]) for field in fields(Finding)))


def _judged(data: bytes) -> Judged:
    """The first message of a process: a changed project's code runs in it, and may have written."""
    try:
        found = json.loads(data.partition(b"\n")[0])
        return Judged(
            _finding(found["finding"]),
            {str(check): float(spent) for check, spent in found["seconds"].items()},
            [_finding(doubt) for doubt in found["doubts"]],
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return Judged(Finding("error", "mutate", type(error).__name__, "the answer is no result"))


def _is_over(each: _Running) -> bool:
    """Whether a process has ended; its status stays for ``_ended``."""
    return os.waitid(os.P_PID, each.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _ended(each: _Running) -> Judged:
    """The messages of a process that ended; without one, the reason."""
    while not each.ending and (data := os.read(each.pipe, 1 << 16)):
        each.data += data
    os.close(each.pipe)
    if each.ending:
        _kill_group(each)
    _, status = os.waitpid(each.pid, 0)
    _kill_group(each)  # what it has left, such as a unit test's processes
    folders.remove(each.scratch.parent)
    if each.data:
        return _judged(each.data)
    if each.ending:
        return Judged(
            Finding(
                "inconclusive", "all checks", "limit", f"{each.task.limit:.0f} s were not enough"
            )
        )
    code = os.waitstatus_to_exitcode(status)
    return Judged(
        Finding("error", "mutate", "process", f"the process ended with {code} and without a result")
    )
