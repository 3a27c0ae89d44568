"""The events of a simulated run, and the header of its trace.

Threads take turns at whole operations, so that the position of an event in the run is a Lamport
clock. Every order token has its number.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

from traces.events import Event
from wheelproof.trace.format.heads import Header
from wheelproof.trace.format.schema import MINOR, SCHEMA

Token = tuple[str, str, str]
"""Kind, id and mode: ``emit`` gives the number."""


TICK_MS, WHEEL_SIZE, LEVELS = 2, 8, 3
TURN_MS = TICK_MS * WHEEL_SIZE**LEVELS
ADDERS, REAPER, EXECUTOR, EVENTS = (1, 2, 3, 4), 5, 6, (7, 8)
THREADS = {
    **{str(tid): f"adder-{tid}" for tid in ADDERS},
    str(REAPER): "reaper",
    str(EXECUTOR): "executor",
    **{str(tid): f"request-{tid}" for tid in EVENTS},
}


FIRST_LIST, FIRST_KEY, FIRST_ID = 1, 500, 1001
"""Ids of the lists and of the watched keys, which outlive a block of events. All others start at
FIRST_ID."""


COUNTER, QUEUE, TIMER = ("V", "counter:1", "w"), ("L", "queue:2", "w"), "timer:3"


def header(run_id: str, threads: dict[str, str] = THREADS) -> Header:
    """The header of a trace of simulated events."""
    return {
        "schema": SCHEMA,
        "schema_minor": MINOR,
        "run_id": run_id,
        "producer": {"name": "wheelproof.simulate", "lang": "Python"},
        "variant": "TryPending",
        "config": {"tick_ms": TICK_MS, "wheel_size": WHEEL_SIZE, "start_ms": 0, "levels": LEVELS},
        "clock": {"kind": "virtual", "virtual": True},
        "threads": threads,
        "capture": {"mode": "full"},
        "initial": {"lists": {}, "tasks": {}, "counters": {"counter:1": 0}},
    }


class Log:
    """``events``: in the order of their Lamport clocks. ``numbers``: the last number of each lock,
    version of each word and event of each thread."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.numbers: Counter[str] = Counter()
        self.next_id, self.spans = FIRST_ID, 0

    def emit(self, tid: int, kind: str, *tokens: Token, **columns: Any) -> None:
        name = f"t {tid}"
        self.numbers[name] += 1
        event: dict[str, Any] = {
            "tid": tid,
            "tseq": self.numbers[name],
            "lc": len(self.events) + 1,
            "k": kind,
            "phase": columns.pop("phase", "atomic"),
            **columns,
        }
        order = []
        for sort, target, mode in tokens:
            key = f"{sort} {target}"
            if sort == "L" or mode in ("w", "cas+") and sort == "V":
                self.numbers[key] += 1
            order.append((sort, target, self.numbers[key], mode))
            for prefix, column in (("entry:", "eseq"), ("list:", "lseq"), ("op:", "oseq")):
                if sort == "L" and target == f"{prefix}{event.get(prefix[:-1])}":
                    event[column] = self.numbers[key]
        if order:
            event["ord"] = tuple(order)
        self.events.append(cast(Event, event))

    def fresh(self) -> int:
        """An id that no object has."""
        self.next_id += 1
        return self.next_id - 1

    def span(self) -> int:
        """An id of a bracket."""
        self.spans += 1
        return self.spans
