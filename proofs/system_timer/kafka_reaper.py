"""Module SystemTimer with Kafka's timer and one reaper: the threads that a refusal ends.

The reaper that an exception has ended does not reap again, since nothing but executes follow a reap
in a program (A-LAST). So every thread ends, though an entry may be lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, Implies

from proofs.system_timer import waits as waiting
from proofs.system_timer.ended import ADDS
from proofs.system_timer.kafka import KafkaEnds
from proofs.system_timer.kafka_ended import OF_KAFKA_ENDS, KeptKafkaEnds, cited_ends
from proofs.system_timer.kafka_stopped import (
    REAPED,
    ConditionsOfKafka,
    ConditionsOfKafkasEnd,
)
from proofs.system_timer.links import Linked, every_thread
from proofs.system_timer.steps import INT, T
from proofs.system_timer.whole import OF_ENTRIES
from proofs.system_timer.words import OPERATION, TIMER
from wheelproof.prove.ts.system import conjunct

INVARIANT = "Inv.KafkaReaper"


class KafkaReaper(KafkaEnds):
    """The system of the end, of Kafka's timer with one reaper.

    Ghost: ``died``, the turn at which an exception has ended the reaper.
    """

    VARIABLES = {**KafkaEnds.VARIABLES, "died": INT}

    def ghosts(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        ghosts = super().ghosts(name, s, t)
        return ghosts | {"died": s.turn[t] - 1} if name == "Q6_to_back" else ghosts

    def of_timer(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """Which timer it is, and A-REAPER."""
        _, *reapers = Linked.of_timer(self, s)
        return [s.Timer == TIMER.KafkaTimer, *reapers]

    def at_start(self, adds: Sequence[str]) -> dict[str, Any]:
        return {**super().at_start(adds), "died": 0}

    @conjunct
    def one_reaps(self, s: SimpleNamespace) -> z3.BoolRef:
        """Only the reaper reaps, at a turn of its program."""
        last = s.turn[T] <= s.Program_length[T] + 1
        return every_thread(Implies(self.reaps(s, T), And(T == s.reaper, last)))

    @conjunct
    def died_in_a_reap(self, s: SimpleNamespace) -> z3.BoolRef:
        """The exception that ended the reaper was in a reap before its present one, if any."""
        r, turn = s.reaper, s.died
        in_reap = And(1 <= turn, turn < s.turn[r], s.Program_1_word[r][turn] == OPERATION.reap)
        again = Implies(self.reaps(s, r), turn < s.turn[r] - 1)
        return Implies(s.reaperDied, And(in_reap, again))


OF_KAFKA_REAPER = tuple(
    conjunct
    for conjunct in KafkaReaper.conjuncts()
    if conjunct not in (*OF_KAFKA_ENDS, *OF_ENTRIES)
)


def cited_of_reaper(
    premises: Mapping[str, z3.BoolRef], hypotheses: tuple[str, ...]
) -> dict[str, str]:
    """The theorems whose statements are premises, by premise; ``hypotheses``: as for `cited`."""
    citations = {
        premise: INVARIANT
        for premise in premises
        if premise in OF_KAFKA_REAPER and premise not in hypotheses
    }
    return cited_ends(premises, hypotheses) | citations


class KeptKafkaReaper(KeptKafkaEnds):
    """The conjuncts on the one reaper."""

    OWN = OF_KAFKA_REAPER
    NEEDS: Mapping[str, tuple[str, ...]] = {
        "one_reaps": (*ADDS, "is_at_its_turn"),
        "died_in_a_reap": ("one_reaps", "is_at_its_turn"),
    }

    def premises(self) -> dict[str, z3.BoolRef]:
        conjuncts = {name: self.module.formula(name, self.s) for name in OF_KAFKA_REAPER}
        return super().premises() | conjuncts

    def further(self, name: str, goal: str) -> list[z3.ExprRef]:
        return [self.s.reaper]

    def instances(self, name: str) -> dict[str, z3.BoolRef]:
        return {}


class ConditionsOfKafkasReaper(ConditionsOfKafka):
    """The conditions of the invariant of the one reaper."""

    BASE = KafkaReaper
    KEEPS: type[KeptKafkaEnds] = KeptKafkaReaper
    HYPOTHESES = OF_KAFKA_REAPER

    def cites(self, premises: Mapping[str, z3.BoolRef]) -> dict[str, str]:
        return cited_of_reaper(premises, self.HYPOTHESES)


class ConditionsOfTheReapersEnd(ConditionsOfKafkasReaper, ConditionsOfKafkasEnd):
    """The facts where no thread can step, whether an exception has ended the reaper or not."""

    HYPOTHESES = ()
    NEEDS = {"all done": (*REAPED, "one_reaps", "died_in_a_reap", "thrown_by_the_shut")}

    def further(self, name: str) -> dict[str, z3.BoolRef]:
        return {"time has come": waiting.has_come(self.simulation.s)}

    def terms(self, name: str) -> list[z3.ExprRef]:
        """Further, the turn at which the reaper was ended."""
        return [*super().terms(name), self.simulation.s.died]
