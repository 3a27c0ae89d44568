"""P16: threads on lists come to an end, under every schedule, if their programs do.

The rank of a state has four parts. Each is a number of things of which there are finitely many:

* `waiting`: the threads that are to lock the list that they flush;
* `hands`: the pairs of a thread and an entry that it has in its hands, to be linked or handed over;
* `named`: the entries that name a list;
* `stage`: of each thread, how far its operation is from its end, as long as no list is set.

A step that begins no operation lowers one part, and raises none before it. So there is no run
without an end: each retry of a remove, and each of an add, is paid by a link or an unlink of
another thread, and each round of a flush by its own unlink. A step that sets no list leaves the
stages of other threads as they are.

The class restricts the operations that threads begin: no flush has its own list as its destination.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import z3
from z3 import And, ForAll, If, Implies, Not, Or, Store

from proofs.timer_task_list.state import (
    LIST,
    NO_ENTRY,
    NO_LIST,
    PLACE,
    THREAD,
    E,
    T,
    go,
    is_at,
)
from proofs.timer_task_list.system import TimerTaskList
from wheelproof.prove.ts.ranks import RANK, number
from wheelproof.prove.ts.system import Condition, Step, action, conjunct, when

PARTS = ("waiting", "hands", "named", "stage")
LOWERS = {"locks_list_to_flush": "waiting", "sets_list": "hands", "clears_list": "named"}
"""Action -> the part of the rank that it lowers; the others lower their thread's stage."""

PHASE = 100
"""More than any number of a place."""
OF_REMOVE = {"U9": 19, "U10": 18, "U11": 17} | {f"U{n}": 16 - n for n in range(1, 9)}
NAMES_A_LIST, NAMES_NONE, STALE = 16, 7, 7
"""Of R1, by the list that the entry names; and of an unlink that has not seen that it is late."""
OF_ADD = {"A0": 23, "A10": 25, "A11": 24, "A12": 44, "A1": 6, "A2": 5, "A3": 4, "A4": 3}
OF_ADD |= {"A5": 2, "A6": 1, "A7": 50, "A8": 49, "A9": 48}
ADDED, LINKED_AGAIN = 22, 22
"""The addition at A0, A10 and A11 once the entry is added, and at A1 - A3 if it names a list."""
OF_OTHERS = {"F1": 41, "F2": 30, "F4": 1, "F3": 1, "K1": 2, "K2": 1, "T1": 0, "C1": 40, "C2": 39}
OF_OTHERS |= {"C3": 2, "C4": 1, "S1": 40, "S2": 39, "S3": 2, "S4": 1}
"""Stages by place within a phase."""


class Elsewhere(TimerTaskList):
    """Any thread does anything, but a flush into the list that it flushes."""

    @action(t=THREAD, l=LIST, m=LIST, begins=True)
    def flushes(self, s: SimpleNamespace, t: z3.ExprRef, l: z3.ExprRef, m: z3.ExprRef) -> Step:
        return when(
            is_at(s, t, "Idle"),
            l != m,
            at=go(s, t, "F1"),
            fl=Store(s.fl, t, l),
            fd=Store(s.fd, t, m),
        )

    # -- what the rank needs besides the invariant

    @conjunct
    def flush_goes_elsewhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """A flush passes no entry on to its own list."""
        return ForAll(
            [T],
            Implies(
                s.fl[T] != NO_LIST,
                And(
                    s.fd[T] != s.fl[T],
                    Implies(s.ke[T] != NO_ENTRY, s.kl[T] != s.fl[T]),
                    Implies(s.ae[T] != NO_ENTRY, s.al[T] != s.fl[T]),
                ),
            ),
        )

    @conjunct
    def add_removes_its_entry(self, s: SimpleNamespace) -> z3.BoolRef:
        """An add removes the entry that it adds."""
        return ForAll(
            [T], Implies(And(s.ae[T] != NO_ENTRY, s.re[T] != NO_ENTRY), s.re[T] == s.ae[T])
        )

    @conjunct
    def added_comes_to_its_end(self, s: SimpleNamespace) -> z3.BoolRef:
        """An add that is done is on its way to its return."""
        return ForAll([T], Implies(s.done[T], is_at(s, T, "A0", "A10", "A11", "A12")))

    # -- the rank

    def waiting(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread has not locked the list that it flushes."""
        return is_at(s, t, "F1")

    def hands(self, s: SimpleNamespace, t: z3.ExprRef, e: z3.ExprRef) -> z3.BoolRef:
        """The thread is still to link the entry, or to hand it over.

        A flush has all that is in its list, for as long as it holds the list's monitor.
        """
        flushes = And(s.fl[t] != NO_LIST, Not(self.waiting(s, t)), s.linked[e][s.fl[t]])
        holds = Or(e == s.head[t], e == s.ke[t], e == s.se[t])
        return And(e != NO_ENTRY, Or(flushes, holds, And(e == s.ae[t], self.adding(s, t))))

    def named(self, s: SimpleNamespace, e: z3.ExprRef) -> z3.BoolRef:
        """The entry names a list."""
        return s.list[e] != NO_LIST

    def adding(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread adds an entry and has not set its list."""
        return And(s.ae[t] != NO_ENTRY, Not(s.done[t]), Not(is_at(s, t, "A7", "A8", "A9")))

    def is_stale(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.BoolRef:
        """The thread goes to unlink an entry from a list that the entry has left."""
        return And(is_at(s, t, "U1", "U2", "U3"), s.list[s.ue[t]] != s.ul[t])

    def phase(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ArithRef:
        """The part of its operation that the thread is in, the last one first."""
        has_head = And(s.head[t] != NO_ENTRY, is_at(s, t, "U9", "U10", "U11", "F3"))
        return If(
            s.se[t] != NO_ENTRY,
            4,
            If(has_head, 3, If(s.ke[t] != NO_ENTRY, 2, If(self.adding(s, t), 1, 0))),
        )

    def stage(self, s: SimpleNamespace, t: z3.ExprRef) -> z3.ArithRef:
        """An upper bound of the thread's steps to the end of its operation, or to a link or unlink.

        No other thread sets a list meanwhile.
        """
        again = And(is_at(s, t, "A1", "A2", "A3"), s.list[s.ae[t]] != NO_LIST)
        is_added = And(is_at(s, t, "A0", "A10", "A11"), s.done[t])
        at_place = number(s.at[t], PLACE, OF_REMOVE | OF_ADD | OF_OTHERS)
        removing = If(s.list[s.re[t]] != NO_LIST, NAMES_A_LIST, NAMES_NONE)
        more = If(self.is_stale(s, t), STALE, If(again, LINKED_AGAIN, If(is_added, ADDED, 0)))
        return PHASE * self.phase(s, t) + If(is_at(s, t, "R1"), removing, at_place + more)

    # -- what a step does to it

    def kept(self, part: str, s: SimpleNamespace, after: SimpleNamespace) -> z3.BoolRef:
        """A step does not raise the part."""
        if part == "waiting":
            return ForAll([T], Implies(self.waiting(after, T), self.waiting(s, T)))
        if part == "hands":
            return ForAll([T, E], Implies(self.hands(after, T, E), self.hands(s, T, E)))
        return ForAll([E], Implies(self.named(after, E), self.named(s, E)))

    def lowered(
        self, part: str, s: SimpleNamespace, t: z3.ExprRef, after: SimpleNamespace
    ) -> z3.BoolRef:
        """A step of the thread lowers the part."""
        if part == "stage":
            now, then = self.stage(s, t), self.stage(after, t)
            others_stay = Implies(T != t, self.stage(after, T) <= self.stage(s, T))
            return And(0 <= then, then < now, ForAll([T], others_stay))
        arguments = {"waiting": (t,), "hands": (t, s.ae[t]), "named": (s.ue[t],)}[part]
        measure = getattr(self, part)
        return And(
            self.kept(part, s, after), measure(s, *arguments), Not(measure(after, *arguments))
        )

    def ranks(
        self, name: str, s: SimpleNamespace, t: z3.ExprRef, after: SimpleNamespace
    ) -> z3.BoolRef:
        """The effect of an action on the rank: it lowers its part, and raises none before that."""
        part = LOWERS.get(name, "stage")
        before = PARTS[: PARTS.index(part)]
        return And(
            *[self.kept(earlier, s, after) for earlier in before], self.lowered(part, s, t, after)
        )


def ranked(system: Elsewhere) -> Iterator[Condition]:
    """The conditions of the rank: one for each action that begins no operation."""
    s = system.symbols()
    givens = {f"given {index}": formula for index, formula in enumerate(system.given(s), 1)}
    invariant = system.invariant(s)
    for name, declaration in system.actions().items():
        if declaration.begins:
            continue
        values, step = system.step(name, s)
        guards = {f"guard {index}": guard for index, guard in enumerate(step.guards, 1)}
        yield Condition(
            RANK + name,
            "implication",
            {**givens, **invariant, **guards},
            system.ranks(name, s, values["t"], system.after(s, step)),
        )
