"""Module OverflowWheel: a cancel that begins when the entry is linked leaves it in no list."""

from __future__ import annotations

from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies, Not, Or

from proofs.overflow_wheel.published import NO_ONE, NOTHING, K, Published, T, at, back
from proofs.overflow_wheel.words import OPERATION, THREAD
from wheelproof.prove.ts.system import conjunct

REMOVING = tuple(f"U{number}" for number in range(1, 12))
ADDING = tuple(f"A{number}" for number in range(1, 12))
"""Within a turn of add's loop."""
CALLED = {
    "add": (("A0", *ADDING, "A12"), "A1"),
    "cancel": (("C1", "C2", "C3", "C4"), "C3"),
}
"""Procedure -> its labels, and where the ``remove`` that it calls returns to."""


def under_way(s: SimpleNamespace, procedure: str, t: z3.ExprRef) -> z3.BoolRef:
    """The thread is in the procedure, or in one that it has called."""
    labels, again = CALLED[procedure]
    return Or(at(s, t, *labels), back(s, "remove", t, again))


class Unlinked(Published):
    """Where the entry is linked at the start and never added, or is cancelled once.

    ``Adder``, ``Adding``: the thread whose program adds the entry, and the operation's place in it.
    ``Canceller``, ``Cancelling``: the same of the one cancel, where the entry is to be added.
    """

    RIGID = {
        "Adder": THREAD.z3,
        "Adding": z3.IntSort(),
        "Canceller": THREAD.z3,
        "Cancelling": z3.IntSort(),
    }

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """An entry that is linked is not added. One that is not is added once and cancelled once.

        That it is added once is an assumption of the module.
        """
        word = s.Program_1_word[T][K]
        once = And(T == s.Adder, K == s.Adding, Not(s.Linked))
        cancels = Or(s.Linked, And(T == s.Canceller, K == s.Cancelling))
        return [
            *super().given(s),
            ForAll([T, K], Implies(word == OPERATION.value("add"), once)),
            ForAll([T, K], Implies(word == OPERATION.value("cancel"), cancels)),
        ]

    def to_come(self, s: SimpleNamespace, name: str) -> z3.BoolRef:
        """The K-th operation of the thread is this one, and it has not begun."""
        return And(s.Program_1_word[T][K] == OPERATION.value(name), K >= s.turn[T])

    # -- where threads are

    @conjunct
    def frames_are_of_what_runs(self, s: SimpleNamespace) -> z3.BoolRef:
        """A procedure is on a thread's stack where the thread is in it, or in a callee of it."""
        absences = {
            name: back(s, name, T, "Nowhere") for name in ("add", "cancel", "remove", "unlink")
        }
        unlinks = at(s, T, *REMOVING)
        return ForAll(
            [T],
            Implies(
                T != NO_ONE,
                And(
                    Not(absences["add"]) == under_way(s, "add", T),
                    Not(absences["cancel"]) == under_way(s, "cancel", T),
                    Not(absences["remove"]) == Or(at(s, T, "R1"), unlinks),
                    Not(absences["unlink"]) == unlinks,
                ),
            ),
        )

    @conjunct
    def operations_are_of_the_program(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that adds or cancels does so since its program says so."""
        last = s.Program_1_word[T][s.turn[T] - 1]
        claims = [Implies(under_way(s, name, T), last == OPERATION.value(name)) for name in CALLED]
        return ForAll([T], Implies(T != NO_ONE, And(claims)))

    # -- what is settled

    @conjunct
    def linked_is_settled(self, s: SimpleNamespace) -> z3.BoolRef:
        """An entry that was linked at the start is settled: no thread adds it."""
        return Implies(s.Linked, s.settled)

    @conjunct
    def settled_once_added(self, s: SimpleNamespace) -> z3.BoolRef:
        """A settled entry is not being added, and will not be."""
        adds = Or(at(s, T, *ADDING), back(s, "remove", T, "A1"))
        return And(
            ForAll([T], Implies(And(T != NO_ONE, adds), Not(s.settled))),
            ForAll([T], Implies(at(s, T, "A0"), s.settled == s.done[T])),
            ForAll([T, K], Implies(self.to_come(s, "add"), Not(s.settled))),
        )

    @conjunct
    def late_is_settled(self, s: SimpleNamespace) -> z3.BoolRef:
        """A cancel that is late began when the entry was settled, which it still is."""
        return ForAll([T], Implies(s.late[T], s.settled))

    @conjunct
    def cancels_of_linked_are_late(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where the entry was linked at the start each cancel is late."""
        has_begun = Or(at(s, T, "C2", "C3", "C4"), back(s, "remove", T, "C3"))
        return ForAll([T], Implies(And(T != NO_ONE, s.Linked, has_begun), s.late[T]))

    # -- the pointer and the list

    @conjunct
    def one_cancel_finds_the_pointer(self, s: SimpleNamespace) -> z3.BoolRef:
        """Where there is one cancel, the task points at its entry until that stores null."""
        before = Or(at(s, T, "C1", "C2", "C3"), back(s, "remove", T, "C3"))
        there = s.timerTaskEntry != NOTHING
        return And(
            ForAll([T], Implies(And(T != NO_ONE, Not(s.Linked), before), there)),
            ForAll([T, K], Implies(And(Not(s.Linked), self.to_come(s, "cancel")), there)),
        )

    @conjunct
    def removed_before_forgotten(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task that points at no entry, of one that was linked at the start, has it unlinked."""
        return Implies(And(s.Linked, s.timerTaskEntry == NOTHING), s.list == NOTHING)

    @conjunct
    def late_cancel_has_unlinked(self, s: SimpleNamespace) -> z3.BoolRef:
        """Behind its removal a late cancel has the entry in no list."""
        return ForAll([T], Implies(And(at(s, T, "C3", "C4"), s.late[T]), s.list == NOTHING))

    @conjunct
    def cancel_unlinks(self, s: SimpleNamespace) -> z3.BoolRef:
        """Once a late cancel has returned, the entry is in no list."""
        return Implies(s.unlinked, And(s.settled, s.list == NOTHING))
