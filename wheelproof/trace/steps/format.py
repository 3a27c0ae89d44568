"""``wheelproof.steps/1``: a recording of labelled operations, as JSON Lines.

The first line is the header, the last one the footer; every other line is one event:

=========  ==========================================================================
``step``   a labelled operation was performed; ``label``, ``at``, ``ord``
``begin``  a step of several accesses has begun, and takes effect before its ``end``
``end``    it has ended
``state``  no thread is between an effect and its next step: these variables of the
           model have changed since the last such moment; none of them: a step has left
           them as they were
``return`` an operation of the thread's program has returned ``value``
``blocked`` the thread waits at ``label``, and no thread can ever go on
``stop``   the thread has ended; ``raised``: by this exception
=========  ==========================================================================

``seq`` numbers the events in their order, ``tseq`` those of one thread, both without a gap.
``ord`` are order tokens as in ``wheelproof.trace/1``: of each lock that is held, how many events it
has seen; of the variable that is touched, its version.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

from wheelproof import files, reading
from wheelproof.errors import ToolError, UsageError

SCHEMA = "wheelproof.steps/1"
MOST = 1 << 30
"""Bytes of the lines of a recording, which is read whole."""

KINDS: Mapping[str, Mapping[str, type]] = {
    "step": {"thread": str, "tseq": int, "label": str},
    "begin": {"thread": str, "tseq": int, "label": str},
    "end": {"thread": str, "tseq": int, "label": str},
    "state": {"state": dict},
    "return": {"thread": str, "tseq": int},
    "blocked": {"thread": str, "tseq": int, "label": str},
    "stop": {"thread": str, "tseq": int},
}
"""Kind of event -> the fields that it must have, and their types."""


class Did(TypedDict):
    """An operation: the columns that the kind of event has."""

    k: str
    label: NotRequired[str]
    at: NotRequired[str]
    ord: NotRequired[Sequence[Sequence[Any]]]
    state: NotRequired[Mapping[str, Any]]
    value: NotRequired[Any]
    raised: NotRequired[str]


class Event(Did):
    """One line of a recording. A state is of no thread."""

    seq: int
    thread: NotRequired[str]
    tseq: NotRequired[int]


HEADER = {
    "run_id": str,
    "producer": dict,
    "spec": dict,
    "threads": list,
    "program": dict,
}


@dataclass(frozen=True)
class Recording:
    """One run. ``complete``: a footer was there, or the run is at hand and not read."""

    header: Mapping[str, Any]
    events: Sequence[Event]
    complete: bool = True

    @property
    def mutant(self) -> str:
        """The decision that the implementation lacked; "" for the implementation as it is."""
        return str(self.header["producer"].get("build", "")).removeprefix("mutant ")

    def write(self, path: Path) -> None:
        """Write it under a temporary name, then rename it. Raises ToolError."""
        lines = [_line(self.header), *map(_line, self.events)]
        lines.append(_line({"footer": {"events": len(self.events), "sha256": _digest(lines)}}))
        try:
            text = b"".join(lines)
            files.replace(path, gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
        except OSError as error:
            raise ToolError(f"{path} cannot be written ({error.strerror}).") from error


_REMEDY = "Record it again: `wheelproof trace record --steps`."


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _digest(lines: Sequence[bytes]) -> str:
    return hashlib.sha256(b"".join(lines)).hexdigest()


def is_recording(path: Path) -> bool:
    """Whether a file's header is of this schema."""
    try:
        with reading.unpacked(path) as stream:
            first = json.loads(stream.readline(reading.LINE))
    except (reading.Unreadable, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("schema") == SCHEMA


def read(path: Path) -> Recording:
    """The recording in a file. Raises UsageError, with the line, where it is none."""
    lines: list[bytes] = []
    try:
        with reading.unpacked(path) as stream:
            lines += reading.lines(stream, path, limit=MOST)
    except reading.CutShort:
        pass  # as a recording that was stopped: there is no footer
    if len(lines) > 1 and not lines[-1].endswith(b"\n"):
        lines.pop()
    values = [_object(path, number, line) for number, line in enumerate(lines, 1)]
    if not values or values[0].get("schema") != SCHEMA:
        raise UsageError(f"{path}:1: the first line is no header of {SCHEMA}.", _REMEDY)
    _fields(path, 1, values[0], HEADER)
    if not isinstance(values[0]["program"].get("threads"), dict):
        raise UsageError(f"{path}:1: program has no threads.", _REMEDY)
    footer = values.pop().get("footer") if "footer" in values[-1] else None
    for number, value in enumerate(values[1:], 2):
        kind = str(value.get("k"))
        if kind not in KINDS:
            raise UsageError(f"{path}:{number}: {kind!r} is no kind of event of {SCHEMA}.", _REMEDY)
        _fields(path, number, value, {"seq": int, **KINDS[kind]})
    events = cast(list[Event], values[1:])
    if not isinstance(footer, dict) or footer.get("events") != len(values) - 1:
        return Recording(values[0], events, complete=False)
    if footer.get("sha256") not in (None, _digest(lines[:-1])):
        raise UsageError(f"{path}: the footer's sha256 is that of other lines.", _REMEDY)
    return Recording(values[0], events)


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path}:{number}: is no JSON ({reading.json_fault(error)}).", _REMEDY
        ) from error
    if not isinstance(value, dict):
        raise UsageError(f"{path}:{number}: is no object.", _REMEDY)
    return value


def _fields(path: Path, number: int, value: Mapping[str, Any], fields: Mapping[str, type]) -> None:
    for name, kind in fields.items():
        if not isinstance(value.get(name), kind):
            raise UsageError(
                f"{path}:{number}: {name} is missing, or not of type {kind.__name__}.", _REMEDY
            )
