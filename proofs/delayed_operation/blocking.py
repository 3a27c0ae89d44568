"""Generation B of a delayed operation: one re-entrant lock for attempts and forceComplete."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.delayed_operation.steps import INT, NO_THREAD, THREAD, VIA, Operation, T
from wheelproof.prove.ts.system import Enumeration, Step, action, conjunct, safety, when


class Blocking(Operation):
    """Generation B of 4.1 on: attempts and forceComplete wait for one re-entrant lock.

    Strangers may take the lock too.
    """

    PLACES = Enumeration("BlockingPlace", "Idle B1 B2 Y1 B3 L1 L2 L3 L4 L5 D1 L6 L7 T1 V1 H2")
    OWN = {"depth": INT}
    BACK, HEAD = "B3", "B1"
    FORCE_FIRST, FORCE_LAST = "L1", "L6"
    FORCING = ("L1", "L2", "L3", "L4", "L5", "D1", "L6", "L7")
    WON = ("L5", "D1", "L6")
    BEFORE_COMPLETE = ("L5", "D1")
    STILL_OPEN = ("L1", "L2", "L3", "L4")
    RESPONSIBLE = ("B1", "B2", "Y1")
    INSIDE: tuple[str, ...] = ("L3", "L4", "L5", "D1", "L6", "L7")
    """Places between forceComplete's lock and its unlock."""

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*super().initially(s), s.depth == 0]

    def outer(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread has the lock through an attempt, or holds it as a stranger."""
        return Or(self.is_at(s, t, "B2", "Y1", "B3", "H2"), s.via[t] == VIA.attempt)

    def expiring(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return Or(
            And(self.is_at(s, t, *self.WON), s.via[t] == VIA.expiry),
            And(self.is_at(s, t, "L7"), s.via[t] == VIA.expiry, s.won[t]),
            And(self.is_at(s, t, "T1"), s.won[t]),
            self.is_at(s, t, "V1"),
        )

    def reported(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return Or(self.is_at(s, t, "T1"), And(self.is_at(s, t, "L7"), s.via[t] == VIA.expiry))

    def enters(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """Whether the thread does not have to wait for the lock."""
        return Or(s.owner == NO_THREAD, s.owner == t)

    def left(self, s: SimpleNamespace) -> dict[str, z3.ExprRef]:
        """The updates of leaving the lock once."""
        return {"owner": If(s.depth == 1, NO_THREAD, s.owner), "depth": s.depth - 1}

    @action(t=THREAD, begins=True)
    def holds_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "Idle"),
            self.enters(s, t),
            at=self.go(s, t, "H2"),
            owner=t,
            depth=s.depth + 1,
        )

    @action(t=THREAD)
    def lets_lock_go(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "H2"), at=self.go(s, t, "Idle"), **self.left(s))

    @action(t=THREAD)
    def locks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "B1"),
            self.enters(s, t),
            at=self.go(s, t, "B2"),
            owner=t,
            depth=s.depth + 1,
        )

    @action(t=THREAD)
    def finds_open(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "B2"), Not(s.completed), at=self.go(s, t, "Y1"))

    @action(t=THREAD)
    def need_not_try(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "B2"), s.completed, at=self.go(s, t, "B3"))

    @action(t=THREAD)
    def unlocks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "B3"), at=self.go(s, t, "Idle"), **self.left(s))

    @action(t=THREAD)
    def need_not_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L1"), s.completed, **self.returned(s, t))

    @action(t=THREAD)
    def is_to_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L1"), Not(s.completed), at=self.go(s, t, "L2"))

    @action(t=THREAD)
    def locks_to_force(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "L2"),
            self.enters(s, t),
            at=self.go(s, t, "L3"),
            owner=t,
            depth=s.depth + 1,
        )

    @action(t=THREAD)
    def finds_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L3"), s.completed, at=self.go(s, t, "L7"))

    @action(t=THREAD)
    def may_complete(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L3"), Not(s.completed), at=self.go(s, t, "L4"))

    @action(t=THREAD)
    def sets_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L4"), at=self.go(s, t, "L5"), **self.wins(s, t))

    @action(t=THREAD)
    def cancels_timer(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L5"), at=self.go(s, t, "D1"), armed=z3.BoolVal(False))

    @action(t=THREAD)
    def on_complete_ends(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(
            self.is_at(s, t, "L6"),
            at=self.go(s, t, "L7"),
            won=Store(s.won, t, s.via[t] == VIA.expiry),
        )

    @action(t=THREAD)
    def unlocks_after_force(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L7"), **self.returned(s, t), **self.left(s))

    @conjunct
    def lock_has_its_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """The operation's lock is held by exactly the thread that is between lock and unlock."""
        return ForAll(
            [T],
            Implies(
                T != NO_THREAD,
                (s.owner == T) == Or(self.outer(s, T), self.is_at(s, T, *self.INSIDE)),
            ),
        )

    @conjunct
    def depth_counts_entries(self, s: SimpleNamespace) -> z3.BoolRef:
        """The lock's depth is the number of times its owner has entered it and not left it."""
        owner = s.owner
        return s.depth == If(
            owner == NO_THREAD,
            0,
            If(self.outer(s, owner), 1, 0) + If(self.is_at(s, owner, *self.INSIDE), 1, 0),
        )

    @conjunct
    def open_under_lock(self, s: SimpleNamespace) -> z3.BoolRef:
        """An operation that a thread found open, or tries, is not completed by another thread."""
        return ForAll([T], Implies(self.is_at(s, T, "L4", "Y1"), Not(s.completed)))

    @conjunct
    def timer_cancelled_first(self, s: SimpleNamespace) -> z3.BoolRef:
        """The timer task is cancelled before onComplete runs, and by the winner alone."""
        return s.armed == Or(Not(s.completed), self.is_at(s, s.winner, "L5"))

    @conjunct
    def ready_is_looked_at(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once every condition holds, an open operation has a thread that will read all of them."""
        return Or(s.completed, Not(self.all_ready(s)), self.one_will_look(s))

    @safety("P6")
    def try_excludes_complete(self, s: SimpleNamespace) -> z3.BoolRef:
        """tryComplete runs neither while onComplete runs nor after it."""
        return ForAll([T], Implies(self.is_at(s, T, "Y1"), s.completions == 0))

    @safety("P7")
    def no_completion_lost(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once every condition holds and no thread is in an attempt, the operation is completed.

        Runs by the timer do not count.
        """
        return self.nothing_lost(s)
