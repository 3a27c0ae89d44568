"""The names of ``spec/ShareFetch.tla`` as Z3 has them.

The number of batches that can be acquired has no terms, but whether it is 0.
"""

from __future__ import annotations

from wheelproof.prove.invariant.system import labels
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Bag,
    Function,
    Listing,
    Padded,
    Record,
    Vocabulary,
    prefixed,
    spaced,
)
from wheelproof.prove.ts.system import sort

NAME = "share_fetch"
THREAD = sort("ShareThread", null="no_share_thread")
FETCH = sort("ShareFetch", null="no_share_fetch")
LABEL = labels(NAME, "ShareFetchLabel")
OPERATION = prefixed(
    "ShareFetchOperation",
    "do",
    "fetch expire release accept write fail time_out append trim",
)
STATE = prefixed("ShareBatchState", "is", "none available acquired accepted", null="none")
REPLY = prefixed("ShareReply", "has", "none pending done failed refused", null="none")
OFFSETS = Padded({"1": INT, "2": INT})
BATCH = Record({"first": INT, "last": INT, "state": STATE, "owner": FETCH, "moving": BOOL})
MET = Padded({"1": INT, "2": FETCH})

WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "ProcSet": THREAD, "Fetches": FETCH},
    constants={
        "Batches": spaced(OFFSETS),
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (FETCH, INT), 3: (INT,)}),
    },
    variables={
        "lock": THREAD,
        "cache": spaced(BATCH),
        "start": INT,
        "fetching": FETCH,
        "watched": spaced(FETCH),
        "writes": Bag(FETCH),
        "held": Function(FETCH, THREAD),
        "completed": Function(FETCH, BOOL),
        "result": Function(FETCH, OFFSETS),
        "reply": Function(FETCH, REPLY),
        "expired": Function(FETCH, BOOL),
        "won": Function(THREAD, BOOL),
        "answers": Function(FETCH, INT),
        "pc": LABEL,
        **dict.fromkeys(
            ["taker", "tried", "entered", "expiring", "acked", "task", "lapsed"], FETCH
        ),
        "offsets": OFFSETS,
        **dict.fromkeys(["ahead", "met"], MET),
        "kind": STATE,
        **dict.fromkeys(["again", "has", "fails", "late", "freed", "frees"], BOOL),
        **dict.fromkeys(["low", "high", "offset", "turn"], INT),
    },
)
