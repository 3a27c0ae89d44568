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
from proofs.protocols.delayed_operation_faults import EVERYTHING, scope
from proofs.protocols.delayed_operation_ranking import NEVER, Ending, OneCaller, moving, ranked
from proofs.protocols.delayed_operation_steps import THREAD
from proofs.protocols.delayed_operation_theory import THEORY as PROVED
from proofs.protocols.faults import Scope
from proofs.protocols.ranks import RANK, Planted, obligations
from proofs.protocols.theory import ATOMIC, Conditions
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
    does_not_get_lock, leaves_note = Ending.does_not_get_lock, Ending.leaves_note
    tries_again = Ending.tries_again


class WithoutNotes(Ending):
    """A note that is left lowers nothing."""

    def notes(self, s: SimpleNamespace) -> z3.BoolRef:
        return z3.BoolVal(False)


class WithoutLooks(Ending):
    """To clear the note, and to read conditions that hold, lowers nothing."""

    def looks(self, s: SimpleNamespace) -> z3.BoolRef:
        return z3.BoolVal(False)


def ready(of: Scope) -> Scope:
    """The scope, from a state in which every condition holds."""
    return replace(of, start={**of.start, "ready": dict.fromkeys(of.elements["Condition"], True)})


def called_by(caller: str, of: Scope) -> Scope:
    """The scope with one thread as the caller."""
    return replace(of, rigid={**of.rigid, "caller": caller})


READY = ready(scope("c1 c2", operations=2, a="attempts", b="attempts runs is_completed_by_another"))
ALONE = called_by(
    "a", scope("c1 c2", operations=3, a="delivers attempts", x="runs is_completed_by_another")
)
FALSE = scope("c1", a="attempts", b="attempts")
CALLERS, ONCE = called_by("a", FALSE), ready(FALSE)


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
        *[NEVER + name for name in system.NEVER],
        *[
            RANK + name
            for name, taken in system.actions().items()
            if not taken.begins and name not in system.NEVER
        ],
    ]


def conditions(system: Ending) -> list[Condition]:
    """The conditions of the rank, and that a thread can step."""
    return [*ranked(system), moving(system)]


THEORY = Theory("protocols.delayed_operation_ended", mechanism="delayed_operation", after=(PROVED,))
ASSUMES = (*ATOMIC, "A-MONOTONE")
for made, rests_on in (
    (Conditions(Ending(), EVERYTHING, TryPending, "Inv.Ending", "Inv.TryPending"), True),
    (Conditions(OneCaller(), ALONE, lemma="Inv.OneCaller"), False),
):
    of = type(made.system).__name__
    THEORY.theorem(
        f"Inv.{of}",
        f"the invariant of {made.system.STATES} in {of}: "
        "it holds at the start, and every action keeps it",
        made.invariant(),
        is_lemma=True,
        rests_on=("Inv.TryPending",) if rests_on else (),
        assumes=ASSUMES,
        system=TryPending.__name__,
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
    assumes=(*ASSUMES, "A-FAIR", "A-FINITE"),
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
    assumes=(*ASSUMES, "A-FAIR", "A-FINITE"),
    system=TryPending.__name__,
    enabled=True,
    profile="nightly",
)
