"""P15: an operation that is entered completes in the end, if threads and the timer are fair.

It completes with the call of onComplete, within which a thread may wait for the callers' own lock.

The argument is the rule for weak fairness (Manna and Pnueli). An operation is *open* from its
first lock on until its onComplete is called, or its key is cancelled. Each open state has a helper:
a thread that can step, or the timer, which has the operation. The rank of a state is the triple of

* the number of times that threads are still to take a lock, this operation's or a shard's;
* the stage of the operation, by the place of the thread that enters or completes it;
* the distance from giving a lock back, of the thread whose lock that one waits for.

The first is finite, since programs are (A-FINITE), and a step that takes a lock lowers it. Of every
other step it is proved that the rank never rises. A step of the helper lowers it. As long as the
rank stays, the helper stays. The helper can step, so it does not wait for the callers' lock. So the
rank reaches its end, and then onComplete was called, or the key was cancelled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import ClassVar

import z3
from z3 import And, If, Implies, Not, Or

from proofs.purgatory.invariant import Invariant
from proofs.purgatory.state import (
    AT,
    NO_THREAD,
    SEC,
    TO_COMPLETE,
    VIA,
    in_sec,
    is_at,
)
from wheelproof.prove.ts.ranks import RANK, number
from wheelproof.prove.ts.system import Condition, System

TAKES_LOCK = (
    *("begins_to_enter", "locks_to_try", "locks_to_force"),
    *("shuts_to_watch", "shuts_to_check", "shuts_to_remove", "shuts_to_cancel"),
)
"""Actions that take the operation's lock or a shard's."""
CALLING = {"X1": 2, "L5": 1, "D1": 0}
TAKING = {"L1": 7, "L2": 6, "L3": 5, "L4": 4}
ARMED = 8
AT_ITS_KEYS = {"W3": 25, "W4": 24, "W5": 23, "W6": 22, "Aside": 21, "W2": 20}
OF_REGISTRAR = {"A2": 26, "A3": 19, "A4": 13, "A5": 12, "A6": 11, "A7": 10, "XA": 10, "Z1": 9}
FIRST_TRY = {"Y1": 31, "L1": 30, "L2": 29, "L3": 28, "L4": 27}
SECOND_TRY = {"Y1": 18, "L1": 17, "L2": 16, "L3": 15, "L4": 14}
"""Stages by place: the steps to the end of onComplete, in the order in which they come."""
TO_UNLOCK = {"B2": 7, "Y1": 6, "L1": 5, "L2": 4, "L3": 3, "L4": 2, "L7": 2, "B3": 1}
TO_OPEN = {
    "W3": 4,
    "W4": 3,
    "W5": 2,
    "W6": 1,
    "R2": 4,
    "R3": 3,
    "R4": 2,
    "R5": 1,
    "C2": 2,
    "C3": 1,
    "F2": 4,
    "F3": 3,
    "F4": 2,
    "FX": 4,
    "F5": 3,
    "F6": 1,
}
"""Distances by place, to the unlock of the operation and of the shard."""


class Ranking(Invariant):
    """The rank of a state, and the thread that helps."""

    TIMER_HELPS: ClassVar[bool] = True

    def is_open(self, s: SimpleNamespace) -> z3.BoolRef:
        """The operation was entered, its onComplete was not called, and it may still complete."""
        return And(s.begun, s.completions == 0, Or(s.completed, Not(s.revoked)))

    def blocked_at_shard(self, s: SimpleNamespace) -> z3.BoolRef:
        """The thread that enters the operation waits for a shard's lock."""
        r = s.registrar
        return And(
            r != NO_THREAD,
            is_at(s, r, "W"),
            in_sec(s, r, "W2"),
            s.shut[s.room[r]] != NO_THREAD,
        )

    def blocked_at_lock(self, s: SimpleNamespace) -> z3.BoolRef:
        """The timer's thread waits for the operation's lock, after the operation was entered."""
        return And(
            s.registrar == NO_THREAD,
            is_at(s, s.taker, "L2"),
            s.owner != NO_THREAD,
            s.owner != s.taker,
        )

    def taking(self, s: SimpleNamespace) -> z3.BoolRef:
        """The timer's thread is to complete the operation."""
        return is_at(s, s.taker, *TO_COMPLETE)

    def helper(self, s: SimpleNamespace) -> z3.ExprRef:
        """The thread whose step lowers the rank; none where that is the timer's."""
        entering = If(self.blocked_at_shard(s), s.shut[s.room[s.registrar]], s.registrar)
        taking = If(self.blocked_at_lock(s), s.owner, s.taker)
        return If(
            s.completed,
            s.winner,
            If(
                s.registrar != NO_THREAD,
                entering,
                If(self.taking(s), taking, NO_THREAD),
            ),
        )

    def stage(self, s: SimpleNamespace) -> z3.ArithRef:
        """How far the operation is from the end of its onComplete, but for waits."""
        r = s.registrar
        entering = If(
            s.via[r] == VIA.first,
            number(s.at[r], AT, FIRST_TRY),
            If(
                s.via[r] == VIA.second,
                number(s.at[r], AT, SECOND_TRY),
                If(
                    is_at(s, r, "W"),
                    number(s.section[r], SEC, AT_ITS_KEYS),
                    number(s.at[r], AT, OF_REGISTRAR),
                ),
            ),
        )
        return If(
            s.completed,
            number(s.at[s.winner], AT, CALLING),
            If(
                r != NO_THREAD,
                entering,
                If(self.taking(s), number(s.at[s.taker], AT, TAKING), ARMED),
            ),
        )

    def distance(self, s: SimpleNamespace) -> z3.ArithRef:
        """How far a thread is from giving back the lock that is waited for; 0 without a wait."""
        return If(
            s.completed,
            0,
            If(
                self.blocked_at_shard(s),
                number(s.section[s.shut[s.room[s.registrar]]], SEC, TO_OPEN),
                If(self.blocked_at_lock(s), number(s.at[s.owner], AT, TO_UNLOCK), 0),
            ),
        )

    def can_step(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """Some action of the thread is enabled, of those that begin nothing.

        At W3 it finds a list or makes one. At W it has watched every key, or there is one to watch.
        """
        moves = [in_sec(s, t, "W3"), And(is_at(s, t, "W"), in_sec(s, t, "Aside"))]
        for name, declaration in self.actions().items():
            if (
                not declaration.begins
                and len(declaration.parameters) == 1
                and name != "has_watched"
            ):
                values, step = self.step(name, s)
                moves.append(z3.substitute(And(list(step.guards)), (values["t"], t)))
        return Or(moves)

    def helps(self, s: SimpleNamespace) -> z3.BoolRef:
        """The helper of an open operation can step; the timer can, if it has the operation."""
        timer = And(s.armed, z3.BoolVal(self.TIMER_HELPS))
        helper = self.helper(s)
        return Implies(self.is_open(s), If(helper == NO_THREAD, timer, self.can_step(s, helper)))

    def keeps_rank(
        self, name: str, s: SimpleNamespace, t: z3.ExprRef, after: SimpleNamespace
    ) -> z3.BoolRef:
        """The effect of a step on the rank: the helper lowers it, others do not raise it."""
        stage, distance, helper = self.stage(s), self.distance(s), self.helper(s)
        later = self.stage(after), self.distance(after)
        lower = Or(later[0] < stage, And(later[0] == stage, later[1] < distance))
        same = And(later[0] == stage, later[1] == distance, self.helper(after) == helper)
        by_helper = helper == NO_THREAD if name == "runs" else And(helper == t, t != NO_THREAD)
        bounds = And(stage >= 0, distance >= 0)
        claim = And(bounds, If(by_helper, lower, Or(lower, same)))
        return Implies(And(self.is_open(s), self.is_open(after)), claim)


def ranked(system: System) -> Iterator[Condition]:
    """The conditions of the rank: one for each action, but for those that take a lock."""
    assert isinstance(system, Ranking)
    s = system.symbols()
    givens = {f"given {index}": formula for index, formula in enumerate(system.given(s), 1)}
    for name in system.actions():
        if name not in TAKES_LOCK:
            yield one_ranked(system, name, s, givens)


def one_ranked(
    system: Ranking, name: str, s: SimpleNamespace, givens: Mapping[str, z3.BoolRef]
) -> Condition:
    """The condition of one action."""
    values, step = system.step(name, s)
    after = system.after(s, step)
    guards = {f"guard {index}": guard for index, guard in enumerate(step.guards, 1)}
    return Condition(
        RANK + name,
        "implication",
        {**givens, **system.invariant(s), **guards},
        system.keeps_rank(name, s, values["t"], after),
    )
