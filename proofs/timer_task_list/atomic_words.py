"""The names of ``spec/TimerTaskListAtomic.tla`` as Z3 has them, and the module as a system."""

from __future__ import annotations

from functools import cache

from proofs.timer_task_list.state import ENTRY, LIST, TASK, THREAD
from proofs.timer_task_list.words import WORDS as OF_LIST
from wheelproof.prove import variants
from wheelproof.prove.module import machines
from wheelproof.prove.module.machines import Machine
from wheelproof.prove.module.shapes import BOOL, INT, Function, Subset, Vocabulary, Words
from wheelproof.prove.ts.system import Enumeration
from wheelproof.tla import export
from wheelproof.tla.syntax import Call, disjuncts

NAME = "timer_task_list"
PHASE = Enumeration(
    "RingPhase",
    "idle linking removing entering reading setting releasing checking flushing held moving",
)
WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "Lists": LIST, "Entries": ENTRY, "Tasks": TASK},
    constants={**OF_LIST.constants, "MissAllowed": BOOL, "OneEffect": BOOL},
    variables={
        "members": Function(LIST, Subset(ENTRY)),
        "mover": Function(ENTRY, THREAD),
        "timerTaskEntry": Function(TASK, ENTRY),
        "taskOwner": Function(TASK, THREAD),
        "turn": Function(THREAD, INT),
        "phase": Function(THREAD, Words(PHASE)),
        "picked": Function(THREAD, ENTRY),
    },
)
RESULTS = {"Destination": LIST}


@cache
def system(old: str = "", new: str = "") -> type[Machine]:
    """The system of the atomic module, or of one with a text replaced.

    Raises ValueError where the text is not there exactly once.
    """
    file = variants.mechanisms()[NAME].spec.with_name("TimerTaskListAtomic.tla")
    text = file.read_text(encoding="utf-8")
    if old and text.count(old) != 1:
        raise ValueError(f"{file.name} has {text.count(old)} times: {old}")
    module = export.load(file, {file.name: text.replace(old, new)} if old else None)
    actions = [
        disjunct.name
        for disjunct in disjuncts(module.definition("Step").body)
        if isinstance(disjunct, Call)
    ]
    return machines.made("TimerTaskListAtomic", module, WORDS, actions, RESULTS)
