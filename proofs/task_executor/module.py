"""Theorems about module TaskExecutor itself: an invariant that each step of each label keeps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from proofs.task_executor.invariant import CLOSER, CLOSES_AT, Executor, Once
from proofs.task_executor.planted import FAULTS
from proofs.task_executor.words import NAME, TASK, THREAD, WORDS
from wheelproof.prove.invariant.subject import Subject
from wheelproof.prove.invariant.system import Invariant
from wheelproof.prove.kernel import Theory


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the systems' constants in a scenario."""
    steps = {
        operation[1]: (thread, number)
        for thread, operations in program["threads"].items()
        for number, operation in enumerate(operations, 1)
        if operation[0] == "submit"
    }
    by = {
        operation[1]: task
        for task, operation in program["does"].items()
        if operation[:1] == ["submit"]
    }
    workers = [
        thread for thread, operations in program["threads"].items() if operations[0][0] == "work"
    ]
    return {
        "Worker": workers[0],
        "By": by,
        "Submitter": {task: thread for task, (thread, _) in steps.items()},
        "Number": {task: number for task, (_, number) in steps.items()},
    }


def hints(invariant: Invariant, name: str) -> list[z3.ExprRef]:
    """The terms that a way reads beside its own: the ends of sequences, and a task's source."""
    s, label = invariant.symbols(), name.partition("_")[0]
    thread, place = z3.Const("t!", THREAD.z3), z3.Int("any_Int_1")
    closes = s.Program_2_ExecutorTask[CLOSER][CLOSES_AT]
    table: dict[str, list[z3.ExprRef]] = {
        "": [CLOSER, CLOSES_AT, closes, s.place[closes]],
        "T0": [s.turn[thread], s.turn[thread] - 1],
        "S2": [s.turn[thread] - 1, s.accepted_length + 1],
        "R1": [s.ran_length + 1],
        "Y4": [z3.IntVal(1)],
        "Y5": [z3.IntVal(1), place + 1, s.ran_length + 1],
    }
    common = [s.Worker, s.mutex, s.ran_length, s.taken[s.Worker]]
    if isinstance(invariant, Once):
        (any_task,) = TASK.consts("any_ExecutorTask_1")
        for task in (any_task, s.task[thread]):
            common += [task, s.By[task], s.Submitter[task], s.place[task], s.place[s.By[task]]]
    return [*common, *table.get(label, ())]


SUBJECT = Subject(
    NAME,
    WORDS,
    {Executor: "Spec.TaskExecutor", Once: "Spec.TaskExecutorOnce"},
    ["adds", "refuses", "raises", "closes_inside"],
    {"place": {}},
    rigid,
    lambda program: {"Int": range(8)},
    hints,
)


THEORY = Theory("protocols.task_executor", mechanism=NAME)
SUBJECT.submit(
    THEORY,
    Executor,
    f"RunsInOrder, NothingLost and CloseWaits in each state {SUBJECT.read}.",
    FAULTS,
    ("A-EXECUTOR", "A-PROGRAM", "A-TICKETS"),
    moves="Spec.TaskExecutorMoves",
    moves_assume=("A-CLOSES",),
)
SUBJECT.submit(
    THEORY,
    Once,
    f"RunsOnce in each state {SUBJECT.read}, where each task is handed over once.",
    FAULTS,
    ("A-EXECUTOR", "A-ONCE", "A-PROGRAM", "A-TICKETS"),
)
