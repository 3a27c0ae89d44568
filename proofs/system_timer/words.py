"""The names of ``spec/SystemTimer.tla`` as Z3 has them."""

from __future__ import annotations

from proofs.system_timer.steps import BUCKET, ENTRY, PLACE, THREAD
from wheelproof.prove.arithmetic import mul
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Function,
    Listing,
    Subset,
    Vocabulary,
    Words,
)
from wheelproof.prove.ts.system import Enumeration, sort

TASK = sort("Task", null="no_task")
LEVEL = sort("Level", null="no_level")
NO_TASK, NO_LEVEL = TASK.null, LEVEL.null
OPERATION = Enumeration("TimerOperation", "add cancel close reap tick execute")
TIMER = Enumeration("TimerKind", "SystemTimer KafkaTimer")
CALLBACK = Enumeration("TimerCallback", "none reinsert addTimerTaskEntry")

WORDS = Vocabulary(
    threads=THREAD,
    sets={
        "Threads": THREAD,
        "Entries": ENTRY,
        "Tasks": TASK,
        "Buckets": BUCKET,
        "1..Levels": LEVEL,
    },
    numbered={
        "Bucket": lambda s: mul(s.WheelSize, s.Levels),
        "Level": lambda s: s.Levels,
    },
    unordered={"Offer": "Append", "Poll": "Tail"},
    constants={
        "WheelSize": INT,
        "Levels": INT,
        "TaskOf": Function(ENTRY, TASK),
        "Deadline": Function(ENTRY, INT),
        "Timer": Words(TIMER),
        "Program": Listing(THREAD, {1: (Words(OPERATION),), 2: (ENTRY, TASK)}),
    },
    variables={
        "now": INT,
        "current": Function(LEVEL, INT),
        "content": Function(BUCKET, Bag(ENTRY)),
        "key": Function(BUCKET, INT),
        "queue": Bag(BUCKET),
        "timerTaskEntry": Function(TASK, ENTRY),
        "taskCounter": INT,
        "readers": Subset(THREAD),
        "writer": THREAD,
        "flushing": BUCKET,
        "shut": BOOL,
        **dict.fromkeys(["waiting", "started", "refused", "handed"], Bag(ENTRY)),
        **dict.fromkeys(["raised", "early", "slipped"], Subset(ENTRY)),
        "reaperDied": BOOL,
        "adding": INT,
        "thrown": Function(THREAD, BOOL),
        "rekeyed": Subset(BUCKET),
        "submitted": Function(ENTRY, INT),
        "revoked": Function(ENTRY, BOOL),
        **dict.fromkeys(["ran", "added"], Function(TASK, INT)),
        "pc": Words(PLACE, {"T0": "Idle"}),
        **dict.fromkeys(["ke", "ae", "task", "head"], ENTRY),
        "level": LEVEL,
        **dict.fromkeys(["bucket", "polled"], BUCKET),
        "ct": TASK,
        "callback": Words(CALLBACK, null="none"),
        **dict.fromkeys(["turn", "expiration"], INT),
    },
)
"""The label T0, at which a thread is between operations, is the proof's Idle.

A bucket and a level are numbers from 1, and 0 is none. Of the queue's order no term speaks."""
