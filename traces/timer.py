"""What the records of a timer mean: its calls that are events, the columns of each kind, and the
state that a run begins in.

This module, ``operation`` and the rules know Kafka's classes; the recorder, the file formats and
the shrinker do not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType
from typing import Any

from wheelproof.trace.recording import traced_fields
from wheelproof.trace.recording.recorder import Log, Raw, Recorder
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

COUNTED = ("list_add", "list_remove")
WORDS = frozenset(("set_entry", "cancel", "cancel_check", "bucket_expiry_set", "overflow_create"))
"""Kinds whose word has no write that is no event."""

PARTLY = frozenset(("owner_read",))
"""Kinds whose word is written by steps without an event."""

COLUMN_OF = {"expiration": "key_ms", "try_complete_pending": "pending"}
"""Field -> what a trace calls it, where that is another name."""

REINSERTING = frozenset(("flush", "reinsert"))
"""Methods that hand an entry of a flushed bucket to its timer."""

EMPTIES = frozenset(("withdraw",))
"""Methods that take everything out of a timer, due or not: what they hand over was nobody's
turn."""

AHEAD = 256
"""How many events of its thread are looked through for what a removal was made for."""

BEGINS = {"flush_begin": "flush_end"}

UNLABELLED: Mapping[tuple[str, str], str] = {}
"""(function, operation) -> event, of a line without a label that changes what the rules look at."""

CONDITIONS: Mapping[str, Callable[[Any], bool]] = {
    "list_add_retry": lambda owner: owner is not None
}
"""Kind -> the values of a volatile field of which a read is such an event: who finds that no list
has the entry links it."""

Numbers = tuple[int, int, int, int]
"""Object, old, new, argument."""


# -- calls that are events


def _offered(recorder: Recorder, queue: Any, arguments: tuple[Any, ...], result: Any) -> Numbers:
    element = arguments[1]
    return recorder.id_of(element), 0, element.expiration.value, 0


def _polled(
    recorder: Recorder, queue: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    return (
        (recorder.id_of(result), recorder.log().now, result.expiration.value, 0)
        if hasattr(result, "expiration")
        else None
    )


def _levelled(
    recorder: Recorder, wheel: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    """A wheel was made: its tick, and its clock."""
    return (
        None
        if result is RAISED
        else (recorder.identify(wheel), wheel.tick_ms, wheel.current_time, 0)
    )


def _bucketed(
    recorder: Recorder, bucket: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    return None if result is RAISED else (recorder.identify(bucket), 0, 0, 0)


def _submitted(
    recorder: Recorder, executor: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers:
    return 0, 0, 0, recorder.id_of(arguments[0])


def _asked(
    recorder: Recorder, clock: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    """The clock was read; it is an event where that was done for a task that is being added."""
    recorder.log().now = result
    caller = _frame(2)
    task: Any = caller.f_locals.get("task") if caller.f_code.co_name == "add" else None
    return (recorder.id_of(task), task.delay_ms, result, 0) if hasattr(task, "delay_ms") else None


def _made(
    recorder: Recorder, entry: Any, arguments: tuple[Any, ...], result: Any
) -> Numbers | None:
    task, deadline = arguments
    return (
        None
        if task is None
        else (recorder.id_of(task), recorder.log().now, deadline, recorder.identify(entry))
    )


def _placed(
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


def _rejected(
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
        ("_up", "dq_offer", _offered, False),
        ("_take", "dq_poll", _polled, True),
    ),  # with its gate held
    "TaskExecutor": (("submit", "expire_submit", _submitted, False),),
    "SystemClock": (("hi_res_clock_ms", "add_request", _asked, True),),
    "VirtualClock": (("hi_res_clock_ms", "add_request", _asked, True),),
    "TimerTaskEntry": (("__init__", "entry_new", _made, False),),
    "TimerTaskList": (("add", "wheel_place", _placed, False),),
    "Bucket": (("__init__", "bucket_new", _bucketed, True),),
    "TimingWheel": (
        ("add", "wheel_reject", _rejected, True),
        ("__init__", "wheel_new", _levelled, True),
    ),
    "SystemTimer": (("add_timer_task_entry", "reinsert", _handed_back, False),),
}
"""Class -> methods whose call is an event: (method, kind of event, values, whether it is recorded
after the call)."""


def observers(recorder: Recorder) -> dict[str, Callable[[Log, FrameType], int]]:
    """Kind -> what else is noted: where the counter changes, which list the entry names whose
    monitor is held innermost; of a word, who looks, or for whom."""
    objects, id_of = recorder.objects, recorder.id_of

    def names(log: Log, frame: FrameType) -> int:
        if not log.held:
            return 0
        return id_of(getattr(objects.get(log.held[-1].owner), "list", None))

    def itself(log: Log, frame: FrameType) -> int:
        return recorder.owner(frame)

    def keyed(log: Log, frame: FrameType) -> int:
        """The entry for which a wheel sets a bucket's key."""
        caller = frame.f_back
        return id_of(caller.f_locals.get("entry")) if caller else 0

    def handed(log: Log, frame: FrameType) -> int:
        """The entry that is handed over; below 0 where its timer is emptied."""
        entry, outer = id_of(frame.f_locals.get("entry")), frame.f_back
        while outer is not None and outer.f_code.co_name not in EMPTIES:
            outer = outer.f_back
        return entry if outer is None else -entry

    return {
        "list_add": names,
        "list_remove": names,
        "cancel_check": itself,
        "bucket_expiry_set": keyed,
        "expire_submit": handed,
    }


# -- columns


class Wheels:
    """The slots of all wheels that there are: list -> (level, slot); ``ticks``: level -> ms. A
    level is numbered from 1: the one above the level whose turn is its tick."""

    def __init__(self, recorder: Recorder, roles: Mapping[int, str]) -> None:
        self._wheels = {
            number: recorder.objects[number]
            for number, role in roles.items()
            if role == "wheel" and hasattr(recorder.objects[number], "tick_ms")
        }
        self._levels: dict[int, int] = {}
        self.slots: dict[int, tuple[int, int]] = {}
        self.ticks: dict[int, int] = {}
        for number, wheel in self._wheels.items():
            level = self.level(number)
            self.ticks[level] = wheel.tick_ms
            self.slots |= {
                recorder.id_of(bucket): (level, slot) for slot, bucket in enumerate(wheel.buckets)
            }

    def level(self, number: int) -> int:
        if number not in self._levels:
            tick = self._wheels[number].tick_ms
            below = [other for other, wheel in self._wheels.items() if wheel.interval == tick]
            self._levels[number] = 1 + (self.level(below[0]) if below else 0)
        return self._levels[number]

    def numbers(self) -> dict[str, int]:
        """Id of each bucket -> its number over all levels, from 1 on and from the lowest level on:
        its name."""
        lowest = min(self._wheels.values(), key=lambda wheel: wheel.tick_ms, default=None)
        return (
            {
                str(bucket): (level - 1) * lowest.wheel_size + slot + 1
                for bucket, (level, slot) in self.slots.items()
                if bucket
            }
            if lowest is not None
            else {}
        )

    def known(self, number: int) -> bool:
        """Whether this is a wheel with measures of its own."""
        return number in self._wheels

    def place(self, bucket: int, event: Mapping[str, Any]) -> dict[str, Any]:
        """Level and slot of a bucket, and the number of the deadline's tick there; empty for a list
        that is in no wheel."""
        if bucket not in self.slots:
            return {}
        level, slot = self.slots[bucket]
        return {"level": level, "bucket": slot} | (
            {"vid": event["exp_ms"] // self.ticks[level]} if "exp_ms" in event else {}
        )


def of_entry(recorder: Recorder, entry: int) -> dict[str, Any]:
    """Task and deadline of an entry; empty for none."""
    if not entry:
        return {}
    found = recorder.objects[entry]
    return ({} if found.timer_task is None else {"task": recorder.id_of(found.timer_task)}) | {
        "exp_ms": found.expiration_ms
    }


KINDS = frozenset(
    (
        *COUNTED,
        "set_entry",
        "cancel",
        "cancel_check",
        "expire_submit",
        "dq_offer",
        "dq_poll",
        "clock_advance",
        "bucket_expiry_set",
        "owner_read",
        "add_request",
        "entry_new",
        "wheel_place",
        "wheel_reject",
        "reinsert",
        "list_add_retry",
        "wheel_new",
        "bucket_new",
        "overflow_create",
    )
)


def columns(translator: Any, raw: Raw, stream: Any) -> dict[str, Any]:
    """The columns that a record of a timer's event gives, of the kinds in KINDS. Moves
    ``stream.checked`` and ``stream.asked`` on."""
    recorder, kind = translator.recorder, raw.site.event
    held = {}
    for number, _ in raw.locks:
        lock = recorder.primitives[number]
        held[translator.roles.get(lock.owner, "")] = lock.owner  # the innermost of a role stays
    event: dict[str, Any] = {}
    if kind in COUNTED:
        event = {name: held[name] for name in ("entry", "list") if name in held}
        event["post"] = {"list": raw.me, "counter": raw.new}
    elif kind == "set_entry":
        event = {
            "task": raw.obj,
            "entry": raw.new,
            "pre": {"entry": raw.old},
            "post": {"entry": raw.new},
        }
    elif kind == "cancel":
        event = {"task": raw.obj, "pre": {"entry": raw.old}, "post": {"entry": raw.new}}
    elif kind == "cancel_check":
        stream.checked = raw.me, raw.new != raw.me
        event = {
            "task": raw.obj,
            "entry": raw.me,
            "pre": {"entry": raw.new},
            "res": "true" if raw.new != raw.me else "false",
        }
    elif kind in ("owner_read", "list_add_retry"):
        event = {"entry": raw.obj, "pre": {"list": raw.new}}
    elif kind == "expire_submit":
        event = {"entry": abs(raw.me) or stream.checked[0]} | (
            {"cause": "shutdown"} if raw.me < 0 else {}
        )
    elif kind in ("dq_offer", "dq_poll"):
        event = {"list": raw.obj, "key_ms": raw.new} | (
            {"now_ms": raw.old} if kind == "dq_poll" and raw.old >= 0 else {}
        )
    elif kind == "clock_advance":
        event = {"wheel_ms": raw.new, "level": translator.wheels.level(raw.obj)}
    elif kind == "bucket_expiry_set":
        event = {
            "list": raw.obj,
            "key_ms": raw.new,
            "pre": {"key_ms": raw.old},
            "post": {"key_ms": raw.new},
            "res": "true" if raw.old != raw.new else "false",
        }
        event |= {"entry": raw.me} if raw.me else {}
    elif kind == "add_request":
        stream.asked = raw.obj, raw.old
        event = {"task": raw.obj, "delay_ms": raw.old, "now_ms": raw.new}
    elif kind == "entry_new":
        event = {"task": raw.obj, "entry": raw.me, "exp_ms": raw.new}
        if raw.obj == stream.asked[0]:
            event |= {"delay_ms": stream.asked[1], "now_ms": raw.old}
    elif kind == "wheel_place":
        event = {"entry": raw.me, "list": raw.obj, "wheel_ms": raw.new}
    elif kind == "wheel_reject":
        event = {
            "entry": raw.me,
            "wheel_ms": raw.new,
            "cause": "cancel" if stream.checked == (raw.me, True) else "due",
        }
    elif kind == "reinsert":
        event = {"entry": raw.me}
    elif kind == "bucket_new":
        event = {"list": raw.obj}
    elif kind == "wheel_new":
        event = (
            {
                "level": translator.wheels.level(raw.obj),
                "wheel_ms": raw.new,
                "pre": {"key_ms": raw.old},
            }
            if raw.site.operation == "call"
            else {}
        )
    elif kind == "overflow_create":
        event = (
            {"level": translator.wheels.level(raw.new)} if translator.wheels.known(raw.new) else {}
        )
    event = of_entry(recorder, event.get("entry", 0)) | event
    placed: dict[str, Any] = translator.wheels.place(
        event.get("list", 0), event if kind in ("list_add", "wheel_place") else {}
    )
    return event | placed


# -- why an entry was taken out


def flushed(event: dict[str, Any], stream: Any) -> None:
    """Say of a removal from the list that is being walked over that the walk made it: no task's
    monitor is held then."""
    of_walk = stream.spans and event.get("list") == stream.spans[-1][2]
    if event["k"] == "list_remove" and of_walk:
        bare = not any(token[1].startswith("task:") for token in event.get("ord", ()))
        if bare:
            event["cause"] = "flush"


def explained(events: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """A thread's events, each removal with what it was made for: what comes next on the task or the
    entry says so."""
    # Events that wait until it is known what the first of them, a removal, was made for.
    held: list[dict[str, Any]] = []
    for event in events:
        if held or event["k"] == "list_remove" and "cause" not in event:
            held.append(event)
            if _explains(held) or len(held) > AHEAD:
                yield from held
                held = []
            continue
        yield event
    yield from held


def _explains(held: list[dict[str, Any]]) -> bool:
    """Whether the last event says why the entries before it were taken out: for a cancel, a new
    entry, or a link elsewhere."""
    last = held[-1]
    column, cause = {
        "cancel": ("task", "cancel"),
        "set_entry": ("task", "readd"),
        "list_add": ("entry", "readd"),
    }.get(last["k"], ("", ""))
    for event in held:
        if (
            column
            and event["k"] == "list_remove"
            and "cause" not in event
            and event.get(column) == last.get(column)
        ):
            event["cause"] = cause
    return bool(column)


# -- a run's beginning


def initial(
    recorder: Recorder, objects: Mapping[int, Any], roles: Mapping[int, str]
) -> dict[str, Any]:
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
    return {
        "lists": lists,
        "tasks": tasks,
        "counters": counters,
        **({"keys": keys} if keys else {}),
    }


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
