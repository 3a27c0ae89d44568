"""The theorem about the order in which the executor starts tasks, of module SystemTimer itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace

import z3

from proofs.system_timer.order import InOrder, reached, system, witnesses
from proofs.system_timer.runs import NAME, scenario
from proofs.system_timer.whole_module import READ
from wheelproof.prove import variants
from wheelproof.prove.invariant import conditions as own_invariant
from wheelproof.prove.invariant.planted import Planted as Fault
from wheelproof.prove.invariant.runs import START, Reached
from wheelproof.prove.kernel import Theory
from wheelproof.prove.late import ATOMIC, LateVC
from wheelproof.prove.module import unions
from wheelproof.prove.module.systems import Generated
from wheelproof.prove.ts.concrete import State

LABELS = tuple(variants.mechanisms()[NAME].labels)


class Conditions(own_invariant.Conditions):
    """Those of the order of the executor's tasks."""

    def system(self) -> type[Generated]:
        return system(self.of, self.changes)

    def witnesses(self) -> Mapping[str, tuple[Reached, State]]:
        return witnesses()

    def hints(self, name: str) -> list[z3.ExprRef]:
        """The executor, the first place, and the one behind any, where it was before a Tail."""
        return [self.module.symbols().executor, z3.IntVal(1), z3.Int("any_Int_1") + 1]


class Several(InOrder):
    """Any number of threads may execute: A-EXECUTOR is left out."""

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*unions.given(self.WORDS, s)]


class Planted(Fault):
    """A fault in module SystemTimer, or a second thread that executes."""

    def reached(self) -> Reached:
        return reached(self.program, self.of, self.changes)


TWO = scenario({"one": 0, "two": 0}, a="add one; add two", x="execute; execute")
THREADS = scenario({"one": 0, "two": 0}, a="add one; add two", x="execute", y="execute")
FAULTS = (
    Planted(
        "takes_the_last",
        "the executor takes the task that was handed over last",
        InOrder,
        (
            (
                "task' = [task EXCEPT ![self] = Head(waiting)]",
                "task' = [task EXCEPT ![self] = waiting[Len(waiting)]]",
            ),
        ),
        TWO,
        "E1_to_E2: takes_the_next",
        "StartsInOrder",
    ),
    Planted(
        "leaves_the_task",
        "the executor leaves the task that it takes in its queue",
        InOrder,
        (("/\\ waiting' = Tail(waiting)", "/\\ waiting' = waiting"),),
        TWO,
        "E1_to_E2: each_is_somewhere",
        "StartsInOrder",
    ),
    Planted(
        "starts_nothing",
        "the executor forgets the task that it has taken, and starts none",
        InOrder,
        (("/\\ started' = Append(started, task[self])", "/\\ started' = started"),),
        TWO,
        "E2_to_T0: each_is_somewhere",
        "each_is_somewhere",
    ),
    Planted(
        "two_threads",
        "two threads execute, and the one that takes a task later starts it first",
        Several,
        (),
        THREADS,
        "T0_to_E1: one_executes",
        "StartsInOrder",
    ),
)
"""Faults that the theorem refuses."""

THEORY = Theory("protocols.system_timer_order_module", mechanism=NAME)
OF = Conditions(InOrder)
THEORY.theorem(
    "Timer.StartsInOrder",
    f"The executor starts tasks in the order in which they were handed over, in each state of "
    f"{READ}, with Kafka's timer and the corrected one. What was handed over has started, is "
    "taken, or waits in that order.",
    [
        LateVC(START, OF.start),
        *[LateVC(label, partial(OF.step, label)) for label in LABELS],
    ],
    [each.control() for each in FAULTS],
    assumes=(*ATOMIC, "A-PROGRAM", "A-EXECUTOR"),
    profile="nightly",
)
