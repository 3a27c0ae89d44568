"""Faults of module SystemTimer with which Kafka's timer loses an entry, or its runs do not end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import z3

from proofs.protocols.system_timer_ended_planted import COUNTS as COUNTS_OF_CORRECTED
from proofs.protocols.system_timer_ended_planted import ENDS as ENDS_OF_CORRECTED
from proofs.protocols.system_timer_ended_planted import (
    LAST,
    TOO_EARLY,
    OfClaim,
    OfCounter,
    OfEnd,
    OfRank,
    OfWaits,
)
from proofs.protocols.system_timer_ended_planted import WAITS as WAITS_OF_CORRECTED
from proofs.protocols.system_timer_kafka import KafkaEnds
from proofs.protocols.system_timer_kafka_ended import KeptKafkaEnds, RankedKafka
from proofs.protocols.system_timer_ranking import KafkaRank
from proofs.protocols.system_timer_runs import scenario


def with_kafkas(program: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario with Kafka's timer."""
    return {**program, "timer": "KafkaTimer"}


class OfKafkasRank(OfRank):
    base, simulation = KafkaEnds, RankedKafka


class OfKafkasCounter(OfCounter):
    base, simulation = KafkaEnds, KeptKafkaEnds


class OfKafkasWaits(OfWaits):
    base = KafkaEnds


class OfKafkasClaim(OfClaim):
    base, program = KafkaEnds, with_kafkas(LAST)


class NoReach(KafkaRank):
    """A rank in which no entry has a level to fall below."""

    def reach(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.ArithRef:
        return z3.IntVal(0)


class WithoutReach(RankedKafka):
    RANK = NoReach


TWO_BUCKETS = scenario({"one": 1, "two": 2}, size=3, a="add one; add two", c="tick; tick", r="reap")
POLLS = (
    'R4(self) == /\\ pc[self] = "R4"\n'
    "            /\\ IF Due\n"
    "                  THEN /\\ polled' = [polled EXCEPT ![self] = queue[1]]\n"
    "                       /\\ queue' = Poll(queue, key)\n"
)
RANKS: tuple[OfRank | OfClaim, ...] = (
    OfKafkasRank(
        "clocks stand still",
        "a flush advances no clock: it puts its entries back into their bucket",
        "THEN Trim(expiration[self], l) ELSE current[l]]",
        "THEN current[l] ELSE current[l]]",
        with_kafkas(LAST),
        "W2_to_W3: lowers reach",
        "",
    ),
    OfKafkasRank(
        "polls without taking",
        "under the lock the reaper leaves in the queue what it polls",
        POLLS,
        POLLS.replace("Poll(queue, key)", "queue"),
        with_kafkas(TWO_BUCKETS),
        "R4_to_R5: lowers queue",
        "",
    ),
    OfKafkasClaim(
        "no reach",
        "a rank in which an entry has no level to fall below",
        WithoutReach,
        "W2_to_W3: lowers reach",
    ),
)
WAITS = tuple(
    OfKafkasWaits(each.name, each.says, each.label, each.old, each.new, with_kafkas(each.program))
    for each in WAITS_OF_CORRECTED
)
COUNTS = tuple(
    OfKafkasCounter(
        *(each.name, each.says, each.old, each.new, with_kafkas(each.program)),
        *(each.goal, each.property),
    )
    for each in COUNTS_OF_CORRECTED
)
OF_BOTH = {each.name: each for each in ENDS_OF_CORRECTED}
ENDS = (
    OfEnd(
        "refused",
        "D6: a refusal has ended the reaper in the middle of a bucket",
        "AllTried",
        "kafka_closing",
    ),
    OfEnd(
        "leaves one",
        "a flush leaves the last entry in its bucket, and resets the bucket's key",
        "AllTried",
        with_kafkas(LAST),
        'F2(self) == /\\ pc[self] = "F2"\n            /\\ IF content[polled[self]] # <<>>\n',
        'F2(self) == /\\ pc[self] = "F2"\n            /\\ IF Len(content[polled[self]]) > 1\n',
    ),
    replace(OF_BOTH["queues nothing"], program=with_kafkas(LAST)),
    OfEnd(
        "shut down",
        "the executor is shut down, and refuses what comes due",
        "AllFired",
        "kafka_closing",
    ),
    replace(OF_BOTH["counts twice"], program=with_kafkas(LAST)),
    replace(OF_BOTH["waits for its own add"], program=with_kafkas(TOO_EARLY)),
)
"""Faults that the theorems reject, by the claim that is false where a run ends."""
