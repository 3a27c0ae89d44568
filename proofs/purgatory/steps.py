"""The steps of threads on one operation of the purgatory, of the generation Blocking."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import ForAll, If, Implies, Not, Or, Store

from proofs.purgatory.state import (
    AT,
    NO_LIST,
    NO_THREAD,
    RESULT,
    THREAD,
    VIA,
    K,
    Seen,
    enters_lock,
    go,
    go_sec,
    in_sec,
    is_at,
    left,
    rests,
    taken,
)
from wheelproof.prove.ts.system import Step, action, when

YES, NO = z3.BoolVal(True), z3.BoolVal(False)


class OperationSteps(Seen):
    """The steps of threads on the operation itself: enter, try, complete, expire it."""

    def returned(self, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of a return from a try or from forceComplete to its caller."""
        back = AT.Idle
        for caller, place in (
            (VIA.first, AT.A2),
            (VIA.second, AT.A4),
            (VIA.check, AT.B3),
            (VIA.expiry, AT.T1),
        ):
            back = If(s.via[t] == caller, place, back)
        return {
            "at": Store(s.at, t, back),
            "via": Store(s.via, t, VIA.none),
            "taker": If(s.taker == t, NO_THREAD, s.taker),
        }

    def ends(self, s: SimpleNamespace, t: z3.ExprRef, result: str) -> z3.ExprRef:
        return Store(s.result, t, getattr(RESULT, result))

    # -- tryCompleteElseWatch

    @action(t=THREAD, begins=True)
    def comes_to_enter(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Idle"), in_sec(s, t, "Aside"), at=go(s, t, "A1"))

    @action(t=THREAD)
    def begins_to_enter(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A1"),
            enters_lock(s, t),
            Not(s.begun),
            at=go(s, t, "Y1"),
            via=Store(s.via, t, VIA.first),
            begun=YES,
            registrar=t,
            **taken(s, t),
        )

    @action(t=THREAD)
    def is_to_watch(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A2"), s.result[t] == RESULT.lost, at=go(s, t, "W"))

    @action(t=THREAD)
    def need_not_watch(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A2"), s.result[t] != RESULT.lost, at=go(s, t, "A4"))

    @action(t=THREAD)
    def has_watched(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "W"),
            in_sec(s, t, "Aside"),
            Or(s.completed, ForAll([K], Implies(s.keyed[K], s.home[K] != NO_LIST))),
            at=go(s, t, "A3"),
        )

    @action(t=THREAD)
    def tries_again(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A3"), at=go(s, t, "Y1"), via=Store(s.via, t, VIA.second))

    @action(t=THREAD)
    def leaves_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A4"), s.result[t] == RESULT.lost, at=go(s, t, "A5"), **left(s))

    @action(t=THREAD)
    def leaves_lock_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "A4"),
            s.result[t] != RESULT.lost,
            at=go(s, t, "Z1"),
            result=self.ends(s, t, "lost"),
            **left(s),
        )

    @action(t=THREAD)
    def need_not_arm(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A5"), s.completed, at=go(s, t, "Z1"))

    @action(t=THREAD)
    def is_to_arm(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A5"), Not(s.completed), at=go(s, t, "A6"))

    @action(t=THREAD)
    def arms(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A6"), at=go(s, t, "A7"), armed=YES)

    @action(t=THREAD)
    def leaves_armed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A7"), Not(s.completed), at=go(s, t, "Z1"))

    @action(t=THREAD)
    def is_to_disarm(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "A7"), s.completed, at=go(s, t, "XA"))

    @action(t=THREAD)
    def disarms(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "XA"), at=go(s, t, "Z1"), armed=NO)

    @action(t=THREAD)
    def has_entered(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Z1"), at=go(s, t, "Idle"), entered=YES, registrar=NO_THREAD)

    # -- tryComplete and safeTryComplete

    @action(t=THREAD)
    def reads_false(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Y1"), Not(s.ready), result=self.ends(s, t, "lost"), **self.returned(s, t)
        )

    @action(t=THREAD)
    def reads_true(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "Y1"), s.ready, at=go(s, t, "L1"))

    @action(t=THREAD)
    def locks_to_try(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "B1"), enters_lock(s, t), at=go(s, t, "B2"), **taken(s, t))

    @action(t=THREAD)
    def finds_open(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "B2"),
            Not(s.completed),
            at=go(s, t, "Y1"),
            via=Store(s.via, t, VIA.check),
        )

    @action(t=THREAD)
    def need_not_try(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "B2"), s.completed, at=go(s, t, "B3"), result=self.ends(s, t, "lost")
        )

    @action(t=THREAD)
    def unlocks_after_try(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "B3"), at=go(s, t, "Idle"), **left(s))

    # -- forceComplete

    def may_force(self, s: SimpleNamespace) -> z3.BoolRef:
        """Whether a caller may complete the operation now."""
        return YES

    @action(t=THREAD, begins=True)
    def forces(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            rests(s, t), self.may_force(s), at=go(s, t, "L1"), via=Store(s.via, t, VIA.force)
        )

    @action(t=THREAD)
    def need_not_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "L1"), s.completed, result=self.ends(s, t, "lost"), **self.returned(s, t)
        )

    @action(t=THREAD)
    def is_to_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "L1"), Not(s.completed), at=go(s, t, "L2"))

    @action(t=THREAD)
    def locks_to_force(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "L2"), enters_lock(s, t), at=go(s, t, "L3"), **taken(s, t))

    @action(t=THREAD)
    def finds_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "L3"), s.completed, at=go(s, t, "L7"), result=self.ends(s, t, "lost")
        )

    @action(t=THREAD)
    def may_complete(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "L3"), Not(s.completed), at=go(s, t, "L4"))

    @action(t=THREAD)
    def sets_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "L4"),
            at=go(s, t, "X1"),
            completed=YES,
            winner=t,
            passed=s.unset,
            takes=s.unset,
        )

    @action(t=THREAD)
    def cancels_task(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "X1"), at=go(s, t, "L5"), armed=NO)

    @action(t=THREAD)
    def is_to_call(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "L5"), at=go(s, t, "D1"))

    @action(t=THREAD)
    def calls_on_complete(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "D1"), at=go(s, t, "L6"), completions=s.completions + 1)

    @action(t=THREAD)
    def calls_on_complete_locking(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        """The operation's onComplete is to take the callers' own lock."""
        return when(
            is_at(s, t, "D1"),
            at=go(s, t, "L6"),
            section=go_sec(s, t, "D2"),
            completions=s.completions + 1,
        )

    @action(t=THREAD)
    def on_complete_ends(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "L6"),
            in_sec(s, t, "Aside"),
            at=go(s, t, "L7"),
            result=self.ends(s, t, "won"),
        )

    @action(t=THREAD)
    def on_complete_raises(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "L6"),
            in_sec(s, t, "Aside"),
            at=go(s, t, "L7"),
            result=self.ends(s, t, "raised"),
        )

    @action(t=THREAD)
    def unlocks_after_force(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "L7"),
            result=Store(s.result, t, If(s.via[t] == VIA.force, RESULT.lost, s.result[t])),
            **self.returned(s, t),
            **left(s),
        )

    # -- the callers' own lock

    @action(t=THREAD, begins=True)
    def another_is_to_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        """Another operation's onComplete is to take it."""
        return when(is_at(s, t, "Idle", "L6"), in_sec(s, t, "Aside"), section=go_sec(s, t, "D2"))

    @action(t=THREAD)
    def locks_callers_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "D2"), s.outer == NO_THREAD, section=go_sec(s, t, "D3"), outer=t)

    @action(t=THREAD)
    def unlocks_callers_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(in_sec(s, t, "D3"), section=go_sec(s, t, "Aside"), outer=NO_THREAD)

    @action(t=THREAD, begins=True)
    def holds_callers_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        """The thread has it while it enters another operation."""
        return when(rests(s, t), s.outer == NO_THREAD, outer=t)

    @action(t=THREAD, begins=True)
    def comes_to_enter_holding(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(rests(s, t), s.outer == NO_THREAD, at=go(s, t, "A1"), outer=t)

    @action(t=THREAD, begins=True)
    def lets_callers_lock_go(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(rests(s, t), s.outer == t, outer=NO_THREAD)

    # -- the timer's thread

    @action(t=THREAD, begins=True)
    def comes_to_run(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(rests(s, t), at=go(s, t, "K1"))

    @action(t=THREAD)
    def runs(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "K1"),
            s.armed,
            at=go(s, t, "L1"),
            via=Store(s.via, t, VIA.expiry),
            armed=NO,
            taker=t,
        )

    @action(t=THREAD)
    def need_not_run(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(is_at(s, t, "K1"), Not(s.armed), s.entered, at=go(s, t, "Idle"))

    @action(t=THREAD)
    def expires(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "T1"),
            s.result[t] == RESULT.won,
            at=go(s, t, "V1"),
            result=self.ends(s, t, "lost"),
        )

    @action(t=THREAD)
    def does_not_expire(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "T1"),
            s.result[t] != RESULT.won,
            at=go(s, t, "Idle"),
            result=self.ends(s, t, "lost"),
        )

    @action(t=THREAD)
    def calls_on_expiration(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "V1"),
            at=go(s, t, "Idle"),
            expired=Store(s.expired, t, True),
            expirations=s.expirations + 1,
        )
