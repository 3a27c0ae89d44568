"""The theorem about the order in which the executor starts tasks, of module SystemTimer itself."""

from __future__ import annotations

from types import SimpleNamespace

import z3

from proofs.system_timer.order import NUMBERS, WORDS, InOrder, rigid
from proofs.system_timer.runs import NAME, OF_KAFKA, SMALL, scenario
from proofs.system_timer.whole_module import READ
from wheelproof.prove.invariant.planted import Fault
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.kernel import Theory
from wheelproof.prove.module import unions


class Several(InOrder):
    """Any number of threads may execute: A-EXECUTOR is left out."""

    def given(self, s: SimpleNamespace) -> list[z3.BoolRef]:
        return [*unions.given(self.WORDS, s)]


TWO = scenario({"one": 0, "two": 0}, a="add one; add two", x="execute; execute")
THREADS = scenario({"one": 0, "two": 0}, a="add one; add two", x="execute", y="execute")
FAULTS = (
    Fault(
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
    Fault(
        "leaves_the_task",
        "the executor leaves the task that it takes in its queue",
        InOrder,
        (("/\\ waiting' = Tail(waiting)", "/\\ waiting' = waiting"),),
        TWO,
        "E1_to_E2: each_is_somewhere",
        "StartsInOrder",
    ),
    Fault(
        "starts_nothing",
        "the executor forgets the task that it has taken, and starts none",
        InOrder,
        (("/\\ started' = Append(started, task[self])", "/\\ started' = started"),),
        TWO,
        "E2_to_T0: each_is_somewhere",
        "each_is_somewhere",
    ),
    Fault(
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


def hints(system: InOrder, _name: str) -> list[z3.ExprRef]:
    """The executor, the first place, and the one behind any, where it was before a Tail."""
    return [system.symbols().executor, z3.IntVal(1), z3.Int("any_Int_1") + 1]


SUBJECT = Subject(
    NAME,
    WORDS,
    {InOrder: "Timer.StartsInOrder"},
    (*SMALL, OF_KAFKA),
    rigid=rigid,
    sizes=lambda _: {"Int": range(NUMBERS)},
    hints=hints,
)
THEORY = Theory("protocols.system_timer_order_module", mechanism=NAME)
SUBJECT.submit(
    THEORY,
    InOrder,
    f"The executor starts tasks in the order in which they were handed over, in each state of "
    f"{READ}, with Kafka's timer and the corrected one. What was handed over has started, is "
    "taken, or waits in that order.",
    FAULTS,
    ("A-PROGRAM", "A-EXECUTOR"),
)
