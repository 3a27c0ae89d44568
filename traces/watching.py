"""The meaning of a purgatory's records: its calls, critical sections and accesses that are events,
and the columns of each kind.

A watcher list and the timer have locks of their own, which are held for one operation. Such a
section is the event: it is recorded before its lock is given back, so that a later look into the
list comes later.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from traces.events import Columns
from wheelproof.protocols import Scenario
from wheelproof.trace.recording.log import Raw
from wheelproof.trace.recording.recorder import Recorder, Section, Values
from wheelproof.trace.recording.traced_fields import RAISED

_frame = sys._getframe

ROLES = dict.fromkeys(("Shard", "WatcherMap", "WatcherQueue", "Timer"), "lock")
"""Classes of whose objects a trace shows the lock alone."""

BEGINS = {
    "try_watch_begin": "try_watch_end",
    "check_begin": "check_end",
    "cancel_key_begin": "cancel_key_end",
}
"""Kind of event that opens a bracket -> the kind that closes it."""

WORDS = frozenset(("add_request", "cancel", "task_run"))
"""Kinds that say whether a timer has a task, where one lock guards all its tasks."""

LOOKS = "watchers_of"
"""The method that looks for a key's list in a check of the key."""

ENTERS = "safe_try_complete_or_else"
"""The method that tries an operation as a thread enters it."""

COMPLETES = "force_complete"
"""The method that cancels the timeout of the operation that it has completed."""

UNLABELLED: Mapping[tuple[str, str], str] = {
    (name, operation): ""
    for name in (
        "WatcherQueue.after",
        "WatcherQueue.size",
        "WatcherMap.after",
        "WatcherMap.was_used",
    )
    for operation in ("lock", "unlock", "wait")
}
"""(function, operation) -> "": reads of a list leave no event, nor does its lock. Nor do traversals
through a shard's map."""

Numbers = tuple[int, int, int, int]
"""Object, old, new, argument."""


class Armed:
    """The word that says whether a timer has a task. ``version``: how often it was written, with
    the timer's gate held."""

    kind, field = "V", "armed"

    def __init__(self, owner: int) -> None:
        self.owner, self.version, self.number = owner, 0, 0


# -- calls that are events


def _entering(
    recorder: Recorder, operation: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    """An evaluation of tryComplete by a thread that enters the operation; others have events of
    their own."""
    if _frame(2).f_code.co_name != ENTERS:
        return None
    return recorder.id_of(operation), 0, 1, 0


def _of_operation(
    recorder: Recorder, purgatory: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers:
    answer = 2 if result is RAISED else int(bool(result))
    return recorder.id_of(arguments[0]), 0, answer, 0


def _of_key(recorder: Recorder, purgatory: Any, arguments: tuple[Any, ...], result: Any) -> Numbers:
    return recorder.id_of_value(arguments[0]), 0, 0, 0


CALLS: dict[str, tuple[Any, ...]] = {
    "Purgatory": (
        ("try_complete_else_watch", "try_watch_begin", _of_operation, False),
        ("try_complete_else_watch", "try_watch_end", _of_operation, True),
        ("check_and_complete", "check_end", _of_key, True),
        ("cancel_for_key", "cancel_key_end", _of_key, True),
    ),
    # After the event that ends it in 'operation': who calls is then seen.
    "DelayedOperation": (("try_complete", "try_begin", _entering, False),),
}
"""Class -> methods whose call is an event."""


# -- sections that are events


def _values_of_add(recorder: Recorder, frame: FrameType) -> Values | None:
    """An operation was put into a list. Its method was called under the shard's lock."""
    return _in_list(recorder, frame.f_locals.get("operation"), _caller(frame).get("watchers"))


def _values_of_discard(recorder: Recorder, frame: FrameType) -> Values | None:
    """An operation was taken out of a list, or is found to be out of it."""
    caller = _caller(frame)
    return _in_list(recorder, caller.get("operation"), caller.get("self"))


def _looked_up(recorder: Recorder, frame: FrameType) -> Values | None:
    """The look for a key's list in a check of the key; other looks have events of their own."""
    caller = frame.f_back
    if caller is None or caller.f_code.co_name != LOOKS:
        return None
    return _key(recorder, frame)


def _key(recorder: Recorder, frame: FrameType) -> Values | None:
    return 0, 0, 0, recorder.id_of_value(frame.f_locals["key"]), 0, 0


def _put(recorder: Recorder, frame: FrameType) -> Values | None:
    return _list(recorder, frame.f_locals.get("watchers"))


def _values_of_removal(recorder: Recorder, frame: FrameType) -> Values | None:
    return _list(recorder, _caller(frame).get("current"))


def _list(recorder: Recorder, watchers: Any) -> Values | None:
    """A key gets a list, or loses it. The method was called under the shard's lock."""
    return (0, 0, 0, recorder.identify(watchers), 0, 0) if hasattr(watchers, "queue") else None


def _caller(frame: FrameType) -> Mapping[str, Any]:
    return frame.f_back.f_locals if frame.f_back is not None else {}


def _in_list(recorder: Recorder, operation: Any, watchers: Any) -> Values | None:
    if operation is None or not hasattr(watchers, "queue"):
        return None
    return recorder.id_of(operation), 0, 0, recorder.identify(watchers), 0, 0


def _values_of_timeout(recorder: Recorder, frame: FrameType) -> Values | None:
    return _of_task(recorder, frame, False)


def _values_of_take(recorder: Recorder, frame: FrameType) -> Values | None:
    """The timer runs a task, if it had it."""
    return _of_task(recorder, frame, False) if frame.f_locals.get("taken") else None


def _values_of_cancel(recorder: Recorder, frame: FrameType) -> Values | None:
    """Two calls above the operation's own cancel: whether its completion cancels its timeout."""
    outer = frame.f_back.f_back if frame.f_back is not None else None
    return _of_task(recorder, frame, outer is not None and outer.f_code.co_name == COMPLETES)


def _of_task(recorder: Recorder, frame: FrameType, completes: bool) -> Values | None:
    number = recorder.id_of(frame.f_locals.get("task"))
    if not number:
        return None
    word = recorder.words.get(number)
    if word is None:
        word = recorder.words[number] = Armed(number)
        word.number = recorder.register(word)
    word.version += 1
    return number, 0, 0, int(completes), word.number, word.version


SECTIONS: Mapping[str, tuple[str, Section]] = {
    "WatcherQueue.add": ("watch_add", _values_of_add),
    "WatcherQueue.discard": ("watch_cancel", _values_of_discard),
    "WatcherMap.get": ("check_begin", _looked_up),
    "WatcherMap.pop": ("cancel_key_begin", _key),
    "WatcherMap.put": ("watchers_new", _put),
    "WatcherMap.discard": ("watchers_remove", _values_of_removal),
    "Timer.add": ("add_request", _values_of_timeout),
    "Timer.cancel": ("cancel", _values_of_cancel),
    "Timer.take": ("task_run", _values_of_take),
}
"""Function -> the kind of event that its critical section is, and the content of the record."""


# -- columns


def columns(recorder: Recorder, raw: Raw) -> Columns | None:
    """The columns of a record; None where it is of another family."""
    kind = raw.site.event
    if kind in ("watch_add", "watch_cancel"):
        return {"op": raw.obj, **_of_list(recorder, raw.me)}
    if kind in ("watchers_new", "watchers_remove"):
        return _of_list(recorder, raw.me)
    if kind in ("check_begin", "cancel_key_begin"):
        return {"key": raw.me}
    if kind in ("check_end", "cancel_key_end"):
        return {"key": raw.obj}
    if kind == "try_watch_begin":
        return {"op": raw.obj}
    if kind == "try_watch_end":
        return {"op": raw.obj, "res": ("false", "true", "raised")[raw.new]}
    if kind in WORDS and raw.site.operation == "leave":
        return {"task": raw.obj, "op": raw.obj} if raw.me else {"task": raw.obj}
    return None


def _of_list(recorder: Recorder, number: int) -> Columns:
    return {"key": recorder.id_of_value(recorder.objects[number].key), "list": number}


# -- names


def keys(recorder: Recorder, program: Scenario) -> dict[str, str]:
    """Id of each key of a scenario -> its name."""
    table = program.get("keys")
    if not isinstance(table, Mapping):
        return {}
    return {str(recorder.id_of_value(value)): name for name, value in table.items()}


def numbers(recorder: Recorder) -> dict[str, int]:
    """Id of each watcher list -> its number among those of its key, from 1 on: its name."""
    table: dict[str, int] = {}
    count: dict[Any, int] = {}
    for number, value in sorted(dict(recorder.objects).items()):
        if type(value).__name__ == "Watchers":
            table[str(number)] = count[value.key] = count.get(value.key, 0) + 1
    return table
