"""Module SystemTimer with Kafka's timer and one reaper: no entry is handed over early.

A key that changes in the queue puts the heap out of order, and an entry may be late (D1). None is
early all the same. When the reaper has given the lock back, the queue's first bucket is not due, so
its key is past its level's clock. Others may come to the top until it polls, but with such keys
alone. So no adder can give another key to the bucket that the reaper polls without the lock: it is
still due when the clocks advance to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, ForAll, Implies, Not, Or, Store

from proofs.system_timer.ended import ADDS, MOVER
from proofs.system_timer.entries import B, cancelled
from proofs.system_timer.kafka_ended import KEYS, LOCKS, OF_KAFKA_ENDS, KeptKafkaEnds
from proofs.system_timer.kafka_reaper import (
    OF_KAFKA_REAPER,
    ConditionsOfKafkasReaper,
    KafkaReaper,
)
from proofs.system_timer.links import V, at, enters_for, every_thread, tick
from proofs.system_timer.simulation import TimerSimulation
from proofs.system_timer.steps import BUCKET, INT, NO_BUCKET, NO_THREAD, T
from proofs.system_timer.whole import OF_ENTRIES, KeptEntries, of_levels
from proofs.system_timer.words import NO_LEVEL
from wheelproof.prove.invariant.conditions import all_of
from wheelproof.prove.kernel import VC, ProofError
from wheelproof.prove.module.simulation import simple
from wheelproof.prove.ts.instances import cores
from wheelproof.prove.ts.system import array, conjunct


class KafkaDues(KafkaReaper):
    """The system of the one reaper, with the facts by which no entry is early.

    Ghosts: ``polls``, that the queue's first bucket was taken out, so that any may be first now.
    ``epoch``, how often the reaper has found the first one not to be due. ``seen``, of each bucket
    the last epoch in which it was that one, or was offered.
    """

    LEFT_OUT = ("none_is_keyed_anew", "puts_back_what_is_due")
    VARIABLES = {
        **KafkaReaper.VARIABLES,
        "polls": z3.BoolSort(),
        "epoch": INT,
        "seen": array(BUCKET, INT),
    }

    def ghosts(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        updates = super().ghosts(name, s, t)
        match name:
            case "Q1_to_Q2" | "R4_to_R5":
                updates["polls"] = z3.BoolVal(True)
            case "R4_to_back":
                first = self.way(name).firsts["first_queue"].element
                updates |= {
                    "polls": z3.BoolVal(False),
                    "epoch": s.epoch + 1,
                    "seen": Store(s.seen, first, s.epoch + 1),
                }
            case "W4_to_back":
                updates["seen"] = Store(s.seen, s.bucket[t], s.epoch)
        return updates

    def heap(self, name: str, s: SimpleNamespace) -> list[z3.BoolRef]:
        """A-ROOT: until a poll the first bucket is the one that was first, or one offered since."""
        first = self.way(name).firsts.get("first_queue")
        if first is None:
            return []
        b = first.element
        return [Or(b == NO_BUCKET, s.polls, s.seen[b] == s.epoch)]

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*super().initially(s), Not(s.polls), ForAll([B], s.seen[B] <= s.epoch)]

    def at_start(self, adds: Sequence[str]) -> dict[str, Any]:
        return {**super().at_start(adds), "epoch": 0}

    # -- the queue's first bucket

    @conjunct
    def seen_by_now(self, s: SimpleNamespace) -> z3.BoolRef:
        """No epoch is past the last one."""
        return ForAll([B], s.seen[B] <= s.epoch)

    def is_ahead(self, s: SimpleNamespace, b: z3.ExprRef) -> z3.BoolRef:
        """The bucket's key is past its level's clock."""
        return s.key[b] > s.current[s.level_of[b]]

    @conjunct
    def first_is_ahead(self, s: SimpleNamespace) -> z3.BoolRef:
        """The key of a possible first bucket is past the clock, where the reaper polls unlocked."""
        r = s.reaper
        free = Or(And(s.writer == NO_THREAD, Not(at(s, r, "Q2"))), at(s, r, "Q6"))
        may = And(B != NO_BUCKET, s.queue[B] > 0, s.seen[B] == s.epoch)
        return And(
            Or(s.shut, Not(free), Not(s.polls)),
            ForAll([B], Implies(And(Not(s.shut), free, may), self.is_ahead(s, B))),
        )

    @conjunct
    def offered_is_ahead(self, s: SimpleNamespace) -> z3.BoolRef:
        """The key of a bucket that an adder is to offer is past the clock."""
        offers = And(at(s, T, "W4"), enters_for(s, T, "A4"))
        return every_thread(Implies(offers, self.is_ahead(s, s.bucket[T])))

    @conjunct
    def polled_is_due(self, s: SimpleNamespace) -> z3.BoolRef:
        """A bucket that the reaper has polled is due, and no adder can give it another key."""
        b = s.polled[T]
        return every_thread(
            Or(
                s.shut,
                And(
                    Implies(at(s, T, "Q2"), And(s.key[b] <= s.now, self.is_ahead(s, b))),
                    Implies(at(s, T, "R5"), s.key[b] <= s.now),
                    Implies(at(s, T, "R7"), s.expiration[T] <= s.now),
                ),
            )
        )

    @conjunct
    def clocks_are_not_ahead(self, s: SimpleNamespace) -> z3.BoolRef:
        """No level's clock is past the time."""
        return ForAll([V], Or(s.shut, V == NO_LEVEL, s.current[V] <= s.now))

    # -- the hand-over

    @conjunct
    def due_when_handed(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that comes to the hand-over has reached its deadline, or is cancelled."""
        e = s.ke[T]
        due = s.Deadline[e] <= s.now
        return every_thread(
            Or(
                s.shut,
                And(
                    Implies(at(s, T, "K1"), Or(due, cancelled(s, e))), Implies(at(s, T, "K2"), due)
                ),
            )
        )


OF_KAFKA_DUES = tuple(
    conjunct
    for conjunct in KafkaDues.conjuncts()
    if conjunct not in (*OF_KAFKA_ENDS, *OF_KAFKA_REAPER, *OF_ENTRIES)
)
FREE = ("one_reaps", "first_is_ahead", "offered_is_ahead", "seen_by_now", *LOCKS)


class KeptKafkaDues(KeptKafkaEnds):
    """The conjuncts on deadlines, of Kafka's timer."""

    OWN = OF_KAFKA_DUES
    NEEDS: Mapping[str, tuple[str, ...]] = {
        "first_is_ahead": (*FREE, *KEYS, "thrown_by_the_shut", "clocks_are_not_ahead"),
        "offered_is_ahead": (*LOCKS, *KEYS),
        "polled_is_due": (*FREE, *KEYS, "reads_its_key", "clocks_are_not_negative"),
        "clocks_are_not_ahead": (*FREE, *KEYS, "polled_is_due"),
        "due_at_the_bottom": (*LOCKS, *KEYS, "clocks_fall"),
        "due_when_handed": (*ADDS, "due_at_the_bottom", "clocks_are_not_ahead"),
        "none_is_early": ("due_when_handed",),
    }

    def premises(self) -> dict[str, z3.BoolRef]:
        conjuncts = (*OF_KAFKA_ENDS, *OF_KAFKA_REAPER, *OF_KAFKA_DUES)
        return KeptEntries.premises(self) | {e: self.module.formula(e, self.s) for e in conjuncts}

    def further(self, name: str, goal: str) -> list[z3.ExprRef]:
        return [self.s.writer, self.s.reaper, self.s.polled[MOVER]]

    def instances(self, name: str) -> dict[str, z3.BoolRef]:
        match name:
            case "A3_to_W1" | "A3_to_W1_2" | "F2_to_W1" | "W0_to_W1":
                return TimerSimulation.instances(self, name)
            case "W3_to_W4":
                instances = super().instances(name)
                return {theorem: instances[theorem] for theorem in ("T17-insert #1", "trimmed #1")}
            case "R7_to_V1":
                until = self.s.expiration[MOVER]
                return {"trimmed #1": of_levels("trimmed", T=until, t=tick(self.s, V))}
        return {}


class ConditionsOfKafkasDues(ConditionsOfKafkasReaper):
    """The conditions of the invariant of deadlines, with Kafka's timer."""

    BASE, KEEPS = KafkaDues, KeptKafkaDues
    HYPOTHESES = OF_KAFKA_DUES

    def not_early(self) -> VC:
        """NotEarly follows. ProofError: it does not."""
        module, s = self.simulation.module, self.simulation.s
        assert isinstance(module, KafkaDues)
        pool = {"none_is_early": self.premises["none_is_early"]}
        goal = {"not early": simple(module.specified(s, "NotEarly"))}
        by_premise, conclusion, missing = cores(module, pool, goal)
        if missing:
            raise ProofError("NotEarly does not follow")
        premises = {name: all_of(parts) for name, parts in by_premise.items()}
        cites = dict.fromkeys(premises, "Inv.KafkaDues")
        return VC("not early", premises, conclusion, self.vivid(("K2_to_back",)), cites=cites)
