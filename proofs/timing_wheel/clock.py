"""Module TimingWheel with one thread that expires: the clock, and where an entry is put.

The clock stands still while an entry is put into the wheel.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.arith.clock import trim
from proofs.arith.slots import slot, taken
from proofs.timing_wheel.invariant import (
    EXPIRES,
    FLUSHES,
    LINKS,
    NO_LEVEL,
    NO_ONE,
    E,
    K,
    T,
    V,
    Wheel,
    number,
    tick,
)
from proofs.timing_wheel.words import LEVEL, OPERATION, THREAD
from wheelproof.prove.arithmetic import POWER, mod, mul
from wheelproof.prove.ts.system import conjunct

(H,) = LEVEL.consts("level_above")
WRITES = ("R4", "R5", "V4", "V5", "R6")
"""Where the thread that expires has the write lock."""


def every_thread(formula: z3.BoolRef) -> z3.BoolRef:
    """The formula, about the thread T, for every thread that is one."""
    return ForAll([T], Implies(T != NO_ONE, formula))


def is_above(s: SimpleNamespace, high: z3.ExprRef, low: z3.ExprRef) -> z3.BoolRef:
    """The one level comes next to the other."""
    return And(low != NO_LEVEL, high != NO_LEVEL, number(s, high) == number(s, low) + 1)


class Clock(Wheel):
    """The system of entries with locks and clocks. ``Reaper``: the one thread that expires."""

    RIGID = {**Wheel.RIGID, "Reaper": THREAD.z3}

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """A-REAPER and A-POWER."""
        expires = s.Program_1_word[T][K] == OPERATION.value("expire")
        there = And(T != NO_ONE, 1 <= K, K <= s.Program_length[T])
        power = POWER(s.WheelSize, number(s, V)) == mul(s.WheelSize, tick(s, V))
        return [
            *super().given(s),
            ForAll([T, K], Implies(And(there, expires), T == s.Reaper)),
            POWER(s.WheelSize, z3.IntVal(0)) == 1,
            ForAll([V], Implies(V != NO_LEVEL, power)),
        ]

    def back(self, s: SimpleNamespace, name: str, *labels: str) -> z3.BoolRef:
        """The procedure is on the stack of the thread T, and returns to one of these labels."""
        return Or([getattr(s, f"ret_{name}")[T] == self.label(label) for label in labels])

    def is_made(self, s: SimpleNamespace, level: z3.ExprRef) -> z3.BoolRef:
        return And(level != NO_LEVEL, number(s, level) <= s.made)

    # -- the stack and the locks

    @conjunct
    def one_expires(self, s: SimpleNamespace) -> z3.BoolRef:
        """The thread that expires, and flushes for that, is the reaper."""
        expires = Or(self.at(s, T, *EXPIRES), self.back(s, "flush", "P1"))
        return every_thread(Implies(expires, T == s.Reaper))

    @conjunct
    def puts_again_what_it_expires(self, s: SimpleNamespace) -> z3.BoolRef:
        """A flush of the reaper's puts its entries again, and another hands them out."""
        flushes = Or(self.at(s, T, *FLUSHES), self.back(s, "put", "F2"), self.back(s, "hand", "F2"))
        return every_thread(
            And(
                Implies(flushes, self.back(s, "flush", "P1", "Q1")),
                Implies(And(flushes, self.back(s, "flush", "P1")), Not(s.away[T])),
                Implies(And(flushes, self.back(s, "flush", "Q1")), s.away[T]),
                Implies(self.back(s, "put", "F2"), Not(s.away[T])),
                Implies(And(self.at(s, T, "K2"), s.away[T]), self.back(s, "hand", "L2", "F2")),
            )
        )

    @conjunct
    def readers_add(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread has the read lock while it puts its entry, or hands it over."""
        adds = Or(self.at(s, T, "L2"), self.back(s, "put", "L2"), self.back(s, "hand", "L2"))
        return And(
            every_thread(s.readers[T] == adds),
            ForAll([T], Implies(s.readers[T], s.writer == NO_ONE)),
        )

    @conjunct
    def one_writes(self, s: SimpleNamespace) -> z3.BoolRef:
        """The write lock is held by the thread that is where it is held."""
        return every_thread((s.writer == T) == self.at(s, T, *WRITES))

    # -- clocks

    @conjunct
    def clocks_are_whole_ticks(self, s: SimpleNamespace) -> z3.BoolRef:
        """The clock of a level is a multiple of its tick."""
        whole = mod(s.current[V], tick(s, V)) == 0
        return ForAll([V], Implies(self.is_made(s, V), whole))

    @conjunct
    def clocks_fall(self, s: SimpleNamespace) -> z3.BoolRef:
        """A level's clock is not past that of the level below."""
        above = And(is_above(s, H, V), self.is_made(s, H))
        return ForAll([V, H], Implies(above, s.current[H] <= s.current[V]))

    @conjunct
    def advances_from_the_first(self, s: SimpleNamespace) -> z3.BoolRef:
        """The thread that expires begins with the first level."""
        first = s.up[T] == s.Int_as_WheelLevel[1]
        expires = Or(self.at(s, T, "P1", "R2", "R4", "R5"), self.back(s, "flush", "P1"))
        return every_thread(Implies(expires, first))

    @conjunct
    def advances_level_by_level(self, s: SimpleNamespace) -> z3.BoolRef:
        """A level's clock is to move a tick or more, after that of the level below has moved."""
        up, until = s.up[T], s.expiration[T]
        moves = And(T != NO_ONE, self.at(s, T, "V4"))
        follows = And(T != NO_ONE, self.at(s, T, "V5"))
        below = s.current[V] == trim(until, tick(s, V))
        return And(
            ForAll([T], Implies(moves, until >= s.current[up] + tick(s, up))),
            ForAll([T, V], Implies(And(moves, is_above(s, up, V)), below)),
            ForAll([T], Implies(follows, s.current[up] == trim(until, tick(s, up)))),
        )

    # -- where an entry is put

    @conjunct
    def due_at_the_bottom(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that comes to a level above the first one is not due there."""
        e, v = s.ke[T], s.level[T]
        clock, ticks = s.current[v], tick(s, v)
        comes = Or(number(s, v) == 1, s.Deadline[e] >= clock + ticks)
        return every_thread(
            And(
                Implies(self.at(s, T, "W1"), comes),
                Implies(self.at(s, T, "W5"), s.Deadline[e] >= clock + mul(s.WheelSize, ticks)),
            )
        )

    @conjunct
    def level_takes_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that links has the slot of its level that takes the entry."""
        v, due = s.level[T], s.Deadline[s.ke[T]]
        ticks = tick(s, v)
        place = mul(number(s, v) - 1, s.WheelSize) + slot(due, ticks, s.WheelSize) + 1
        takes = And(
            taken(due, s.current[v], ticks, s.WheelSize), s.WheelBucket_as_Int[s.bucket[T]] == place
        )
        return every_thread(Implies(self.at(s, T, *LINKS), takes))

    @conjunct
    def due_when_handed_over(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that is handed over, and not withdrawn, is due."""
        due = s.Deadline[s.he[T]] <= s.current[s.Int_as_WheelLevel[1]]
        return every_thread(Implies(And(self.at(s, T, "K2"), Not(s.withdrawn[T])), due))

    @conjunct
    def none_is_early(self, s: SimpleNamespace) -> z3.BoolRef:
        """Nothing was handed over before its deadline."""
        return ForAll([E], Not(s.early[E]))
