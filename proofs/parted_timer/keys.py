"""Module PartedTimer: keys, clocks and deadlines, as conjuncts of an invariant of the module.

The queue hands out a smallest key as long as no queued bucket gets another one (A-HEAP). It is
proved of all buckets together that none does.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.arith.clock import trim
from proofs.arith.slots import slot, taken
from proofs.parted_timer.invariant import (
    NO_ENTRY,
    NO_LEVEL,
    NO_LIST,
    NO_ONE,
    B,
    C,
    E,
    Parts,
    T,
    V,
    every_thread,
    number,
    tick,
    wakes,
)
from proofs.parted_timer.words import ENTRY, LEVEL, LIST, THREAD
from wheelproof.prove.arithmetic import POWER, mod, mul
from wheelproof.prove.module.scopes import First
from wheelproof.prove.ts.system import WHOLE, Step, array, conjunct

(H,) = LEVEL.consts("level_above")


def is_above(s: SimpleNamespace, high: z3.ExprRef, low: z3.ExprRef) -> z3.BoolRef:
    """The one level comes next to the other."""
    return And(low != NO_LEVEL, high != NO_LEVEL, number(s, high) == number(s, low) + 1)


class Keys(Parts):
    """The system with keys and deadlines.

    ``level_of``, ``slot_of``: of a bucket, by its number. Ghosts: ``token``, the thread that is to
    queue the bucket, or has taken it out and is to reset its key. ``linker``: the thread that has
    linked an entry last. ``unsorted``: that a queued bucket has got another key.
    """

    RIGID = {**Parts.RIGID, "level_of": array(LIST, LEVEL), "slot_of": array(LIST, WHOLE)}
    VARIABLES = {
        **Parts.VARIABLES,
        "token": array(LIST, THREAD),
        "linker": array(ENTRY, THREAD),
        "unsorted": z3.BoolSort(),
    }

    def taken(self, name: str, s: SimpleNamespace, t: z3.ExprRef, choices: object) -> Step:
        step = super().taken(name, s, t, choices)
        label = name.partition("_")[0]
        b = s.bucket[t] if label.startswith("W") else s.polled[t]
        ghosts: dict[str, z3.ExprRef] = {}
        if label == "W2":
            ghosts["linker"] = Store(s.linker, s.ke[t], t)
        if "key" in step.updates:
            differs = step.updates["key"][b] != s.key[b]
            ghosts["unsorted"] = Or(s.unsorted, And(differs, s.queue[b] > 0))
        if name in ("W3_to_W4", "R8_to_V2"):
            ghosts["token"] = Store(s.token, b, t)
        if label in ("W4", "V2"):
            ghosts["token"] = Store(s.token, b, NO_ONE)
        guards = (*step.guards, *self.first(s, self.way(name).firsts))
        return Step(guards, {**step.updates, **ghosts})

    def first(self, s: SimpleNamespace, firsts: Mapping[str, First]) -> list[z3.BoolRef]:
        """A-HEAP: the queue's first list has a smallest key, if no key has changed in it."""
        if "first_queue" not in firsts:
            return []
        b = firsts["first_queue"].element
        smaller = Or(s.queue[C] <= 0, s.key[b] <= s.key[C])
        return [ForAll([C], Or(s.unsorted, b == NO_LIST, smaller))]

    def pointers(self, s: SimpleNamespace) -> list[z3.ExprRef]:
        return [s.token, s.linker, s.level_of]

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Level and slot of a bucket, by its number; and A-POWER."""
        level, ticks = s.level_of[B], s.slot_of[B]
        place = mul(number(s, level) - 1, s.WheelSize) + ticks + 1
        size = s.WheelSize
        of_bucket = And(
            level != NO_LEVEL, s.PartedList_as_Int[B] == place, 0 <= ticks, ticks < s.WheelSize
        )
        power = POWER(size, number(s, V)) == mul(size, tick(s, V))
        return [
            *super().given(s),
            ForAll([B], Implies(s.Buckets[B], of_bucket)),
            POWER(size, z3.IntVal(0)) == 1,
            ForAll([V], Implies(V != NO_LEVEL, power)),
        ]

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*super().initially(s), ForAll([B], s.token[B] == NO_ONE), Not(s.unsorted)]

    def clock(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.ArithRef:
        """The clock of a bucket's level."""
        return s.current[s.level_of[b]]

    def tick_of(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.ArithRef:
        return tick(s, s.level_of[b])

    def gives(self, s: SimpleNamespace, b: z3.ExprRef, e: z3.ExprRef) -> z3.ArithRef:
        """The key that an entry gives a bucket."""
        return trim(s.Deadline[e], self.tick_of(s, b))

    def has_key(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
        return And(s.Buckets[b], s.key[b] != -1)

    # -- clocks and deadlines

    @conjunct
    def clocks_are_whole_ticks(self, s: SimpleNamespace) -> z3.BoolRef:
        """A level's clock is a multiple of its tick, and not past the time."""
        clock = s.current[V]
        whole = And(mod(clock, tick(s, V)) == 0, clock <= s.now)
        return ForAll([V], Implies(V != NO_LEVEL, whole))

    @conjunct
    def clocks_fall(self, s: SimpleNamespace) -> z3.BoolRef:
        """A level's clock is not past that of the level below, nor a tick behind the first one."""
        first = s.current[s.Int_as_PartedLevel[1]]
        return And(
            ForAll([V, H], Implies(is_above(s, H, V), s.current[H] <= s.current[V])),
            ForAll([V], Implies(V != NO_LEVEL, first < s.current[V] + tick(s, V))),
        )

    @conjunct
    def due_at_the_bottom(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that comes to a level above the first one is not due there."""
        e, v = s.ke[T], s.level[T]
        clock, ticks = s.current[v], tick(s, v)
        comes = Or(number(s, v) == 1, s.Deadline[e] >= clock + ticks)
        return every_thread(
            And(
                Implies(self.at(s, T, "W1"), comes),
                Implies(self.at(s, T, "W0"), s.Deadline[e] >= clock + mul(s.WheelSize, ticks)),
            )
        )

    @conjunct
    def due_when_handed_over(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that comes to the hand-over has reached its deadline, or is cancelled."""
        e = s.ke[T]
        due = s.Deadline[e] <= s.now
        return every_thread(
            And(
                Implies(self.at(s, T, "K1"), Or(due, self.is_cancelled(s, e))),
                Implies(self.at(s, T, "K2"), due),
            )
        )

    @conjunct
    def none_is_early(self, s: SimpleNamespace) -> z3.BoolRef:
        """Nothing was handed over before its deadline."""
        return ForAll([E], Not(s.early[E]))

    # -- buckets and keys

    @conjunct
    def bucket_takes_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that links has the bucket of its level that takes its entry, into its slot."""
        b, due = s.bucket[T], s.Deadline[s.ke[T]]
        ticks = self.tick_of(s, b)
        takes = And(
            s.level_of[b] == s.level[T],
            taken(due, self.clock(s, b), ticks, s.WheelSize),
            slot(due, ticks, s.WheelSize) == s.slot_of[b],
        )
        return every_thread(Implies(self.at(s, T, "W2", "W3", "W4"), takes))

    @conjunct
    def key_is_ahead(self, s: SimpleNamespace) -> z3.BoolRef:
        """A key is its slot's, in the turn of its level's clock, and not before any clock."""
        key, ticks = s.key[B], self.tick_of(s, B)
        ahead = And(
            mod(key, ticks) == 0,
            slot(key, ticks, s.WheelSize) == s.slot_of[B],
            self.clock(s, B) <= key,
            key < self.clock(s, B) + mul(ticks, s.WheelSize),
            s.current[s.Int_as_PartedLevel[1]] <= key,
        )
        return And(s.key[wakes(s)] == 0, ForAll([B], Implies(self.has_key(s, B), ahead)))

    @conjunct
    def token_is_held(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket's token is held by exactly the thread that has it out of the queue."""
        has = Or(
            And(self.at(s, T, "W4"), s.bucket[T] == B),
            And(self.at(s, T, "V2"), s.polled[T] == B),
        )
        return ForAll([B, T], Implies(And(B != NO_LIST, T != NO_ONE), (s.token[B] == T) == has))

    @conjunct
    def keyed_is_queued_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket with a key is in the queue once, or with one thread; one without is neither."""
        none = s.token[B] == NO_ONE
        once = s.queue[B] == If(And(s.key[B] != -1, none), 1, 0)
        return ForAll([B], Implies(s.Buckets[B], And(once, Or(s.key[B] != -1, none))))

    @conjunct
    def none_is_keyed_anew(self, s: SimpleNamespace) -> z3.BoolRef:
        """No bucket has got another key while it was queued."""
        return And(Not(s.unsorted), ForAll([B], Not(s.rekeyed[B])))

    @conjunct
    def advances_to_the_earliest(self, s: SimpleNamespace) -> z3.BoolRef:
        """The reaper's bucket is due, and its key the earliest, until the clock has come to it."""
        key, until = s.key[s.polled[T]], s.expiration[T]
        polls, moves = And(T != NO_ONE, self.at(s, T, "R5")), And(T != NO_ONE, self.at(s, T, "R7"))
        return And(
            ForAll([T, B], Implies(And(polls, self.has_key(s, B)), key <= s.key[B])),
            ForAll([T, B], Implies(And(moves, self.has_key(s, B)), until <= s.key[B])),
            ForAll([T], Implies(polls, key <= s.now)),
            ForAll([T], Implies(moves, until <= s.now)),
        )

    @conjunct
    def flushed_is_empty(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket whose flush has found no entry left has none."""
        empty = s.content[s.polled[T]][E] == 0
        return ForAll([T, E], Implies(And(T != NO_ONE, self.at(s, T, "R8", "V2")), empty))

    @conjunct
    def bucket_has_their_key(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket has the key of each of its entries, or that entry's thread is about to see."""
        t = s.linker[E]
        to_be = And(t != NO_ONE, self.at(s, t, "W3"), s.ke[t] == E, s.bucket[t] == B)
        same_key = s.key[B] == self.gives(s, B, E)
        there = And(E != NO_ENTRY, s.content[B][E] > 0)
        return ForAll([B, E], Implies(there, Or(same_key, to_be)))
