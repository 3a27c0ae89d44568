"""The names of ``spec/TimerTaskList.tla`` as Z3 has them."""

from __future__ import annotations

from proofs.timer_task_list.state import ENTRY, LIST, PLACE, TASK, THREAD
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Listing,
    Record,
    Subset,
    Vocabulary,
    Words,
)
from wheelproof.prove.ts.system import Enumeration, sort

NODE = sort("Node", null="no_node")
OPERATION = Enumeration("RingOperation", "add remove cancel schedule flush expire")
_MONITOR = Record({"owner": THREAD, "depth": INT})

WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "Lists": LIST, "Entries": ENTRY, "Tasks": TASK, "Nodes": NODE},
    unions={"Node": (LIST, ENTRY)},
    constants={
        "TaskOf": Function(ENTRY, TASK),
        "Program": Listing(
            THREAD,
            {1: (Words(OPERATION),), 2: (LIST, ENTRY, TASK), 3: (LIST, ENTRY)},
        ),
    },
    variables={
        "next": Function(NODE, NODE),
        "prev": Function(NODE, NODE),
        "list": Function(ENTRY, LIST),
        "listMonitor": Function(LIST, _MONITOR),
        "entryMonitor": Function(ENTRY, _MONITOR),
        "taskMonitor": Function(TASK, _MONITOR),
        "timerTaskEntry": Function(TASK, ENTRY),
        "taskCounter": INT,
        "revoked": Function(ENTRY, BOOL),
        "slipped": Subset(ENTRY),
        "owed": Function(TASK, INT),
        "pc": Words(PLACE, {"T0": "Idle"}),
        "turn": INT,
        "done": BOOL,
        **dict.fromkeys(["ul", "al", "kl", "fl", "fd"], LIST),
        **dict.fromkeys(["ue", "re", "ae", "ke", "se"], ENTRY),
        **dict.fromkeys(["tail", "head"], NODE),
        **dict.fromkeys(["ct", "st"], TASK),
    },
)
"""The label T0, at which a thread is between operations, is the proof's Idle."""
