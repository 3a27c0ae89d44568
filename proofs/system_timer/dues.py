"""Module SystemTimer: keys, clocks and deadlines, as conjuncts of an invariant of the module.

This is about the corrected timer. In Kafka's a bucket may get another key while it is queued (D1).
The properties are those of module SystemTimerProperties. `specified` has them as SANY has read
them. The two that count places of a sequence are written here as formulas.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Exists, ForAll, If, Implies, Not, Or, Store

from proofs.arith.clock import trim
from proofs.system_timer.entries import B, Entries, cancelled
from proofs.system_timer.links import Linked, V, at, every_thread, number, tick
from proofs.system_timer.steps import (
    ENTRY,
    NO_BUCKET,
    NO_ENTRY,
    NO_THREAD,
    THREAD,
    E,
    T,
)
from proofs.system_timer.words import LEVEL, NO_LEVEL
from wheelproof.prove.arithmetic import POWER, mod, mul
from wheelproof.prove.ts.system import array, conjunct, safety

(H,) = LEVEL.consts("level_above")


def is_above(s: SimpleNamespace, high: z3.ExprRef, low: z3.ExprRef) -> z3.BoolRef:
    """The one level comes next to the other."""
    return And(low != NO_LEVEL, high != NO_LEVEL, number(s, high) == number(s, low) + 1)


class Dues(Entries):
    """The system of entries with keys and deadlines, of the corrected timer.

    Ghost: ``linker``, the thread that has put the entry into its bucket.
    """

    TIMERS = Linked.TIMERS
    VARIABLES = {**Entries.VARIABLES, "linker": array(ENTRY, THREAD)}

    def ghosts(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        ghosts = super().ghosts(name, s, t)
        return ghosts | {"linker": Store(s.linker, s.ke[t], t)} if name == "W2_to_W3" else ghosts

    def of_timer(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return Linked.of_timer(self, s)

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        size = s.WheelSize
        return [
            *super().given(s),
            # The module's own assumption.
            ForAll([E], Implies(E != NO_ENTRY, 0 <= s.Deadline[E])),
            # A-POWER
            POWER(size, z3.IntVal(0)) == 1,
            ForAll(
                [V],
                Implies(V != NO_LEVEL, POWER(size, number(s, V)) == mul(size, tick(s, V))),
            ),
        ]

    @conjunct
    def clocks_are_whole_ticks(self, s: SimpleNamespace) -> z3.BoolRef:
        """A level's clock is a multiple of its tick, and not past the time."""
        clock = s.current[V]
        return ForAll([V], Implies(V != NO_LEVEL, And(mod(clock, tick(s, V)) == 0, clock <= s.now)))

    @conjunct
    def clocks_fall(self, s: SimpleNamespace) -> z3.BoolRef:
        """A level's clock is not past that of the level below."""
        return ForAll([V, H], Implies(is_above(s, H, V), s.current[H] <= s.current[V]))

    @conjunct
    def due_at_the_bottom(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that comes to a level above the first one is not due there."""
        e, v = s.ke[T], s.level[T]
        clock, ticks = s.current[v], tick(s, v)
        return every_thread(
            And(
                Implies(at(s, T, "W1"), Or(number(s, v) == 1, s.Deadline[e] >= clock + ticks)),
                Implies(at(s, T, "W0"), s.Deadline[e] >= clock + mul(s.WheelSize, ticks)),
            )
        )

    @conjunct
    def due_when_handed(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that comes to the hand-over has reached its deadline, or is cancelled."""
        e = s.ke[T]
        due = s.Deadline[e] <= s.now
        return every_thread(
            And(
                Implies(at(s, T, "K1"), Or(due, cancelled(s, e))),
                Implies(at(s, T, "K2"), due),
            )
        )

    @conjunct
    def none_is_early(self, s: SimpleNamespace) -> z3.BoolRef:
        """Nothing was handed over before its deadline."""
        return ForAll([E], Not(s.early[E]))

    @conjunct
    def bucket_has_their_key(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket has the key of each of its entries, or that entry's thread is about to see."""
        t = s.linker[E]
        has_key = s.key[B] == trim(s.Deadline[E], tick(s, s.level_of[B]))
        to_be = And(t != NO_THREAD, at(s, t, "W3"), s.ke[t] == E, s.bucket[t] == B)
        return ForAll([B, E], Implies(s.content[B][E] > 0, Or(has_key, to_be)))

    @conjunct
    def none_is_keyed_anew(self, s: SimpleNamespace) -> z3.BoolRef:
        """No bucket has got another key while it was queued."""
        return ForAll([B], Not(s.rekeyed[B]))

    # -- what follows

    @safety("Timer.NotEarly")
    def not_early(self, s: SimpleNamespace) -> z3.BoolRef:
        """No entry is handed to the executor before its deadline."""
        return self.specified(s, "NotEarly")

    def halfway(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
        """Halfway of the specification."""
        return Exists([T], And(T != NO_THREAD, at(s, T, "W3", "W4"), s.bucket[T] == b))

    @safety("Timer.KeyBeforeDeadline")
    def key_before_deadline(self, s: SimpleNamespace) -> z3.BoolRef:
        """No bucket waits in the queue longer than one of its entries."""
        waits = And(Not(self.halfway(s, B)), s.queue[B] > 0, s.content[B][E] > 0)
        return ForAll([B, E], Implies(waits, s.key[B] <= s.Deadline[E]))

    @safety("Timer.QueuedOnceWithItsKey")
    def queued_once_with_its_key(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket with entries is queued once, or polled, and its key never changes meanwhile."""
        waits = And(at(s, s.reaper, "R2", "Q2"), s.polled[s.reaper] == B)
        has_entry = And(B != NO_BUCKET, s.content[B][E] > 0, Not(self.halfway(s, B)))
        return And(
            ForAll([B], Not(s.rekeyed[B])),
            ForAll([B], Implies(B != NO_BUCKET, And(0 <= s.queue[B], s.queue[B] <= 1))),
            ForAll([T], Or(T == NO_THREAD, T == s.reaper, Not(at(s, T, "R2", "Q2")))),
            ForAll(
                [B, E],
                Implies(
                    And(s.writer == NO_THREAD, E != NO_ENTRY, has_entry),
                    s.queue[B] + If(waits, z3.IntVal(1), z3.IntVal(0)) == 1,
                ),
            ),
        )

    @safety("Timer.LatenessBound")
    def lateness_bound(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where the reaper is idle, nothing queued is due and no adder is inside, none is late.

        The deadline of each entry in a bucket is then still to come.
        """
        waits = And(T != NO_THREAD, at(s, T, "R2", "Q2"))
        idle = And(
            s.writer == NO_THREAD,
            ForAll([T], Not(Or(s.readers[T], waits))),
            # A-HEAP: the first key is the smallest one.
            ForAll([B], Implies(And(B != NO_BUCKET, s.queue[B] > 0), s.now < s.key[B])),
        )
        is_linked = And(E != NO_ENTRY, B != NO_BUCKET, s.content[B][E] > 0)
        return ForAll([B, E], Implies(And(idle, is_linked), s.now < s.Deadline[E]))
