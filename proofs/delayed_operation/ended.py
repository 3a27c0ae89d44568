"""P17: attempts and runs end, as theorems, with their controls.

A control is an operation with a decision taken away, or a claim without a part of the rank. A step
of some run must break the condition that it names.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace

import z3

from proofs.delayed_operation import system as systems
from proofs.delayed_operation.compared import TryPending
from proofs.delayed_operation.faults import EVERYTHING, scope
from proofs.delayed_operation.ranking import (
    NEVER,
    Ending,
    EndingBlocking,
    EndingCheckedTry,
    EndingLockedTry,
    EndingTryOnce,
    OneCaller,
    Ranked,
    moving,
    ranked,
)
from proofs.delayed_operation.steps import NO_THREAD, THREAD, Operation
from proofs.delayed_operation.theory import THEORY as PROVED
from wheelproof.prove.kernel import Theory
from wheelproof.prove.late import ATOMIC
from wheelproof.prove.ts.faults import Scope
from wheelproof.prove.ts.ranks import RANK, Planted, invariant, obligations
from wheelproof.prove.ts.system import Condition, Step, action, when
from wheelproof.prove.ts.theory import Conditions

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


class Spins(EndingTryOnce):
    """A thread that does not get the lock tries at once again."""

    @action(t=THREAD)
    def goes_without_lock(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "O1"), s.owner != NO_THREAD)


class TriesAgain(EndingLockedTry):
    """A thread tries again after it has tried."""

    @action(t=THREAD)
    def unlocks(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "S2"), at=self.go(s, t, "S1"), owner=NO_THREAD)


class LooksAgain(EndingCheckedTry):
    """A thread that finds the operation completed looks again."""

    @action(t=THREAD)
    def need_not_try(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "B2"), s.completed)


class LocksAgain(EndingBlocking):
    """A thread that finds the operation completed under the lock looks again."""

    @action(t=THREAD)
    def finds_completed(self, s: SimpleNamespace, t: z3.ExprRef) -> Step:
        return when(self.is_at(s, t, "L3"), s.completed, at=self.go(s, t, "L1"), **self.left(s))


def ready(scope: Scope) -> Scope:
    """The scope, from a state in which every condition holds."""
    return replace(
        scope, start={**scope.start, "ready": dict.fromkeys(scope.elements["Condition"], True)}
    )


def called_by(caller: str, scope: Scope) -> Scope:
    """The scope with one thread as the caller."""
    return replace(scope, rigid={**scope.rigid, "caller": caller})


READY = ready(scope("c1 c2", operations=2, a="attempts", b="attempts runs is_completed_by_another"))
ALONE = called_by(
    "a", scope("c1 c2", operations=3, a="delivers attempts", x="runs is_completed_by_another")
)
FALSE = scope("c1", a="attempts", b="attempts")
CALLERS, ONCE = called_by("a", FALSE), ready(FALSE)
FORCED, TWICE = scope("c1", a="attempts", x="runs"), scope("c1", x="runs", y="runs")


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
OF_OTHERS = tuple(
    Planted(name, says, system, scope, f"rank {breaks}", ranked)
    for name, says, system, scope, breaks in (
        (
            "spins",
            "a thread without the lock tries at once again",
            Spins,
            FALSE,
            "goes_without_lock",
        ),
        ("tries again", "a thread tries again after it has tried", TriesAgain, FALSE, "unlocks"),
        (
            "looks again",
            "a thread that finds the operation completed looks again",
            LooksAgain,
            FORCED,
            "need_not_try",
        ),
        (
            "locks again",
            "a thread that finds it completed under the lock looks again",
            LocksAgain,
            TWICE,
            "finds_completed",
        ),
    )
)


# -- the theorems


def names(system: type[Ranked]) -> list[str]:
    """The conditions of a system's rank."""
    return [
        *[NEVER + name for name in system.NEVER],
        *[
            RANK + name
            for name, declaration in system.actions().items()
            if not declaration.begins and name not in system.NEVER
        ],
    ]


def conditions(system: Ranked) -> list[Condition]:
    """The conditions of the rank, and that a thread can step."""
    return [*ranked(system), moving(system)]


THEORY = Theory("protocols.delayed_operation_ended", mechanism="delayed_operation", after=(PROVED,))
ASSUMES = (*ATOMIC, "A-MONOTONE")


def register(
    theorem: str,
    says: str,
    system: Ranked,
    scope_: Scope,
    controls: Iterable[Planted],
    base: type[Operation] | None = None,
    runs: Scope | None = None,
) -> None:
    """A theorem about a rank, and the lemma that it rests on.

    ``base``: the system that has the same steps, whose invariant is proved. ``runs``: those of the
    states that the rank is about, where these are not those of the scope.
    """
    name, lemma = type(system).__name__, f"Inv.{type(system).__name__}"
    of_base = f"Inv.{base.__name__}" if base else ""
    of_system = (base or TryPending).__name__
    THEORY.theorem(
        lemma,
        f"the invariant of {system.STATES} in {name}: "
        "it holds at the start, and every action keeps it",
        invariant(Conditions(system, scope_, base, lemma, of_base)),
        is_lemma=True,
        rests_on=(of_base,) if base else (),
        assumes=ASSUMES,
        system=of_system,
        profile="nightly",
    )
    THEORY.theorem(
        theorem,
        says,
        obligations(
            Conditions(system, runs or scope_, lemma=lemma),
            conditions,
            [*names(type(system)), "can move"],
        ),
        [control.control() for control in controls],
        rests_on=(lemma,),
        assumes=(*ASSUMES, "A-CALLERS", "A-FAIR", "A-FINITE"),
        system=of_system,
        enabled=True,
        profile="nightly",
    )


FINITE = (
    "every run of threads on an operation of {} is finite{}: a step lowers one part of the rank, "
    "and raises none before it, unless it begins an attempt or a run. {}"
)
ALWAYS = "A thread can always step"
register(
    "P17.TryPending",
    FINITE.format("TryPending", " once every condition holds", ALWAYS),
    Ending(),
    EVERYTHING,
    PLANTED,
    TryPending,
    READY,
)
register(
    "P17.OneCaller",
    FINITE.format("TryPending", " where one thread alone tries", ALWAYS),
    OneCaller(),
    ALONE,
    OF_ONE,
)
for _ending, _base in (
    (EndingTryOnce(), systems.TryOnce),
    (EndingLockedTry(), systems.LockedTry),
    (EndingCheckedTry(), systems.CheckedTry),
    (EndingBlocking(), systems.Blocking),
):
    register(
        f"P17.{_base.__name__}",
        FINITE.format(
            _base.__name__,
            "",
            ALWAYS
            if _base is systems.TryOnce
            else "A thread can step, or it waits for the lock and the lock's owner can",
        ),
        _ending,
        EVERYTHING,
        [fault for fault in OF_OTHERS if issubclass(fault.system, type(_ending))],
        _base,
    )
