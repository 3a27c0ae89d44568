"""SystemTimer's bucket with one decision taken away, by the names of ``spec/SystemTimer.toml``.

The traces are those of the proof's system, in which the other buckets may have any key. That the mutated model is the mutated
system is shown on the mutated model's own graphs, edge by edge.
"""
from __future__ import annotations

import z3
from z3 import Store

from proofs.protocols.faults import Fault, Scope
from proofs.protocols.system_timer import NOBODY, POLLED, THREAD, Bucket, go, is_at
from proofs.ts import WHOLE, Step, action, when
from proofs.ts_search import Roles


class KafkaOrder(Bucket):
    """The bucket polled before the write lock is the one that is flushed under it, whatever was queued meanwhile: D1."""

    @action(t=THREAD)
    def locks_to_reap(self, s, t) -> Step:
        return when(is_at(s, t, "R2"), self.this(s, t), self.alone(s), at=go(s, t, "R5"), writer=t, due=Store(s.due, t, s.key))

    @action(t=THREAD, y=WHOLE)
    def locks_to_reap_other(self, s, t, y) -> Step:
        return when(is_at(s, t, "R2"), self.other(s, t), self.alone(s), 0 <= y, y <= s.now, at=go(s, t, "R5"), writer=t, due=Store(s.due, t, y))


class OffersAlways(Bucket):
    """A bucket is queued whether or not its key has changed."""

    @action(t=THREAD)
    def finds_its_key(self, s, t) -> Step:
        return when(is_at(s, t, "W3"), s.mine[t], s.key == s.window, at=go(s, t, "W4"))


class KeepsKey(Bucket):
    """A flushed bucket's key is not reset."""

    @action(t=THREAD)
    def resets_key(self, s, t) -> Step:
        return when(is_at(s, t, "V2"), self.this(s, t), at=go(s, t, "R4"), token=NOBODY, polled=Store(s.polled, t, POLLED.none))


class WithoutReadLock(Bucket):
    """Adders are not kept out while the reaper works."""

    @action(t=THREAD)
    def enters_to_read(self, s, t) -> Step:
        return when(is_at(s, t, "A1"), at=go(s, t, "A2"), reading=Store(s.reading, t, True))

    def alone(self, s):
        return s.writer == NOBODY


def scope(window: int, latest: int, **begins: str) -> Scope:
    """The bucket empty, its window's key given, the clock at 0, the time at the latest. The thread r is the reaper."""
    threads = tuple(begins)
    start = {name: {} for name in Bucket.VARIABLES} | {
        "at": dict.fromkeys(threads, "Idle"), "polled": dict.fromkeys(threads, "none"), "due": dict.fromkeys(threads, 0),
        "until": dict.fromkeys(threads, 0), "writer": None, "key": -1, "copies": 0, "window": window, "clock": 0, "now": latest, "token": None}
    return Scope({"Thread": threads, "Entry": ("e", "d")}, start, Roles({t: names.split() for t, names in begins.items()}),
                 {"reaper": "r"}, range(-1, latest + 2))


EVERYTHING = scope(1, 1, r="reaps", a="adds", b="adds cancels closes time_passes")
LATE_ADDER = scope(1, 2, r="reaps", a="adds")

FAULTS = {fault.name: fault for fault in (
    Fault("D1", "the reaper keeps to the bucket that it polled before it had the lock", KafkaOrder, LATE_ADDER, "key_kept_while_queued", "P10"),
    Fault("M10", "a bucket is queued again with the key that it has", OffersAlways, scope(1, 1, r="reaps", a="adds", b="adds"), "queued_once", "P10"),
    Fault("M12", "a flushed bucket keeps its key", KeepsKey, LATE_ADDER, "key_kept_while_queued", "P10"),
    Fault("M13", "adders are not kept out", WithoutReadLock, LATE_ADDER, "queued_is_past_clock", "P11"),
)}


def view_of(fault, trace):
    """No model follows these traces: the other buckets' keys in them are any that the proof allows."""
    raise NotImplementedError
