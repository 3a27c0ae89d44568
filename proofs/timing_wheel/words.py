"""The names of ``spec/TimingWheel.tla`` as Z3 has them."""

from __future__ import annotations

from wheelproof.prove.arithmetic import mul
from wheelproof.prove.invariant.system import labels
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Function,
    Listing,
    Record,
    Subset,
    Vocabulary,
    prefixed,
)
from wheelproof.prove.ts.system import sort

NAME = "timing_wheel"
THREAD = sort("WheelThread", null="no_wheel_thread")
ENTRY = sort("WheelEntry", null="no_wheel_entry")
BUCKET = sort("WheelBucket", null="no_wheel_bucket")
LEVEL = sort("WheelLevel", null="no_wheel_level")
LABEL = labels(NAME, "TimingWheelLabel")
OPERATION = prefixed("TimingWheelOperation", "do", "add expire withdraw")

WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "Entries": ENTRY, "Buckets": BUCKET, "1..Levels": LEVEL},
    numbered={
        "WheelBucket": lambda s: mul(s.WheelSize, s.Levels),
        "WheelLevel": lambda s: s.Levels,
    },
    unordered={"Offer": "Append", "Poll": "Tail"},
    constants={
        "WheelSize": INT,
        "Levels": INT,
        "Start": INT,
        "Deadline": Function(ENTRY, INT),
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (ENTRY,)}),
    },
    variables={
        "made": INT,
        "current": Function(LEVEL, INT),
        "content": Function(BUCKET, Bag(ENTRY)),
        "monitor": Function(BUCKET, Record({"owner": THREAD, "depth": INT})),
        "key": Function(BUCKET, INT),
        "queue": Bag(BUCKET),
        "taskCounter": INT,
        "readers": Subset(THREAD),
        "writer": THREAD,
        "adding": INT,
        "handed": Bag(ENTRY),
        "rekeyed": Subset(BUCKET),
        "early": Subset(ENTRY),
        "pc": LABEL,
        **dict.fromkeys(["he", "ke", "ae", "head"], ENTRY),
        **dict.fromkeys(["withdrawn", "away"], BOOL),
        **dict.fromkeys(["level", "up"], LEVEL),
        **dict.fromkeys(["bucket", "fb", "polled", "taken"], BUCKET),
        **dict.fromkeys(["expiration", "turn"], INT),
    },
)
"""A bucket and a level are numbers from 1, and 0 is none. Of the queue's order no term speaks."""
