"""The names of ``spec/OverflowWheel.tla`` as Z3 has them.

The buffer is a sequence by places: a store keeps its place while others reach memory. Objects and
the contents of fields are of one sort, whose null is "not stored yet". Threads and the processes of
memory are of one sort.
"""

from __future__ import annotations

from wheelproof.prove.invariant.system import labels
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Listing,
    Record,
    Subset,
    Vocabulary,
    flags,
    prefixed,
    sequence,
    spaced,
)
from wheelproof.prove.ts.system import sort

NAME = "overflow_wheel"
THREAD = sort("Process", null="no_process")
THING = sort("Thing", null="nothing_stored")
LABEL = labels(NAME, "OverflowWheelLabel")
OPERATION = prefixed("OverflowWheelOperation", "do", "nothing place add cancel check memory")
FIELD = prefixed(
    "OverflowWheelField", "of", "no_field current_time overflow_wheel list timer_task_entry"
)
MONITORS = ("wheel", "bucket", "entry", "task")
NAMED = ("w0", "e", "x", "l", "start")
"""The strings that stand for objects and for the contents of fields, but for the wheels."""

MARKS = flags(
    " ".join((*MONITORS, *[field for field in FIELD.called if field != "no_field"]))
    + " counter submitted"
)
STORE = Record({"1": THREAD, "2": FIELD, "3": THING, "4": THING, "5": MARKS})
"""``<<thread, field, object, value, marks>>``."""

WORDS = Vocabulary(
    threads=THREAD,
    sets={"ProcSet": THREAD, "Threads": THREAD, "Memories": THREAD, "Made": THING},
    elements=dict.fromkeys(NAMED, THING),
    constants={
        "Threads": Subset(THREAD),
        "Memories": Subset(THREAD),
        "Made": Subset(THING),
        "Wheels": sequence(THING),
        "Linked": BOOL,
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (THREAD,), 3: (FIELD,)}),
    },
    variables={
        "buffer": spaced(STORE),
        **dict.fromkeys(["overflowWheel", "list", "timerTaskEntry"], THING),
        "currentTime": Function(THING, THING),
        "monitor": Record(dict.fromkeys(MONITORS, Record({"owner": THREAD, "depth": INT}))),
        **dict.fromkeys(["made", "taskCounter", "submitted"], INT),
        **dict.fromkeys(["foundWheel", "foundTime", "wheel", "time"], Function(THREAD, THING)),
        "late": Subset(THREAD),
        **dict.fromkeys(["settled", "unlinked", "revoked", "slipped"], BOOL),
        "pc": LABEL,
        "new": THING,
        "done": BOOL,
        "turn": INT,
    },
)
