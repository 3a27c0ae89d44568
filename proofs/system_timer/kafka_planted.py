"""Faults of module SystemTimer with which Kafka's timer loses an entry, or its runs do not end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, ClassVar

import z3

from proofs.system_timer.ended_planted import COUNTS as COUNTS_OF_CORRECTED
from proofs.system_timer.ended_planted import ENDS as ENDS_OF_CORRECTED
from proofs.system_timer.ended_planted import (
    LAST,
    TOO_EARLY,
    OfClaim,
    OfCounter,
    OfEnd,
    OfRank,
    OfWaits,
)
from proofs.system_timer.ended_planted import WAITS as WAITS_OF_CORRECTED
from proofs.system_timer.kafka import KafkaEnds
from proofs.system_timer.kafka_dues import KafkaDues, KeptKafkaDues
from proofs.system_timer.kafka_ended import KeptKafkaEnds, RankedKafka
from proofs.system_timer.ranking import KafkaRank
from proofs.system_timer.runs import NAME, ReachedTimer, scenario, specification
from proofs.system_timer.whole_planted import FAULTS, OfDues
from proofs.timer_task_list.planted import broken_goal, violated
from wheelproof.prove import variants
from wheelproof.prove.kernel import Found
from wheelproof.prove.module.runs import compared


def model_of(program: Mapping[str, Any]) -> Any:
    """The specification's model of a scenario."""
    constants = variants.mechanisms()[NAME].constants_of(program)
    return specification().model(constants, tuple(program["threads"]))


def with_kafkas(program: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario with Kafka's timer."""
    return {**program, "timer": "KafkaTimer"}


class OfKafkasRank(OfRank):
    base, simulation = KafkaEnds, RankedKafka


class OfKafkasCounter(OfCounter):
    base, simulation = KafkaEnds, KeptKafkaEnds


class OfKafkasDues(OfDues):
    base, simulation = KafkaDues, KeptKafkaDues


@dataclass(frozen=True)
class TwoReapers:
    """Two reapers of Kafka's, and no fault of the text (A-REAPER)."""

    name: ClassVar[str] = "two reapers"
    says: ClassVar[str] = (
        "one reaper has polled a bucket and waits for the lock. The other one advances the clocks "
        "past its key, and an adder gives it the next turn's"
    )
    property: ClassVar[str] = "NotEarly"

    def find(self, _seed: int = 0) -> Found:
        """A reached state of the unchanged module in which an entry was handed over early."""
        missing = violated(model_of(PASSED), self.property)
        return Found("unsat", missing) if missing else Found("sat", self.property)


class AnyFirst(KafkaDues):
    """The heap hands out any bucket, whichever was first before."""

    def heap(self, name: str, s: SimpleNamespace) -> list[z3.BoolRef]:
        return []


@dataclass(frozen=True)
class OfAnyFirst:
    """A heap of which nothing is assumed, and no fault of the text (A-ROOT)."""

    name: ClassVar[str] = "any first"
    says: ClassVar[str] = (
        "a bucket comes to the queue's top without a poll: it is due, and its key is behind the "
        "clock, so that an adder may give it the next turn's while the reaper waits for the lock"
    )
    goal: ClassVar[str] = "Q1_to_Q2: polled_is_due"

    def find(self, _seed: int = 0) -> Found:
        """A step that the terms have without the assumption, and that breaks the goal."""
        violation = broken_goal(ReachedTimer(BEHIND, base=AnyFirst), KeptKafkaDues)
        return compared(
            violation, self.goal, sound="every step of the scenario keeps the conjuncts"
        )


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
PASSED = with_kafkas(
    scenario(
        {"one": 1, "two": 2, "four": 4},
        size=3,
        levels=2,
        a="add one; add two; add four",
        c="tick; tick",
        r="reap",
        q="reap",
    )
)
BEHIND = with_kafkas(
    scenario(
        {"one": 1, "two": 2, "three": 3},
        size=4,
        a="add one; add two; add three",
        c="tick; tick",
        r="reap",
    )
)
EARLY = {
    "hands_over_undue": "W1_to_K1: due_when_handed",
    "passes_on_early": "W1_to_W0: due_at_the_bottom",
    "polls_undue": "Q1_to_Q2: polled_is_due",
}
"""Faults with which the corrected timer is early too, and the goals that fail first here."""
DUES: tuple[OfKafkasDues | TwoReapers | OfAnyFirst, ...] = (
    *[
        OfKafkasDues(
            *(fault.name.replace("_", " "), fault.says, fault.old, fault.new),
            *(with_kafkas(fault.program), EARLY[fault.name], fault.property),
        )
        for fault in FAULTS
        if isinstance(fault, OfDues) and fault.name in EARLY
    ],
    TwoReapers(),
    OfAnyFirst(),
)
"""Faults with which an entry is early."""
WAITS = tuple(
    OfKafkasWaits(
        fault.name, fault.says, fault.label, fault.old, fault.new, with_kafkas(fault.program)
    )
    for fault in WAITS_OF_CORRECTED
)
COUNTS = tuple(
    OfKafkasCounter(
        *(fault.name, fault.says, fault.old, fault.new, with_kafkas(fault.program)),
        *(fault.goal, fault.property),
    )
    for fault in COUNTS_OF_CORRECTED
)
OF_BOTH = {fault.name: fault for fault in ENDS_OF_CORRECTED}
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
CLOSED = scenario(
    {"one": 1, "two": 1}, a="add one; add two", b="close", c="tick", r="reap", q="reap"
)
CLOSES = (
    OfEnd(
        "another reaps",
        "a second reaper waits for ever for the entries that the first one has left",
        "Done",
        with_kafkas(CLOSED),
    ),
    OfEnd(
        "keeps the lock",
        "the reaper that a refusal ends does not give the write lock back",
        "Done",
        "kafka_closing",
        'Q6(self) == /\\ pc[self] = "Q6"\n            /\\ writer\' = NULL\n',
        'Q6(self) == /\\ pc[self] = "Q6"\n            /\\ writer\' = writer\n',
    ),
)
"""Runs in which the end of the one reaper leaves another thread that waits."""
