"""The parts of a trace: header, event and footer, each made from a JSON object and checked.

An event has the columns that were recorded, in the schema's order. A column without a value is not
in it, so that null and absent are the same. Order tokens are tuples. A refusal names file, line
and field, and nothing is filled in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from wheelproof.errors import UsageError
from wheelproof.trace import declared
from wheelproof.trace.format import header as headers
from wheelproof.trace.format import totals
from wheelproof.trace.format.event import Event, columns
from wheelproof.trace.format.fields import Field
from wheelproof.trace.format.heads import Footer, Header
from wheelproof.trace.format.schema import (
    COLUMNS,
    FOOTER,
    HEADER,
    IDS,
    KINDS,
    NAMES,
    OBSERVED,
    REQUIRED_IDS,
    SCHEMA,
)
from wheelproof.trace.format.values import check_of, shown


class TraceError(UsageError):
    """A file is no trace: the place, and the remedy. ``line`` counts from 1, and is 0 where
    the whole file is wrong; ``field`` is "" where the whole line is."""

    def __init__(
        self, file: Path | str, line: int, field: str, message: str, remedy: str = ""
    ) -> None:
        place = f"{file}:{line}" if line else f"{file}"
        super().__init__(
            f"{place}: {f'field {field}: ' if field else ''}{message}.",
            remedy or "See docs/trace-format.md.",
        )
        self.file, self.line, self.field, self.fault = str(file), line, field, message


class CutOff(TraceError):
    """The file ends within a line: its writer was stopped. The lines before count as a file without
    a footer."""


OUTSIDE = (
    "What events mean is the project's, and there is no folder traces here: go to the project, or "
    "name its folder with --subject."
)
_CHECK = {field.name: check_of(field) for field in COLUMNS}


_REQUIRED = tuple(field.name for field in COLUMNS if field.required)


OBSERVED_NAMES = tuple(field.name for field in OBSERVED)


def event_of(value: Mapping[str, object], file: Path | str, line: int) -> Event:
    """The event in a JSON object, its columns in the schema's order. Raises TraceError."""
    kind = value.get("k")
    if type(kind) is str and kind not in KINDS:
        raise TraceError(
            file,
            line,
            "k",
            f"{headers.undeclared(kind)} of {SCHEMA}"
            if declared.find("schema")
            else headers.undeclared(kind),
            "A kind that is not understood cannot be checked: a new one takes a new major version."
            if declared.find("schema")
            else OUTSIDE,
        )
    event = columns({})
    for name in NAMES:
        cell = value.get(name)
        if cell is not None:
            if wrong := _CHECK[name](cell):
                raise TraceError(file, line, name, wrong)
            event[name] = cell
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
            observation = event[name]
            event[name] = {
                field: observation[field]
                for field in OBSERVED_NAMES
                if observation.get(field) is not None
            }
    return cast(Event, event)


def header_of(value: object, file: Path | str, line: int = 1) -> Header:
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
            file, line, "schema", f"is {shown(value['schema'])}, and this reads {SCHEMA}"
        )
    _fields(value, HEADER, file, line)
    # In its objects, too, null and absent mean the same.
    value = {
        name: {key: member for key, member in content.items() if member is not None}
        if type(content) is dict and name != "threads"
        else content
        for name, content in value.items()
    }
    if wrong := headers.wrong(value):
        kinds = wrong[0] == "capture" and not declared.find("schema")
        raise TraceError(file, line, *wrong, OUTSIDE if kinds else "")
    return cast(Header, value)


def footer_of(value: object, file: Path | str, line: int) -> Footer:
    """The footer in a JSON object. Raises TraceError."""
    if not isinstance(value, dict):
        raise TraceError(file, line, "footer", f"must be an object, not {shown(value)}")
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
    if value.get("tokens") is not None and (fault := totals.wrong(value["tokens"])):
        raise TraceError(file, line, "footer.tokens", fault)
    for name in ("per_thread_last_tseq", "per_token_last_seq", "cut"):
        for key, last in (value.get(name) or {}).items():
            if type(last) is not int or last < 0:
                raise TraceError(
                    file,
                    line,
                    f"footer.{name}",
                    f"of {key!r} must be a number from 0 on, not {shown(last)}",
                )
    return cast(Footer, value)


def _fields(
    value: Mapping[str, object], fields: Iterable[Field], file: Path | str, line: int
) -> None:
    for field in fields:
        content = value.get(field.name)
        if content is None:
            if field.required:
                raise TraceError(file, line, field.name, "is missing")
        elif wrong := check_of(field)(content):
            raise TraceError(file, line, field.name, wrong)
