"""The names of ``spec/TaskExecutor.tla`` as Z3 has them."""

from __future__ import annotations

from wheelproof.prove.invariant.system import labels
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Listing,
    Padded,
    Subset,
    Tickets,
    Vocabulary,
    prefixed,
    sequence,
)
from wheelproof.prove.ts.system import sort

NAME = "task_executor"
THREAD = sort("ExecutorThread", null="no_executor_thread")
TASK = sort("ExecutorTask", null="no_executor_task")
LABEL = labels(NAME, "TaskExecutorLabel")
OPERATION = prefixed("TaskExecutorOperation", "do", "nothing submit close raise work")

WORDS = Vocabulary(
    threads=THREAD,
    sets={"ProcSet": THREAD, "Users": THREAD, "Workers": THREAD, "Tasks": TASK},
    constants={
        "Users": Subset(THREAD),
        "Workers": Subset(THREAD),
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (TASK,)}),
        "Does": Function(TASK, Padded({"1": OPERATION, "2": TASK})),
    },
    variables={
        "mutex": THREAD,
        "asleep": Subset(THREAD),
        "tickets": Tickets(THREAD),
        **dict.fromkeys(["calls", "ran", "accepted"], sequence(TASK)),
        **dict.fromkeys(["shut", "ended"], BOOL),
        "thread": THREAD,
        "refused": Subset(TASK),
        "closed": Subset(THREAD),
        "pc": LABEL,
        **dict.fromkeys(["task", "job", "taken"], TASK),
        "own": THREAD,
        "turn": INT,
        "again": BOOL,
    },
)
"""A task's operation is a tuple of no, one or two places. ``again`` is of a module that hands over
each task twice.
"""
