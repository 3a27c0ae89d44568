"""From a recorder's records to events: the common part of all of Kafka's classes. The meaning of a
kind's columns is in the families' modules, ``timer_columns`` and ``operation``."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Any

from traces import operation, timer, timer_columns, watching
from traces.events import Columns, Event, columns
from traces.initial import Initial
from wheelproof.protocols import Scenario
from wheelproof.trace.recording.log import Log, Raw
from wheelproof.trace.recording.recorder import Observer, Recorder

ROLES = timer.ROLES | operation.ROLES | watching.ROLES
"""Class -> the column that its objects are named in, and the class of their tokens."""

CALLS = {
    name: tuple(
        call for family in (timer, operation, watching) for call in family.CALLS.get(name, ())
    )
    for name in (*timer.CALLS, *operation.CALLS, *watching.CALLS)
}
"""Class -> methods whose call is an event: (method, kind of event, values, whether it is recorded
after the call)."""

SECTIONS = watching.SECTIONS
"""Function -> (kind of event, content of its record), of functions whose critical section is an
event."""

ACCESSES: frozenset[str] = frozenset()
"""Kinds that are an access of a plain field, on a line whose label has them."""

UNLABELLED = watching.UNLABELLED
"""(function, operation) -> event, "" for none, of a line without a label."""

CONDITIONS = timer.CONDITIONS
"""Kind -> the values of a volatile field of which a read is such an event."""

BEGINS = timer.BEGINS | operation.BEGINS | watching.BEGINS
"""Kind of event that opens a bracket -> the kind that closes it."""

NAMED = ("task", "entry", "list", "op")
_SEQUENCE = {"entry": "eseq", "list": "lseq", "op": "oseq"}


def observers(recorder: Recorder) -> dict[str, Observer]:
    """Kind of event -> the further number in a record of it."""
    return timer.observers(recorder) | operation.observers(recorder)


def role_of(value: object) -> str:
    """The role of an object: that of the first of its classes that has one; its own class's name
    for others."""
    for cls in type(value).__mro__:
        if cls.__name__ in ROLES:
            return ROLES[cls.__name__]
    return type(value).__name__


def roles_of(recorder: Recorder) -> dict[int, str]:
    """Id -> role, of all objects that have one."""
    return {number: role_of(value) for number, value in dict(recorder.objects).items()}


class Stream:
    """The knowledge of a thread on the way through its records. ``spans``: (kind that closes it,
    span, list or operation); ``checked``: the entry that was checked last, and whether it was
    cancelled; ``request``: the task that it was given to add last."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, int, int]] = []
        self.checked: tuple[int, bool] = (0, False)
        self.request: tuple[int, int] = (0, 0)


class Translator:
    """Turns a recorder's records into the events of ``wheelproof.trace/1``, in the order of (lc,
    tid, tseq)."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.roles = roles_of(recorder)
        self.wheels = timer_columns.Wheels(recorder, self.roles)
        texts = [f"{site.where} {site.label}".strip() for site in recorder.sites[1:]]
        self.sources: list[str] = list(dict.fromkeys(text for text in texts if text))
        self._sources = {text: number for number, text in enumerate(self.sources)}
        self._spans = 0
        self._fields: dict[int, str] = {}

    def events(self) -> Iterator[Event]:
        """All threads' events, merged."""
        streams = [
            timer_columns.explained(self._thread(tid, log))
            for tid, log in enumerate(self.recorder.logs, 1)
        ]
        return heapq.merge(*streams, key=lambda event: (event["lc"], event["tid"], event["tseq"]))

    def numbers(self) -> dict[str, int]:
        """Id -> name, of objects with a number for a name: buckets and watcher lists."""
        return self.wheels.numbers() | watching.numbers(self.recorder)

    def _thread(self, tid: int, log: Log) -> Iterator[Event]:
        stream = Stream()
        for tseq, raw in enumerate(log.records(self.recorder.sites), 1):
            event: Event = {
                "tid": tid,
                "tseq": tseq,
                "lc": raw.lc,
                "k": raw.site.event,
                "phase": "atomic",
                **self._columns(raw, stream),
            }
            self._bracket(event, stream)
            self._order(event, raw)
            source = f"{raw.site.where} {raw.site.label}".strip()
            if source:
                event["src"] = self._sources[source]
            timer_columns.flushed(event, stream)
            yield event

    def _columns(self, raw: Raw, stream: Stream) -> Columns:
        kind = raw.site.event
        if (cells := watching.columns(self.recorder, raw)) is not None:
            return cells
        if kind in operation.COLUMNS:
            return operation.COLUMNS[kind](raw)
        if kind == "cancel" and self.roles.get(raw.obj) == "op":
            return {"task": raw.obj, "op": raw.obj}
        if kind in timer_columns.KINDS:
            return timer_columns.columns(self, raw, stream)
        role = self.roles.get(raw.obj, "")
        ids: Columns = {}
        if role in NAMED:
            columns(ids)[role] = raw.obj
        return {
            **ids,
            **timer_columns.of_entry(self.recorder, ids.get("entry", 0)),
            **self.wheels.place(ids.get("list", 0), {}),
        }

    def _bracket(self, event: Event, stream: Stream) -> None:
        spans, kind = stream.spans, event["k"]
        if spans and kind == spans[-1][0]:
            event["span"], event["phase"] = spans.pop()[1], "end"
        if spans:
            event["parent"] = spans[-1][1]
        if kind in BEGINS and event.get("res") != "false":
            self._spans += 1
            event["span"], event["phase"] = self._spans, "begin"
            spans.append((BEGINS[kind], self._spans, event.get("list") or event.get("op", 0)))

    def _order(self, event: Event, raw: Raw) -> None:
        tokens = []
        for number, seq in raw.locks:
            lock = self.recorder.primitives[number]
            if not lock.kind:
                continue
            role = self._role(lock.owner, lock) or "lock"
            lock_number = getattr(lock, "of", lock).number
            name = (
                f"{role}:{lock.owner or lock_number}"
                if role != "lock"
                else f"{'queue' if hasattr(lock, 'acquire_when') else 'lock'}:{lock_number}"
            )
            tokens.append((lock.kind, name, seq, getattr(lock, "mode", "w")))
            column = _SEQUENCE.get(role)
            if column and lock.owner == columns(event).get(role):
                columns(event)[column] = seq
        if raw.word:
            word = self.recorder.primitives[raw.word]
            did = raw.site.operation
            mode = (
                "r"
                if did == "read"
                else "w"
                if did != "cas"
                else "cas+"
                if raw.old != raw.new
                else "cas-"
            )
            if name := self._word(word, event["k"]):
                tokens.append(("V", name, raw.version, mode))
        if tokens:
            event["ord"] = tuple(tokens)

    def _role(self, owner: int, part: object) -> str | None:
        """The role in which an object has a lock or a word."""
        role = self.roles.get(owner)
        return operation.part_of(self.recorder.objects[owner], part) if role == "op" else role

    def _word(self, word: Any, kind: str) -> str:
        """The word's name, if each of its writes is an event: of other words not every write is
        recorded, so that their versions would have gaps."""
        if kind in timer_columns.COUNTED:
            return f"counter:{word.number}"
        if kind in timer.PARTLY:
            return ""
        role = self._role(word.owner, word)
        if role is None or kind not in timer.WORDS | operation.WORDS | watching.WORDS:
            return ""
        if word.number not in self._fields:
            self._fields[word.number] = getattr(word, "field", None) or field_of(
                self.recorder.objects[word.owner], word
            )
        field = self._fields[word.number]
        return f"{role}:{word.owner}.{timer.COLUMN_OF.get(field, field)}"


def field_of(value: object, word: Any) -> str:
    """The name of the slot of ``value`` that has the atomic variable."""
    for cls in type(value).__mro__:
        for name in vars(cls).get("__slots__", ()):
            if getattr(value, name, None) is word:
                return str(name)
    return f"word{word.number}"


# -- a run's beginning


def initial_of(recorder: Recorder) -> Initial:
    """The values of the objects that are known by now, as a header's ``initial``: to be read before
    threads run."""
    roles = roles_of(recorder)
    objects = dict(recorder.objects)
    return timer.initial(
        recorder, {number: value for number, value in objects.items() if number in roles}, roles
    ) | operation.initial(recorder, objects, roles)


def config_of(recorder: Recorder) -> dict[str, int]:
    """The wheel's measures, where there is one; empty otherwise."""
    return timer.config([value for value in recorder.objects.values() if role_of(value) == "wheel"])


def variant_of(recorder: Recorder) -> str:
    """The protocol of the operations, where all have the same; else empty."""
    return operation.variant(
        [value for value in recorder.objects.values() if role_of(value) == "op"]
    )


def named(
    recorder: Recorder, names: Mapping[str, object], program: Scenario | None = None
) -> dict[str, str]:
    """Give ids to a scenario's objects and keys, in the scenario's order; id -> name."""
    table = {
        recorder.identify(value): name
        for name, value in names.items()
        if recorder.knows(type(value))
    }
    return {
        **{str(number): name for number, name in table.items()},
        **watching.keys(recorder, program or {}),
    }
