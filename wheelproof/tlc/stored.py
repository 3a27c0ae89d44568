"""A judged run of TLC as a document, and read again with every field checked."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path

from wheelproof import documents
from wheelproof.documents import Record
from wheelproof.tlc.result import Outcome, TlcResult, TraceState
from wheelproof.tlc.values import ValueSyntaxError, format_tla, parse_value

SCHEMA = "wheelproof.tlc-run/1"

_NUMBERS = ("generated", "distinct", "depth", "loop", "exit_code")


def encode(result: TlcResult) -> bytes:
    """The text of a run. Values are as TLA+ writes them."""
    document = {field.name: getattr(result, field.name) for field in fields(result)} | {
        "schema": SCHEMA,
        "log": None if result.log is None else str(result.log),
        "trace": [
            asdict(state)
            | {"variables": {name: format_tla(value) for name, value in state.variables.items()}}
            for state in result.trace
        ],
    }
    return documents.encode(document).encode()


def decode(path: Path, content: bytes) -> TlcResult:
    """The run that a content is; UsageError where it is none. ``path``: how the error names it."""
    document = documents.parsed(path, content, SCHEMA)
    if (word := document.text("outcome")) not in list(Outcome):
        raise document.fault("outcome", f"must be one of {', '.join(Outcome)}, not {word!r}")
    log = document.optional_text("log")
    return TlcResult(
        Outcome(word),
        document.optional_text("property"),
        document.optional_text("location"),
        document.text("explanation"),
        trace=tuple(_state(record) for record in document.objects("trace")),
        loop_action=document.optional_text("loop_action"),
        stuttering=document.flag("stuttering"),
        collision=None if document.value.get("collision") is None else document.number("collision"),
        version=document.text("version"),
        seconds=document.number("seconds"),
        log=None if log is None else Path(log),
        whole=document.flag("whole"),
        **{name: _number(document, name) for name in _NUMBERS},
    )


def _state(record: Record) -> TraceState:
    number = _number(record, "number")
    if number is None:
        raise record.fault("number", "is missing")
    texts = record.text_by_name("variables")
    try:
        variables = {name: parse_value(text) for name, text in texts.items()}
    except ValueSyntaxError as error:
        raise record.fault("variables", f"has no value of TLA+: {error.message}") from error
    return TraceState(
        number,
        record.optional_text("action"),
        record.text("location"),
        variables,
        record.optional_text("process"),
    )


def _number(record: Record, name: str) -> int | None:
    number = record.value.get(name)
    if number is not None and type(number) is not int:
        raise record.fault(name, "must be a whole number or null")
    return number
