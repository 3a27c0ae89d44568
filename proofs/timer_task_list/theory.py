"""P1 - P5 for any threads on any lists, P12 where one thread flushes into other lists."""

from __future__ import annotations

from proofs.timer_task_list.faults import EVERYTHING, FAULTS, view_of
from proofs.timer_task_list.system import OneReaper, TimerTaskList
from wheelproof.prove.kernel import Theory
from wheelproof.prove.ts.theory import submit

OF_MODULE = ("A-INIT", "A-PROGRAM", "A-TRAVERSAL")
"""The assumptions on the module, besides the theorems of ``timer_task_list_module``."""

THEORY = Theory("protocols.timer_task_list", mechanism="timer_task_list")

submit(
    THEORY,
    TimerTaskList,
    EVERYTHING,
    FAULTS.values(),
    view_of,
    ("A-CARDINALITY", *OF_MODULE),
    lemma="Inv.TimerTaskList",
    certified="nightly",
)
submit(
    THEORY,
    OneReaper,
    EVERYTHING,
    FAULTS.values(),
    view_of,
    ("A-RANK", "A-REAPER"),
    suffix=".OneReaper",
    base=TimerTaskList,
    lemma_of_base="Inv.TimerTaskList",
    certified="nightly",
)
