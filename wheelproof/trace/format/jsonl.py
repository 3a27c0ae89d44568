"""Traces as JSON Lines: read line by line, written whole or not at all."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from wheelproof import files, reading
from wheelproof.errors import ToolError
from wheelproof.trace import declared
from wheelproof.trace.format.event import Event
from wheelproof.trace.format.heads import Footer
from wheelproof.trace.format.parts import (
    OUTSIDE,
    CutOff,
    TraceError,
    event_of,
    footer_of,
    header_of,
)
from wheelproof.trace.format.schema import COLUMN, MINOR, SCHEMA
from wheelproof.trace.format.tally import Tally, header_line, line, line_of
from wheelproof.trace.format.values import shown


def object_of(line: bytes, file: Path | str, number: int) -> dict[str, object]:
    """The JSON object in a line. Raises TraceError."""
    try:
        value = json.loads(line, parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        fault = (
            "is empty" if not line.strip() else f"is no JSON object ({reading.json_fault(error)})"
        )
        raise TraceError(file, number, "", f"the line {fault}") from error
    if not isinstance(value, dict):
        raise TraceError(file, number, "", f"the line is no JSON object but {shown(value)}")
    return value


class Reader:
    """A trace in a file, one event at a time: ``header`` at once, ``footer`` (or None) once the
    events have been read.

    Iterating gives (line number, event), in the file's order; every iteration reads the file anew.
    ``name.jsonl.gz`` is unpacked. ``unknown``: names of columns that were passed over; not empty
    only where the header's minor version is newer. Raises TraceError, also where the file cannot be
    read or unpacked.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.footer: Footer | None = None
        self.unknown: set[str] = set()
        self.raw: bytes | None = None  # the line of the event that was given last
        with self._read() as stream:
            first = next(reading.lines(stream, self.path), b"")
            self.header = header_of(object_of(first, self.path, 1), self.path)

    @contextmanager
    def _read(self) -> Iterator[BinaryIO]:
        """The file, unpacked; where that cannot be read the error is a TraceError."""
        try:
            with reading.unpacked(self.path) as stream:
                yield stream
        except reading.Unreadable as error:
            kind = CutOff if isinstance(error, reading.CutShort) else TraceError
            raise kind(self.path, error.line, "", error.fault, error.remedy) from error

    def __iter__(self) -> Iterator[tuple[int, Event]]:
        self.footer = None
        newer = self.header["schema_minor"] > MINOR
        with self._read() as stream:
            lines = reading.lines(stream, self.path)
            next(lines, None)
            for number, read in enumerate(lines, 2):
                if self.footer is not None:
                    raise TraceError(
                        self.path,
                        number,
                        "",
                        "there is a line after the footer",
                        "One file holds one run: a second one begins a second file.",
                    )
                if not read.endswith(b"\n") and not _is_whole(read):
                    raise CutOff(
                        self.path,
                        number,
                        "",
                        "the line is cut off",
                        "The recording was stopped while it was written; delete the line to check "
                        "what is before it.",
                    )
                value = object_of(read, self.path, number)
                if "schema" in value:
                    raise TraceError(
                        self.path,
                        number,
                        "schema",
                        "there is a second header",
                        "One file holds one run: a second one begins a second file.",
                    )
                if "footer" in value:
                    self.footer = footer_of(value["footer"], self.path, number)
                    continue
                if unknown := value.keys() - COLUMN.keys():
                    if not newer:
                        raise TraceError(
                            self.path,
                            number,
                            min(unknown),
                            f"is no column of {SCHEMA}, minor {MINOR}"
                            if declared.find("schema")
                            else "is a column that no folder traces declares",
                            "Raise schema_minor in the header if the file is of a newer minor "
                            "version."
                            if declared.find("schema")
                            else OUTSIDE,
                        )
                    self.unknown |= unknown
                self.raw = read
                yield number, event_of(value, self.path, number)


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name occurs twice")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number here")


def write(
    path: Path,
    header: Mapping[str, object],
    events: Iterable[Event],
    footer: Mapping[str, object] | bool | None = True,
    dropped: int = 0,
    cut: Mapping[str, int] | None = None,
) -> None:
    """Write a trace under a temporary name, then rename it.

    ``footer``: True to count one, None for a file without (a run that was cut short), or the very
    one to write. Raises ToolError.
    """
    path = Path(path)
    tally = Tally(header)
    try:
        with (
            files.draft(path) as draft,
            gzip.open(draft, "wb")
            if path.suffix == ".gz"
            else draft.open("wb", buffering=1 << 20) as stream,
        ):
            stream.write(header_line(header))
            for event in events:
                canonical = line_of(event)
                tally.count(event, canonical)
                stream.write(canonical)
            if footer is True:
                footer = tally.footer(dropped, cut)
            if footer:
                stream.write(line({"footer": footer}))
    except OSError as error:
        raise ToolError(
            f"{path} cannot be written ({error.strerror}).", "Choose another folder."
        ) from error
