"""The columns of a timer's events: its objects, their deadlines and buckets, and why an entry was
taken out of a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from traces.events import Columns, Event
from traces.events import columns as by_name
from wheelproof.trace.recording.log import Raw
from wheelproof.trace.recording.recorder import Recorder

if TYPE_CHECKING:
    from traces.translator import Stream, Translator

COUNTED = ("list_add", "list_remove")

AHEAD = 256
"""How many events of its thread are looked through for a removal's cause."""


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
            below = [lower for lower, wheel in self._wheels.items() if wheel.interval == tick]
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

    def place(self, bucket: int, event: Columns) -> Columns:
        """Level and slot of a bucket, and the number of the deadline's tick there; empty for a list
        that is in no wheel."""
        if bucket not in self.slots:
            return {}
        level, slot = self.slots[bucket]
        cells: Columns = {"level": level, "bucket": slot}
        if "exp_ms" in event:
            cells["vid"] = event["exp_ms"] // self.ticks[level]
        return cells


def of_entry(recorder: Recorder, entry: int) -> Columns:
    """Task and deadline of an entry; empty for none."""
    if not entry:
        return {}
    entry_object = recorder.objects[entry]
    cells: Columns = {"exp_ms": entry_object.expiration_ms}
    if entry_object.timer_task is not None:
        cells = {"task": recorder.id_of(entry_object.timer_task), **cells}
    return cells


def columns(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    """The columns that a record of a timer's event gives, of the kinds in KINDS. Moves
    ``stream.checked`` and ``stream.request`` on."""
    kind = raw.site.event
    event = OF_KIND[kind](translator, raw, stream)
    event = of_entry(translator.recorder, event.get("entry", 0)) | event
    place = translator.wheels.place(
        event.get("list", 0), event if kind in ("list_add", "wheel_place") else {}
    )
    return event | place


# -- lists, tasks and entries


def _counter_columns(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    owners = {}
    for number, _ in raw.locks:
        lock = translator.recorder.primitives[number]
        owners[translator.roles.get(lock.owner, "")] = lock.owner  # the innermost of a role stays
    event: Columns = {}
    if "entry" in owners:
        event["entry"] = owners["entry"]
    if "list" in owners:
        event["list"] = owners["list"]
    event["post"] = {"list": raw.me, "counter": raw.new}
    return event


def _set_entry(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    return {
        "task": raw.obj,
        "entry": raw.new,
        "pre": {"entry": raw.old},
        "post": {"entry": raw.new},
    }


def _cancel(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    return {"task": raw.obj, "pre": {"entry": raw.old}, "post": {"entry": raw.new}}


def _cancel_check(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    stream.checked = raw.me, raw.new != raw.me
    return {
        "task": raw.obj,
        "entry": raw.me,
        "pre": {"entry": raw.new},
        "res": "true" if raw.new != raw.me else "false",
    }


def _of_owner(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    return {"entry": raw.obj, "pre": {"list": raw.new}}


def _add_request(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    stream.request = raw.obj, raw.old
    return {"task": raw.obj, "delay_ms": raw.old, "now_ms": raw.new}


def _entry_new(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    event: Columns = {"task": raw.obj, "entry": raw.me, "exp_ms": raw.new}
    if raw.obj == stream.request[0]:
        event |= {"delay_ms": stream.request[1], "now_ms": raw.old}
    return event


def _expire_submit(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    event: Columns = {"entry": abs(raw.me) or stream.checked[0]}
    if raw.me < 0:
        event["cause"] = "shutdown"
    return event


# -- wheels, buckets and the queue


def _queue_columns(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    event: Columns = {"list": raw.obj, "key_ms": raw.new}
    if raw.site.event == "dq_poll" and raw.old >= 0:
        event["now_ms"] = raw.old
    return event


def _clock_advance(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    return {"wheel_ms": raw.new, "level": translator.wheels.level(raw.obj)}


def _bucket_expiry_set(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    event: Columns = {
        "list": raw.obj,
        "key_ms": raw.new,
        "pre": {"key_ms": raw.old},
        "post": {"key_ms": raw.new},
        "res": "true" if raw.old != raw.new else "false",
    }
    event |= {"entry": raw.me} if raw.me else {}
    return event


def _wheel_place(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    return {"entry": raw.me, "list": raw.obj, "wheel_ms": raw.new}


def _wheel_reject(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    return {
        "entry": raw.me,
        "wheel_ms": raw.new,
        "cause": "cancel" if stream.checked == (raw.me, True) else "due",
    }


def _reinsert(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    return {"entry": raw.me}


def _bucket_new(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    return {"list": raw.obj}


def _wheel_new(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    if raw.site.operation != "call":
        return {}
    return {
        "level": translator.wheels.level(raw.obj),
        "wheel_ms": raw.new,
        "pre": {"key_ms": raw.old},
    }


def _overflow_create(translator: Translator, raw: Raw, stream: Stream) -> Columns:
    wheels = translator.wheels
    return {"level": wheels.level(raw.new)} if wheels.known(raw.new) else {}


OF_KIND: Mapping[str, Callable[[Translator, Raw, Stream], Columns]] = {
    "list_add": _counter_columns,
    "list_remove": _counter_columns,
    "list_add_retry": _of_owner,
    "owner_read": _of_owner,
    "set_entry": _set_entry,
    "cancel": _cancel,
    "cancel_check": _cancel_check,
    "add_request": _add_request,
    "entry_new": _entry_new,
    "expire_submit": _expire_submit,
    "dq_offer": _queue_columns,
    "dq_poll": _queue_columns,
    "clock_advance": _clock_advance,
    "bucket_expiry_set": _bucket_expiry_set,
    "wheel_place": _wheel_place,
    "wheel_reject": _wheel_reject,
    "reinsert": _reinsert,
    "bucket_new": _bucket_new,
    "wheel_new": _wheel_new,
    "overflow_create": _overflow_create,
}
"""Kind -> the columns of its records: of (translator, record, stream)."""

KINDS = frozenset(OF_KIND)


# -- why an entry was taken out


def flushed(event: Event, stream: Stream) -> None:
    """Say of a removal from the list that is being flushed that the flush made it: no task's
    monitor is held then."""
    of_flush = stream.spans and event.get("list") == stream.spans[-1][2]
    if event["k"] == "list_remove" and of_flush:
        bare = not any(token[1].startswith("task:") for token in event.get("ord", ()))
        if bare:
            event["cause"] = "flush"


def explained(events: Iterable[Event]) -> Iterator[Event]:
    """A thread's events, each removal with its cause: the next event on the task or the entry tells
    it."""
    # Events that wait until it is known what the first of them, a removal, was made for.
    pending: list[Event] = []
    for event in events:
        if pending or event["k"] == "list_remove" and "cause" not in event:
            pending.append(event)
            if _explains(pending) or len(pending) > AHEAD:
                yield from pending
                pending = []
            continue
        yield event
    yield from pending


def _explains(pending: list[Event]) -> bool:
    """Whether the last event says why the entries before it were taken out: for a cancel, a new
    entry, or a link elsewhere."""
    last = pending[-1]
    column, cause = {
        "cancel": ("task", "cancel"),
        "set_entry": ("task", "readd"),
        "list_add": ("entry", "readd"),
    }.get(last["k"], ("", ""))
    for event in pending:
        if (
            column
            and event["k"] == "list_remove"
            and "cause" not in event
            and by_name(event).get(column) == by_name(last).get(column)
        ):
            event["cause"] = cause
    return bool(column)
