"""Module SystemTimer, of which the order of the executor's tasks is kept, and little else.

The system is generated of the module that SANY has read. The executor's queue and the histories of
hand-overs and starts are sequences with their places. All other variables but the threads' places
have no terms: a test of them may come out either way. So the system has every step of the module
with either timer, and more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import z3
from z3 import And, ForAll, If, Implies

from proofs.system_timer.links import at
from proofs.system_timer.steps import ENTRY, NO_THREAD, PLACE, THREAD, T
from proofs.system_timer.words import OPERATION, TIMER
from proofs.system_timer.words import WORDS as ALL
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.module.scopes import Frames
from wheelproof.prove.module.shapes import Listing, Words, sequence
from wheelproof.prove.module.terms import Terms
from wheelproof.prove.ts.system import conjunct

READ = ("pc", "turn", "ke", "task")
"""The variables of threads that have terms."""
SEQUENCES = ("waiting", "handed", "started")

WORDS = replace(
    ALL,
    sets={"Threads": THREAD, "Entries": ENTRY},
    numbered={},
    unordered={},
    unread=frozenset(ALL.variables) - {*READ, *SEQUENCES},
    constants={
        "Timer": Words(TIMER),
        "Program": Listing(THREAD, {1: (Words(OPERATION),)}),
    },
    variables={
        **{name: ALL.variables[name] for name in READ},
        **dict.fromkeys(SEQUENCES, sequence(ENTRY)),
    },
)

N = z3.Int("place_in_order")
K = z3.Int("step_of_program")
NUMBERS = 9
"""Places of sequences and of programs are below it."""


class InOrder(Invariant):
    """The generated system, where one thread executes tasks."""

    RIGID = {"executor": THREAD.z3}

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        """A-EXECUTOR."""
        executes = s.Program_1_word[T][K] == OPERATION.execute
        return [*super().given(s), ForAll([T, K], Implies(executes, T == s.executor))]

    def has_one(self, s: SimpleNamespace) -> z3.BoolRef:
        """The executor's thread has taken a task that it has not started."""
        return at(s, s.executor, "E2")

    @conjunct
    def one_executes(self, s: SimpleNamespace) -> z3.BoolRef:
        """A thread that takes or starts a task is the executor's."""
        return ForAll([T], Implies(And(T != NO_THREAD, at(s, T, "E1", "E2")), T == s.executor))

    @conjunct
    def procedures_return_elsewhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """No procedure returns to where a task is taken or started."""
        back = [getattr(s, f"ret_{name}")[T] for name in self.PROCEDURES.names]
        elsewhere = [And(label != PLACE.E1, label != PLACE.E2) for label in back]
        return ForAll([T], Implies(T != NO_THREAD, And(elsewhere)))

    @conjunct
    def each_is_somewhere(self, s: SimpleNamespace) -> z3.BoolRef:
        """A task that was handed over has started, is taken, or waits."""
        lengths = s.started_length, If(self.has_one(s), 1, 0), s.waiting_length
        return And(*[length >= 0 for length in lengths], s.handed_length == sum(lengths))

    @conjunct
    def waits_in_order(self, s: SimpleNamespace) -> z3.BoolRef:
        """The waiting tasks are the last hand-overs, in their order."""
        before = s.started_length + If(self.has_one(s), 1, 0)
        same = s.waiting_item[N] == s.handed_item[before + N]
        return ForAll([N], Implies(And(1 <= N, N <= s.waiting_length), same))

    @conjunct
    def takes_the_next(self, s: SimpleNamespace) -> z3.BoolRef:
        """The task that is taken is the one that was handed over behind those that have started."""
        following = s.handed_item[s.started_length + 1]
        return Implies(self.has_one(s), s.task[s.executor] == following)

    @conjunct
    def starts_in_order(self, s: SimpleNamespace) -> z3.BoolRef:
        """StartsInOrder of the module, as SANY has read it."""
        terms = Terms(self.WORDS, s, self.SHAPES, Frames())
        return terms.truth(self.MODULE.definition("StartsInOrder").body, {})


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The thread that executes; of several the first, and the scenario is refused."""
    threads = program["threads"]
    executes = [
        name for name, operations in threads.items() if ["execute"] in map(list, operations)
    ]
    return {"executor": (executes or [*threads])[0]}
