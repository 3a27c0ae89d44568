"""Traces as JSON Lines: read line by line, written whole or not at all.

An event is a dict of the columns that it has, in the schema's order; a column without a value is
not in it, so that null and absent are one thing. Order tokens are tuples. A reader says file, line
and field of whatever is wrong, and fills in nothing.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from wheelproof.errors import ToolError, UsageError
from wheelproof.trace import declared, totals
from wheelproof.trace import header as headers
from wheelproof.trace.schema import (
    COLUMN,
    COLUMNS,
    FOOTER,
    HEADER,
    IDS,
    KINDS,
    MINOR,
    MODES,
    NAMES,
    OBSERVED,
    REQUIRED_IDS,
    SCHEMA,
    TOKEN,
    Field,
)

Event = dict[str, Any]


class TraceError(UsageError):
    """A file is no trace: where, and what should be there. ``line`` counts from 1, and is 0 where
    the whole file is wrong; ``field`` is "" where the whole line is."""

    def __init__(
        self, file: Path | str, line: int, field: str, message: str, remedy: str = ""
    ) -> None:
        place = f"{file}:{line}" if line else f"{file}"
        super().__init__(
            f"{place}: {f'field {field}: ' if field else ''}{message}.",
            remedy or "See docs/trace-format.md.",
        )
        self.file, self.line, self.field, self.said = str(file), line, field, message


class CutOff(TraceError):
    """The file ends within a line: whoever wrote it was stopped. What is before is as good as a
    file without a footer."""


_RANGES = {"int32": 1 << 31, "int64": 1 << 63}


def _value(field: Field) -> Callable[[Any], str]:
    """A function that says what is wrong with a value, "" if nothing is."""
    if field.type in _RANGES:
        limit = _RANGES[field.type]
        return lambda found: (
            ""
            if type(found) is int and -limit <= found < limit
            else f"must be an integer of {field.type[3:]} bits, not {_shown(found)}"
        )
    if field.type == "text":
        return lambda found: "" if type(found) is str else f"must be a string, not {_shown(found)}"
    if field.type == "bool":
        return lambda found: (
            "" if type(found) is bool else f"must be true or false, not {_shown(found)}"
        )
    if field.type == "enum":
        values = frozenset(field.values)
        return lambda found: (
            ""
            if type(found) is str and found in values
            else f"must be one of {', '.join(field.values)}, not {_shown(found)}"
        )
    if field.type == "token":
        return _tokens
    if field.type == "observed":
        return _observed
    if field.type == "map":
        return lambda found: (
            "" if type(found) is dict else f"must be an object, not {_shown(found)}"
        )
    return lambda found: (
        "" if type(found) in (dict, list) else f"must be an object, not {_shown(found)}"
    )


def _tokens(found: Any) -> str:
    if type(found) not in (list, tuple):
        return f"must be an array of order tokens, not {_shown(found)}"
    for token in found:
        if type(token) not in (list, tuple) or len(token) not in (4, 5):
            return (
                "must have tokens [kind, id, seq, mode] or [kind, id, seq, mode, upto], not "
                f"{_shown(token)}"
            )
        kind, _name, seq, mode, upto = (*token, None)[:5]
        for field, value in zip(TOKEN, token):
            if field.name == "upto" and value is None:
                continue
            if wrong := _TOKEN_CHECKS[field.name](value):
                return f"{field.name} of the token {_shown(token)} {wrong}"
        if mode not in MODES[kind]:
            return f"mode of the token {_shown(token)} must be one of {', '.join(MODES[kind])}"
        if seq < (1 if kind == "L" else 0):
            return f"seq of the token {_shown(token)} counts from {1 if kind == 'L' else 0}"
        if upto is not None and upto < seq:
            return f"upto of the token {_shown(token)} is less than its seq"
    return ""


def _observed(found: Any) -> str:
    if type(found) is not dict:
        return f"must be an object, not {_shown(found)}"
    for name, value in found.items():
        if (
            name in _OBSERVED_CHECKS
            and value is not None
            and (wrong := _OBSERVED_CHECKS[name](value))
        ):
            return f"{name} {wrong}"
    return ""


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


_TOKEN_CHECKS = {field.name: _value(field) for field in TOKEN}
_OBSERVED_CHECKS = {field.name: _value(field) for field in OBSERVED}
_CHECKS = [(field.name, _value(field)) for field in COLUMNS]
_CHECK = dict(_CHECKS)
_REQUIRED = tuple(field.name for field in COLUMNS if field.required)
_OBSERVED_NAMES = tuple(field.name for field in OBSERVED)


def event_of(value: Mapping[str, Any], file: Path | str, line: int) -> Event:
    """The event in a JSON object, its columns in the schema's order. Raises TraceError."""
    kind = value.get("k")
    if type(kind) is str and kind not in KINDS:
        raise TraceError(
            file,
            line,
            "k",
            f"{kind!r} is no kind of event of {SCHEMA}",
            "A kind that is not understood cannot be checked: a new one takes a new major version."
            if declared.find("schema")
            else "The subject has no folder traces, which declares kinds: name another, --subject.",
        )
    event: Event = {}
    for name in NAMES:
        found = value.get(name)
        if found is not None:
            if wrong := _CHECK[name](found):
                raise TraceError(file, line, name, wrong)
            event[name] = found
    for name in _REQUIRED:
        if name not in event:
            raise TraceError(file, line, name, "is missing")
    for name in REQUIRED_IDS.get(kind, ()):
        if name not in event:
            raise TraceError(
                file, line, name, f"is missing, and an event {kind} says nothing without it"
            )
    for name in ("tseq", "lc"):
        if event[name] < 1:
            raise TraceError(file, line, name, f"counts from 1, and is {event[name]}")
    for name in (*IDS, "span"):
        if event.get(name, 1) < 1:
            raise TraceError(
                file,
                line,
                name,
                f"must be a positive id, not {event[name]}; leave the column out where there is "
                "none",
            )
    if "ord" in event:
        event["ord"] = tuple(
            [
                tuple(token) if len(token) == 4 or token[4] is not None else tuple(token[:4])
                for token in event["ord"]
            ]
        )
    for name in ("pre", "post"):
        if name in event:
            observed = event[name]
            event[name] = {
                field: observed[field]
                for field in _OBSERVED_NAMES
                if observed.get(field) is not None
            }
    return event


def object_of(line: bytes, file: Path | str, number: int) -> dict[str, Any]:
    """The JSON object in a line. Raises TraceError."""
    try:
        value = json.loads(line, parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        what = "is empty" if not line.strip() else f"is no JSON object ({_why(error)})"
        raise TraceError(file, number, "", f"the line {what}") from error
    if not isinstance(value, dict):
        raise TraceError(file, number, "", f"the line is no JSON object but {_shown(value)}")
    return value


def header_of(value: Any, file: Path | str, line: int = 1) -> dict[str, Any]:
    """The header in a JSON object. Raises TraceError: no header, another major version, a field of
    the wrong type."""
    if not isinstance(value, dict) or "schema" not in value:
        raise TraceError(
            file,
            line,
            "schema",
            "the first line is no header",
            f'A trace begins with {{"schema":"{SCHEMA}", ...}}.',
        )
    if value["schema"] != SCHEMA:
        raise TraceError(
            file, line, "schema", f"is {_shown(value['schema'])}, and this reads {SCHEMA}"
        )
    _fields(value, HEADER, file, line)
    # In its objects, too, null and absent mean the same.
    value = {
        name: {key: each for key, each in found.items() if each is not None}
        if type(found) is dict and name != "threads"
        else found
        for name, found in value.items()
    }
    if wrong := headers.wrong(value):
        raise TraceError(file, line, *wrong)
    header: dict[str, Any] = value
    return header


def footer_of(value: Any, file: Path | str, line: int) -> dict[str, Any]:
    """The footer in a JSON object. Raises TraceError."""
    if not isinstance(value, dict):
        raise TraceError(file, line, "footer", f"must be an object, not {_shown(value)}")
    _fields(value, FOOTER, file, line)
    for name in ("events", "dropped"):
        if value[name] < 0:
            raise TraceError(
                file, line, f"footer.{name}", f"must be a number from 0 on, not {value[name]}"
            )
    if value.get("tokens") is None and value.get("per_token_last_seq") is None:
        raise TraceError(
            file, line, "footer.tokens", "is missing, and without it no lost token is noticed"
        )
    if value.get("tokens") is not None and (said := totals.wrong(value["tokens"])):
        raise TraceError(file, line, "footer.tokens", said)
    for name in ("per_thread_last_tseq", "per_token_last_seq", "cut"):
        for key, last in (value.get(name) or {}).items():
            if type(last) is not int or last < 0:
                raise TraceError(
                    file,
                    line,
                    f"footer.{name}",
                    f"of {key!r} must be a number from 0 on, not {_shown(last)}",
                )
    return value


def _fields(value: Mapping[str, Any], fields: Iterable[Field], file: Path | str, line: int) -> None:
    for field in fields:
        found = value.get(field.name)
        if found is None:
            if field.required:
                raise TraceError(file, line, field.name, "is missing")
        elif wrong := _value(field)(found):
            raise TraceError(file, line, field.name, wrong)


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
        self.footer: dict[str, Any] | None = None
        self.unknown: set[str] = set()
        self.raw: bytes | None = None  # the line of the event that was given last
        with self._read() as stream:
            self.header = header_of(object_of(stream.readline(), self.path, 1), self.path)

    @contextmanager
    def _read(self) -> Iterator[BinaryIO]:
        """The file, unpacked; what the system or gzip raises on the way becomes a TraceError."""
        try:
            with (
                gzip.open(self.path, "rb") if self.path.suffix == ".gz" else self.path.open("rb")
            ) as stream:
                yield cast(BinaryIO, stream)
        except EOFError as error:
            raise CutOff(
                self.path,
                0,
                "",
                "the compressed file is cut off",
                "Whoever wrote it was stopped; record it again.",
            ) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise TraceError(
                self.path,
                0,
                "",
                f"the compressed file is damaged, or is none ({error})",
                "Test it with gzip -t; a file that is not compressed is named .jsonl.",
            ) from error
        except OSError as error:
            raise TraceError(
                self.path, 0, "", f"cannot be read ({error.strerror})", "Give the path of a trace."
            ) from error

    def __iter__(self) -> Iterator[tuple[int, Event]]:
        self.footer = None
        newer = self.header["schema_minor"] > MINOR
        with self._read() as stream:
            stream.readline()
            for number, line in enumerate(stream, 2):
                if self.footer is not None:
                    raise TraceError(
                        self.path,
                        number,
                        "",
                        "there is a line after the footer",
                        "One file holds one run: a second one begins a second file.",
                    )
                if not line.endswith(b"\n") and not _is_whole(line):
                    raise CutOff(
                        self.path,
                        number,
                        "",
                        "the line is cut off",
                        "The recording was stopped while it was written; delete the line to check "
                        "what is before it.",
                    )
                value = object_of(line, self.path, number)
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
                            f"is no column of {SCHEMA}, minor {MINOR}",
                            "Raise schema_minor in the header if the file is of a newer minor "
                            "version.",
                        )
                    self.unknown |= unknown
                self.raw = line
                yield number, event_of(value, self.path, number)


def _is_whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _why(error: Exception) -> str:
    """What is wrong with a text that is no JSON, in words that do not speak of Python."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is no UTF-8: byte {error.object[error.start]:#04x} at {error.start}"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    return (
        "a number has too many digits" if "integer string conversion" in str(error) else str(error)
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name occurs twice")
    return value


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number here")


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


def line_of(event: Mapping[str, Any]) -> bytes:
    """The canonical line of an event: columns in the schema's order, nothing absent, no spaces,
    ASCII."""
    ordered = {name: event[name] for name in NAMES if event.get(name) is not None}
    for name in ("pre", "post"):
        if name in ordered:
            ordered[name] = {
                field: ordered[name][field]
                for field in _OBSERVED_NAMES
                if ordered[name].get(field) is not None
            }
    return _ENCODER.encode(ordered).encode() + b"\n"


def header_line(header: Mapping[str, Any]) -> bytes:
    """The canonical line of a header: known fields first, in the schema's order, then the others by
    name."""
    names = [field.name for field in HEADER]
    known = {name: header[name] for name in names if header.get(name) is not None}
    return (
        _ENCODER.encode(
            known | {name: header[name] for name in sorted(header.keys() - set(names))}
        ).encode()
        + b"\n"
    )


class Tally:
    """What the footer says, counted while events go by: how many, the last number of each thread,
    totals of the exact tokens, the hash."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.events = 0
        self.threads: dict[str, int] = {}
        self.totals = totals.Totals()
        self._hash = hashlib.sha256(header_line(header))

    def count(self, event: Event, line: bytes | None = None) -> None:
        """``line``: the event's canonical line, made here if it is not given."""
        self.events += 1
        thread = str(event["tid"])
        self.threads[thread] = max(self.threads.get(thread, 0), event["tseq"])
        self.totals.count(event.get("ord", ()))
        self._hash.update(line_of(event) if line is None else line)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def footer(self, dropped: int = 0, cut: Mapping[str, int] | None = None) -> dict[str, Any]:
        """The footer for what has been counted."""
        footer = {
            "events": self.events,
            "per_thread_last_tseq": dict(
                sorted(self.threads.items(), key=lambda item: int(item[0]))
            ),
            "tokens": self.totals.data(),
            "dropped": dropped,
        }
        if cut is not None:
            footer["cut"] = dict(sorted(cut.items()))
        return footer | {"sha256": self.sha256}


def write(
    path: Path,
    header: Mapping[str, Any],
    events: Iterable[Event],
    footer: Mapping[str, Any] | bool | None = True,
    dropped: int = 0,
    cut: Mapping[str, int] | None = None,
) -> None:
    """Write a trace under a temporary name, then rename it.

    ``footer``: True to count one, None for a file without (a run that was cut short), or the very
    one to write. Raises ToolError.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    tally = Tally(header)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with (
                gzip.open(temporary, "wb")
                if path.suffix == ".gz"
                else temporary.open("wb", buffering=1 << 20)
            ) as stream:
                stream.write(header_line(header))
                for event in events:
                    line = line_of(event)
                    tally.count(event, line)
                    stream.write(line)
                if footer is True:
                    footer = tally.footer(dropped, cut)
                if footer:
                    stream.write(_ENCODER.encode({"footer": footer}).encode() + b"\n")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise ToolError(
            f"{path} cannot be written ({error.strerror}).", "Choose another folder."
        ) from error
