"""The meaning of a timer's records: its calls that are events, and the state that a run begins in.
``timer_columns`` has the columns of each event.

This module, ``timer_columns``, ``operation`` and the rules know Kafka's classes; the recorder, the
file formats and the shrinker do not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any

from traces.initial import Initial
from wheelproof.trace.recording import traced_fields
from wheelproof.trace.recording.log import Log
from wheelproof.trace.recording.recorder import Recorder
from wheelproof.trace.recording.traced_fields import RAISED

_frame = sys._getframe

ROLES = {
    "TimerTask": "task",
    "TimerTaskEntry": "entry",
    "TimerTaskList": "list",
    "SystemTimer": "timer",
    "Overflowing": "wheel",
    "DelayQueue": "queue",
}

WORDS = frozenset(("set_entry", "cancel", "cancel_check", "bucket_expiry_set", "overflow_create"))
"""Kinds whose word has no write that is no event."""

PARTLY = frozenset(("owner_read",))
"""Kinds whose word is written by steps without an event."""

COLUMN_OF = {"expiration": "key_ms", "try_complete_pending": "pending"}
"""Field -> its name in a trace, where that is another one."""

REINSERTING = frozenset(("flush", "reinsert"))
"""Methods that hand an entry of a flushed bucket to its timer."""

EMPTIES = frozenset(("withdraw",))
"""Methods that take everything out of a timer, due or not."""

BEGINS = {"flush_begin": "flush_end"}

CONDITIONS: Mapping[str, Callable[[Any], bool]] = {
    "list_add_retry": lambda owner: owner is not None
}
"""Kind -> the values of a volatile field of which a read is such an event: a thread that finds the
entry in no list links it."""

Numbers = tuple[int, int, int, int]
"""Object, old, new, argument."""


# -- calls that are events


def _values_of_offer(
    recorder: Recorder, queue: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers:
    element = arguments[1]
    return recorder.id_of(element), 0, element.expiration.value, 0


def _values_of_poll(
    recorder: Recorder, queue: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    return (
        (recorder.id_of(result), recorder.log().now, result.expiration.value, 0)
        if hasattr(result, "expiration")
        else None
    )


def _values_of_level(
    recorder: Recorder, wheel: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    """A wheel was made: its tick, and its clock."""
    return (
        None
        if result is RAISED
        else (recorder.identify(wheel), wheel.tick_ms, wheel.current_time, 0)
    )


def _values_of_bucket(
    recorder: Recorder, bucket: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    return None if result is RAISED else (recorder.identify(bucket), 0, 0, 0)


def _values_of_submit(
    recorder: Recorder, executor: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers:
    return 0, 0, 0, recorder.id_of(arguments[0])


def _values_of_request(
    recorder: Recorder, clock: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    """The clock was read; it is an event where that was done for a task that is being added."""
    recorder.log().now = result
    caller = _frame(2)
    task: Any = caller.f_locals.get("task") if caller.f_code.co_name == "add" else None
    return (recorder.id_of(task), task.delay_ms, result, 0) if hasattr(task, "delay_ms") else None


def _values_of_entry(
    recorder: Recorder, entry: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    task, deadline = arguments
    return (
        None
        if task is None
        else (recorder.id_of(task), recorder.log().now, deadline, recorder.identify(entry))
    )


def _values_of_place(
    recorder: Recorder, bucket: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    """A wheel has called: it has chosen this bucket."""
    caller, lowest = _frame(2), None
    while caller.f_code.co_name == "add" and hasattr(
        wheel := caller.f_locals.get("self"), "current_time"
    ):
        lowest, caller = wheel, _outer(caller)
    return (
        None
        if lowest is None
        else (recorder.id_of(bucket), 0, lowest.current_time, recorder.id_of(arguments[0]))
    )


def _values_of_reject(
    recorder: Recorder, wheel: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    """The lowest wheel has refused, whichever level it was that did."""
    caller = _frame(2)
    below = caller.f_code.co_name == "add" and hasattr(caller.f_locals.get("self"), "current_time")
    return (
        None
        if result is not False or below
        else (recorder.id_of(wheel), 0, wheel.current_time, recorder.id_of(arguments[0]))
    )


def _handed_back(
    recorder: Recorder, timer: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    return (
        (0, 0, 0, recorder.id_of(arguments[0])) if _frame(2).f_code.co_name in REINSERTING else None
    )


def _outer(frame: FrameType) -> FrameType:
    """The caller of a method, past the wrapper that records a call of it."""
    outer = frame.f_back
    if outer is not None and outer.f_code.co_filename == _WRAPPER:
        outer = outer.f_back
    assert outer is not None
    return outer


_WRAPPER = traced_fields.__file__

CALLS: dict[str, tuple[Any, ...]] = {
    "DelayQueue": (
        ("_up", "dq_offer", _values_of_offer, False),
        ("_take", "dq_poll", _values_of_poll, True),
    ),  # with its gate held
    "TaskExecutor": (("submit", "expire_submit", _values_of_submit, False),),
    "SystemClock": (("hi_res_clock_ms", "add_request", _values_of_request, True),),
    "VirtualClock": (("hi_res_clock_ms", "add_request", _values_of_request, True),),
    "TimerTaskEntry": (("__init__", "entry_new", _values_of_entry, False),),
    "TimerTaskList": (("add", "wheel_place", _values_of_place, False),),
    "Bucket": (("__init__", "bucket_new", _values_of_bucket, True),),
    "TimingWheel": (
        ("add", "wheel_reject", _values_of_reject, True),
        ("__init__", "wheel_new", _values_of_level, True),
    ),
    "SystemTimer": (("add_timer_task_entry", "reinsert", _handed_back, False),),
}
"""Class -> methods whose call is an event: (method, kind of event, values, whether it is recorded
after the call)."""


def observers(recorder: Recorder) -> dict[str, Callable[[Log, FrameType], int]]:
    """Kind -> the further number of a record: where the counter changes, the list that the entry
    names whose monitor is held innermost; of a word, the thread's object that looks, or the entry
    it looks for."""
    objects, id_of = recorder.objects, recorder.id_of

    def names(log: Log, frame: FrameType) -> int:
        if not log.held:
            return 0
        return id_of(getattr(objects.get(log.held[-1].owner), "list", None))

    def owner_of_frame(log: Log, frame: FrameType) -> int:
        return recorder.owner(frame)

    def entry_of_key(log: Log, frame: FrameType) -> int:
        """The entry for which a wheel sets a bucket's key."""
        caller = frame.f_back
        return id_of(caller.f_locals.get("entry")) if caller else 0

    def entry_handed_over(log: Log, frame: FrameType) -> int:
        """The entry that is handed over; below 0 where its timer is emptied."""
        entry, outer = id_of(frame.f_locals.get("entry")), frame.f_back
        while outer is not None and outer.f_code.co_name not in EMPTIES:
            outer = outer.f_back
        return entry if outer is None else -entry

    return {
        "list_add": names,
        "list_remove": names,
        "cancel_check": owner_of_frame,
        "bucket_expiry_set": entry_of_key,
        "expire_submit": entry_handed_over,
    }


# -- a run's beginning


def initial(recorder: Recorder, objects: Mapping[int, Any], roles: Mapping[int, str]) -> Initial:
    """Lists, tasks, counters and keys of a header's ``initial``."""
    lists, tasks, counters = {}, {}, {}
    keys: dict[str, int] = {}
    for number, value in objects.items():
        role = roles[number]
        if role == "list":
            ring, node = [], value.root.next
            while node is not value.root:
                ring.append(recorder.identify(node))
                node = node.next
            lists[str(number)] = ring
            if hasattr(value, "expiration"):
                keys[str(number)] = value.expiration.value
            counter = value.task_counter
            counters[f"counter:{counter.number}"] = counter.value
        elif role == "task" and hasattr(value, "timer_task_entry"):
            tasks[str(number)] = recorder.id_of(value.timer_task_entry)
    content: Initial = {"lists": lists, "tasks": tasks, "counters": counters}
    if keys:
        content["keys"] = keys
    return content


def config(wheels: list[Any]) -> dict[str, int]:
    """The wheel's measures; empty without one."""
    wheels = [wheel for wheel in wheels if hasattr(wheel, "tick_ms")]
    if not wheels:
        return {}
    lowest = min(wheels, key=lambda wheel: wheel.tick_ms)
    return {
        "tick_ms": lowest.tick_ms,
        "wheel_size": lowest.wheel_size,
        "start_ms": lowest.current_time,
        "levels": len(wheels),
    }
