"""What the records of a timer mean: the columns of each kind of event, ids by role, and the state that a run begins in.

This module and ``rules`` know Kafka's classes; the recorder, the file formats and the shrinker do not.
"""
from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from wheelproof.trace.recorder import Log, Raw, Recorder

ROLES = {"TimerTask": "task", "TimerTaskEntry": "entry", "TimerTaskList": "list", "SystemTimer": "timer", "TimingWheel": "wheel", "DelayQueue": "queue"}
"""Class -> the column that its objects are named in, and the class of their tokens."""

COUNTED = ("list_add", "list_remove")
AHEAD = 256
"""How many events of its thread are looked through for what a removal was made for."""

BEGINS = {"flush_begin": "flush_end"}


def _offered(recorder: Recorder, queue: Any, arguments: tuple, result: Any) -> tuple[int, int, int, int]:
    element = arguments[1]
    return recorder.id_of(element), 0, element.expiration.value, 0


def _polled(recorder: Recorder, queue: Any, arguments: tuple, result: Any) -> tuple[int, int, int, int] | None:
    return None if result is None else (recorder.id_of(result), 0, result.expiration.value, 0)


def _submitted(recorder: Recorder, executor: Any, arguments: tuple, result: Any) -> tuple[int, int, int, int]:
    return 0, 0, 0, recorder.id_of(arguments[0])


CALLS: Mapping[str, tuple] = {
    "DelayQueue": (("_up", "dq_offer", _offered, False), ("_take", "dq_poll", _polled, True)),
    "TaskExecutor": (("submit", "expire_submit", _submitted, False),),
}
"""Class -> methods whose call is an event. Those of the queue run with its gate held."""


UNLABELLED = {("TimerTask.forget", "write"): "cancel"}
"""(function, operation) -> event, of a line without a label that changes what the rules look at."""


def observer(recorder: Recorder) -> Callable[[Log], int]:
    """Which list the entry names whose monitor is held innermost: asked where the counter changes, with the entry linked or unlinked."""
    objects, id_of = recorder.objects, recorder.id_of

    def observe(log: Log) -> int:
        if not log.held:
            return 0
        entry = objects.get(log.held[-1].owner)
        return id_of(getattr(entry, "list", None))

    return observe


def role_of(value: Any) -> str:
    """The role of an object: that of the first of its classes that has one; its own class's name for others."""
    for cls in type(value).__mro__:
        if cls.__name__ in ROLES:
            return ROLES[cls.__name__]
    return type(value).__name__


class Translator:
    """Turns a recorder's records into the events of ``wheelproof.trace/1``, in the order of (lc, tid, tseq)."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.roles = {number: role_of(value) for number, value in recorder.objects.items()}
        texts = [f"{site.where} {site.label}".rstrip() for site in recorder.sites[1:]]
        self.sources: list[str] = list(dict.fromkeys(texts))
        self._sources = {text: number for number, text in enumerate(self.sources)}
        self._spans = 0
        self._levels: dict[int, int] = {}
        self.slots: dict[int, tuple[int, int]] = {}
        self.ticks: dict[int, int] = {}
        for number, wheel in list(recorder.objects.items()):
            if self.roles[number] == "wheel":
                level = self._level(number)
                self.ticks[level] = wheel.tick_ms
                self.slots |= {recorder.id_of(bucket): (level, slot) for slot, bucket in enumerate(wheel.buckets)}

    def _level(self, number: int) -> int:
        """A wheel's level, from 1: the one above the level whose turn is its tick."""
        if number not in self._levels:
            tick = self.recorder.objects[number].tick_ms
            below = [other for other, role in self.roles.items() if role == "wheel" and self.recorder.objects[other].interval == tick]
            self._levels[number] = 1 + (self._level(below[0]) if below else 0)
        return self._levels[number]

    def events(self) -> Iterator[dict[str, Any]]:
        """All threads' events, merged."""
        streams = [self._thread(tid, log) for tid, log in enumerate(self.recorder.logs, 1)]
        return heapq.merge(*streams, key=lambda event: (event["lc"], event["tid"], event["tseq"]))

    def _thread(self, tid: int, log: Log) -> Iterator[dict[str, Any]]:
        spans: list[tuple[str, int, int]] = []  # kind that closes it, span, list
        checked = 0
        held: list[dict[str, Any]] = []  # events that wait until it is known what the first of them, a removal, was made for
        for tseq, raw in enumerate(log.records(self.recorder.sites), 1):
            event = self._event(tid, tseq, raw, checked)
            kind = event["k"]
            if kind == "cancel_check":
                checked = event["entry"]
            if spans and kind == spans[-1][0]:
                event["span"], event["phase"] = spans.pop()[1], "end"
            if spans:
                event["parent"] = spans[-1][1]
            if kind in BEGINS:
                self._spans += 1
                event["span"], event["phase"] = self._spans, "begin"
                spans.append((BEGINS[kind], self._spans, event["list"]))
            if kind == "list_remove" and spans and event.get("list") == spans[-1][2] and not self._holds(event, "task"):
                event["cause"] = "flush"
            if held or kind == "list_remove" and "cause" not in event:
                held.append(event)
                if self._explained(held) or len(held) > AHEAD:
                    yield from held
                    held = []
                continue
            yield event
        yield from held

    def _event(self, tid: int, tseq: int, raw: Raw, checked: int) -> dict[str, Any]:
        site, kind = raw.site, raw.site.event
        event: dict[str, Any] = {"tid": tid, "tseq": tseq, "lc": raw.lc, "k": kind, "phase": "atomic"}
        held = {}
        for number, _ in raw.locks:
            lock = self.recorder.primitives[number]
            held[self.roles.get(lock.owner, "")] = lock.owner  # the innermost of a role stays
        if kind in COUNTED:
            event |= {name: held[name] for name in ("entry", "list") if name in held}
            event["post"] = {"list": raw.me, "counter": raw.new}
        elif kind == "set_entry":
            event |= {"task": raw.obj, "entry": raw.new, "pre": {"entry": raw.old}, "post": {"entry": raw.new}}
        elif kind == "cancel":
            event |= {"task": raw.obj, "pre": {"entry": raw.old}, "post": {"entry": raw.new}}
            if not site.label:
                event["cause"] = "expiry"
        elif kind == "cancel_check":
            event |= {"task": raw.obj, "entry": raw.me, "pre": {"entry": raw.new}, "res": "false" if raw.new == raw.me else "true"}
        elif kind == "expire_submit":
            event["entry"] = raw.me or checked
        elif kind in ("dq_offer", "dq_poll"):
            event |= {"list": raw.obj, "key_ms": raw.new}
        elif kind == "clock_advance":
            event |= {"wheel_ms": raw.new, "level": self._level(raw.obj)}
        elif kind == "bucket_expiry_set":
            event |= {"list": raw.obj, "key_ms": raw.new, "pre": {"key_ms": raw.old}, "post": {"key_ms": raw.new},
                      "res": "true" if raw.old != raw.new else "false"}
        else:
            role = self.roles.get(raw.obj, "")
            if role in ("task", "entry", "list", "op"):
                event[role] = raw.obj
        if "entry" in event and event["entry"]:
            entry = self.recorder.objects[event["entry"]]
            if entry.timer_task is not None:
                event.setdefault("task", self.recorder.id_of(entry.timer_task))
            event["exp_ms"] = entry.expiration_ms
        if event.get("list") in self.slots:
            event["level"], event["bucket"] = self.slots[event["list"]]
            if kind == "list_add":
                event["vid"] = event["exp_ms"] // self.ticks[event["level"]]
        self._order(event, raw)
        event["src"] = self._sources[f"{site.where} {site.label}".rstrip()]
        return event

    def _order(self, event: dict[str, Any], raw: Raw) -> None:
        tokens = []
        for number, seq in raw.locks:
            lock = self.recorder.primitives[number]
            if not lock.kind:
                continue
            role = self.roles.get(lock.owner, "lock")
            name = f"{role}:{lock.owner or lock.number}" if role != "lock" or not hasattr(lock, "acquire_when") else f"queue:{lock.number}"
            tokens.append((lock.kind, name, seq, getattr(lock, "mode", "w")))
            column = {"entry": "eseq", "list": "lseq", "op": "oseq"}.get(role)
            if column and lock.owner == event.get(role):
                event[column] = seq
        if raw.word:
            word = self.recorder.primitives[raw.word]
            operation = raw.site.operation
            mode = "r" if operation == "read" else "w" if operation != "cas" else "cas+" if raw.old != raw.new else "cas-"
            if name := self._word(word, event["k"]):
                tokens.append(("V", name, raw.version, mode))
        if tokens:
            event["ord"] = tuple(tokens)

    def _word(self, word: Any, kind: str) -> str:
        field = getattr(word, "field", None)
        if field is not None:
            return f"{self.roles[word.owner]}:{word.owner}.{field}"
        if kind == "bucket_expiry_set":
            return f"list:{word.owner}.key_ms"
        # of other words not every write is recorded, so that their versions would have gaps
        return f"counter:{word.number}" if kind in COUNTED else ""

    @staticmethod
    def _holds(event: Mapping[str, Any], role: str) -> bool:
        return any(token[1].startswith(f"{role}:") for token in event.get("ord", ()))

    @staticmethod
    def _explained(held: list[dict[str, Any]]) -> bool:
        """Whether the last event says why the entries before it were taken out: for a cancel, a new entry, or a link elsewhere."""
        last = held[-1]
        column, cause = {"cancel": ("task", "cancel"), "set_entry": ("task", "readd"), "list_add": ("entry", "readd")}.get(last["k"], ("", ""))
        for event in held:
            if column and event["k"] == "list_remove" and "cause" not in event and event.get(column) == last.get(column):
                event["cause"] = cause
        return bool(column)


def initial_of(recorder: Recorder) -> dict[str, Any]:
    """What the objects that are known by now hold: to be asked before threads run."""
    lists, tasks, counters = {}, {}, {}
    keys: dict[str, int] = {}
    for number, value in list(recorder.objects.items()):
        role = role_of(value)
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
        elif role == "task":
            tasks[str(number)] = recorder.id_of(value.timer_task_entry)
    return {"lists": lists, "tasks": tasks, "counters": counters, **({"keys": keys} if keys else {})}


def config_of(recorder: Recorder) -> dict[str, int]:
    """The wheel's measures, where there is one; empty otherwise."""
    wheels = [value for value in recorder.objects.values() if role_of(value) == "wheel"]
    if not wheels:
        return {}
    lowest = min(wheels, key=lambda wheel: wheel.tick_ms)
    return {"tick_ms": lowest.tick_ms, "wheel_size": lowest.wheel_size, "start_ms": lowest.current_time, "levels": len(wheels)}


def named(recorder: Recorder, names: Mapping[str, Any]) -> dict[str, str]:
    """Give ids to a scenario's objects, in the scenario's order; id -> name."""
    return {str(recorder.identify(value)): name for name, value in names.items() if type(value) in recorder.known}
