"""The buckets of a timer: their variables, and the steps of add, cancel and addTimerTaskEntry."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.arith import order
from proofs.arith.slots import key as key_of
from proofs.arith.slots import slot as slot_of
from proofs.arith.slots import taken
from wheelproof.prove.arithmetic import Number, mod
from wheelproof.prove.ts.system import (
    Enumeration,
    Step,
    System,
    action,
    array,
    nullable,
    sort,
    when,
)

THREAD = sort("Thread", null="no_thread")
ENTRY = sort("Entry", null="no_entry")
BUCKET = sort("Bucket", null="no_bucket")
NO_THREAD, NO_ENTRY, NO_BUCKET = THREAD.null, ENTRY.null, BUCKET.null
PLACE = Enumeration(
    "TimerPlace",
    "Idle A1 A2 A3 A4 W1 W2 W3 W4 K1 K2 X1 R1 R2 R3 R4 R5 R7 F2 V2 R6 "
    # Labels of the specification that are one of these places to the proof.
    "T1 Done C1 E1 E2 B1 W0 R8 V1 F3 V3 Q1 Q2 Q6 Nowhere",
)
BOOL, INT = z3.BoolSort(), z3.IntSort()
T, U = THREAD.consts("thread other")
E = ENTRY.consts("each")[0]
B, C = BUCKET.consts("bucket another")

ADDING = ("A2", "A3", "A4")
ENTERING = ("W1", "W2", "W3", "W4", "K1", "K2")
"""Places in addTimerTaskEntry, under the adder's read lock or the reaper's write lock."""
REAPING = ("R3", "R4", "R5", "R7", "F2", "V2", "R6")
STATEMENTS = order.THEORY.statements()


def is_at(s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
    """The thread is at one of these places."""
    alternatives = [s.at[t] == getattr(PLACE, place) for place in places]
    return Or(alternatives) if len(alternatives) > 1 else alternatives[0]


def go(s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
    return Store(s.at, t, getattr(PLACE, place))


class BucketSteps(System):
    """A wheel's buckets, the delay queue's order, and the lock of adders and reaper."""

    SORTS = (THREAD, ENTRY, BUCKET)
    STATES = "all buckets of the timer"
    VARIABLES = {
        "at": array(THREAD, PLACE),
        "reading": array(THREAD, BOOL),
        "writer": THREAD.z3,
        "entry": array(THREAD, ENTRY),
        "into": array(THREAD, BUCKET),  # what it puts, and into which bucket
        "polled": array(THREAD, BUCKET),
        "until": array(THREAD, INT),
        "linked": array(ENTRY, BUCKET, BOOL),
        "key": array(BUCKET, INT),
        "copies": array(BUCKET, INT),
        "clock": array(BUCKET, INT),
        "now": INT,  # the clock is that of the bucket's level
        "token": array(BUCKET, THREAD),
        "rekeyed": BOOL,  # history: the thread that has it out of the queue; a queued key changed
    }

    RIGID = {
        "reaper": THREAD.z3,
        "deadline": array(ENTRY, INT),
        "tick": array(BUCKET, INT),
        "slot": array(BUCKET, INT),
        "size": INT,
        "nowhere": array(BUCKET, BOOL),
    }

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [
            s.reaper != NO_THREAD,
            s.size >= 1,
            ForAll([B], Implies(B != NO_BUCKET, s.tick[B] >= 1)),
            ForAll([B], Not(s.nowhere[B])),
        ]

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [
            ForAll(
                [T],
                And(
                    is_at(s, T, "Idle"),
                    Not(s.reading[T]),
                    s.entry[T] == NO_ENTRY,
                    s.into[T] == NO_BUCKET,
                    s.polled[T] == NO_BUCKET,
                    s.until[T] == 0,
                ),
            ),
            ForAll([E, B], Not(s.linked[E][B])),
            s.writer == NO_THREAD,
            Not(s.rekeyed),
            s.now >= 0,
            ForAll(
                [B],
                Implies(
                    B != NO_BUCKET,
                    And(
                        s.token[B] == NO_THREAD,
                        s.key[B] == -1,
                        s.copies[B] == 0,
                        mod(s.clock[B], s.tick[B]) == 0,
                        0 <= s.clock[B],
                        s.clock[B] <= s.now,
                    ),
                ),
            ),
        ]

    # -- the wheel's arithmetic

    def takes(self, s: SimpleNamespace, b: z3.ExprRef, e: z3.ExprRef) -> z3.BoolRef:
        """A bucket's level takes an entry at its clock, into this slot."""
        due = s.deadline[e]
        return And(
            taken(due, s.clock[b], s.tick[b], s.size), slot_of(due, s.tick[b], s.size) == s.slot[b]
        )

    def gives(self, s: SimpleNamespace, b: z3.ExprRef, e: z3.ExprRef) -> z3.ExprRef:
        """The key that an entry gives a bucket."""
        return key_of(s.deadline[e], s.tick[b])

    def theorems(
        self, s: SimpleNamespace, name: str, values: Mapping[str, z3.ExprRef]
    ) -> dict[str, z3.BoolRef]:
        """T17, of the bucket that an entry goes into, and of every bucket when clocks advance."""

        def instance(statement: str, **terms: Number) -> z3.BoolRef:
            return STATEMENTS[statement].at(terms)

        def insert(t: z3.ExprRef) -> z3.BoolRef:
            return instance(
                "T17-insert",
                e=s.deadline[s.entry[t]],
                x=s.key[s.into[t]],
                c=s.clock[s.into[t]],
                t=s.tick[s.into[t]],
                w=s.size,
            )

        if name in ("finds_its_key", "sets_key"):
            t = values["t"]
            formula = instance(
                "T17-key",
                e=s.deadline[s.entry[t]],
                c=s.clock[s.into[t]],
                t=s.tick[s.into[t]],
                w=s.size,
            )
            return {"T17-insert #1": insert(t), "T17-key #1": formula}
        if name == "advances":
            return {
                "T17-clock #1": ForAll(
                    [B], instance("T17-clock", c=s.clock[B], p=s.until[values["t"]], t=s.tick[B])
                )
            }
        return {"T17-insert #1": ForAll([T], insert(T))} if not name else {}

    def entry_done(self, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of a return from addTimerTaskEntry: to the adder's unlock, or the flush."""
        return {
            "at": Store(s.at, t, If(s.reading[t], PLACE.A4, PLACE.F2)),
            "entry": Store(s.entry, t, NO_ENTRY),
            "into": Store(s.into, t, NO_BUCKET),
        }

    def first(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
        """The heap hands out this bucket, which is due: of smallest key, if none has changed."""
        return And(
            s.copies[b] > 0,
            s.key[b] <= s.now,
            ForAll([C], Or(s.rekeyed, C == NO_BUCKET, s.copies[C] <= 0, s.key[b] <= s.key[C])),
        )

    def taken_out(self, s: SimpleNamespace, t: z3.ExprRef, b: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of a poll."""
        return {
            "copies": Store(s.copies, b, s.copies[b] - 1),
            "token": Store(s.token, b, t),
            "polled": Store(s.polled, t, b),
        }

    # -- SystemTimer.add, TimerTask.cancel, time

    @action(t=THREAD, e=ENTRY, begins=True)
    def adds(self, s: SimpleNamespace, t: z3.ExprRef, e: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "A1"), entry=Store(s.entry, t, e))

    @action(t=THREAD, begins=True)
    def cancels(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle"), at=go(s, t, "X1"))

    @action(t=THREAD, begins=True)
    def reaps(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle"), t == s.reaper, at=go(s, t, "R1"))

    @action(t=THREAD, begins=True)
    def time_passes(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle"), now=s.now + 1)

    @action(t=THREAD)
    def enters_to_read(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A1"),
            s.writer == NO_THREAD,
            at=go(s, t, "A2"),
            reading=Store(s.reading, t, True),
        )

    @action(t=THREAD)
    def reads_time(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A2"), at=go(s, t, "A3"))

    @action(t=THREAD, d=nullable(ENTRY))
    def replaces(self, s: SimpleNamespace, t: z3.ExprRef, d: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A3"), at=go(s, t, "W1"), linked=Store(s.linked, d, s.nowhere))

    @action(t=THREAD)
    def leaves_reading(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A4"), at=go(s, t, "Idle"), reading=Store(s.reading, t, False))

    @action(t=THREAD, d=nullable(ENTRY))
    def removes(self, s: SimpleNamespace, t: z3.ExprRef, d: z3.ExprRef) -> Step:
        return when(is_at(s, t, "X1"), at=go(s, t, "Idle"), linked=Store(s.linked, d, s.nowhere))

    def alone(self, s: SimpleNamespace) -> z3.BoolRef:
        return And(s.writer == NO_THREAD, ForAll([U], Not(s.reading[U])))

    # -- SystemTimer.addTimerTaskEntry with TimingWheel.add

    @action(t=THREAD, b=BUCKET)
    def goes_into(self, s: SimpleNamespace, t: z3.ExprRef, b: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "W1"),
            self.takes(s, b, s.entry[t]),
            at=go(s, t, "W2"),
            into=Store(s.into, t, b),
        )

    @action(t=THREAD)
    def is_due_or_cancelled(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "W1"), at=go(s, t, "K1"))

    @action(t=THREAD)
    def links(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        e = s.entry[t]
        return when(
            is_at(s, t, "W2"),
            at=go(s, t, "W3"),
            linked=Store(s.linked, e, Store(s.linked[e], s.into[t], True)),
        )

    @action(t=THREAD)
    def finds_its_key(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "W3"),
            s.key[s.into[t]] == self.gives(s, s.into[t], s.entry[t]),
            **self.entry_done(s, t),
        )

    @action(t=THREAD)
    def sets_key(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        b, new = s.into[t], self.gives(s, s.into[t], s.entry[t])
        return when(
            is_at(s, t, "W3"),
            s.key[b] != new,
            at=go(s, t, "W4"),
            key=Store(s.key, b, new),
            token=Store(s.token, b, t),
            rekeyed=Or(s.rekeyed, s.copies[b] > 0),
        )

    @action(t=THREAD)
    def offers(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        b = s.into[t]
        return when(
            is_at(s, t, "W4"),
            copies=Store(s.copies, b, s.copies[b] + 1),
            token=Store(s.token, b, NO_THREAD),
            **self.entry_done(s, t),
        )

    @action(t=THREAD)
    def is_not_run(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "K1"), **self.entry_done(s, t))

    @action(t=THREAD)
    def is_to_be_run(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "K1"), at=go(s, t, "K2"))

    @action(t=THREAD)
    def hands_over(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "K2"), **self.entry_done(s, t))
