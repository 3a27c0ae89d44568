"""The meaning of a delayed operation's records: its calls that are events, the columns of each
kind, and the state that a run begins in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import FrameType
from typing import Any

from traces.events import Columns
from traces.initial import Initial
from wheelproof.trace.recording.log import Log, Raw
from wheelproof.trace.recording.recorder import Recorder
from wheelproof.trace.recording.traced_fields import RAISED

ROLES = {"DelayedOperation": "op"}

PROTOCOLS = {
    **{name: name for name in ("TryOnce", "TryPending", "LockedTry", "CheckedTry")},
    "DelayedOperation": "Blocking",
}
"""The classes that say by which protocol threads complete an operation -> the protocol."""

BEGINS = {"try_begin": "try_end", "on_complete_begin": "on_complete_end"}
"""Kind of event that opens a bracket -> the kind that closes it. An attempt that does not come to
tryComplete opens none."""

WORDS = frozenset(("force_cas", "pending_set", "pending_getset", "cancel"))
"""Kinds whose word has no write that is no event."""

_CAUSE_OF = {"run": 1, "try_complete": 2}
_CAUSES = {1: "expiry", 2: "event", 3: "forced"}


# -- calls that are events


def _values_of_try(
    recorder: Recorder, operation: Any, arguments: tuple[Any, ...], result: Any
) -> tuple[int, int, int, int]:
    return recorder.id_of(operation), 0, 2 if result is RAISED else int(bool(result)), 0


def _values_of_operation(
    recorder: Recorder, operation: Any, arguments: tuple[Any, ...], result: Any
) -> tuple[int, int, int, int] | None:
    return None if result is RAISED else (recorder.id_of(operation), 0, operation.delay_ms, 0)


CALLS: dict[str, tuple[Any, ...]] = {
    "DelayedOperation": (
        ("try_complete", "try_end", _values_of_try, True),
        ("on_complete", "on_complete_end", _values_of_try, True),
        ("__init__", "op_new", _values_of_operation, True),
    ),
}


def observers(recorder: Recorder) -> dict[str, Callable[[Log, FrameType], int]]:
    """Kind -> the further number of a record: of an attempt and of an operation's own steps the
    operation; of a completion the caller of forceComplete."""

    def owner_of_frame(log: Log, frame: FrameType) -> int:
        return recorder.owner(frame)

    def caller(log: Log, frame: FrameType) -> int:
        outer = frame.f_back
        return _CAUSE_OF.get(outer.f_code.co_name, 3) if outer else 3

    return {
        "try_begin": owner_of_frame,
        "on_complete_begin": owner_of_frame,
        "on_expire": owner_of_frame,
        "force_cas": caller,
    }


# -- columns


def _result(value: int) -> str:
    return ("false", "true", "raised")[value]


def _new(raw: Raw) -> Columns:
    return {"op": raw.obj, "delay_ms": raw.new}


def _try_begin(raw: Raw) -> Columns:
    """Either the lock was got or not, or it is held and the operation was found open or
    completed."""
    if raw.site.operation == "read":
        return {"op": raw.obj, "res": _result(not raw.old), "pre": {"completed": bool(raw.old)}}
    return {"op": raw.obj or raw.me, "res": _result(raw.new)}


def _force_cas(raw: Raw) -> Columns:
    won = raw.old != raw.new if raw.site.operation == "cas" else True
    return {
        "op": raw.obj,
        "cause": _CAUSES[raw.me],
        "res": _result(won),
        "pre": {"completed": bool(raw.old)},
        "post": {"completed": bool(raw.new)},
    }


def _note(raw: Raw) -> Columns:
    return {"op": raw.obj, "pre": {"pending": bool(raw.old)}, "post": {"pending": bool(raw.new)}}


COLUMNS: Mapping[str, Callable[[Raw], Columns]] = {
    "op_new": _new,
    "try_begin": _try_begin,
    "try_end": lambda raw: {"op": raw.obj, "res": _result(raw.new)},
    "pending_set": _note,
    "pending_getset": _note,
    "force_cas": _force_cas,
    "on_complete_begin": lambda raw: {"op": raw.me},
    "on_complete_end": lambda raw: {"op": raw.obj, "res": "raised" if raw.new == 2 else "none"},
    "on_expire": lambda raw: {"op": raw.me},
}
"""Kind -> the columns that a record of it gives."""


# -- what there is


def part_of(operation: Any, part: object) -> str:
    """The role in which an operation has a lock or a word: it is its timer's task as well."""
    note = getattr(operation, "try_complete_pending", None)
    return (
        "op"
        if any(part is member for member in (operation.lock, operation.completed, note))
        else ("task")
    )


def protocol_of(operation: Any) -> str:
    """The protocol of an operation; empty for a class that has none of them."""
    names = [cls.__name__ for cls in type(operation).__mro__]
    return next((PROTOCOLS[name] for name in names if name in PROTOCOLS), "")


def variant(operations: Iterable[Any]) -> str:
    protocols = {protocol_of(operation) for operation in operations}
    return protocols.pop() if len(protocols) == 1 else ""


def initial(recorder: Recorder, objects: Mapping[int, Any], roles: Mapping[int, str]) -> Initial:
    """``operations`` of a header's ``initial``; empty where none has a note."""
    notes = {
        str(number): getattr(value, "try_complete_pending", None)
        for number, value in objects.items()
        if roles.get(number) == "op"
    }
    pending = {number: {"pending": note.value} for number, note in notes.items() if note}
    return {"operations": pending} if pending else {}
