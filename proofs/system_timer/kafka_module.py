"""The theorems on the end of Kafka's timer: every run of module SystemTimer ends, and how.

An exception of the executor may end a reaper of Kafka's (D6, `Timer.KafkaLoses`). Where none has,
nothing is lost, with any number of reapers. The entries of a bucket may be late (D1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from proofs.system_timer.ended_module import PROGRAMS
from proofs.system_timer.kafka_dues import ConditionsOfKafkasDues
from proofs.system_timer.kafka_planted import CLOSES, COUNTS, DUES, ENDS, RANKS, WAITS
from proofs.system_timer.kafka_reaper import (
    ConditionsOfKafkasReaper,
    ConditionsOfTheReapersEnd,
)
from proofs.system_timer.kafka_stopped import (
    ConditionsOfKafka,
    ConditionsOfKafkasCounter,
    ConditionsOfKafkasEnd,
    ConditionsOfKafkasRank,
    ConditionsOfKafkasSteps,
)
from proofs.system_timer.refusal import THEORY as PROVED
from proofs.system_timer.runs import NAME
from proofs.system_timer.theory import OF_MODULE
from proofs.system_timer.view import ACTIONS
from proofs.system_timer.whole_module import READ
from wheelproof.prove.kernel import Control, Theory
from wheelproof.prove.late import ATOMIC, LateVC

OF, OF_RANK, OF_STEPS, OF_END, OF_DUES = (
    ConditionsOfKafka(),
    ConditionsOfKafkasRank(),
    ConditionsOfKafkasSteps(),
    ConditionsOfKafkasEnd(),
    ConditionsOfKafkasDues(),
)
OF_REAPER, OF_ITS_END = ConditionsOfKafkasReaper(), ConditionsOfTheReapersEnd()
THEORY = Theory("protocols.system_timer_kafka_module", mechanism=NAME, after=(PROVED,))
ASSUMES = (*ATOMIC, *OF_MODULE, "A-HEAP", "A-ADDS")

THEORY.theorem(
    "Inv.KafkaEnds",
    "the invariant of locks, keys, entries, counters and programs, with Kafka's timer and any "
    f"number of reapers, of {READ}: it holds at the start, and each step of each label keeps it",
    [LateVC("start", OF.start), *[LateVC(action, partial(OF.step, action)) for action in ACTIONS]],
    is_lemma=True,
    rests_on=(
        *("Inv.Entries", "T17-insert", "T5-advance", "T8", "trimmed"),
        *("from_zero", "aligned_gap", "comm", "T1", "mono", "dist", "zero_one", "quotient_unique"),
    ),
    assumes=ASSUMES,
    profile="nightly",
)
THEORY.theorem(
    "Timer.KafkaCounterExact",
    "With Kafka's timer the counter is the number of linked entries: each has a place of its own "
    "from 1 to the counter, and each such place has one.",
    [LateVC("counted", ConditionsOfKafkasCounter().counted)],
    [Control(count.name, count.says, count.find, "trace") for count in COUNTS],
    rests_on=("Inv.KafkaEnds",),
    assumes=ASSUMES,
    profile="nightly",
)
THEORY.theorem(
    "Timer.KafkaRank",
    "with Kafka's timer every run is finite, whatever the schedule and the number of reapers: each "
    "step of each label lowers one part of the rank and raises none before it, and no number of "
    "the rank is below 0",
    [LateVC("above", OF_RANK.above), *[LateVC(e, partial(OF_RANK.step, e)) for e in ACTIONS]],
    [Control(rank.name, rank.says, rank.find, "trace") for rank in RANKS],
    rests_on=("Inv.KafkaEnds", "Inv.Entries"),
    assumes=(*ASSUMES, "A-FINITE"),
    profile="nightly",
)
THEORY.theorem(
    "Timer.KafkaMoves",
    "with Kafka's timer a thread can take a step at each of its labels, unless it waits: for a "
    "lock, for the monitor of a flush, for something to come due or to end, or for a task to "
    "execute",
    [LateVC(action, partial(OF_STEPS.moves, action)) for action in ACTIONS],
    [Control(wait.name, wait.says, wait.find, "trace") for wait in WAITS],
    rests_on=("Inv.KafkaEnds",),
    assumes=ASSUMES,
    profile="nightly",
)
THEORY.theorem(
    "Inv.KafkaReaper",
    f"the invariant of the one reaper of Kafka's timer, of {READ}: it holds at the start, and each "
    "step of each label keeps it",
    [
        LateVC("start", OF_REAPER.start),
        *[LateVC(action, partial(OF_REAPER.step, action)) for action in ACTIONS],
    ],
    is_lemma=True,
    rests_on=("Inv.KafkaEnds", "Inv.Entries"),
    assumes=(*ASSUMES, "A-REAPER"),
    profile="nightly",
)
THEORY.theorem(
    "Inv.KafkaDues",
    f"the invariant of deadlines, with Kafka's timer and one reaper, of {READ}: it holds at the "
    "start, and each step of each label keeps it",
    [
        LateVC("start", OF_DUES.start),
        *[LateVC(action, partial(OF_DUES.step, action)) for action in ACTIONS],
    ],
    is_lemma=True,
    rests_on=("Inv.KafkaReaper", "Inv.KafkaEnds", "Inv.Entries", "T17-insert", "trimmed"),
    assumes=(*ASSUMES, "A-REAPER", "A-ROOT"),
    profile="nightly",
)
THEORY.theorem(
    "Timer.KafkaNotEarly",
    "With Kafka's timer and one reaper no entry is handed to the executor before its deadline.",
    [LateVC("not early", OF_DUES.not_early)],
    [Control(fault.name, fault.says, fault.find, "trace") for fault in DUES],
    rests_on=("Inv.KafkaDues",),
    assumes=(*ASSUMES, "A-REAPER", "A-ROOT"),
    profile="nightly",
)

CLAIMS = {
    "Timer.KafkaTries": "AllTried",
    "Timer.KafkaFires": "AllFired",
    "Timer.KafkaTerminates": "Done",
}
"""The theorems, and the claim of each, as its controls have it."""


def stopped(
    name: str,
    says: str,
    conditions: Iterable[str],
    theorems: Mapping[str, str],
    rests_on: tuple[str, ...],
    hypotheses: tuple[str, ...] = (),
    assumes: tuple[str, ...] = (),
) -> None:
    """Register a theorem on states where no thread can step; a lemma if it has no control."""
    claim = CLAIMS.get(name, "")
    THEORY.theorem(
        name,
        f"with Kafka's timer, where no thread can step: {says}",
        [LateVC(condition, partial(OF_END.stop, condition, theorems)) for condition in conditions],
        [Control(end.name, end.says, end.find, "trace") for end in ENDS if end.claim == claim],
        rests_on=tuple(dict.fromkeys([*theorems.values(), *rests_on])),
        assumes=(*ASSUMES, *(("A-FAIR", "A-LAST", "A-REAPS") if claim else assumes)),
        hypotheses=hypotheses,
        is_lemma=not claim,
        profile="nightly",
    )


LOCKS = dict.fromkeys(("free", "unread"), "Stopped.KafkasLocks")
PLACES = {"places": "Stopped.KafkasPlaces"}
ENDED = {**PLACES, "free": "Stopped.KafkasLocks", "added": "Stopped.KafkasAdds"}
"""Goals that later conditions have as premises, with their theorems."""
SO_FAR = ("Inv.KafkaEnds", "Inv.Entries")
AT_LAST = (*PROGRAMS, "no thread can step", "time has come")

stopped(
    "Stopped.KafkasLocks",
    "no thread has a lock or a monitor",
    ("free", "unread"),
    {},
    SO_FAR,
)
stopped(
    "Stopped.KafkasPlaces",
    "each thread has ended, or reaps or executes and waits",
    ("places",),
    LOCKS,
    ("Inv.Entries",),
)
stopped(
    "Stopped.KafkasAdds",
    "all adds have returned",
    ("added",),
    PLACES,
    ("Inv.KafkaEnds",),
    assumes=("A-LAST",),
)
stopped(
    "Timer.KafkaTries",
    "all adds have returned. Once time has reached each deadline, each entry has been handed over "
    "or refused, or is not its task's any more, if no refusal has ended a reaper.",
    ("all tried",),
    ENDED,
    SO_FAR,
    (*AT_LAST, "no reaper has died"),
)
stopped(
    "Timer.KafkaFires",
    "once time has reached each deadline, each entry has been handed over, or is not its task's "
    "any more, if the executor was not shut down.",
    ("all fired",),
    ENDED,
    SO_FAR,
    (*AT_LAST, "not shut down"),
)
stopped(
    "Timer.KafkaTerminates",
    "once time has reached each deadline, every thread has ended, if no refusal has ended a "
    "reaper.",
    ("all done",),
    ENDED,
    SO_FAR,
    (*AT_LAST, "no reaper has died"),
)
THEORY.theorem(
    "Timer.KafkaCloses",
    "with Kafka's timer and one reaper, where no thread can step: once time has reached each "
    "deadline, every thread has ended, whether a refusal has ended the reaper or not.",
    [LateVC("all done", partial(OF_ITS_END.stop, "all done", ENDED))],
    [Control(close.name, close.says, close.find, "trace") for close in CLOSES],
    rests_on=tuple(dict.fromkeys([*ENDED.values(), "Inv.KafkaReaper", *SO_FAR])),
    assumes=(*ASSUMES, "A-REAPER", "A-FAIR", "A-LAST", "A-REAPS"),
    hypotheses=AT_LAST,
    profile="nightly",
)
