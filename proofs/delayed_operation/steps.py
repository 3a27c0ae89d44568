"""Steps and invariant of all generations of a delayed operation.

They share conditions, tryComplete, forceComplete's winner, onComplete and run.

A thread's place is the label of ``spec/DelayedOperation.tla`` that it takes next *on this
operation*; ``via`` names the caller of forceComplete. The generations themselves are in
``delayed_operation``.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or, Store

from wheelproof.prove.ts.system import (
    Enumeration,
    Step,
    System,
    action,
    array,
    conjunct,
    safety,
    sort,
    when,
)

THREAD = sort("Thread", null="no_thread")
CONDITION = sort("Condition")
NO_THREAD = THREAD.null
VIA = Enumeration("Via", "none attempt expiry other")

T, U = THREAD.consts("thread other")
C, D = CONDITION.consts("condition another")
BOOL, INT = z3.BoolSort(), z3.IntSort()


class Operation(System):
    """The shared steps: conditions that become true, forceComplete's winner, onComplete, run.

    Subclasses give PLACES, the labels of their protocol, and the places that the properties speak
    of.
    """

    PLACES: Enumeration
    SORTS = (THREAD, CONDITION)
    STATES = "one operation"
    WON: tuple[str, ...] = ()
    """Places after this thread set completed, until forceComplete returns."""
    BEFORE_COMPLETE: tuple[str, ...] = ()
    """Those of WON before onComplete."""
    FORCING: tuple[str, ...] = ()
    """Every place in forceComplete."""
    RESPONSIBLE: tuple[str, ...] = ()
    """Places from which a thread still reads every condition, or leaves word for one that will."""
    FORCE_FIRST = FORCE_LAST = BACK = HEAD = ""
    """Labels: forceComplete's first and its first after onComplete; a return; an attempt."""

    def __init_subclass__(cls) -> None:
        if "PLACES" in vars(cls):
            cls.VARIABLES = {
                "at": array(THREAD, cls.PLACES),
                "via": array(THREAD, VIA),
                "seen": array(THREAD, CONDITION, BOOL),
                "won": array(THREAD, BOOL),
                "ready": array(CONDITION, BOOL),
                "completed": BOOL,
                "armed": BOOL,
                "owner": THREAD.z3,
                "completions": INT,
                "winner": THREAD.z3,
                "expired": array(THREAD, BOOL),
                "expirations": INT,
                **cls.OWN,
            }
            cls.RIGID = {"needed": array(CONDITION, BOOL), "unseen": array(CONDITION, BOOL)}

    OWN: dict[str, z3.SortRef] = {}

    # -- shorthands

    def is_at(self, s: SimpleNamespace, t: z3.ExprRef, *places: str) -> z3.BoolRef:
        """The thread is at one of these places."""
        alternatives = [s.at[t] == getattr(self.PLACES, place) for place in places]
        # SMT-LIB has no empty disjunction.
        return Or(alternatives) if alternatives else z3.BoolVal(False)

    def go(self, s: SimpleNamespace, t: z3.ExprRef, place: str) -> z3.ExprRef:
        """The places after the thread went to one."""
        return Store(s.at, t, getattr(self.PLACES, place))

    def returned(self, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of a return from forceComplete: into an attempt, into run, or out of here."""
        place = self.PLACES
        back = If(
            s.via[t] == VIA.attempt,
            getattr(place, self.BACK),
            If(s.via[t] == VIA.expiry, place.T1, place.Idle),
        )
        return {"at": Store(s.at, t, back), "via": Store(s.via, t, VIA.none)}

    def wins(self, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        """The updates of a thread that completes the operation."""
        return {"completed": z3.BoolVal(True), "winner": t}

    def all_ready(self, s: SimpleNamespace) -> z3.BoolRef:
        return ForAll([C], Implies(s.needed[C], s.ready[C]))

    def expiring(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread has completed the operation by its timeout and is to run onExpiration."""
        return Or(
            And(self.is_at(s, t, *self.WON), s.via[t] == VIA.expiry),
            And(self.is_at(s, t, "T1"), s.won[t]),
            self.is_at(s, t, "V1"),
        )

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [
            ForAll(
                [T],
                And(
                    self.is_at(s, T, "Idle"), s.via[T] == VIA.none, Not(s.won[T]), Not(s.expired[T])
                ),
            ),
            ForAll([T, C], Not(s.seen[T][C])),
            ForAll([C], Not(s.ready[C])),
            Not(s.completed),
            s.armed,
            s.owner == NO_THREAD,
            s.completions == 0,
            s.expirations == 0,
            s.winner == NO_THREAD,
        ]

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [Exists([C], s.needed[C]), ForAll([C], Not(s.unseen[C]))]

    # -- a thread begins

    @action(t=THREAD, begins=True)
    def attempts(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "Idle"), at=self.go(s, t, self.HEAD))

    @action(t=THREAD, c=CONDITION, begins=True)
    def delivers(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "Idle"), at=self.go(s, t, self.HEAD), ready=Store(s.ready, c, True)
        )

    @action(t=THREAD, begins=True)
    def runs(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "Idle"),
            at=self.go(s, t, self.FORCE_FIRST),
            via=Store(s.via, t, VIA.expiry),
        )

    @action(t=THREAD, begins=True)
    def is_completed_by_another(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "Idle"),
            at=self.go(s, t, self.FORCE_FIRST),
            via=Store(s.via, t, VIA.other),
        )

    # -- tryComplete: one condition a step

    @action(t=THREAD, c=CONDITION)
    def reads_false(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "Y1"),
            s.needed[c],
            Not(s.seen[t][c]),
            Not(s.ready[c]),
            at=self.go(s, t, self.BACK),
            seen=Store(s.seen, t, s.unseen),
        )

    @action(t=THREAD, c=CONDITION)
    def reads_true(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "Y1"),
            s.needed[c],
            Not(s.seen[t][c]),
            s.ready[c],
            Exists([D], And(s.needed[D], D != c, Not(s.seen[t][D]))),
            seen=Store(s.seen, t, Store(s.seen[t], c, True)),
        )

    @action(t=THREAD, c=CONDITION)
    def reads_last_true(self, s: SimpleNamespace, t: z3.ExprRef, c: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "Y1"),
            s.needed[c],
            Not(s.seen[t][c]),
            s.ready[c],
            ForAll([D], Implies(And(s.needed[D], D != c), s.seen[t][D])),
            at=self.go(s, t, self.FORCE_FIRST),
            via=Store(s.via, t, VIA.attempt),
            seen=Store(s.seen, t, s.unseen),
        )

    # -- onComplete and run

    @action(t=THREAD)
    def calls_on_complete(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "D1"), at=self.go(s, t, self.FORCE_LAST), completions=s.completions + 1
        )

    @action(t=THREAD)
    def expires(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "T1"), s.won[t], at=self.go(s, t, "V1"), won=Store(s.won, t, False)
        )

    @action(t=THREAD)
    def does_not_expire(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "T1"), at=self.go(s, t, "Idle"), won=Store(s.won, t, False))

    @action(t=THREAD)
    def calls_on_expiration(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "V1"),
            at=self.go(s, t, "Idle"),
            expired=Store(s.expired, t, True),
            expirations=s.expirations + 1,
        )

    # -- the invariant

    @conjunct
    def null_is_idle(self, s: SimpleNamespace) -> z3.BoolRef:
        """The null thread is idle, and has won nothing."""
        return And(self.is_at(s, NO_THREAD, "Idle"), Not(s.expired[NO_THREAD]))

    @conjunct
    def called_in_force(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread in forceComplete was called by an attempt, run, or another operation.

        Other threads have no caller.
        """
        return ForAll([T], (s.via[T] != VIA.none) == self.is_at(s, T, *self.FORCING))

    @conjunct
    def winner_completed(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that has set completed is the winner."""
        return ForAll([T], Implies(self.is_at(s, T, *self.WON), And(s.completed, s.winner == T)))

    @conjunct
    def open_is_untouched(self, s: SimpleNamespace) -> z3.BoolRef:
        """An open operation has no winner, and neither onComplete nor onExpiration has run."""
        return Implies(
            Not(s.completed), And(s.winner == NO_THREAD, s.completions == 0, s.expirations == 0)
        )

    @conjunct
    def completes_after_winning(self, s: SimpleNamespace) -> z3.BoolRef:
        """onComplete runs once: not before the winner is there."""
        return And(
            0 <= s.completions,
            s.completions <= 1,
            ForAll([T], Implies(self.is_at(s, T, *self.BEFORE_COMPLETE), s.completions == 0)),
        )

    @conjunct
    def completed_is_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """A completed operation's onComplete has run, or its winner is about to call it."""
        return Implies(
            And(s.completed, s.completions == 0), self.is_at(s, s.winner, *self.BEFORE_COMPLETE)
        )

    def reported(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The places where ``won`` is the result of forceComplete to run; elsewhere it is False."""
        return self.is_at(s, t, "T1")

    @conjunct
    def won_where_reported(self, s: SimpleNamespace) -> z3.BoolRef:
        """Only run has the result that it completed the operation, and only after forceComplete."""
        return ForAll([T], Implies(s.won[T], self.reported(s, T)))

    @conjunct
    def expiring_won(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that is to run onExpiration has won in run, and it has not run."""
        return ForAll([T], Implies(self.expiring(s, T), And(s.winner == T, s.expirations == 0)))

    @conjunct
    def expired_won(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that has run onExpiration has won; it has run once."""
        return And(
            0 <= s.expirations,
            s.expirations <= 1,
            ForAll([T], Implies(s.expired[T], And(s.winner == T, s.expirations == 1))),
        )

    @conjunct
    def seen_is_ready(self, s: SimpleNamespace) -> z3.BoolRef:
        """A condition that tryComplete has read as true is true: conditions do not become false."""
        return ForAll([T, C], Implies(s.seen[T][C], s.ready[C]))

    @conjunct
    def attempt_was_ready(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that completes from an attempt has seen every condition."""
        return ForAll([T, C], Implies(And(s.via[T] == VIA.attempt, s.needed[C]), s.ready[C]))

    # -- safety

    @safety("P6")
    def completed_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """onComplete runs at most once, and only for a completed operation."""
        return And(s.completions <= 1, Implies(s.completions > 0, s.completed))

    @safety("P6")
    def completed_by_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """At most one thread is between setting completed and the end of forceComplete."""
        return ForAll(
            [T, U], Implies(And(self.is_at(s, T, *self.WON), self.is_at(s, U, *self.WON)), T == U)
        )

    @safety("P6")
    def completed_means_called(self, s: SimpleNamespace) -> z3.BoolRef:
        """When no thread is in forceComplete, a completed operation's onComplete has run."""
        return Implies(And(s.completed, ForAll([T], s.via[T] == VIA.none)), s.completions == 1)

    @safety("P6")
    def timer_task_cancelled(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once onComplete has run, the timer task is cancelled."""
        return Implies(s.completions > 0, Not(s.armed))

    @safety("P6")
    def one_tries(self, s: SimpleNamespace) -> z3.BoolRef:
        """At most one thread is in tryComplete."""
        return ForAll([T, U], Implies(And(self.is_at(s, T, "Y1"), self.is_at(s, U, "Y1")), T == U))

    @safety("P8")
    def expired_by_timeout_only(self, s: SimpleNamespace) -> z3.BoolRef:
        """onExpiration runs only for the thread that completed the operation."""
        return ForAll([T], Implies(s.expired[T], And(s.completed, s.winner == T)))

    @safety("P8")
    def expires_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """onExpiration runs at most once."""
        return s.expirations <= 1

    @safety("P6")
    def completed_for_a_reason(self, s: SimpleNamespace) -> z3.BoolRef:
        """An attempt completes the operation only when every condition holds."""
        return ForAll(
            [T],
            Implies(And(self.is_at(s, T, *self.WON), s.via[T] == VIA.attempt), self.all_ready(s)),
        )

    def nothing_lost(self, s: SimpleNamespace) -> z3.BoolRef:
        """P7, a property of two of the protocols; TryOnce has it as the control."""
        away = Or(self.is_at(s, T, "Idle", "T1", "V1"), s.via[T] == VIA.expiry)
        return Implies(And(ForAll([T], away), self.all_ready(s)), s.completed)

    def one_will_look(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that has not read all conditions yet, or has and will complete the operation."""
        return Exists(
            [T],
            Or(
                self.is_at(s, T, *self.RESPONSIBLE),
                And(self.is_at(s, T, *self.STILL_OPEN), s.via[T] == VIA.attempt),
            ),
        )

    STILL_OPEN: tuple[str, ...] = ()
    """Places in forceComplete from which a thread still sets completed if no other does."""
