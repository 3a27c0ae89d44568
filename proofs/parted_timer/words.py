"""The names of ``spec/PartedTimer.tla`` as Z3 has them."""

from __future__ import annotations

from wheelproof.prove.arithmetic import mul
from wheelproof.prove.invariant.system import labels
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Function,
    Listing,
    Subset,
    Vocabulary,
    prefixed,
)
from wheelproof.prove.ts.system import sort

NAME = "parted_timer"
THREAD = sort("PartedThread", null="no_parted_thread")
ENTRY = sort("PartedEntry", null="no_parted_entry")
TASK = sort("PartedTask", null="no_parted_task")
LIST = sort("PartedList", null="no_parted_list")
LEVEL = sort("PartedLevel", null="no_parted_level")
LABEL = labels(NAME, "PartedTimerLabel")
OPERATION = prefixed("PartedTimerOperation", "do", "add cancel close reap wake tick execute")

WORDS = Vocabulary(
    threads=THREAD,
    sets={
        "Threads": THREAD,
        "Entries": ENTRY,
        "Tasks": TASK,
        "Buckets": LIST,
        "Lists": LIST,
        "1..Levels": LEVEL,
    },
    numbered={
        "PartedList": lambda s: mul(s.WheelSize, s.Levels),
        "PartedLevel": lambda s: s.Levels,
    },
    from_zero=frozenset(["PartedList"]),
    unordered={"Offer": "Append", "Poll": "Tail"},
    constants={
        "WheelSize": INT,
        "Levels": INT,
        "Part": INT,
        "Threads": Subset(THREAD),
        "Entries": Subset(ENTRY),
        "Buckets": Subset(LIST),
        "TaskOf": Function(ENTRY, TASK),
        "Deadline": Function(ENTRY, INT),
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (ENTRY, TASK)}),
    },
    variables={
        **dict.fromkeys(["now", "taskCounter", "adding", "moved", "came", "credit"], INT),
        "current": Function(LEVEL, INT),
        "content": Function(LIST, Bag(ENTRY)),
        "key": Function(LIST, INT),
        "queue": Bag(LIST),
        "timerTaskEntry": Function(TASK, ENTRY),
        "readers": Subset(THREAD),
        **dict.fromkeys(["writer", "expiring"], THREAD),
        "flushing": LIST,
        **dict.fromkeys(["shut", "behind"], BOOL),
        **dict.fromkeys(["waiting", "started", "refused"], Bag(ENTRY)),
        **dict.fromkeys(["raised", "early", "slipped"], Subset(ENTRY)),
        "thrown": Function(THREAD, BOOL),
        "rekeyed": Subset(LIST),
        "submitted": Function(ENTRY, INT),
        "revoked": Function(ENTRY, BOOL),
        "pc": LABEL,
        **dict.fromkeys(["ke", "ae", "task", "head"], ENTRY),
        "level": LEVEL,
        **dict.fromkeys(["bucket", "polled"], LIST),
        "ct": TASK,
        **dict.fromkeys(["turn", "left", "linked", "expiration"], INT),
    },
)
"""A list and a level are numbers. List 0 is the bucket of wake's. The queue has no order."""
