"""The steps of the reaper: SystemTimer.advanceClock, from its poll to its unlock."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import ForAll, If, Not, Or, Store

from proofs.arith.clock import advanced
from proofs.system_timer.steps import (
    BUCKET,
    ENTRY,
    NO_BUCKET,
    NO_THREAD,
    THREAD,
    B,
    BucketSteps,
    E,
    go,
    is_at,
)
from wheelproof.prove.ts.system import (
    Everywhere,
    Step,
    action,
    when,
)


class ReaperSteps(BucketSteps):
    """The buckets' system with the reaper."""

    # -- SystemTimer.advanceClock

    @action(t=THREAD, b=BUCKET)
    def polls_unlocked(self, s: SimpleNamespace, t: z3.ExprRef, b: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "R1"), self.first(s, b), at=go(s, t, "R2"), **self.taken_out(s, t, b)
        )

    @action(t=THREAD)
    def is_over(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "R1"), at=go(s, t, "Idle"))

    @action(t=THREAD)
    def locks_to_reap(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "R2"), self.alone(s), at=go(s, t, "R3"), writer=t)

    @action(t=THREAD)
    def puts_back(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        b = s.polled[t]
        return when(
            is_at(s, t, "R3"),
            at=go(s, t, "R4"),
            copies=Store(s.copies, b, s.copies[b] + 1),
            token=Store(s.token, b, NO_THREAD),
            polled=Store(s.polled, t, NO_BUCKET),
        )

    @action(t=THREAD, b=BUCKET)
    def polls(self, s: SimpleNamespace, t: z3.ExprRef, b: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "R4"), self.first(s, b), at=go(s, t, "R5"), **self.taken_out(s, t, b)
        )

    @action(t=THREAD)
    def finds_none_due(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "R4"),
            ForAll([B], Or(s.rekeyed, B == NO_BUCKET, s.copies[B] <= 0, s.key[B] > s.now)),
            at=go(s, t, "R6"),
        )

    @action(t=THREAD)
    def reads_key(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "R5"), at=go(s, t, "R7"), until=Store(s.until, t, s.key[s.polled[t]])
        )

    @action(t=THREAD)
    def advances(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "R7"),
            at=go(s, t, "F2"),
            until=Store(s.until, t, 0),
            clock=Everywhere(
                B, If(B == NO_BUCKET, s.clock[B], advanced(s.clock[B], s.until[t], s.tick[B]))
            ),
        )

    @action(t=THREAD, e=ENTRY)
    def takes_head(self, s: SimpleNamespace, t: z3.ExprRef, e: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "F2"),
            s.linked[e][s.polled[t]],
            at=go(s, t, "W1"),
            entry=Store(s.entry, t, e),
            linked=Store(s.linked, e, Store(s.linked[e], s.polled[t], False)),
        )

    @action(t=THREAD)
    def is_empty(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "F2"), ForAll([E], Not(s.linked[E][s.polled[t]])), at=go(s, t, "V2")
        )

    @action(t=THREAD)
    def resets_key(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        b = s.polled[t]
        return when(
            is_at(s, t, "V2"),
            at=go(s, t, "R4"),
            key=Store(s.key, b, z3.IntVal(-1)),
            token=Store(s.token, b, NO_THREAD),
            polled=Store(s.polled, t, NO_BUCKET),
            rekeyed=Or(s.rekeyed, s.copies[b] > 0),
        )

    @action(t=THREAD)
    def unlocks_after_reap(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "R6"), at=go(s, t, "R1"), writer=NO_THREAD)
