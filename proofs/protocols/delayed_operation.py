"""P6 - P8: a delayed operation completes at most once, no completion is lost, and it expires only by its timeout.

One operation, any number of threads and conditions. A thread's place is the label of
``spec/DelayedOperation.tla`` that it takes next *on this operation*; ``via`` says who called
forceComplete. Left out, so that the system here can do more than the spec: the callers' own lock (a
wait less), which onComplete raises (any thread that finds the operation completed may unwind), and
the order in which conditions are read. An operation completed by another one's onComplete is
completed ``via`` other. Theorems: P6 onComplete runs at most once; P7 no completion is lost; P8
onExpiration runs only for the thread that won by expiry.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or, Store

from proofs.protocols.delayed_operation_steps import (
    BOOL,
    INT,
    NOBODY,
    THREAD,
    VIA,
    ComparedAndSet,
    Operation,
    T,
)
from proofs.ts import Enumeration, Step, action, array, conjunct, safety, when


class TryOnce(ComparedAndSet):
    """Generation O: who does not get the lock returns. P7 does not hold of it: see ``no_completion_lost`` there."""

    PLACES = Enumeration("TryOncePlace", "Idle O1 O2 Y1 X1 X3 D1 X4 T1 V1")
    BACK, HEAD = "O2", "O1"
    LOCKED = ("Y1", "O2")

    @action(t=THREAD)
    def gets_lock(self, s, t) -> Step:
        return when(self.is_at(s, t, "O1"), s.owner == NOBODY, at=self.go(s, t, "Y1"), owner=t)

    @action(t=THREAD)
    def goes_without_lock(self, s, t) -> Step:
        return when(self.is_at(s, t, "O1"), s.owner != NOBODY, at=self.go(s, t, "Idle"))

    @action(t=THREAD)
    def unlocks(self, s, t) -> Step:
        return when(self.is_at(s, t, "O2"), at=self.go(s, t, "Idle"), owner=NOBODY)


class TryPending(ComparedAndSet):
    """Generation P: who does not get the lock leaves a note for who has it. The lock is taken by attempts alone."""

    PLACES = Enumeration("TryPendingPlace", "Idle P1 P2 Y1 P3 P4 P5 P6 X1 X3 D1 X4 T1 V1")
    OWN = {"pending": BOOL, "retry": array(THREAD, BOOL)}
    BACK, HEAD = "P3", "P1"
    LOCKED = ("P2", "Y1", "P3")
    RESPONSIBLE = ("P1", "P2", "Y1", "P5")
    """P5 too: who did not get the lock leaves a note."""
    NOTED = ("P6",)
    """Places between reading the note and deciding by it."""
    HEEDS = ("P1", "P2", "Y1", "P3", "P4")
    """Places from which a thread reads the note, or clears it and then every condition."""

    def initially(self, s):
        return [*super().initially(s), Not(s.pending), ForAll([T], Not(s.retry[T]))]

    @action(t=THREAD)
    def gets_lock(self, s, t) -> Step:
        return when(self.is_at(s, t, "P1"), s.owner == NOBODY, at=self.go(s, t, "P2"), owner=t)

    @action(t=THREAD)
    def does_not_get_lock(self, s, t) -> Step:
        return when(self.is_at(s, t, "P1"), s.owner != NOBODY, at=self.go(s, t, "P5"))

    @action(t=THREAD)
    def clears_note(self, s, t) -> Step:
        return when(self.is_at(s, t, "P2"), at=self.go(s, t, "Y1"), pending=z3.BoolVal(False))

    @action(t=THREAD)
    def unlocks(self, s, t) -> Step:
        return when(self.is_at(s, t, "P3"), at=self.go(s, t, "P4"), owner=NOBODY)

    @action(t=THREAD)
    def unlocks_and_raises(self, s, t) -> Step:
        return when(self.is_at(s, t, "P3"), s.completed, at=self.go(s, t, "Idle"), owner=NOBODY)

    @action(t=THREAD)
    def reads_note(self, s, t) -> Step:
        return when(
            self.is_at(s, t, "P4"), at=self.go(s, t, "P6"), retry=Store(s.retry, t, s.pending)
        )

    @action(t=THREAD)
    def leaves_note(self, s, t) -> Step:
        return when(
            self.is_at(s, t, "P5"),
            at=self.go(s, t, "P6"),
            retry=Store(s.retry, t, Not(s.pending)),
            pending=z3.BoolVal(True),
        )

    @action(t=THREAD)
    def tries_again(self, s, t) -> Step:
        return when(
            self.is_at(s, t, "P6"),
            s.retry[t],
            Not(s.completed),
            at=self.go(s, t, "P1"),
            retry=Store(s.retry, t, False),
        )

    @action(t=THREAD)
    def returns(self, s, t) -> Step:
        return when(
            self.is_at(s, t, "P6"),
            Or(Not(s.retry[t]), s.completed),
            at=self.go(s, t, "Idle"),
            retry=Store(s.retry, t, False),
        )

    @conjunct
    def ready_is_looked_at(self, s):
        """Once every condition holds, an operation that is not completed has a note, or a thread that will look at all of them."""
        return Or(s.completed, s.pending, Not(self.all_ready(s)), self.somebody_will_look(s))

    @conjunct
    def note_is_read(self, s):
        """A note at an operation that is not completed is going to be read, or all conditions are after it was left."""
        heeds = Or(
            self.is_at(s, T, *self.HEEDS),
            And(self.is_at(s, T, *self.NOTED), s.retry[T]),
            And(self.is_at(s, T, *self.STILL_OPEN), s.via[T] == VIA.attempt),
        )
        return Or(s.completed, Not(s.pending), Exists([T], heeds))

    @safety("P7")
    def no_completion_lost(self, s):
        """Every condition holds and nobody is in an attempt: then the operation is completed. Runs by the timer do not count."""
        return self.nothing_lost(s)


class Held(ComparedAndSet):
    """A stranger may take the operation's lock too: one who makes no attempt, and reads no note."""

    @action(t=THREAD, begins=True)
    def holds_lock(self, s, t) -> Step:
        return when(self.is_at(s, t, "Idle"), s.owner == NOBODY, at=self.go(s, t, "H2"), owner=t)

    @action(t=THREAD)
    def lets_lock_go(self, s, t) -> Step:
        return when(self.is_at(s, t, "H2"), at=self.go(s, t, "Idle"), owner=NOBODY)


class TryOnceHeld(Held, TryOnce):
    """TryOnce, with strangers in its lock."""

    PLACES = Enumeration("TryOnceHeldPlace", "Idle O1 O2 Y1 X1 X3 D1 X4 T1 V1 H2")
    LOCKED = (*TryOnce.LOCKED, "H2")


class TryPendingHeld(Held, TryPending):
    """TryPending, with strangers in its lock, such as who holds a lock of the callers' that the operation was given.

    Who does not get the lock because of a stranger leaves a note that nobody reads: P7 does not
    hold (KAFKA-8334).
    """

    PLACES = Enumeration("TryPendingHeldPlace", "Idle P1 P2 Y1 P3 P4 P5 P6 X1 X3 D1 X4 T1 V1 H2")
    LOCKED = (*TryPending.LOCKED, "H2")
    ready_is_looked_at = None
    note_is_read = None
    no_completion_lost = None


class LockedTry(Held, ComparedAndSet):
    """Generation S: attempts wait for the lock, which strangers may take too; forceComplete is a compare-and-set without it."""

    PLACES = Enumeration("LockedTryPlace", "Idle S1 Y1 S2 X1 X3 D1 X4 T1 V1 H2")
    BACK, HEAD = "S2", "S1"
    LOCKED = ("Y1", "S2", "H2")
    RESPONSIBLE = ("S1", "Y1")

    @action(t=THREAD)
    def locks(self, s, t) -> Step:
        return when(self.is_at(s, t, "S1"), s.owner == NOBODY, at=self.go(s, t, "Y1"), owner=t)

    @action(t=THREAD)
    def unlocks(self, s, t) -> Step:
        return when(self.is_at(s, t, "S2"), at=self.go(s, t, "Idle"), owner=NOBODY)

    @conjunct
    def ready_is_looked_at(self, s):
        """Once every condition holds, an operation that is not completed has a thread that will look at all of them."""
        return Or(s.completed, Not(self.all_ready(s)), self.somebody_will_look(s))

    @safety("P7")
    def no_completion_lost(self, s):
        """Every condition holds and no thread is in an attempt: then the operation is completed. Runs by the timer do not count."""
        return self.nothing_lost(s)


class CheckedTry(LockedTry):
    """Generation B of 4.0: as LockedTry, but an operation that is completed is not tried."""

    PLACES = Enumeration("CheckedTryPlace", "Idle B1 B2 Y1 B3 X1 X3 D1 X4 T1 V1 H2")
    BACK, HEAD = "B3", "B1"
    LOCKED = ("B2", "Y1", "B3", "H2")
    RESPONSIBLE = ("B1", "B2", "Y1")

    @action(t=THREAD)
    def locks(self, s, t) -> Step:
        return when(self.is_at(s, t, "B1"), s.owner == NOBODY, at=self.go(s, t, "B2"), owner=t)

    @action(t=THREAD)
    def finds_open(self, s, t) -> Step:
        return when(self.is_at(s, t, "B2"), Not(s.completed), at=self.go(s, t, "Y1"))

    @action(t=THREAD)
    def need_not_try(self, s, t) -> Step:
        return when(self.is_at(s, t, "B2"), s.completed, at=self.go(s, t, "B3"))

    @action(t=THREAD)
    def unlocks(self, s, t) -> Step:
        return when(self.is_at(s, t, "B3"), at=self.go(s, t, "Idle"), owner=NOBODY)


class Blocking(Operation):
    """Generation B of 4.1 on: attempts and forceComplete wait for one re-entrant lock, which strangers may take too."""

    PLACES = Enumeration("BlockingPlace", "Idle B1 B2 Y1 B3 L1 L2 L3 L4 L5 D1 L6 L7 T1 V1 H2")
    OWN = {"depth": INT}
    BACK, HEAD = "B3", "B1"
    FORCE_FIRST, FORCE_LAST = "L1", "L6"
    FORCING = ("L1", "L2", "L3", "L4", "L5", "D1", "L6", "L7")
    WON = ("L5", "D1", "L6")
    BEFORE_COMPLETE = ("L5", "D1")
    STILL_OPEN = ("L1", "L2", "L3", "L4")
    RESPONSIBLE = ("B1", "B2", "Y1")
    INSIDE = ("L3", "L4", "L5", "D1", "L6", "L7")
    """Places between forceComplete's lock and its unlock."""

    def initially(self, s):
        return [*super().initially(s), s.depth == 0]

    def outer(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread has the lock through an attempt, or holds it as a stranger."""
        return Or(self.is_at(s, t, "B2", "Y1", "B3", "H2"), s.via[t] == VIA.attempt)

    def expiring(self, s, t):
        return Or(
            And(self.is_at(s, t, *self.WON), s.via[t] == VIA.expiry),
            And(self.is_at(s, t, "L7"), s.via[t] == VIA.expiry, s.won[t]),
            And(self.is_at(s, t, "T1"), s.won[t]),
            self.is_at(s, t, "V1"),
        )

    def told(self, s, t):
        return Or(self.is_at(s, t, "T1"), And(self.is_at(s, t, "L7"), s.via[t] == VIA.expiry))

    def enters(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """Whether the thread does not have to wait for the lock."""
        return Or(s.owner == NOBODY, s.owner == t)

    def left(self, s: SimpleNamespace) -> dict[str, z3.ExprRef]:
        """The updates of leaving the lock once."""
        return {"owner": If(s.depth == 1, NOBODY, s.owner), "depth": s.depth - 1}

    @action(t=THREAD, begins=True)
    def holds_lock(self, s, t) -> Step:
        return when(
            self.is_at(s, t, "Idle"),
            self.enters(s, t),
            at=self.go(s, t, "H2"),
            owner=t,
            depth=s.depth + 1,
        )

    @action(t=THREAD)
    def lets_lock_go(self, s, t) -> Step:
        return when(self.is_at(s, t, "H2"), at=self.go(s, t, "Idle"), **self.left(s))

    @action(t=THREAD)
    def locks(self, s, t) -> Step:
        return when(
            self.is_at(s, t, "B1"),
            self.enters(s, t),
            at=self.go(s, t, "B2"),
            owner=t,
            depth=s.depth + 1,
        )

    @action(t=THREAD)
    def finds_open(self, s, t) -> Step:
        return when(self.is_at(s, t, "B2"), Not(s.completed), at=self.go(s, t, "Y1"))

    @action(t=THREAD)
    def need_not_try(self, s, t) -> Step:
        return when(self.is_at(s, t, "B2"), s.completed, at=self.go(s, t, "B3"))

    @action(t=THREAD)
    def unlocks(self, s, t) -> Step:
        return when(self.is_at(s, t, "B3"), at=self.go(s, t, "Idle"), **self.left(s))

    @action(t=THREAD)
    def need_not_lock(self, s, t) -> Step:
        return when(self.is_at(s, t, "L1"), s.completed, **self.returned(s, t))

    @action(t=THREAD)
    def is_to_lock(self, s, t) -> Step:
        return when(self.is_at(s, t, "L1"), Not(s.completed), at=self.go(s, t, "L2"))

    @action(t=THREAD)
    def locks_to_force(self, s, t) -> Step:
        return when(
            self.is_at(s, t, "L2"),
            self.enters(s, t),
            at=self.go(s, t, "L3"),
            owner=t,
            depth=s.depth + 1,
        )

    @action(t=THREAD)
    def finds_completed(self, s, t) -> Step:
        return when(self.is_at(s, t, "L3"), s.completed, at=self.go(s, t, "L7"))

    @action(t=THREAD)
    def may_complete(self, s, t) -> Step:
        return when(self.is_at(s, t, "L3"), Not(s.completed), at=self.go(s, t, "L4"))

    @action(t=THREAD)
    def sets_completed(self, s, t) -> Step:
        return when(self.is_at(s, t, "L4"), at=self.go(s, t, "L5"), **self.wins(s, t))

    @action(t=THREAD)
    def cancels_timer(self, s, t) -> Step:
        return when(self.is_at(s, t, "L5"), at=self.go(s, t, "D1"), armed=z3.BoolVal(False))

    @action(t=THREAD)
    def on_complete_ends(self, s, t) -> Step:
        return when(
            self.is_at(s, t, "L6"),
            at=self.go(s, t, "L7"),
            won=Store(s.won, t, s.via[t] == VIA.expiry),
        )

    @action(t=THREAD)
    def unlocks_after_force(self, s, t) -> Step:
        return when(self.is_at(s, t, "L7"), **self.returned(s, t), **self.left(s))

    @conjunct
    def lock_has_its_holder(self, s):
        """The operation's lock is held by exactly the thread that is between lock and unlock."""
        return ForAll(
            [T],
            Implies(
                T != NOBODY, (s.owner == T) == Or(self.outer(s, T), self.is_at(s, T, *self.INSIDE))
            ),
        )

    @conjunct
    def depth_counts_entries(self, s):
        """The lock's depth is the number of times its owner has entered it and not left it."""
        owner = s.owner
        return s.depth == If(
            owner == NOBODY,
            0,
            If(self.outer(s, owner), 1, 0) + If(self.is_at(s, owner, *self.INSIDE), 1, 0),
        )

    @conjunct
    def open_under_lock(self, s):
        """Between finding the operation open and setting completed nobody else completes it; nor while tryComplete runs."""
        return ForAll([T], Implies(self.is_at(s, T, "L4", "Y1"), Not(s.completed)))

    @conjunct
    def timer_cancelled_first(self, s):
        """The timer task is cancelled before onComplete runs, and by nobody else than the winner."""
        return s.armed == Or(Not(s.completed), self.is_at(s, s.winner, "L5"))

    @conjunct
    def ready_is_looked_at(self, s):
        """Once every condition holds, an operation that is not completed has a thread that will look at all of them."""
        return Or(s.completed, Not(self.all_ready(s)), self.somebody_will_look(s))

    @safety("P6")
    def try_excludes_complete(self, s):
        """tryComplete runs neither while onComplete runs nor after it."""
        return ForAll([T], Implies(self.is_at(s, T, "Y1"), s.completions == 0))

    @safety("P7")
    def no_completion_lost(self, s):
        """Every condition holds and nobody is in an attempt: then the operation is completed. Runs by the timer do not count."""
        return self.nothing_lost(s)
