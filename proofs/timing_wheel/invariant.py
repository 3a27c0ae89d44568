"""Module TimingWheel as a system, and an invariant of the module itself: the fate of an entry.

An entry is in one hand or in one bucket until it is handed over, so that this happens once.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.timing_wheel.words import BUCKET, ENTRY, LEVEL, OPERATION, THREAD
from wheelproof.prove.arithmetic import POWER, mul
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.module.starts import starts
from wheelproof.prove.ts.system import WHOLE, array, conjunct

T, U = THREAD.consts("thread other_thread")
(E,) = ENTRY.consts("entry")
B, C = BUCKET.consts("bucket other_bucket")
(V,) = LEVEL.consts("a_level")
K = z3.Int("number")
NO_ONE, NO_ENTRY, NO_BUCKET, NO_LEVEL = THREAD.null, ENTRY.null, BUCKET.null, LEVEL.null
PUTS = ("W1", "W2", "A1", "W5")
"""Where a thread has an entry that it puts into the wheel."""
LINKS = ("W2", "A1", "A11", "W3", "W4")
"""Where a thread has a bucket to put one into."""
FLUSHES = ("V1", "F2", "V2", "V3")
EXPIRES = ("P1", "R2", "R4", "R5", "V4", "V5", "R6")
RETURNS = {
    "hand": ("L2", "F2"),
    "put": ("L2", "F2"),
    "add": ("T1",),
    "flush": ("P1", "Q1"),
    "expire": ("T1",),
    "withdraw": ("T1",),
}
"""Procedure -> the labels that it returns to."""


def number(s: SimpleNamespace, level: z3.ExprRef) -> z3.ArithRef:
    return s.WheelLevel_as_Int[level]


def tick(s: SimpleNamespace, level: z3.ExprRef) -> z3.ArithRef:
    """Tick of the module."""
    return POWER(s.WheelSize, number(s, level) - 1)


class Wheel(Invariant):
    """The generated system, and the conjuncts.

    ``Adder``, ``Adding``: entry -> the thread whose program adds it, and the operation's place.
    """

    RIGID = {"Adder": array(ENTRY, THREAD), "Adding": array(ENTRY, WHOLE)}

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The module's assumptions, and A-ONCE, A-REACH and A-POWER."""
        e = s.Program_2_WheelEntry[T][K]
        adds = s.Program_1_word[T][K] == OPERATION.value("add")
        there = And(T != NO_ONE, 1 <= K, K <= s.Program_length[T])
        once = And(e != NO_ENTRY, s.Adder[e] == T, s.Adding[e] == K)
        reach = mul(s.WheelSize, POWER(s.WheelSize, s.Levels - 1))
        return [
            *super().given(s),
            And(s.WheelSize >= 2, s.Levels >= 1, s.Start >= 0),
            ForAll([T, K], Implies(And(there, adds), once)),
            ForAll([E], Implies(E != NO_ENTRY, And(0 <= s.Deadline[E], s.Deadline[E] < reach))),
            ForAll([V], Implies(V != NO_LEVEL, tick(s, V) >= 1)),
        ]

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The formulas of Init, but for the number of adds."""
        return starts(self, s, ("adding",))

    def has(self, s: SimpleNamespace, t: z3.ExprRef, e: z3.ExprRef) -> z3.BoolRef:
        """The thread has the entry in hand."""
        return Or(
            And(self.at(s, t, "K2"), s.he[t] == e),
            And(self.at(s, t, *PUTS), s.ke[t] == e),
            And(self.at(s, t, "L1"), s.ae[t] == e),
        )

    # -- threads

    @conjunct
    def procedures_return_to_their_callers(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where a procedure is on a stack, it returns to its callers."""
        returns = [
            Or(
                [
                    getattr(s, f"ret_{name}")[T] == self.label(label)
                    for label in ("Nowhere", *labels)
                ]
            )
            for name, labels in RETURNS.items()
        ]
        return ForAll([T], Implies(T != NO_ONE, And(returns)))

    @conjunct
    def frames_are_of_what_runs(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure is on a stack where the thread is in it, or in one that it has called."""
        absences = {name: getattr(s, f"ret_{name}")[T] == self.label("Nowhere") for name in RETURNS}
        within = Or([getattr(s, f"ret_{name}")[T] == self.label("F2") for name in ("put", "hand")])
        return ForAll(
            [T],
            Implies(
                T != NO_ONE,
                And(
                    absences["hand"] != self.at(s, T, "K2"),
                    absences["put"] != self.at(s, T, *PUTS, *LINKS),
                    absences["flush"] != Or(self.at(s, T, *FLUSHES), within),
                ),
            ),
        )

    @conjunct
    def hands_hold_entries(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where a thread has something in hand, it is an entry."""
        return ForAll([T], Implies(T != NO_ONE, Not(self.has(s, T, NO_ENTRY))))

    @conjunct
    def turns_are_from_1(self, s: SimpleNamespace) -> z3.BoolRef:
        return ForAll([T], Implies(T != NO_ONE, s.turn[T] >= 1))

    # -- entries

    @conjunct
    def one_hand_has_it(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that a thread has in hand is in no other one, in no bucket, not handed over."""
        has = And(T != NO_ONE, E != NO_ENTRY, self.has(s, T, E))
        other_has = And(U != NO_ONE, U != T, self.has(s, U, E))
        return And(
            ForAll([T, E], Implies(has, s.handed[E] == 0)),
            ForAll([T, E, B], Implies(has, s.content[B][E] == 0)),
            ForAll([T, U, E], Not(And(has, other_has))),
        )

    @conjunct
    def one_bucket_has_it(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry in a bucket is there once, in no other one, and not handed over."""
        counts = ForAll([B, E], And(0 <= s.content[B][E], s.content[B][E] <= 1))
        there = s.content[B][E] > 0
        return And(
            counts,
            ForAll([B, E], Implies(there, s.handed[E] == 0)),
            ForAll([B, C, E], Implies(there, Or(C == B, s.content[C][E] == 0))),
        )

    @conjunct
    def fired_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """FiredOnce: an entry is handed over once at most."""
        return ForAll([E], And(0 <= s.handed[E], s.handed[E] <= 1))

    @conjunct
    def what_is_to_be_added_is_nowhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry whose add has not begun is in no hand, in no bucket, and not handed over."""
        e = s.Program_2_WheelEntry[T][K]
        adds = s.Program_1_word[T][K] == OPERATION.value("add")
        to_come = And(T != NO_ONE, s.turn[T] <= K, K <= s.Program_length[T], adds)
        return And(
            ForAll([T, K], Implies(to_come, s.handed[e] == 0)),
            ForAll([T, K, B], Implies(to_come, s.content[B][e] == 0)),
            ForAll([T, K, U], Implies(And(to_come, U != NO_ONE), Not(self.has(s, U, e)))),
        )

    # -- buckets and levels

    @conjunct
    def links_into_a_bucket(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that links or flushes has a bucket, and the entry that it puts."""
        links = Implies(self.at(s, T, *LINKS), And(s.bucket[T] != NO_BUCKET, s.ke[T] != NO_ENTRY))
        flushes = Implies(self.at(s, T, *FLUSHES), s.fb[T] != NO_BUCKET)
        calls = Or([target[T] == self.label("F2") for target in (s.ret_put, s.ret_hand)])
        within = Implies(calls, s.fb[T] != NO_BUCKET)
        has_polled = Implies(self.at(s, T, "R5"), s.polled[T] != NO_BUCKET)
        return ForAll([T], Implies(T != NO_ONE, And(links, flushes, within, has_polled)))

    @conjunct
    def puts_on_a_level_that_is_made(self, s: SimpleNamespace) -> z3.BoolRef:
        """The level is one that there is, and above it one can be made where an entry goes on."""
        level = s.level[T]
        there = And(level != NO_LEVEL, number(s, level) <= s.made)
        goes_on = Implies(self.at(s, T, "W5"), number(s, level) < s.Levels)
        expires = Or(self.at(s, T, *EXPIRES), s.ret_flush[T] == self.label("P1"))
        up = Implies(expires, And(s.up[T] != NO_LEVEL, number(s, s.up[T]) <= s.made))
        return And(
            And(1 <= s.made, s.made <= s.Levels),
            ForAll(
                [T],
                Implies(
                    T != NO_ONE,
                    And(
                        Implies(self.at(s, T, *PUTS, *LINKS), And(there, goes_on)),
                        up,
                        Implies(self.at(s, T, "V4", "V5"), s.expiration[T] >= 0),
                    ),
                ),
            ),
        )

    @conjunct
    def clocks_are_times(self, s: SimpleNamespace) -> z3.BoolRef:
        """The clock of a level that is made is at a time from 0."""
        is_made = And(V != NO_LEVEL, number(s, V) <= s.made)
        return ForAll([V], Implies(is_made, s.current[V] >= 0))
