"""The theorems on the end of the timer: every run of module SystemTimer ends, and how.

A run is finite, since each step lowers the rank. It goes on while a thread can step, if threads are
fair. So the facts about a state where none can step come to hold in each run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from proofs.system_timer.ended_planted import COUNTS, ENDS, RANKS, WAITS
from proofs.system_timer.runs import NAME
from proofs.system_timer.stopped import (
    Conditions,
    ConditionsOfRank,
    ConditionsOfSteps,
    ConditionsOfTheCounter,
    ConditionsOfTheEnd,
)
from proofs.system_timer.view import ACTIONS
from proofs.system_timer.whole_module import CORRECTED, READ
from proofs.system_timer.whole_module import THEORY as PROVED
from wheelproof.prove.kernel import Control, Theory
from wheelproof.prove.late import ATOMIC, LateVC

OF, OF_RANK, OF_STEPS, OF_END = (
    Conditions(),
    ConditionsOfRank(),
    ConditionsOfSteps(),
    ConditionsOfTheEnd(),
)
THEORY = Theory("protocols.system_timer_ended_module", mechanism=NAME, after=(PROVED,))
ASSUMES = (*ATOMIC, *CORRECTED, "A-ADDS")
PROGRAMS = ("A-LAST", "A-REAPS")
"""The assumptions about programs, as the premises are called."""

THEORY.theorem(
    "Inv.Ends",
    f"the invariant of entries, counters and programs, with the corrected timer, of {READ}: "
    "it holds at the start, and each step of each label keeps it",
    [LateVC("start", OF.start), *[LateVC(action, partial(OF.step, action)) for action in ACTIONS]],
    is_lemma=True,
    rests_on=("Inv.Dues", "Inv.Entries", "Spec.SystemTimer", "P10", "T5-advance", "trimmed"),
    assumes=ASSUMES,
    profile="nightly",
)
THEORY.theorem(
    "Timer.CounterExact",
    "The counter is the number of linked entries: each has a place of its own from 1 to the "
    "counter, and each such place has one.",
    [LateVC("counted", ConditionsOfTheCounter().counted)],
    [Control(count.name, count.says, count.find, "trace") for count in COUNTS],
    rests_on=("Inv.Ends",),
    assumes=ASSUMES,
    profile="nightly",
)
THEORY.theorem(
    "Timer.Rank",
    "every run is finite, whatever the schedule: each step of each label lowers one part of the "
    "rank and raises none before it, and no number of the rank is below 0",
    [LateVC("above", OF_RANK.above), *[LateVC(e, partial(OF_RANK.step, e)) for e in ACTIONS]],
    [Control(rank.name, rank.says, rank.find, "trace") for rank in RANKS],
    rests_on=("Inv.Ends", "Inv.Entries", "Spec.SystemTimer"),
    assumes=(*ASSUMES, "A-FINITE"),
    profile="nightly",
)
THEORY.theorem(
    "Timer.Moves",
    "a thread can take a step at each of its labels, unless it waits: for a lock, for the monitor "
    "of a flush, for something to come due or to end, or for a task to execute",
    [LateVC(action, partial(OF_STEPS.moves, action)) for action in ACTIONS],
    [Control(wait.name, wait.says, wait.find, "trace") for wait in WAITS],
    rests_on=("Spec.SystemTimer",),
    assumes=ASSUMES,
    profile="nightly",
)


def stopped(
    name: str,
    says: str,
    conditions: Iterable[str],
    theorems: Mapping[str, str],
    rests_on: tuple[str, ...],
    hypotheses: tuple[str, ...] = (),
    lemma_assumes: tuple[str, ...] = (),
) -> None:
    """Register a theorem on states where no thread can step; a lemma if it has no control."""
    claims = {"Timer.EveryTimerIsTried": "AllTried", "Timer.EveryTimerFires": "AllFired"}
    claim = claims.get(name, "Done" if name.startswith("Timer.") else "")
    THEORY.theorem(
        name,
        f"where no thread can step: {says}",
        [LateVC(condition, partial(OF_END.stop, condition, theorems)) for condition in conditions],
        [Control(end.name, end.says, end.find, "trace") for end in ENDS if end.claim == claim],
        rests_on=tuple(dict.fromkeys([*theorems.values(), *rests_on])),
        assumes=(*ASSUMES, *(("A-FAIR", "A-LAST", "A-REAPS") if claim else lemma_assumes)),
        hypotheses=hypotheses,
        is_lemma=not claim,
        profile="nightly",
    )


LOCKS = dict.fromkeys(("free", "unread"), "Stopped.Locks")
PLACES = LOCKS | dict.fromkeys(("places", "due"), "Stopped.Places")
ENTRIES = {"places": "Stopped.Places"} | dict.fromkeys(("added", "linked"), "Stopped.Entries")
"""Goals that later conditions have as premises, with their theorems."""

stopped(
    "Stopped.Locks",
    "no thread has a lock or a monitor",
    ("free", "unread"),
    {},
    ("Inv.Ends", "Inv.Entries", "Spec.SystemTimer"),
)
stopped(
    "Stopped.Places",
    "each thread has ended, or reaps or executes and waits; and nothing in the queue is due while "
    "the reaper waits",
    ("places", "due"),
    LOCKS,
    ("Inv.Entries",),
)
stopped(
    "Stopped.Entries",
    "all adds have returned; and no entry in a bucket is due while the reaper waits",
    ("added", "linked"),
    PLACES | {"late": "Timer.LatenessBound"},
    ("Inv.Ends",),
    lemma_assumes=("A-LAST",),
)
stopped(
    "Timer.EveryTimerIsTried",
    "all adds have returned. Each entry has been handed over or refused, or is not its task's any "
    "more, or its deadline is still to come.",
    ("in time", "all tried"),
    ENTRIES,
    ("Inv.Ends", "Inv.Entries"),
    PROGRAMS,
)
stopped(
    "Timer.EveryTimerFires",
    "once time has reached each deadline, each entry has been handed over, or is not its task's "
    "any more, if the executor was not shut down.",
    ("all fired",),
    ENTRIES,
    ("Inv.Ends", "Inv.Entries"),
    (*PROGRAMS, "time has come", "not shut down"),
)
stopped(
    "Timer.Termination",
    "once time has reached each deadline, every thread has ended.",
    ("all done",),
    ENTRIES | {"free": "Stopped.Locks"},
    ("Inv.Ends", "Inv.Entries"),
    ("no thread can step", *PROGRAMS, "time has come"),
)
