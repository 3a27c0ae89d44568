"""Generations of a delayed operation whose forceComplete is a compare-and-set: O, P, S, 4.0's B."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, Implies, Not, Or, Store

from proofs.delayed_operation.steps import BOOL, NO_THREAD, THREAD, VIA, Operation, T
from wheelproof.prove.ts.system import Enumeration, Step, action, array, conjunct, safety, when


class ComparedAndSet(Operation):
    """The protocols whose forceComplete is a compare-and-set, without a lock: all but Blocking."""

    FORCE_FIRST, FORCE_LAST = "X1", "X4"
    FORCING: tuple[str, ...] = ("X1", "X3", "D1", "X4")
    WON = ("X3", "D1", "X4")
    BEFORE_COMPLETE = ("X3", "D1")
    STILL_OPEN: tuple[str, ...] = ("X1",)
    LOCKED: tuple[str, ...] = ()
    """Places of an attempt that has the lock; forceComplete called by an attempt is one too."""

    def locked(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return Or(self.is_at(s, t, *self.LOCKED), s.via[t] == VIA.attempt)

    @action(t=THREAD)
    def sets_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "X1"), Not(s.completed), at=self.go(s, t, "X3"), **self.wins(s, t)
        )

    @action(t=THREAD)
    def finds_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "X1"), s.completed, **self.returned(s, t))

    @action(t=THREAD)
    def cancels_timer(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "X3"), at=self.go(s, t, "D1"), armed=z3.BoolVal(False))

    @action(t=THREAD)
    def on_complete_ends(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "X4"),
            **self.returned(s, t),
            won=Store(s.won, t, s.via[t] == VIA.expiry),
        )

    @conjunct
    def lock_has_its_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """The operation's lock is held by exactly the thread that is between tryLock and unlock."""
        return ForAll([T], Implies(T != NO_THREAD, (s.owner == T) == self.locked(s, T)))

    @conjunct
    def timer_cancelled_first(self, s: SimpleNamespace) -> z3.BoolRef:
        """The timer task is cancelled before onComplete runs, and by the winner alone."""
        return s.armed == Or(Not(s.completed), self.is_at(s, s.winner, "X3"))


class TryOnce(ComparedAndSet):
    """Generation O: a thread that does not get the lock returns.

    P7 does not hold of it: see ``no_completion_lost`` there.
    """

    PLACES = Enumeration("TryOncePlace", "Idle O1 O2 Y1 X1 X3 D1 X4 T1 V1")
    BACK, HEAD = "O2", "O1"
    LOCKED: tuple[str, ...] = ("Y1", "O2")

    @action(t=THREAD)
    def gets_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "O1"), s.owner == NO_THREAD, at=self.go(s, t, "Y1"), owner=t)

    @action(t=THREAD)
    def goes_without_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "O1"), s.owner != NO_THREAD, at=self.go(s, t, "Idle"))

    @action(t=THREAD)
    def unlocks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "O2"), at=self.go(s, t, "Idle"), owner=NO_THREAD)


class TryPending(ComparedAndSet):
    """Generation P: a thread that does not get the lock leaves a note for the lock's holder.

    Attempts alone take the lock.
    """

    PLACES = Enumeration("TryPendingPlace", "Idle P1 P2 Y1 P3 P4 P5 P6 X1 X3 D1 X4 T1 V1")
    OWN = {"pending": BOOL, "retry": array(THREAD, BOOL)}
    BACK, HEAD = "P3", "P1"
    LOCKED: tuple[str, ...] = ("P2", "Y1", "P3")
    RESPONSIBLE = ("P1", "P2", "Y1", "P5")
    """P5 too: a thread that did not get the lock leaves a note."""
    NOTED: tuple[str, ...] = ("P6",)
    """Places between reading the note and deciding by it."""
    HEEDS = ("P1", "P2", "Y1", "P3", "P4")
    """Places from which a thread reads the note, or clears it and then every condition."""

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*super().initially(s), Not(s.pending), ForAll([T], Not(s.retry[T]))]

    @action(t=THREAD)
    def gets_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P1"), s.owner == NO_THREAD, at=self.go(s, t, "P2"), owner=t)

    @action(t=THREAD)
    def does_not_get_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P1"), s.owner != NO_THREAD, at=self.go(s, t, "P5"))

    @action(t=THREAD)
    def clears_note(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P2"), at=self.go(s, t, "Y1"), pending=z3.BoolVal(False))

    @action(t=THREAD)
    def unlocks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P3"), at=self.go(s, t, "P4"), owner=NO_THREAD)

    @action(t=THREAD)
    def unlocks_and_raises(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P3"), s.completed, at=self.go(s, t, "Idle"), owner=NO_THREAD)

    @action(t=THREAD)
    def reads_note(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "P4"), at=self.go(s, t, "P6"), retry=Store(s.retry, t, s.pending)
        )

    @action(t=THREAD)
    def leaves_note(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "P5"),
            at=self.go(s, t, "P6"),
            retry=Store(s.retry, t, Not(s.pending)),
            pending=z3.BoolVal(True),
        )

    @action(t=THREAD)
    def tries_again(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "P6"),
            s.retry[t],
            Not(s.completed),
            at=self.go(s, t, "P1"),
            retry=Store(s.retry, t, False),
        )

    @action(t=THREAD)
    def returns(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "P6"),
            Or(Not(s.retry[t]), s.completed),
            at=self.go(s, t, "Idle"),
            retry=Store(s.retry, t, False),
        )

    @conjunct
    def ready_is_looked_at(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once every condition holds, an open operation has a note, or a thread that reads all."""
        return Or(s.completed, s.pending, Not(self.all_ready(s)), self.one_will_look(s))

    @conjunct
    def note_is_read(self, s: SimpleNamespace) -> z3.BoolRef:
        """A note at an open operation will be read, or a read of all conditions follows it."""
        heeds = Or(
            self.is_at(s, T, *self.HEEDS),
            And(self.is_at(s, T, *self.NOTED), s.retry[T]),
            And(self.is_at(s, T, *self.STILL_OPEN), s.via[T] == VIA.attempt),
        )
        return Or(s.completed, Not(s.pending), Exists([T], heeds))

    @safety("P7")
    def no_completion_lost(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once every condition holds and no thread is in an attempt, the operation is completed.

        Runs by the timer do not count.
        """
        return self.nothing_lost(s)


class Held(ComparedAndSet):
    """A stranger may take the operation's lock too: it makes no attempt, and reads no note."""

    @action(t=THREAD, begins=True)
    def holds_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "Idle"), s.owner == NO_THREAD, at=self.go(s, t, "H2"), owner=t)

    @action(t=THREAD)
    def lets_lock_go(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "H2"), at=self.go(s, t, "Idle"), owner=NO_THREAD)


class TryOnceHeld(Held, TryOnce):
    """TryOnce, with strangers in its lock."""

    PLACES = Enumeration("TryOnceHeldPlace", "Idle O1 O2 Y1 X1 X3 D1 X4 T1 V1 H2")
    LOCKED = (*TryOnce.LOCKED, "H2")


class TryPendingHeld(Held, TryPending):
    """TryPending, with strangers in its lock, such as holders of a lock that callers gave it.

    A thread that misses the lock because of a stranger leaves an unread note: P7 does not
    hold (KAFKA-8334).
    """

    PLACES = Enumeration("TryPendingHeldPlace", "Idle P1 P2 Y1 P3 P4 P5 P6 X1 X3 D1 X4 T1 V1 H2")
    LOCKED = (*TryPending.LOCKED, "H2")
    ready_is_looked_at = None
    note_is_read = None
    no_completion_lost = None


class LockedTry(Held, ComparedAndSet):
    """Generation S: attempts wait for the lock; forceComplete is a compare-and-set without it.

    Strangers may take the lock too.
    """

    PLACES = Enumeration("LockedTryPlace", "Idle S1 Y1 S2 X1 X3 D1 X4 T1 V1 H2")
    BACK, HEAD = "S2", "S1"
    LOCKED: tuple[str, ...] = ("Y1", "S2", "H2")
    RESPONSIBLE: tuple[str, ...] = ("S1", "Y1")

    @action(t=THREAD)
    def locks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "S1"), s.owner == NO_THREAD, at=self.go(s, t, "Y1"), owner=t)

    @action(t=THREAD)
    def unlocks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "S2"), at=self.go(s, t, "Idle"), owner=NO_THREAD)

    @conjunct
    def ready_is_looked_at(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once every condition holds, an open operation has a thread that will read all of them."""
        return Or(s.completed, Not(self.all_ready(s)), self.one_will_look(s))

    @safety("P7")
    def no_completion_lost(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once every condition holds and no thread is in an attempt, the operation is completed.

        Runs by the timer do not count.
        """
        return self.nothing_lost(s)


class CheckedTry(LockedTry):
    """Generation B of 4.0: as LockedTry, but an operation that is completed is not tried."""

    PLACES = Enumeration("CheckedTryPlace", "Idle B1 B2 Y1 B3 X1 X3 D1 X4 T1 V1 H2")
    BACK, HEAD = "B3", "B1"
    LOCKED = ("B2", "Y1", "B3", "H2")
    RESPONSIBLE = ("B1", "B2", "Y1")

    @action(t=THREAD)
    def locks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "B1"), s.owner == NO_THREAD, at=self.go(s, t, "B2"), owner=t)

    @action(t=THREAD)
    def finds_open(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "B2"), Not(s.completed), at=self.go(s, t, "Y1"))

    @action(t=THREAD)
    def need_not_try(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "B2"), s.completed, at=self.go(s, t, "B3"))

    @action(t=THREAD)
    def unlocks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "B3"), at=self.go(s, t, "Idle"), owner=NO_THREAD)
