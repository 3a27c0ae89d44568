"""P17: attempts of TryPending end, as theorems, with their controls.

A control is an operation with a decision taken away, or a claim without a part of the rank. A step
of some run must break the condition that it names.
"""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import z3

from proofs.kernel import Theory
from proofs.protocols.delayed_operation_compared import TryPending
from proofs.protocols.delayed_operation_faults import scope, view_of
from proofs.protocols.delayed_operation_ranking import NEVER, Ending, OneCaller, moving, ranked
from proofs.protocols.delayed_operation_steps import THREAD
from proofs.protocols.delayed_operation_theory import THEORY as PROVED
from proofs.protocols.ranks import RANK, Planted, obligations
from proofs.protocols.theory import ATOMIC, Conditions, submit
from proofs.ts import Condition, Step, action, when

# -- attempts that need not end


class NoCondition(Ending):
    """The claim of states in which a condition may be false."""

    def holds(self, s: SimpleNamespace) -> dict[str, z3.BoolRef]:
        return {}


class RetriesAnyway(Ending):
    """A thread that finds no note tries again."""

    @action(t=THREAD)
    def tries_again(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "P6"), at=self.go(s, t, "P1"))


class TwoCallers(OneCaller):
    """Any thread may try."""

    attempts, delivers = Ending.attempts, Ending.delivers


class WithoutNotes(Ending):
    """A note that is left lowers nothing."""

    def notes(self, s: SimpleNamespace) -> z3.BoolRef:
        return z3.BoolVal(False)


class WithoutLooks(Ending):
    """To clear the note, and to read conditions that hold, lowers nothing."""

    def looks(self, s: SimpleNamespace) -> z3.BoolRef:
        return z3.BoolVal(False)


READY = replace(
    base := scope(
        "c1 c2",
        a="attempts",
        b="attempts runs is_completed_by_another",
        operations=2,
    ),
    start={**base.start, "ready": {"c1": True, "c2": True}},
)
"""Runs from a state in which every condition holds."""
ALONE = scope("c1 c2", a="delivers attempts", x="runs is_completed_by_another", operations=3)
ALONE = replace(ALONE, rigid={**ALONE.rigid, "caller": "a"})
FALSE = scope("c1", a="attempts", b="attempts")
CALLERS = replace(FALSE, rigid={**FALSE.rigid, "caller": "a"})
ONCE = replace(
    once := scope("c1", a="attempts", b="attempts"), start={**once.start, "ready": {"c1": True}}
)


PLANTED = (
    Planted(
        "condition",
        "a condition may be false",
        NoCondition,
        FALSE,
        "never reads_false",
        ranked,
    ),
    Planted(
        "retries anyway",
        "a thread tries again without a note",
        RetriesAnyway,
        ONCE,
        "rank tries_again",
        ranked,
    ),
    Planted(
        "no notes",
        "a note that is left lowers nothing",
        WithoutNotes,
        ONCE,
        "rank leaves_note",
        ranked,
    ),
    Planted(
        "no looks",
        "to clear the note lowers nothing",
        WithoutLooks,
        ONCE,
        "rank clears_note",
        ranked,
    ),
)
OF_ONE = (
    Planted(
        "two callers",
        "a second thread tries too",
        TwoCallers,
        CALLERS,
        "never does_not_get_lock",
        ranked,
    ),
)


# -- the theorems


def names(system: type[Ending]) -> list[str]:
    """The conditions of a system's rank."""
    return [
        (NEVER if name in system.NEVER else RANK) + name
        for name, taken in system.actions().items()
        if not taken.begins
    ]


def conditions(system: Ending) -> list[Condition]:
    """The conditions of the rank, and that a thread can step."""
    return [*ranked(system), moving(system)]


THEORY = Theory("protocols.delayed_operation_ended", mechanism="delayed_operation", after=(PROVED,))
submit(
    THEORY,
    Ending,
    READY,
    (),
    view_of,
    ("A-MONOTONE",),
    base=TryPending,
    lemma="Inv.Ending",
    lemma_of_base="Inv.TryPending",
    profile="nightly",
)
submit(
    THEORY,
    OneCaller,
    ALONE,
    (),
    view_of,
    ("A-MONOTONE",),
    base=Ending,
    lemma="Inv.OneCaller",
    lemma_of_base="Inv.Ending",
    profile="nightly",
)
THEORY.theorem(
    "P17.Rank",
    "every run of threads on an operation of TryPending is finite once every condition holds: a "
    "step lowers one part of the rank, and raises none before it, unless it begins an attempt or a "
    "run. A thread can always step",
    obligations(
        Conditions(Ending(), READY, lemma="Inv.Ending"), conditions, [*names(Ending), "can move"]
    ),
    [each.control() for each in PLANTED],
    rests_on=("Inv.Ending",),
    assumes=(*ATOMIC, "A-MONOTONE", "A-FAIR", "A-FINITE"),
    system=TryPending.__name__,
    enabled=True,
    profile="nightly",
)
THEORY.theorem(
    "P17.OneCaller",
    "the same whatever the conditions are, where one thread alone tries",
    obligations(
        Conditions(OneCaller(), ALONE, lemma="Inv.OneCaller"),
        conditions,
        [*names(OneCaller), "can move"],
    ),
    [each.control() for each in OF_ONE],
    rests_on=("Inv.OneCaller",),
    assumes=(*ATOMIC, "A-MONOTONE", "A-FAIR", "A-FINITE"),
    system=TryPending.__name__,
    enabled=True,
    profile="nightly",
)
