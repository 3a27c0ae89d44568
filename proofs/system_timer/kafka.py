"""Module SystemTimer with Kafka's timer: the facts that its end needs, as conjuncts.

Kafka's reaper flushes the bucket that it has polled before it had the lock. A bucket may get
another key while it is queued (D1), so that its entries are late, and the heap hands out any
bucket. None is lost all the same: a bucket with a key is in the queue, or a thread has it out of
the queue and is to offer it or to flush it. The key is read under the lock, and it is never before
those of the entries. So each entry that a flush takes is due on its bucket's level.

Nothing is assumed of the number of reapers, nor of the heap.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, ForAll, Implies, Not, Or, Store

from proofs.arith.slots import slot, taken
from proofs.system_timer.either import EitherTimer
from proofs.system_timer.ends import UNLINKED, Ends
from proofs.system_timer.entries import B
from proofs.system_timer.links import (
    IN_EXPIRE,
    IN_REAP,
    OF_KAFKA,
    K,
    V,
    at,
    enters_for,
    every_thread,
    tick,
)
from proofs.system_timer.steps import (
    BUCKET,
    ENTRY,
    NO_BUCKET,
    NO_ENTRY,
    NO_THREAD,
    PLACE,
    THREAD,
    E,
    T,
)
from proofs.system_timer.words import CALLBACK, NO_LEVEL, OPERATION, TIMER
from wheelproof.prove.arithmetic import mod, mul
from wheelproof.prove.ts.system import array, conjunct

OF_CORRECTED = (
    "due_at_the_bottom",
    "due_when_handed",
    "none_is_early",
    "none_is_keyed_anew",
    "puts_back_what_is_due",
)
"""Conjuncts that are not claimed of Kafka's timer."""
HOLDING = ("Q2", "R5", "R7", "V1", "F2", "F3", "V2")
"""Labels at which a reaper has a bucket that it is to flush, besides those of addTimerTaskEntry."""


class KafkaEnds(Ends):
    """The system of the end, of Kafka's timer.

    Ghosts: ``keyer``, the entry that a bucket has its key of. ``last``, the thread that had the
    write lock when a reap returned last.
    """

    TIMERS = ("KafkaTimer",)
    LEFT_OUT: tuple[str, ...] = OF_CORRECTED
    WAITS_AT = ("Q1", "Q2")
    VARIABLES = {**Ends.VARIABLES, "keyer": array(BUCKET, ENTRY), "last": THREAD.z3}

    @classmethod
    def declared(cls, kind: type) -> dict[str, Any]:
        table = super().declared(kind)
        return {
            name: declaration for name, declaration in table.items() if name not in cls.LEFT_OUT
        }

    def ghosts(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        updates = super().ghosts(name, s, t)
        match name:
            case "W3_to_W4":
                updates["keyer"] = Store(s.keyer, s.bucket[t], s.ke[t])
            case "Q1_to_back":
                updates |= {"over": z3.BoolVal(True), "last": s.writer}
        return updates

    def heap(self, name: str, s: SimpleNamespace) -> list[z3.BoolRef]:
        return EitherTimer.heap(self, name, s)

    def of_timer(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Which timer it is. ``reaper``: any thread."""
        return [s.Timer == TIMER.KafkaTimer, s.reaper != NO_THREAD]

    def at_start(self, adds: Sequence[str]) -> dict[str, Any]:
        return {**super().at_start(adds), "last": None}

    # -- locks and calls

    @conjunct
    def is_kafkas(self, s: SimpleNamespace) -> z3.BoolRef:
        """No thread is in reap, and kafkaReap has called expire."""
        is_called = And(
            s.ret_expire[T] == PLACE.Q6,
            s.ret_kafkaReap[T] == PLACE.T1,
            s.callback[T] == CALLBACK.addTimerTaskEntry,
        )
        return And(
            ForAll([T], Not(at(s, T, *IN_REAP))), every_thread(Implies(self.expires(s), is_called))
        )

    def writes(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread is where a reaper has the write lock."""
        return Or(at(s, t, "Q6", *IN_EXPIRE), enters_for(s, t, "F3"))

    @conjunct
    def one_at_a_time(self, s: SimpleNamespace) -> z3.BoolRef:
        """The one thread that has the write lock flushes, while no thread reads."""
        return And(
            every_thread((s.writer == T) == self.writes(s, T)),
            ForAll([T], Implies(s.readers[T], s.writer == NO_THREAD)),
            Not(s.readers[NO_THREAD]),
        )

    @conjunct
    def thrown_by_the_shut(self, s: SimpleNamespace) -> z3.BoolRef:
        """An exception is on its way, or has ended a reaper, if the executor is shut down alone."""
        return And(ForAll([T], Implies(s.thrown[T], s.shut)), Implies(s.reaperDied, s.shut))

    def reaps(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        return Or(at(s, t, *OF_KAFKA, *IN_EXPIRE), enters_for(s, t, "F3"))

    # -- clocks and keys

    @conjunct
    def clocks_are_whole_ticks(self, s: SimpleNamespace) -> z3.BoolRef:
        """A level's clock is a multiple of its tick."""
        return And(0 <= s.now, ForAll([V], Or(V == NO_LEVEL, mod(s.current[V], tick(s, V)) == 0)))

    @conjunct
    def goes_where_it_fits(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that is put into a bucket is taken by its level, into its slot."""
        b, due = s.bucket[T], s.Deadline[s.ke[T]]
        level, size = s.level_of[b], s.WheelSize
        goes = at(s, T, "W2", "W3")
        return every_thread(
            And(
                Implies(goes, taken(due, s.current[level], tick(s, level), size)),
                Implies(goes, slot(due, tick(s, level), size) == s.slot_of[b]),
            )
        )

    @conjunct
    def keys_are_of_their_slots(self, s: SimpleNamespace) -> z3.BoolRef:
        """A key is a multiple of its bucket's tick, of its slot, and within the turn or past."""
        level, size = s.level_of[B], s.WheelSize
        number = tick(s, level)
        return ForAll(
            [B],
            Implies(
                And(B != NO_BUCKET, s.key[B] != -1),
                And(
                    mod(s.key[B], number) == 0,
                    slot(s.key[B], number, size) == s.slot_of[B],
                    s.key[B] < s.current[level] + mul(number, size),
                ),
            ),
        )

    @conjunct
    def bucket_has_their_key(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket's key is not before that of an entry in it, or that entry's thread is to see."""
        t = s.linker[E]
        has_key = And(s.key[B] != -1, s.Deadline[E] < s.key[B] + tick(s, s.level_of[B]))
        to_be = And(t != NO_THREAD, at(s, t, "W3"), s.ke[t] == E, s.bucket[t] == B)
        return ForAll([B, E], Implies(s.content[B][E] > 0, Or(has_key, to_be)))

    @conjunct
    def key_is_of_an_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """A key is not past the deadline of the entry that it is of."""
        e = s.keyer[B]
        keyless = Or(B == NO_BUCKET, s.key[B] == -1)
        return ForAll([B], Or(keyless, And(e != NO_ENTRY, s.key[B] <= s.Deadline[e])))

    # -- the queue

    def holds(self, s: SimpleNamespace, t: z3.ExprRef, b: z3.ExprRef) -> z3.BoolRef:
        """The thread has the bucket out of the queue: it is to offer it, or to flush it."""
        flushes = Or(at(s, t, *HOLDING), enters_for(s, t, "F3"))
        return Or(And(at(s, t, "W4"), s.bucket[t] == b), And(flushes, s.polled[t] == b))

    @conjunct
    def queued_or_held(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket with a key is in the queue, or a thread is to offer or to flush it.

        Or an exception ends a reaper, or has ended one.
        """
        t, w = s.token[B], s.writer
        in_hand = And(t != NO_THREAD, self.holds(s, t, B))
        keyless = Or(B == NO_BUCKET, s.key[B] == -1)
        ends = And(w != NO_THREAD, at(s, w, "V3", "Q6"), s.thrown[w])
        return ForAll([B], Or(keyless, s.queue[B] > 0, in_hand, ends, s.reaperDied))

    @conjunct
    def queue_is_a_bag(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket is in the queue a number of times that is not below 0."""
        return ForAll([B], 0 <= s.queue[B])

    @conjunct
    def flushed_is_empty(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket whose flush has found no entry left has none."""
        return ForAll([T, E], Implies(at(s, T, "V2"), s.content[s.polled[T]][E] <= 0))

    # -- programs

    @conjunct
    def reaps_until_it_is_over(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once a reap has returned, no entry is linked or in hand, or another thread reaps.

        It is so unless an exception has ended a reaper.
        """
        t = s.reaper
        has_begun = And(1 <= K, K < s.turn[t], K <= s.Program_length[t])
        reap = s.Program_1_word[t][K] == OPERATION.reap
        other_reaps = And(s.last != NO_THREAD, self.reaps(s, s.last))
        is_unlinked = And(T != NO_THREAD, at(s, T, *UNLINKED))
        over = And(s.over, Not(s.reaperDied))
        return And(
            ForAll([K], Implies(And(has_begun, reap), Or(s.reaperDied, s.over, self.reaps(s, t)))),
            Implies(over, And(s.adding == 0, Or(s.taskCounter == 0, other_reaps))),
            ForAll([T], Implies(And(over, is_unlinked), other_reaps)),
        )
