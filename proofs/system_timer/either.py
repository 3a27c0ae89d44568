"""Module SystemTimer with either of its timers, Kafka's and the corrected one: stacks and entries.

The links of `system_timer_links` that speak of one timer speak of both here. Nothing is assumed of
the number of reapers, nor of the queue's order.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, Implies, Or

from proofs.system_timer.links import (
    IN_ADD,
    IN_EXPIRE,
    IN_REAP,
    OF_KAFKA,
    Linked,
    at,
    enters_for,
    every_thread,
)
from proofs.system_timer.steps import NO_BUCKET, NO_ENTRY, NO_THREAD, PLACE, T
from proofs.system_timer.words import CALLBACK, NO_TASK
from wheelproof.prove.module.scopes import Frames
from wheelproof.prove.module.terms import Terms
from wheelproof.prove.ts.system import conjunct

_NO_FRAMES = Frames()


class EitherTimer(Linked):
    """The linked system, whichever timer it is."""

    TIMERS: tuple[str, ...] = ("SystemTimer", "KafkaTimer")

    def specified(self, s: SimpleNamespace, name: str) -> z3.BoolRef:
        """A property of the specification, as SANY has read it.

        OutsideSubset: no term is made of it.
        """
        terms = Terms(self.WORDS, s, self.SHAPES, _NO_FRAMES)
        return terms.truth(self.MODULE.definition(name).body, {})

    def of_timer(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return []

    def heap(self, name: str, s: SimpleNamespace) -> list[z3.BoolRef]:
        return []

    def expires(self, s: SimpleNamespace) -> z3.BoolRef:
        """The thread T is in expire, or in a procedure that expire calls."""
        return Or(at(s, T, *IN_EXPIRE), enters_for(s, T, "F3"))

    @conjunct
    def calls_return(self, s: SimpleNamespace) -> z3.BoolRef:
        """The other procedures are called by the program, and expire by one of the reapers'."""
        by_reap = And(
            s.ret_expire[T] == PLACE.R6,
            s.ret_reap[T] == PLACE.T1,
            s.callback[T] == CALLBACK.reinsert,
        )
        of_kafka = And(
            s.ret_expire[T] == PLACE.Q6,
            s.ret_kafkaReap[T] == PLACE.T1,
            s.callback[T] == CALLBACK.addTimerTaskEntry,
        )
        return every_thread(
            And(
                Implies(
                    Or(at(s, T, "A1", "A2", "A3", "A4"), enters_for(s, T, "A4")),
                    s.ret_add[T] == PLACE.T1,
                ),
                Implies(at(s, T, "X1"), And(s.ret_cancel[T] == PLACE.T1, s.ct[T] != NO_TASK)),
                Implies(at(s, T, "B1"), s.ret_close[T] == PLACE.T1),
                Implies(at(s, T, *IN_REAP), s.ret_reap[T] == PLACE.T1),
                Implies(at(s, T, *OF_KAFKA), s.ret_kafkaReap[T] == PLACE.T1),
                Implies(self.expires(s), Or(by_reap, of_kafka)),
                Implies(at(s, T, "E2"), s.task[T] != NO_ENTRY),
            ),
        )

    @conjunct
    def kafka_is_elsewhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """The null thread is between operations."""
        return at(s, NO_THREAD, "Idle")

    def thrown_is_caught(self, s: SimpleNamespace) -> z3.BoolRef:
        """No claim: nothing that is proved of both depends on where an exception goes."""
        return z3.BoolVal(True)

    @conjunct
    def readers_add(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread has the read lock in add, from its lock to its unlock, and nowhere else."""
        return every_thread(
            And(
                Implies(s.readers[T], at(s, T, "A2", "A3", "A4", *IN_ADD)),
                Implies(at(s, T, "A2", "A3", "A4"), s.readers[T]),
            )
        )

    @conjunct
    def polled_is_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """From its poll to the end of its flush a reaper has a bucket."""
        has_polled = at(s, T, "R2", "R3", "R5", "R7", "V1", "F2", "F3", "V2", "Q2")
        has = Or(has_polled, enters_for(s, T, "F3"))
        return every_thread(Implies(has, s.polled[T] != NO_BUCKET))
