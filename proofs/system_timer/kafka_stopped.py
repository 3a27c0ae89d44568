"""The conditions of the end of module SystemTimer with Kafka's timer.

`system_timer_kafka_module` has the theorems.
"""

from __future__ import annotations

from collections.abc import Mapping

import z3
from z3 import ForAll, Not, Or

from proofs.system_timer import waits as waiting
from proofs.system_timer.kafka import KafkaEnds
from proofs.system_timer.kafka_ended import (
    CALLS,
    LOCKS,
    OF_KAFKA_ENDS,
    KeptKafkaEnds,
    RankedKafka,
    cited_ends,
)
from proofs.system_timer.links import at
from proofs.system_timer.steps import ENTRY, NO_THREAD, T
from proofs.system_timer.stopped import (
    Conditions,
    ConditionsOfRank,
    ConditionsOfSteps,
    ConditionsOfTheCounter,
    ConditionsOfTheEnd,
)

LOCKED = (*LOCKS, *CALLS, "flush_holds_the_monitor")
QUEUED = (
    *("bucket_has_their_key", "queued_or_held", "queue_is_a_bag", "key_is_of_an_entry"),
    *("clocks_are_whole_ticks", "linked_once", "linked_at_home"),
)
REAPED = ("links_are_listed", "is_at_its_turn", "reaps_until_it_is_over", *QUEUED)
END_NEEDS = {
    "free": LOCKED,
    "unread": LOCKED,
    "places": CALLS,
    "added": ("adds_are_listed", "is_at_its_turn"),
    "all tried": (*REAPED, "has_its_place"),
    "all fired": (*REAPED, "has_its_place", "refused_by_the_shut", "thrown_by_the_shut"),
    "all done": REAPED,
}
"""The conjuncts about a state in which no thread can step, by the condition that needs them."""


class ConditionsOfKafka(Conditions):
    """The conditions of the invariant of the end, with Kafka's timer."""

    BASE, KEEPS = KafkaEnds, KeptKafkaEnds
    HYPOTHESES = OF_KAFKA_ENDS

    def cites(self, premises: Mapping[str, z3.BoolRef]) -> dict[str, str]:
        return cited_ends(premises, self.HYPOTHESES)


class ConditionsOfKafkasRank(ConditionsOfKafka, ConditionsOfRank):
    """The same of the rank."""

    KEEPS, HYPOTHESES = RankedKafka, ()
    simulation: RankedKafka


class ConditionsOfKafkasSteps(ConditionsOfKafka, ConditionsOfSteps):
    """Where a thread does not wait, it can step."""

    HYPOTHESES = ()
    NEEDS = LOCKS


class ConditionsOfKafkasCounter(ConditionsOfKafka, ConditionsOfTheCounter):
    """The counter is the number of linked entries."""

    HYPOTHESES = ()


class ConditionsOfKafkasEnd(ConditionsOfKafka, ConditionsOfTheEnd):
    """The facts about a state in which no thread can step."""

    HYPOTHESES = ()
    NEEDS = END_NEEDS

    def claims(self) -> dict[str, z3.BoolRef]:
        s = self.simulation.s
        places = ForAll([T], Or(T == NO_THREAD, at(s, T, "Done", "Q1", "E1")))
        return super().claims() | {"places": places}

    def further(self, name: str) -> dict[str, z3.BoolRef]:
        s = self.simulation.s
        if not name.startswith("all "):
            return {}
        lives = {"no reaper has died": Not(s.reaperDied)}
        premise = {"not shut down": Not(s.shut)} if name == "all fired" else lives
        return {"time has come": waiting.has_come(s)} | premise

    def terms(self, name: str) -> list[z3.ExprRef]:
        """Further, of an entry in a bucket: the bucket, its thread, and the entry with its key."""
        s = self.simulation.s
        terms = super().terms(name)
        if not name.startswith("all "):
            return terms
        (entry,) = ENTRY.consts("any_Entry_1")
        e = s.row[1] if name == "all done" else entry
        b = s.home[e]
        queue_terms = [b, s.token[b], s.keyer[b], waiting.FIRST, s.keyer[waiting.FIRST]]
        return [*terms, e, *queue_terms, s.linker[e], s.last]
