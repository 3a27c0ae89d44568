"""A purgatory whose timer is abstract: each operation on it is one step, and a word says which
tasks it has. A sound run, and one fault for each rule about an operation's timeout.

``traces()`` gives name -> (header, events, footer).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from checked import Trace, footer_of

from benchmarks import mutations
from benchmarks.simulated_log import header

Event = dict[str, Any]
Events = list[Event]

CALLER, EVENT, TIMER = 1, 7, 6
EXPIRES, COMPLETES, LATE, LEFT = 1001, 1002, 1003, 1004
"""Operations: its timeout completes it; an event does; an event does before the timer has it; no
event comes, and its key is cancelled."""
KEY, OTHER = 2001, 2002


class _Run:
    """``events``: without their numbers, which ``mutations.renumbered`` gives."""

    def __init__(self) -> None:
        self.events: Events = []
        self.spans = 0

    def emit(self, tid: int, kind: str, *tokens: tuple[str, str], **columns: Any) -> None:
        event = {"tid": tid, "tseq": 0, "lc": 0, "k": kind, "phase": "atomic", **columns}
        if tokens:
            event["ord"] = tuple((what, name, 0, "w") for what, name in tokens)
        self.events.append(event)

    def span(self) -> int:
        self.spans += 1
        return self.spans

    # -- the timer, whose lock guards all its tasks

    def timer(self, tid: int, kind: str, task: int, *held: tuple[str, str], **columns: Any) -> None:
        word = ("V", f"task:{task}.armed")
        self.emit(tid, kind, *held, ("L", "queue:2"), word, task=task, **columns)

    # -- an operation

    def begin(self, tid: int, op: int) -> None:
        """What comes before the timer: an operation is tried, watched, and tried again."""
        watching = self.span()
        self.emit(tid, "op_new", op=op)
        self.emit(tid, "try_watch_begin", op=op, phase="begin", span=watching)
        lock = ("L", f"op:{op}")
        self.emit(tid, "lock_acquire", lock, op=op)
        self.attempt(tid, op)
        key = OTHER if op == LEFT else KEY
        self.emit(tid, "watch_add", lock, ("L", "lock:8"), op=op, key=key)
        self.attempt(tid, op)
        self.emit(tid, "lock_release", lock, op=op)

    def end(self, tid: int, op: int) -> None:
        begun = next(
            each for each in self.events if each["k"] == "try_watch_begin" and each["op"] == op
        )
        self.emit(tid, "try_watch_end", op=op, phase="end", span=begun["span"], res="false")

    def attempt(self, tid: int, op: int, completes: bool = False) -> None:
        lock, trying = ("L", f"op:{op}"), self.span()
        self.emit(tid, "try_begin", lock, op=op, phase="begin", span=trying, res="true")
        if completes:
            self.complete(tid, op, "event")
        result = "true" if completes else "false"
        self.emit(tid, "try_end", lock, op=op, phase="end", span=trying, res=result)

    def complete(self, tid: int, op: int, cause: str) -> None:
        lock, body = ("L", f"op:{op}"), self.span()
        self.emit(tid, "force_cas", lock, op=op, cause=cause, res="true")
        self.timer(tid, "cancel", op, lock, op=op)
        self.emit(tid, "on_complete_begin", lock, op=op, phase="begin", span=body)
        self.emit(tid, "on_complete_end", lock, op=op, phase="end", span=body, res="none")

    def event(self, *ops: int) -> None:
        """A key is checked, and operations of its list are completed."""
        checking = self.span()
        self.emit(EVENT, "check_begin", ("L", "lock:8"), key=KEY, phase="begin", span=checking)
        for op in ops:
            self.emit(EVENT, "lock_acquire", ("L", f"op:{op}"), op=op)
            self.attempt(EVENT, op, completes=True)
            self.emit(EVENT, "lock_release", ("L", f"op:{op}"), op=op)
            self.emit(EVENT, "watch_cancel", op=op, key=KEY)
        self.emit(EVENT, "check_end", key=KEY, phase="end", span=checking)

    def timeout(self, op: int) -> None:
        self.timer(TIMER, "task_run", op)
        self.emit(TIMER, "lock_acquire", ("L", f"op:{op}"), op=op)
        self.complete(TIMER, op, "expiry")
        self.emit(TIMER, "lock_release", ("L", f"op:{op}"), op=op)
        self.emit(TIMER, "on_expire", op=op)


def sound() -> Events:
    """Four operations, which end as their names say."""
    run = _Run()
    for op in (EXPIRES, COMPLETES, LEFT):
        run.begin(CALLER, op)
        run.timer(CALLER, "add_request", op)
        run.end(CALLER, op)
    run.timeout(EXPIRES)
    run.emit(EVENT, "watch_cancel", op=EXPIRES, key=KEY)
    run.begin(CALLER, LATE)
    run.event(COMPLETES, LATE)
    run.timer(CALLER, "add_request", LATE)
    run.timer(CALLER, "cancel", LATE)
    run.end(CALLER, LATE)
    cancelling = run.span()
    run.emit(CALLER, "cancel_key_begin", key=OTHER, phase="begin", span=cancelling)
    run.timer(CALLER, "cancel", LEFT)
    run.emit(CALLER, "watch_cancel", op=LEFT, key=OTHER)
    run.emit(CALLER, "cancel_key_end", key=OTHER, phase="end", span=cancelling)
    return run.events


# -- faults


def _places(events: Events, kind: str, op: int) -> list[int]:
    return [
        at
        for at, event in enumerate(events)
        if event["k"] == kind and op in (event.get("op"), event.get("task"))
    ]


def _drop(kind: str, op: int, number: int = 0) -> Callable[[Events], None]:
    def change(events: Events) -> None:
        del events[_places(events, kind, op)[number]]

    return change


def _again(kind: str, op: int) -> Callable[[Events], None]:
    def change(events: Events) -> None:
        at = _places(events, kind, op)[0]
        events.insert(at + 1, copy.deepcopy(events[at]))

    return change


def _runs_though_cancelled(events: Events) -> None:
    """The timer runs what cancelForKey has taken out of it."""
    run = _Run()
    run.timer(TIMER, "task_run", LEFT)
    events += run.events


def _without_words(events: Events) -> None:
    """As a recorder writes it that knows a task's lock, and not what the timer has."""
    for event in events:
        if "task" in event:
            locks = (token for token in event["ord"] if token[0] != "V")
            event["ord"] = (*locks, ("L", f"task:{event['task']}", 0, "w"))


def _runs_twice(events: Events) -> None:
    _without_words(events)
    _again("task_run", EXPIRES)(events)


def _expires_untimed(events: Events) -> None:
    """The timer runs what it never got: it was handed another task."""
    _without_words(events)
    at = _places(events, "add_request", EXPIRES)[0]
    events[at]["task"] = COMPLETES


def _expires_by_an_event(events: Events) -> None:
    at = _places(events, "watch_cancel", COMPLETES)[0]
    run = _Run()
    run.emit(EVENT, "on_expire", op=COMPLETES)
    events.insert(at, run.events[0])


def _word_of_another(events: Events) -> None:
    at = _places(events, "add_request", LEFT)[0]
    events[at]["task"] = COMPLETES


FAULTS: dict[str, tuple[Callable[[Events], None], set[str], str]] = {
    "left_untimed": (_drop("add_request", COMPLETES), {"LeftIsTimed"}, "LeftIsTimed"),
    "timed_twice": (_again("add_request", COMPLETES), {"TimedOnce"}, "TimedOnce"),
    "runs_though_cancelled": (_runs_though_cancelled, {"TakenWhileTimed"}, "TakenWhileTimed"),
    "runs_twice": (_runs_twice, {"RunsAsTimed"}, "RunsAsTimed"),
    "expires_untimed": (_expires_untimed, {"LeftIsTimed", "RunsAsTimed"}, "LeftIsTimed"),
    "cancelled_twice": (_again("cancel", COMPLETES), {"CancelledOnce"}, "CompletedOnce"),
    "never_cancelled": (_drop("cancel", LATE, 1), {"NoLeakedTimer"}, "NoLeakedTimer"),
    "expires_by_an_event": (
        _expires_by_an_event,
        {"ExpiredByTimeoutOnly"},
        "ExpiredByTimeoutOnly",
    ),
    "word_of_another": (_word_of_another, {"LeftIsTimed", "WordOfObject"}, "LeftIsTimed"),
}
"""Name -> the fault, the rules in bulk that reject it, no others, and the property of replay."""

SOUND = "one_step_timer"


def made(name: str, change: Callable[[Events], None] = lambda events: None) -> Trace:
    """The sound run with a change, numbered anew."""
    events = sound()
    change(events)
    mutations.renumbered(events)
    head = header(name) | {"variant": "Blocking"}
    return head, events, footer_of(head, events)


def traces() -> dict[str, Trace]:
    """The sound run, and the one of each fault."""
    return {SOUND: made(SOUND)} | {name: made(name, FAULTS[name][0]) for name in FAULTS}
