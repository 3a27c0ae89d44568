"""The invariant of module Atomic: the lock's owner, and its reading of the variable."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import z3
from z3 import And, ForAll, Implies

from proofs.atomic.words import LABEL, THREAD
from wheelproof.prove.invariant import system
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.ts.system import conjunct

at, back = partial(system.at, LABEL), partial(system.back, LABEL)
(T,) = THREAD.consts("thread")
NO_ONE = THREAD.null
HOLDING = ["S2", "S3", "E2", "E3", "E4", "C2", "C3", "C4", "A2", "A3", "A4"]
"""Where a thread has the lock."""


class Variable(Invariant):
    """The generated system, and the conjuncts."""

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """The definitions of sets."""
        return [*super().given(s), ForAll([T], s.Threads[T] == (T != NO_ONE))]

    @conjunct
    def no_one_runs_nowhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """An element that is no thread is at no label."""
        return ForAll([T], at(s, T, "Nowhere") == (T == NO_ONE))

    @conjunct
    def calls_return(self, s: SimpleNamespace) -> z3.BoolRef:
        """An operation that a thread is in returns to its program."""
        ways = [
            Implies(at(s, T, label), back(s, name, T, "T0"))
            for label, name in self.PROCEDURES.of.items()
            if name
        ]
        return ForAll([T], And(ways))

    @conjunct
    def one_holder(self, s: SimpleNamespace) -> z3.BoolRef:
        """The lock is held by the thread that is where it is held."""
        return ForAll([T], Implies(T != NO_ONE, at(s, T, *HOLDING) == (s.lock == T)))

    @conjunct
    def as_if_atomic(self, s: SimpleNamespace) -> z3.BoolRef:
        """The variable is as if each operation were one step, and each has returned accordingly."""
        return And(s.exact, s.held == s.ought)

    @conjunct
    def what_was_read_is_there(self, s: SimpleNamespace) -> z3.BoolRef:
        """The value that a thread with the lock has read of the variable is the variable's own."""
        return ForAll(
            [T],
            And(
                Implies(at(s, T, "E3"), s.seen[T] == s.held),
                Implies(at(s, T, "C3"), s.expected[T] == s.held),
                Implies(at(s, T, "A3"), s.total[T] == s.held + s.delta[T]),
            ),
        )
