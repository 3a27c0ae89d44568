"""Module SystemTimer: the fate of an entry, as conjuncts of an invariant of the module itself.

An entry is in one hand, in one bucket, or with the executor. So each add is handed over once, and
its task runs once. An entry that cancel has revoked is cancelled for good, so that no check lets it
through.
"""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or, Store

from proofs.system_timer.either import EitherTimer
from proofs.system_timer.links import at, every_thread
from proofs.system_timer.steps import (
    BOOL,
    BUCKET,
    ENTRY,
    INT,
    NO_ENTRY,
    NO_THREAD,
    E,
    T,
    U,
)
from proofs.system_timer.words import NO_TASK, TASK
from wheelproof.prove.ts.system import array, conjunct, safety

(X,) = TASK.consts("one_task")
N = z3.Int("place")
(B,) = BUCKET.consts("one_bucket")
ARRIVING = ("A1", "A2", "A3")
"""Labels of add before the entry is its task's."""
IN_HAND = ("W0", "W1", "W2", "K1", "K2")
"""Labels at which a thread has an entry that is neither in a bucket nor handed over."""


def cancelled(s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
    """Cancelled of the module."""
    return s.timerTaskEntry[s.TaskOf[e]] != e


class Entries(EitherTimer):
    """The linked system with the facts about each entry.

    Ghosts: ``entered``, that add has made the entry its task's. ``checked``, that a check before
    the hand-over has let it through. ``withdrawn``, that a cancel has met it before such a check.
    ``owed`` and ``position``: for each task the list of its entries that were added and have not
    started, and the place of each in it.
    """

    VARIABLES = {
        **EitherTimer.VARIABLES,
        "entered": array(ENTRY, BOOL),
        "checked": array(ENTRY, BOOL),
        "withdrawn": array(ENTRY, BOOL),
        "owed": array(TASK, INT, ENTRY),
        "position": array(ENTRY, INT),
    }

    def ghosts(self, name: str, s: SimpleNamespace, t: z3.ExprRef) -> dict[str, z3.ExprRef]:
        ghosts = super().ghosts(name, s, t)
        match name:
            case "A3_to_W1" | "A3_to_W1_2":
                e = s.ae[t]
                task, place = s.TaskOf[e], self.length(s, s.TaskOf[e]) + 1
                return ghosts | {
                    "entered": Store(s.entered, e, True),
                    "owed": Store(s.owed, task, Store(s.owed[task], place, e)),
                    "position": Store(s.position, e, place),
                }
            case "K1_to_K2":
                return ghosts | {"checked": Store(s.checked, s.ke[t], True)}
            case "X1_to_back" | "X1_to_back_2":
                e = s.timerTaskEntry[s.ct[t]]
                meets = Or(s.withdrawn[e], And(e != NO_ENTRY, Not(s.checked[e])))
                return ghosts | {"withdrawn": Store(s.withdrawn, e, meets)}
            case "E2_to_T0":
                e = s.task[t]
                task, place = s.TaskOf[e], s.position[e]
                last = s.owed[task][self.length(s, task)]
                return ghosts | {
                    "owed": Store(s.owed, task, Store(s.owed[task], place, last)),
                    "position": Store(s.position, last, place),
                }
        return ghosts

    def initially(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        none = And(Not(s.entered[E]), Not(s.checked[E]), Not(s.withdrawn[E]))
        return [*super().initially(s), ForAll([E], none)]

    def length(self, s: SimpleNamespace, x: z3.ExprRef) -> z3.ArithRef:
        """How long the list of a task is."""
        return s.added[x] - s.ran[x]

    def is_owed(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
        """The entry was added, and its task has not started for it."""
        return And(s.entered[e], s.started[e] == 0)

    # -- an entry and its add

    @conjunct
    def enters_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry becomes its task's in its add, and not before."""
        return And(
            ForAll([E], Implies(s.entered[E], And(E != NO_ENTRY, self.begun(s, E)))),
            every_thread(Implies(at(s, T, *ARRIVING), Not(s.entered[s.ae[T]]))),
        )

    @conjunct
    def found_was_entered(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry in a bucket, in a hand, with the executor, or a task's has entered."""
        entry = s.timerTaskEntry[X]
        return And(
            ForAll([B, E], Implies(s.content[B][E] > 0, s.entered[E])),
            every_thread(
                Implies(at(s, T, *IN_HAND, "W3", "W4"), s.entered[s.ke[T]]),
            ),
            ForAll([E], Implies(s.submitted[E] > 0, s.entered[E])),
            ForAll([X], Implies(entry != NO_ENTRY, And(s.TaskOf[entry] == X, s.entered[entry]))),
        )

    # -- cancel

    @conjunct
    def revoked_is_cancelled(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that cancel has revoked has entered, and is its task's no more."""
        return ForAll([E], Implies(s.revoked[E], And(s.entered[E], cancelled(s, E))))

    @conjunct
    def withdrawn_is_kept_back(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that cancel met before the last check is revoked, and no check lets it pass."""
        return ForAll([E], Implies(s.withdrawn[E], And(s.revoked[E], Not(s.checked[E]))))

    @conjunct
    def handed_was_checked(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that is handed over, or about to be, was let through."""
        return And(
            every_thread(Implies(at(s, T, "K2"), s.checked[s.ke[T]])),
            ForAll([E], Implies(s.submitted[E] > 0, s.checked[E])),
        )

    @conjunct
    def none_slips(self, s: SimpleNamespace) -> z3.BoolRef:
        """No check has let through an entry that cancel had revoked."""
        return ForAll([E], Not(s.slipped[E]))

    # -- the hand-over

    @conjunct
    def in_one_place(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry in a hand is in no bucket, in no other hand, and not handed over."""
        holds = And(T != NO_THREAD, at(s, T, *IN_HAND))
        other_holds = And(U != NO_THREAD, T != U, at(s, U, *IN_HAND))
        return And(
            ForAll([T, B], Implies(holds, s.content[B][s.ke[T]] == 0)),
            ForAll([T], Implies(holds, s.submitted[s.ke[T]] == 0)),
            ForAll([T, U], Implies(And(holds, other_holds), s.ke[T] != s.ke[U])),
            ForAll([B, E], Implies(s.content[B][E] > 0, s.submitted[E] == 0)),
        )

    @conjunct
    def handed_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry is handed over at most once."""
        return ForAll([E], And(0 <= s.submitted[E], s.submitted[E] <= 1))

    # -- the executor

    @conjunct
    def waits_or_runs(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that was handed over waits, is with an executor's thread, or has started."""
        runs = And(T != NO_THREAD, at(s, T, "E2"))
        other_runs = And(U != NO_THREAD, T != U, at(s, U, "E2"))
        e = s.task[T]
        return And(
            ForAll(
                [E],
                And(
                    0 <= s.waiting[E],
                    0 <= s.started[E],
                    s.waiting[E] + s.started[E] <= s.submitted[E],
                ),
            ),
            ForAll(
                [T],
                Implies(runs, And(s.submitted[e] == 1, s.waiting[e] == 0, s.started[e] == 0)),
            ),
            ForAll([T, U], Implies(And(runs, other_runs), e != s.task[U])),
        )

    @conjunct
    def owed_is_listed(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task's list has its entries that were added and have not started, each once."""
        place, task = s.position[E], s.TaskOf[E]
        e = s.owed[X][N]
        within = And(1 <= N, N <= self.length(s, X))
        return And(
            ForAll(
                [E],
                Implies(
                    self.is_owed(s, E),
                    And(1 <= place, place <= self.length(s, task), s.owed[task][place] == E),
                ),
            ),
            ForAll(
                [X, N],
                Implies(within, And(self.is_owed(s, e), s.TaskOf[e] == X, s.position[e] == N)),
            ),
            ForAll([X], Or(X == NO_TASK, s.ran[X] <= s.added[X])),
        )

    # -- what follows

    @safety("Timer.FiredOnce")
    def fired_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """Each add is handed to the executor at most once."""
        return self.specified(s, "FiredOnce")

    @safety("Timer.RunsOncePerAdd")
    def runs_once_per_add(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task runs at most as often as it was added."""
        return self.specified(s, "RunsOncePerAdd")

    @safety("Timer.RunsOncePerAdd")
    def each_add_runs_once(self, s: SimpleNamespace) -> z3.BoolRef:
        """It runs at most once for each add, and for none that has not entered it."""
        runs = s.started[E]
        return ForAll([E], And(runs <= 1, Implies(runs > 0, And(E != NO_ENTRY, s.entered[E]))))

    @safety("Timer.CancelWins")
    def cancel_wins(self, s: SimpleNamespace) -> z3.BoolRef:
        """No check lets through an entry after its cancel has returned."""
        return self.specified(s, "CancelWins")

    @safety("Timer.CancelWins")
    def withdrawn_never_runs(self, s: SimpleNamespace) -> z3.BoolRef:
        """What cancel meets before the last check is never handed over, and never runs."""
        none = And(s.submitted[E] == 0, s.waiting[E] == 0, s.started[E] == 0)
        return ForAll([E], Implies(s.withdrawn[E], none))
