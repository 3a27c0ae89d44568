"""TimerTaskList's system with one decision taken away: the mutated steps on the ring."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, If, Not, Or, Store

from proofs.timer_task_list.state import (
    NO_ENTRY,
    NO_LIST,
    NO_TASK,
    PLACE,
    THREAD,
    UNLINK,
    D,
    T,
    go,
    is_at,
)
from proofs.timer_task_list.system import OneReaper, TimerTaskList
from wheelproof.prove.ts.system import Everywhere, Step, action, safety, when


class WithoutOwnershipTest(TimerTaskList):
    """remove asks only whether the entry is linked somewhere, and unlinks it there."""

    @action(t=THREAD)
    def is_its_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U3"), s.list[s.ue[t]] != NO_LIST, at=go(s, t, "U4"))

    @action(t=THREAD)
    def is_not_its_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U3"), s.list[s.ue[t]] == NO_LIST, at=go(s, t, "U10"))

    @action(t=THREAD)
    def closes_next(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        e = s.ue[t]
        return when(
            is_at(s, t, UNLINK),
            at=go(s, t, "U6"),
            linked=Store(s.linked, e, Store(s.linked[e], s.list[e], False)),
            size=s.size - 1,
            overcounted=s.overcounted + 1,
        )


class WithoutEntryMonitor(TimerTaskList):
    """An entry's monitor excludes no thread."""

    @action(t=THREAD)
    def locks_entry_to_unlink(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U2"), at=go(s, t, "U3"))

    @action(t=THREAD)
    def unlocks_entry_after_unlink(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "U10"), at=go(s, t, "U11"))

    @action(t=THREAD)
    def locks_entry_to_add(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A2"), at=go(s, t, "A3"))

    @action(t=THREAD)
    def unlocks_entry_after_add(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A10"), at=go(s, t, "A11"))


class WithoutNullTest(TimerTaskList):
    """add links the entry wherever it is by then."""

    @action(t=THREAD)
    def is_in_no_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A3"), at=go(s, t, "A4"))

    is_linked_again = None


class Stuck(OneReaper):
    """A search checks outright the consequence of P12's ranks: in every state a thread can move."""

    @safety("P12")
    def some_thread_moves(self, s: SimpleNamespace) -> z3.BoolRef:
        """All threads are idle, or one that is not can take a step."""
        return Or(
            ForAll([T], is_at(s, T, "Idle")),
            Exists([T], And(T != THREAD.null, Not(is_at(s, T, "Idle")), self.can_move(s, T))),
        )


class RemoveInsideLock(Stuck):
    """add removes the entry after it has taken the list's monitor."""

    @action(t=THREAD)
    def removes_first(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A0"), Not(s.done[t]), at=go(s, t, "A1"))

    @action(t=THREAD)
    def locks_list_to_add(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A1"),
            self.free(s, t, s.al[t]),
            at=go(s, t, "R1"),
            re=Store(s.re, t, s.ae[t]),
            **self.entered(s, t, s.al[t]),
        )

    def remove_returns(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ExprRef:
        back = If(
            s.ct[t] != NO_TASK,
            PLACE.C3,
            If(s.se[t] != NO_ENTRY, PLACE.S3, If(s.ae[t] != NO_ENTRY, PLACE.A2, PLACE.Idle)),
        )
        return Store(s.at, t, back)

    def holds_by_add(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef) -> z3.BoolRef:
        return And(s.al[t] == l, Not(is_at(s, t, "A0", "A1", "A12")))


class SingleAttempt(OneReaper):
    """entry.remove does not look again after its attempt."""

    @action(t=THREAD)
    def unlocks_list_after_unlink(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        back = If(s.re[t] == NO_ENTRY, PLACE.F3, self.remove_returns(s, t)[t])
        return when(
            is_at(s, t, "U11"),
            at=Store(s.at, t, back),
            ul=Store(s.ul, t, NO_LIST),
            ue=Store(s.ue, t, NO_ENTRY),
            re=Store(s.re, t, NO_ENTRY),
            **self.left(s, s.ul[t]),
        )


class WithoutCancelledTest(TimerTaskList):
    """A cancelled entry is put into another bucket."""

    @action(t=THREAD)
    def is_cancelled(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "K1"),
            Not(self.is_current(s, t)),
            s.kl[t] == NO_LIST,
            at=self.entry_done(s, t),
            ke=Store(s.ke, t, NO_ENTRY),
        )

    @action(t=THREAD)
    def is_to_be_linked(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "K1"),
            s.kl[t] != NO_LIST,
            at=go(s, t, "A0"),
            slipped=self.passed(s, t),
            al=Store(s.al, t, s.kl[t]),
            ae=Store(s.ae, t, s.ke[t]),
            kl=Store(s.kl, t, NO_LIST),
            ke=Store(s.ke, t, NO_ENTRY),
        )


class WithoutSubmitTest(TimerTaskList):
    """A cancelled entry is handed to the executor."""

    @action(t=THREAD)
    def is_cancelled(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "K1"),
            Not(self.is_current(s, t)),
            s.kl[t] != NO_LIST,
            at=self.entry_done(s, t),
            kl=Store(s.kl, t, NO_LIST),
            ke=Store(s.ke, t, NO_ENTRY),
        )

    @action(t=THREAD)
    def is_to_be_run(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "K1"), s.kl[t] == NO_LIST, at=go(s, t, "K2"), slipped=self.passed(s, t)
        )


class CountsEveryAttempt(TimerTaskList):
    """A remove that finds the entry gone still decrements the counter."""

    @action(t=THREAD)
    def is_not_its_list(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "U3"),
            s.list[s.ue[t]] != s.ul[t],
            at=go(s, t, "U9"),
            overcounted=s.overcounted + 1,
        )


class FlushWithoutMonitor(TimerTaskList):
    """flush does not hold the list's monitor while it traverses the ring."""

    @action(t=THREAD)
    def locks_list_to_flush(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "F1"), at=go(s, t, "F2"))

    @action(t=THREAD)
    def flush_returns(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "F4"),
            at=go(s, t, "Idle"),
            fl=Store(s.fl, t, NO_LIST),
            fd=Store(s.fd, t, NO_LIST),
        )


class WithoutTaskMonitor(TimerTaskList):
    """A task's monitor excludes no thread."""

    @action(t=THREAD)
    def locks_task_to_cancel(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "C1"), at=go(s, t, "C2"))

    @action(t=THREAD)
    def cancel_returns(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        revocation = Everywhere(D, Or(s.revoked[D], s.task_of[D] == s.ct[t]))
        return when(
            is_at(s, t, "C4"), at=go(s, t, "Idle"), ct=Store(s.ct, t, NO_TASK), revoked=revocation
        )

    @action(t=THREAD)
    def locks_task_to_set(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "S1"), at=go(s, t, "S2"))

    @action(t=THREAD)
    def unlocks_task_after_set(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "S4"), at=go(s, t, "T1"))


class SeveralReapers(Stuck):
    """Any thread may flush into other lists."""

    flushes = TimerTaskList.flushes
    reaper_alone_flushes_into = None
