"""Theorems about module SystemTimerReaper itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from proofs.system_timer_reaper.invariant import Reaper
from proofs.system_timer_reaper.planted import FAULTS
from proofs.system_timer_reaper.words import NAME, WORDS
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.kernel import Theory


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The thread that reaps. Of several it is the first, and the scenario is refused."""
    return {
        "TheReaper": next(t for t, steps in program["threads"].items() if steps[0][0] == "reap")
    }


def hints(reaper: Invariant, _name: str) -> list[z3.ExprRef]:
    s = reaper.symbols()
    return [s.TheReaper, s.mutex]


SUBJECT = Subject(
    NAME,
    WORDS,
    {Reaper: "Spec.SystemTimerReaper"},
    ["closes", "is_closed_by_what_it_runs"],
    rigid=rigid,
    hints=hints,
)


THEORY = Theory("protocols.system_timer_reaper", mechanism=NAME)
SUBJECT.submit(
    THEORY,
    Reaper,
    "ReaperEndsFirst, PollsNoMore, ReapsUntilClosed and ClosesItsTimer in each state "
    f"{SUBJECT.read}.",
    FAULTS,
    ("A-REAPER", "A-TICKETS"),
    moves="Spec.SystemTimerReaperMoves",
)
