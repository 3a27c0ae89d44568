"""SystemTimer's buckets with one decision taken away, by the names of ``spec/SystemTimer.toml``.

The traces are those of the proof's system on a whole wheel of two levels. The mutated model takes
each, and goes on to where the spec's property fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import z3
from z3 import Store

from proofs.system_timer.steps import NO_BUCKET, NO_THREAD, THREAD, go, is_at
from proofs.system_timer.system import Buckets
from wheelproof.prove.ts.faults import Fault, Scope
from wheelproof.prove.ts.search import Roles, Taken
from wheelproof.prove.ts.system import Step, action, when


class KafkaOrder(Buckets):
    """The reaper flushes the bucket that it polled before the write lock: D1."""

    @action(t=THREAD)
    def locks_to_reap(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "R2"), self.alone(s), at=go(s, t, "R5"), writer=t)


class OffersAlways(Buckets):
    """A bucket is queued whether or not its key has changed."""

    @action(t=THREAD)
    def finds_its_key(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "W3"),
            s.key[s.into[t]] == self.gives(s, s.into[t], s.entry[t]),
            at=go(s, t, "W4"),
        )


class KeepsKey(Buckets):
    """A flushed bucket's key is not reset."""

    @action(t=THREAD)
    def resets_key(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "V2"),
            at=go(s, t, "R4"),
            token=Store(s.token, s.polled[t], NO_THREAD),
            polled=Store(s.polled, t, NO_BUCKET),
        )


class WithoutReadLock(Buckets):
    """Adders are not kept out while the reaper works."""

    @action(t=THREAD)
    def enters_to_read(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A1"), at=go(s, t, "A2"), reading=Store(s.reading, t, True))

    def alone(self, s: SimpleNamespace) -> z3.BoolRef:
        return s.writer == NO_THREAD


SIZE, LEVELS = 3, 2


def scope(deadlines: Mapping[str, int], now: int, **begins: str) -> Scope:
    """A whole wheel with empty buckets, its clocks at 0, at a time. The thread r is the reaper."""
    threads, buckets = tuple(begins), tuple(range(1, SIZE * LEVELS + 1))
    start: dict[str, Any] = {name: {} for name in Buckets.VARIABLES} | {
        "at": dict.fromkeys(threads, "Idle"),
        "until": dict.fromkeys(threads, 0),
        "writer": None,
        "key": dict.fromkeys(buckets, -1),
        "copies": dict.fromkeys(buckets, 0),
        "clock": dict.fromkeys(buckets, 0),
        "now": now,
        "rekeyed": False,
    }
    rigid = {
        "reaper": "r",
        "deadline": dict(deadlines),
        "size": SIZE,
        "nowhere": {},
        "tick": {bucket: SIZE ** ((bucket - 1) // SIZE) for bucket in buckets},
        "slot": {bucket: (bucket - 1) % SIZE for bucket in buckets},
    }
    return Scope(
        {"Thread": threads, "Entry": tuple(deadlines), "Bucket": buckets},
        start,
        Roles({t: names.split() for t, names in begins.items()}),
        rigid,
    )


EVERYTHING = scope({"near": 1}, 1, r="reaps", a="adds", b="adds cancels time_passes")
LATE_ADDER = scope({"near": 2, "far": 5}, 3, r="reaps", a="adds", b="adds")

FAULTS = {
    fault.name: fault
    for fault in (
        Fault(
            "D1",
            "the reaper keeps to the bucket that it polled before it had the lock",
            KafkaOrder,
            LATE_ADDER,
            "key_kept_while_queued",
            "P10",
        ),
        Fault(
            "M10",
            "a bucket is queued again with the key that it has",
            OffersAlways,
            scope({"near": 1, "next": 1}, 1, r="reaps", a="adds", b="adds"),
            "queued_once",
            "P10",
        ),
        Fault(
            "M12",
            "a flushed bucket keeps its key",
            KeepsKey,
            LATE_ADDER,
            "key_kept_while_queued",
            "P10",
        ),
        Fault(
            "M13",
            "adders are not kept out",
            WithoutReadLock,
            LATE_ADDER,
            "queued_is_past_clock",
            "P11",
        ),
    )
}


def view_of(fault: Fault, trace: list[Taken]) -> Any:
    """No model follows these traces."""
    raise NotImplementedError
