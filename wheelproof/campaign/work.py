"""The work of an executor: a block, whose units run in processes of their own.

``python -m wheelproof.campaign FOLDER BLOCK`` runs a block of a campaign and writes its file. It
starts itself once more, with units, for a process that runs these. That process may loop, crash or
be killed: the unit that it was at is tried once more, and then has a row that says so.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from wheelproof import guest
from wheelproof.campaign import manifest as manifests
from wheelproof.campaign.kind import CONTROL, Campaign, Failure, Result, campaign
from wheelproof.campaign.manifest import Manifest
from wheelproof.checks import failing
from wheelproof.documents import Record
from wheelproof.verdict import Row, Verdict, judge, row_of

ATTEMPTS = 2
"""How often a unit may end its process, until that is its result."""

GRACE = 5.0
"""Seconds for a process of units to end its own processes and to remove its scratch files."""


def run_block(folder: Path, number: int, root: Path) -> int:
    """Run a block and write its file; the file's size. Raises ToolError."""
    from wheelproof.campaign import blocks

    manifest = manifests.read(folder)
    results: dict[str, Result] = {}
    for units in _apart(manifest.of_block(number)):
        results |= _Supervisor(folder, manifest, root).results(units)
    return blocks.keep(folder, manifest, number, results)


def _apart(units: Sequence[str]) -> Iterator[list[str]]:
    """The units that may share a process: each control has its own."""
    for unit in units:
        if unit.startswith(CONTROL):
            yield [unit]
    if rest := [unit for unit in units if not unit.startswith(CONTROL)]:
        yield rest


class _Supervisor:
    """Runs units in processes, one after the other."""

    def __init__(self, folder: Path, manifest: Manifest, root: Path) -> None:
        self.folder, self.manifest, self.root = folder, manifest, root
        self.done: dict[str, Result] = {}
        self.deaths: dict[str, int] = {}

    def results(self, units: Sequence[str]) -> dict[str, Result]:
        while missing := [unit for unit in units if unit not in self.done]:
            self._process(missing)
        return self.done

    def _process(self, units: Sequence[str]) -> None:
        """Run units until the process ends, and say of the one that it was at why it has none."""
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-m", "wheelproof.campaign", str(self.folder), "--units"],
            cwd=self.root,
            env=os.environ | {"PYTHONHASHSEED": "0", "WHEELPROOF_CAMPAIGN_PIPE": str(writing)},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(writing,),
            start_new_session=True,
        )
        os.close(writing)
        is_late = True
        try:
            assert process.stdin is not None and process.stderr is not None
            with suppress(BrokenPipeError):
                process.stdin.write(json.dumps(list(units)).encode() + b"\n")
                process.stdin.flush()
            begun, is_late, says = self._listen(reading, process.stderr.fileno(), units[0])
        finally:
            if is_late:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
            os.close(reading)
            for stream in (process.stdin, process.stderr):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()
        if begun in self.done:
            return
        if is_late:
            self.done[begun] = self._without(
                begun, Verdict.INCONCLUSIVE, f"{self.manifest.limit:g} s were not enough"
            )
            return
        self.deaths[begun] = self.deaths.get(begun, 0) + 1
        if self.deaths[begun] == ATTEMPTS:
            last = next(reversed(says.decode(errors="replace").strip().splitlines()), "")
            why = f"its process ended with {code}, {ATTEMPTS} times" + f": {last}" * bool(last)
            self.done[begun] = self._without(begun, Verdict.ERROR, why)

    def _listen(self, pipe: int, errors: int, first: str) -> tuple[str, bool, bytes]:
        """Take results until the process closes its pipe, or is late with a unit.

        The unit that it was at, whether that was late, and the end of its standard error. Ends this
        process where the executor has gone: it holds the other end of the standard input.
        """
        begun, says, data = first, b"", b""
        deadline = time.monotonic() + self.manifest.limit
        waiting = [pipe, errors, 0]
        while pipe in waiting:
            ready, _, _ = select.select(waiting, [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return begun, True, says
            if 0 in ready and not os.read(0, 4096):
                raise SystemExit("the executor has gone")
            if errors in ready:
                says = (says + (more := os.read(errors, 1 << 16)))[-4096:]
                if not more:
                    waiting.remove(errors)
            if pipe in ready:
                if not (more := os.read(pipe, 1 << 16)):
                    waiting.remove(pipe)
                *lines, data = (data + more).split(b"\n")
                for line in lines:
                    message = json.loads(line)
                    begun = message["unit"]
                    if "rows" in message:
                        self.done[begun] = _result(message)
                    deadline = time.monotonic() + self.manifest.limit
        return begun, False, says

    def _without(self, unit: str, verdict: Verdict, why: str) -> Result:
        return Result((row_without(self.manifest.request.kind, unit, verdict, why),))


def row_without(kind: str, unit: str, verdict: Verdict, why: str) -> Row:
    """The row of a unit that has come to no result."""
    expected = "violated" if unit.startswith(CONTROL) else "exhaustive"
    return judge(kind, "campaign", unit, expected=expected, verdict=verdict, why=why)


def _result(message: Mapping[str, Any]) -> Result:
    rows = tuple(row_of(Record(Path("pipe"), "", row)) for row in message["rows"])
    return Result(rows, message["failure"] and Failure(**message["failure"]))


# -- the process that runs units


def run_units(folder: Path, root: Path) -> None:
    """Run the units that the standard input names, and send their results."""
    units = json.loads(sys.stdin.readline())
    _end_with_input()
    manifest = manifests.read(folder)
    subject = campaign(manifest.request, root)
    pipe_number = int(os.environ.pop("WHEELPROOF_CAMPAIGN_PIPE"))
    with guest.Watch(), open(pipe_number, "w", encoding="utf-8") as pipe:
        for unit in units:
            _send(pipe, {"unit": unit})
            result = result_of(subject, unit)
            rows = [row.document() for row in result.rows]
            _send(pipe, {"unit": unit, "rows": rows, "failure": _document(result.failure)})


def _end_with_input() -> None:
    """End by an exception: at SIGTERM, and on Linux when the supervisor closes the input or dies.

    So a unit ends the processes that it has started. It may also swallow the exception: then this
    process ends a little later.
    """

    def end(*_: object) -> None:
        timer = threading.Timer(GRACE - 1, os._exit, (1,))
        timer.daemon = True
        timer.start()
        raise SystemExit(1)

    signal.signal(signal.SIGTERM, end)
    if hasattr(fcntl, "F_SETOWN") and hasattr(os, "O_ASYNC"):
        signal.signal(signal.SIGIO, end)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)


def result_of(subject: Campaign, unit: str, document: Record | None = None) -> Result:
    """The result of a unit, or of the document of its failure. An exception becomes a row."""
    try:
        if document is not None:
            return subject.again(document)
        if unit.startswith(CONTROL):
            return Result((subject.row_of_control(unit.removeprefix(CONTROL)),))
        return subject.run(unit)
    except failing.CAUGHT as error:
        verdict, why = failing.judge(error)
        return Result((row_without(subject.request.kind, unit, verdict, why),))


def _document(failure: Failure | None) -> dict[str, str] | None:
    return None if failure is None else vars(failure)


def _send(pipe: Any, message: Mapping[str, Any]) -> None:
    pipe.write(json.dumps(message) + "\n")
    pipe.flush()
