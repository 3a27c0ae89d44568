"""DelayedOperation's systems with one decision taken away: classes that override its steps."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import Not, Store

from proofs.delayed_operation.blocking import Blocking
from proofs.delayed_operation.compared import (
    CheckedTry,
    ComparedAndSet,
    LockedTry,
    TryOnce,
    TryPending,
    TryPendingHeld,
)
from proofs.delayed_operation.steps import CONDITION, THREAD, Operation
from wheelproof.prove.ts.system import Enumeration, Step, action, safety, when


class TestedThenSet(ComparedAndSet):
    """completed is tested in one step and set in another."""

    FORCING = (*ComparedAndSet.FORCING, "X2")
    STILL_OPEN = ("X1", "X2")

    @action(t=THREAD)
    def sets_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "X1"), Not(s.completed), at=self.go(s, t, "X2"))

    @action(t=THREAD)
    def sets_completed_late(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "X2"), at=self.go(s, t, "X3"), **self.wins(s, t))


class LockedTryTestedThenSet(TestedThenSet, LockedTry):
    PLACES = Enumeration("LockedTryTestedThenSetPlace", "Idle S1 Y1 S2 X1 X2 X3 D1 X4 T1 V1 H2")


class CheckedTryTestedThenSet(TestedThenSet, CheckedTry):
    PLACES = Enumeration("CheckedTryTestedThenSetPlace", "Idle B1 B2 Y1 B3 X1 X2 X3 D1 X4 T1 V1 H2")


class TryOnceTestedThenSet(TestedThenSet, TryOnce):
    PLACES = Enumeration("TryOnceTestedThenSetPlace", "Idle O1 O2 Y1 X1 X2 X3 D1 X4 T1 V1")


class TryPendingTestedThenSet(TestedThenSet, TryPending):
    PLACES = Enumeration(
        "TryPendingTestedThenSetPlace", "Idle P1 P2 Y1 P3 P4 P5 P6 X1 X2 X3 D1 X4 T1 V1"
    )


class WithoutNote(TryPending):
    """A thread that does not get the lock leaves no note."""

    @action(t=THREAD)
    def leaves_note(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P5"), at=self.go(s, t, "P6"))


class ClearedLate(TryPending):
    """The note is cleared after tryComplete."""

    BACK = "P2"

    @action(t=THREAD)
    def gets_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P1"), s.owner == THREAD.null, at=self.go(s, t, "Y1"), owner=t)

    @action(t=THREAD)
    def clears_note(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P2"), at=self.go(s, t, "P3"), pending=z3.BoolVal(False))


class ReadEarly(TryPending):
    """The note is read before the lock is given back."""

    BACK = "P4"
    LOCKED = (*TryPending.LOCKED, "P4")
    NOTED = ("P3", "P6")

    @action(t=THREAD)
    def reads_note(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "P4"), at=self.go(s, t, "P3"), retry=Store(s.retry, t, s.pending)
        )

    @action(t=THREAD)
    def unlocks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P3"), at=self.go(s, t, "P6"), owner=THREAD.null)


class WithoutRetry(TryPending):
    """A thread that leaves a note never tries again itself."""

    @action(t=THREAD)
    def leaves_note(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P5"), at=self.go(s, t, "P6"), pending=z3.BoolVal(True))


class Waiting(TryPending):
    """The lock is waited for: a step less than in TryPending, so its properties all hold."""

    does_not_get_lock = None


class UnlockedTry(LockedTry):
    """tryComplete runs without the operation's lock."""

    LOCKED = ("H2",)

    @action(t=THREAD)
    def locks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "S1"), at=self.go(s, t, "Y1"))

    @action(t=THREAD)
    def unlocks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "S2"), at=self.go(s, t, "Idle"))


class UncheckedTry(Blocking):
    """tryComplete runs on an operation that is completed already."""

    @action(t=THREAD)
    def finds_open(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "B2"), at=self.go(s, t, "Y1"))

    need_not_try = None


class ForceWithoutLock(Blocking):
    """forceComplete holds no lock."""

    INSIDE = ()

    @action(t=THREAD)
    def locks_to_force(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L2"), at=self.go(s, t, "L3"))

    @action(t=THREAD)
    def unlocks_after_force(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L7"), **self.returned(s, t))


class ExpiresAnyway(Operation):
    """onExpiration runs for a thread that did not complete the operation."""

    @action(t=THREAD)
    def expires(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "T1"), at=self.go(s, t, "V1"), won=Store(s.won, t, False))


class TryOnceExpiresAnyway(ExpiresAnyway, TryOnce):
    pass


class TryPendingExpiresAnyway(ExpiresAnyway, TryPending):
    pass


class LockedTryExpiresAnyway(ExpiresAnyway, LockedTry):
    pass


class CheckedTryExpiresAnyway(ExpiresAnyway, CheckedTry):
    pass


class BlockingExpiresAnyway(ExpiresAnyway, Blocking):
    pass


class Unannounced(Operation):
    """A thread that makes a condition true does not try the operation."""

    @action(t=THREAD, c=CONDITION, begins=True)
    def delivers(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "Idle"), ready=Store(s.ready, c, True))


class LockedTryUnannounced(Unannounced, LockedTry):
    pass


class CheckedTryUnannounced(Unannounced, CheckedTry):
    pass


class BlockingUnannounced(Unannounced, Blocking):
    pass


class CheckedTryTriesAlone(CheckedTry):
    """CheckedTry with the safety property of Blocking, which it does not have."""

    try_excludes_complete = Blocking.try_excludes_complete


class TryOnceLoses(TryOnce):
    """TryOnce with a property that it does not have."""

    @safety("P7")
    def no_completion_lost(self, s: SimpleNamespace) -> z3.BoolRef:
        """P7, of TryOnce."""
        return self.nothing_lost(s)


class TryPendingHeldLoses(TryPendingHeld):
    """TryPending with strangers in its lock, and a property that it does not have."""

    @safety("P7")
    def no_completion_lost(self, s: SimpleNamespace) -> z3.BoolRef:
        """P7, of TryPending with strangers."""
        return self.nothing_lost(s)
