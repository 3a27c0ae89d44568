"""The names of ``spec/CoordinatorLoad.tla`` as Z3 has them.

Replies have no terms. So a write may end at any time, and an answer may go to any write.
"""

from __future__ import annotations

from wheelproof.prove.invariant.system import labels
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Listing,
    Padded,
    Subset,
    Vocabulary,
    prefixed,
    sequence,
)
from wheelproof.prove.ts.system import sort

NAME = "coordinator_load"
THREAD = sort("LoadThread", null="no_load_thread")
EPOCH = sort("Epoch", null="no_epoch")
WRITE = sort("LoadWrite", null="no_load_write")
MATTER = sort("LoadMatter", null="no_load_matter")
"""The matter of an event: an epoch or a write."""
LABEL = labels(NAME, "CoordinatorLoadLabel")
OPERATION = prefixed(
    "CoordinatorLoadOperation", "do", "nothing lead follow resign fetch write load"
)
KIND = prefixed("CoordinatorLoadEvent", "of", "nothing load unload complete rise write")
STATE = prefixed("CoordinatorState", "is", "initial loading active failed closed")
EVENT = Padded({"1": KIND, "2": MATTER, "3": BOOL})

WORDS = Vocabulary(
    threads=THREAD,
    sets={
        "Threads": THREAD,
        "ProcSet": THREAD,
        "Contexts": EPOCH,
        "Epochs": EPOCH,
        "Writes": WRITE,
    },
    unions={"LoadMatter": (EPOCH, WRITE)},
    numbered={"Epoch": lambda s: s.Newest},
    added=(MATTER,),
    unread=frozenset(
        ["deferred", "result", "replied", "recipient", "answer", "answers", "next", "request"]
    ),
    constants={
        "Threads": Subset(THREAD),
        "Contexts": Subset(EPOCH),
        "Newest": INT,
        "End": INT,
        "Seen": INT,
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (EPOCH, WRITE, MATTER)}),
    },
    variables={
        **dict.fromkeys(["gate", "lock"], THREAD),
        **dict.fromkeys(["busy", "leads"], BOOL),
        "waiting": sequence(EVENT),
        "loads": sequence(EPOCH),
        "highWatermark": INT,
        **dict.fromkeys(["listener", "current"], EPOCH),
        **dict.fromkeys(
            ["epoch", "applied", "committed", "heard", "pending"], Function(EPOCH, INT)
        ),
        "state": Function(EPOCH, STATE),
        "pc": LABEL,
        **dict.fromkeys(["owner", "first", "last", "ended", "target"], EPOCH),
        **dict.fromkeys(["since", "until", "hearer", "task"], EPOCH),
        **dict.fromkeys(["item", "event"], EVENT),
        **dict.fromkeys(["loaded", "handles"], BOOL),
        **dict.fromkeys(["offset", "reached", "mark", "turn"], INT),
        "own": WRITE,
    },
)
"""Epochs are numbers up to the newest one, and a context is named after its epoch."""
