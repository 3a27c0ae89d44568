"""The purgatory's systems with one decision taken away: classes that override steps."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import Not, Store

from proofs.purgatory.state import (
    NO_KEY,
    NO_LIST,
    NO_SHARD,
    NO_THREAD,
    RESULT,
    THREAD,
    VIA,
    enters_lock,
    go,
    go_sec,
    in_sec,
    is_at,
)
from proofs.purgatory.steps import NO, YES
from proofs.purgatory.system import InOrder, Purgatory
from wheelproof.prove.ts.system import Step, action, when


class CompletesAgain(Purgatory):
    """completed is not read again under the lock (P1)."""

    finds_completed = None

    @action(t=THREAD)
    def may_complete(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "L3"), at=go(s, t, "L4"))


class CancelsLate(Purgatory):
    """The timer task is cancelled after onComplete (P2)."""

    is_to_call = None

    @action(t=THREAD)
    def sets_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "L4"),
            at=go(s, t, "D1"),
            completed=YES,
            winner=t,
            passed=s.unset,
            takes=s.unset,
        )

    @action(t=THREAD)
    def calls_on_complete(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "D1"), at=go(s, t, "L5"), completions=s.completions + 1)

    @action(t=THREAD)
    def calls_on_complete_locking(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "D1"),
            at=go(s, t, "L5"),
            section=go_sec(s, t, "D2"),
            completions=s.completions + 1,
        )

    @action(t=THREAD)
    def on_complete_raises(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "L5"),
            in_sec(s, t, "Aside"),
            at=go(s, t, "L7"),
            result=self.ends(s, t, "raised"),
        )

    @action(t=THREAD)
    def is_to_cancel(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "L5"), in_sec(s, t, "Aside"), at=go(s, t, "X1"))

    @action(t=THREAD)
    def cancels_task(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "X1"), at=go(s, t, "L6"), armed=NO)


class NotTriedAgain(InOrder):
    """An operation is not tried again after it is watched (P3)."""

    @action(t=THREAD)
    def tries_again(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A3"), at=go(s, t, "A4"))


class NotLookedAtAgain(Purgatory):
    """An operation is not looked at again when the timer has it (P4)."""

    is_to_disarm = None

    @action(t=THREAD)
    def leaves_armed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A7"), at=go(s, t, "Z1"))


class EntersUnlocked(InOrder):
    """An operation is entered without its lock (P5)."""

    @action(t=THREAD)
    def begins_to_enter(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A1"),
            Not(s.begun),
            at=go(s, t, "Y1"),
            via=Store(s.via, t, VIA.first),
            begun=YES,
            registrar=t,
        )

    @action(t=THREAD)
    def leaves_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A4"), s.result[t] == RESULT.lost, at=go(s, t, "A5"))

    @action(t=THREAD)
    def leaves_lock_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A4"),
            s.result[t] != RESULT.lost,
            at=go(s, t, "Z1"),
            result=self.ends(s, t, "lost"),
        )


def open_without(s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
    """The updates of the end of a section that took no lock."""
    return {
        "section": go_sec(s, t, "Aside"),
        "room": Store(s.room, t, NO_SHARD),
        "key": Store(s.key, t, NO_KEY),
        "found": Store(s.found, t, NO_LIST),
    }


class AddsUnlocked(Purgatory):
    """An operation is added to a list without the shard's lock (P6)."""

    @action(t=THREAD)
    def shuts_to_watch(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "W2"), section=go_sec(s, t, "W3"))

    @action(t=THREAD)
    def opens_after_watching(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "W6"), **open_without(s, t))


class RemovesAnother(Purgatory):
    """A list is removed although the key has another one by now (P7)."""

    @action(t=THREAD)
    def is_its_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "R2"), s.list_of[s.key[t]] != NO_LIST, section=go_sec(s, t, "R3"))

    @action(t=THREAD)
    def has_another_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "R2"), s.list_of[s.key[t]] == NO_LIST, section=go_sec(s, t, "R5"))


class RemovesUsed(Purgatory):
    """A list is removed although it is no longer empty (StillEmpty)."""

    finds_it_used = None

    @action(t=THREAD)
    def finds_it_empty(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "R3"), section=go_sec(s, t, "R4"))


class RemovesUnlocked(Purgatory):
    """A list is removed without the shard's lock (RemovedUnlocked)."""

    @action(t=THREAD)
    def shuts_to_remove(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "R1"), section=go_sec(s, t, "R2"))

    @action(t=THREAD)
    def opens_after_removing(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "R5"), **open_without(s, t))


class TriesCompleted(InOrder):
    """tryComplete runs on an operation that is completed (P10)."""

    need_not_try = None

    @action(t=THREAD)
    def finds_open(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "B2"), at=go(s, t, "Y1"), via=Store(s.via, t, VIA.check))


class ForcesUnlocked(InOrder):
    """forceComplete holds no lock (P11)."""

    @action(t=THREAD)
    def locks_to_force(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "L2"), at=go(s, t, "L3"))

    @action(t=THREAD)
    def unlocks_after_force(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        step = super().unlocks_after_force(s, t)
        updates = {
            name: value for name, value in step.updates.items() if name not in ("owner", "depth")
        }
        return Step(step.guards, updates)


class ExpiresAnyway(Purgatory):
    """onExpiration runs for a thread that did not complete the operation (P12)."""

    @action(t=THREAD)
    def expires(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "T1"),
            s.result[t] != RESULT.raised,
            at=go(s, t, "V1"),
            result=self.ends(s, t, "lost"),
        )


class TimerForgets(Purgatory):
    """The timer does not keep its operations. The specification has no such mutant."""

    @action(t=THREAD)
    def arms(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A6"), at=go(s, t, "A7"))


class KeepsShard(Purgatory):
    """A thread that checks a key keeps its shard's lock."""

    opens_to_traverse = None


class GivesUp(Purgatory):
    """The timer's thread drops an operation whose lock another thread has."""

    @action(t=THREAD)
    def does_not_wait(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "L2"),
            Not(enters_lock(s, t)),
            result=self.ends(s, t, "lost"),
            **self.returned(s, t),
        )


class WaitsBefore(Purgatory):
    """The thread that completes the operation waits for the callers' lock, then calls onComplete.

    The specification has no such mutant.
    """

    @action(t=THREAD)
    def is_to_call(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "L5"), s.outer == NO_THREAD, at=go(s, t, "D1"))


class RaisesBefore(InOrder):
    """Another operation's onComplete raises in a traversal (a duty of the callers)."""

    another_raises = Purgatory.another_raises


class ForcedBefore(InOrder):
    """A caller completes the operation before it is entered (a duty of the callers)."""

    def may_force(self, s: SimpleNamespace) -> z3.BoolRef:
        return YES
