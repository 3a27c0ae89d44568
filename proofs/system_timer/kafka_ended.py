"""The goals of each way of module SystemTimer with Kafka's timer, and its effect on the rank.

No premise is of the proof's system, which is of the corrected timer: the conjuncts on locks, keys
and the queue are of the module itself.
"""

from __future__ import annotations

from collections.abc import Mapping

import z3

from proofs.system_timer.ended import (
    ADDS,
    MOVER,
    ONCE,
    KeptEnds,
    Ranked,
)
from proofs.system_timer.kafka import KafkaEnds
from proofs.system_timer.links import V, tick
from proofs.system_timer.ranking import KafkaRank
from proofs.system_timer.simulation import TimerSimulation
from proofs.system_timer.steps import STATEMENTS
from proofs.system_timer.whole import OF_ENTRIES, KeptDues, KeptEntries, of_levels

OF_KAFKA_ENDS = tuple(conjunct for conjunct in KafkaEnds.conjuncts() if conjunct not in OF_ENTRIES)
CALLS = ("entering_is_called", "level_is_one", "calls_return", "kafka_is_elsewhere", "is_kafkas")
"""The premises of every proof."""
LOCKS = ("one_at_a_time", "readers_add", "polled_is_one")
KEYS = ("keys_are_of_their_slots", "goes_where_it_fits", "clocks_are_whole_ticks")


class KeptKafkaEnds(KeptEnds):
    """The conjuncts on the end, of Kafka's timer."""

    OWN = OF_KAFKA_ENDS
    CALLS = CALLS
    NEEDS: Mapping[str, tuple[str, ...]] = {
        **{
            name: KeptEnds.NEEDS[name]
            for name in (
                *("linked_at_home", "comes_from_home", "falls", "has_its_place"),
                *("links_are_listed", "adds_are_listed", "is_at_its_turn"),
            )
        },
        "one_at_a_time": LOCKS,
        "reads_its_key": LOCKS,
        "flush_holds_the_monitor": LOCKS,
        "goes_where_it_fits": (*LOCKS, *KEYS),
        "keys_are_of_their_slots": (*LOCKS, *KEYS),
        "bucket_has_their_key": (*ONCE, *LOCKS, *KEYS, "flushed_is_empty"),
        "key_is_of_an_entry": KEYS,
        "flushed_is_empty": (*LOCKS, *ONCE),
        "flushed_is_due": (
            *(*ONCE, *LOCKS, *KEYS, "falls", "reads_its_key", "bucket_has_their_key"),
        ),
        "clocks_fall": KEYS,
        "queued_or_held": (*LOCKS, "queue_is_a_bag"),
        "reaps_until_it_is_over": (*(*LOCKS, *ADDS, *ONCE, "adds_are_listed", "links_are_listed"),),
    }

    def premises(self) -> dict[str, z3.BoolRef]:
        conjuncts = {name: self.module.formula(name, self.s) for name in OF_KAFKA_ENDS}
        return KeptEntries.premises(self) | conjuncts

    def further(self, name: str, goal: str) -> list[z3.ExprRef]:
        s = self.s
        if goal == "reaps_until_it_is_over":
            return [s.writer, s.last, *super().further(name, goal)]
        return super().further(name, goal)

    def instances(self, name: str) -> dict[str, z3.BoolRef]:
        """Theorems on numbers, of clocks and keys."""
        s = self.s
        bucket = s.bucket[MOVER]
        level = s.level_of[bucket]
        match name:
            case "W1_to_W2":
                return TimerSimulation.instances(self, name)
            case "W3_to_W4" | "W3_to_back":
                due, ticks = s.Deadline[s.ke[MOVER]], tick(s, level)
                old, clock = s.key[bucket], s.current[level]
                terms = {"e": due, "x": old, "c": clock, "t": ticks, "w": s.WheelSize}
                return {
                    "T17-insert #1": STATEMENTS["T17-insert"].at(terms),
                    "trimmed #1": STATEMENTS["trimmed"].at({"T": due, "t": ticks}),
                    "from_zero #1": STATEMENTS["from_zero"].at({"a": due, "t": ticks}),
                }
            case "R7_to_V1":
                until, low = s.expiration[MOVER], tick(s, V)
                instances = KeptDues.instances(self, name)
                del instances["T17-clock #1"]
                gap = {"a": s.current[V], "b": until, "t": low}
                return instances | {
                    "trimmed #2": of_levels("trimmed", T=until, t=low),
                    "aligned_gap #1": of_levels("aligned_gap", **gap),
                }
            case "start":
                return KeptDues.instances(self, name)
        return super().instances(name)


class RankedKafka(KeptKafkaEnds, Ranked):
    """The effects of the ways on the rank, with Kafka's timer."""

    OWN = ()
    RANK = KafkaRank
    NEEDS = {
        part: needs
        for measure, needs in {
            "reach": ("falls", "comes_from_home"),
            "linked": ("linked_once",),
            "queue": ("queue_is_a_bag",),
            "stage": (),
        }.items()
        for part in (measure, f"lowers {measure}")
    }


def cited_ends(premises: Mapping[str, z3.BoolRef], hypotheses: tuple[str, ...]) -> dict[str, str]:
    """The theorems whose statements are premises, by premise; ``hypotheses``: as for `cited`."""
    theorems = {name: name.partition(" #")[0] for name in premises if " #" in name}
    theorems |= {name: "Inv.Entries" for name in premises if name in OF_ENTRIES}
    return theorems | {
        name: "Inv.KafkaEnds"
        for name in premises
        if name in OF_KAFKA_ENDS and name not in (*hypotheses, *OF_ENTRIES)
    }
