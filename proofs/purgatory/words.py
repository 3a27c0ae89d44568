"""The names of ``spec/Purgatory.tla`` as Z3 has them.

Some variables have no terms: where ``purge`` and ``watched`` stand in a shard's map, the counts,
and the list that ``cancelForKey`` returns. No other step reads them.
"""

from __future__ import annotations

from proofs.purgatory.state import KEY, SHARD, THREAD, WATCHERS
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Listing,
    Pairs,
    Record,
    Subset,
    Vocabulary,
    pair,
    prefixed,
    sequence,
)
from wheelproof.prove.ts.system import WHOLE, sort

OPERATION = sort("Operation", null="no_operation")
CONDITION = sort("Condition", null="no_condition")
NO_OPERATION, NO_CONDITION = OPERATION.null, CONDITION.null


LABEL = prefixed(
    "PurgatoryLabel",
    "at",
    "T0 Nowhere J1 J2 E1 M1 K1 T1 V1 Done Q1 D1 D2 D3 X1 X3 X4 L1 L2 L3 L4 L5 L6 L7 Y1 "
    "P1 P2 P3 P4 P5 P6 B1 B2 B3 A0 A1 A2 W0 W1 W2 W3 W4 W5 W6 A3 A4 A8 A5 A6 A7 Z1 "
    "R1 R2 R3 R4 R5 C1 C2 C3 C4 C0 C5 C6 C7 C8 F1 F2 F3 F4 F5 F6 H1 H0 H2 H3 H4 "
    "G1 G2 G3 G4 G0 G5 G6 N0 N1 N2 N4",
)
PROTOCOL = prefixed("PurgatoryProtocol", "of", "Blocking TryPending")
BEGUN = prefixed(
    "PurgatoryBegun",
    "do",
    "watch watch_holding deliver check force expire cancel_key purge watched num_delayed",
)
_HERE = pair(INT, OPERATION)

WORDS = Vocabulary(
    threads=THREAD,
    sets={
        "Threads": THREAD,
        "Operations": OPERATION,
        "Conditions": CONDITION,
        "Keys": KEY,
        "1..Shards": SHARD,
    },
    numbered={"Shard": lambda s: s.Shards},
    functions={"Shard": Function(KEY, SHARD)},
    searches=frozenset(["First"]),
    unread=frozenset(["swept", "met", "its", "estimated", "guess", "count", "taken", "Interval"]),
    added=(WATCHERS,),
    constants={
        "Protocol": PROTOCOL,
        "Need": Function(OPERATION, CONDITION),
        "KeysOf": Function(OPERATION, sequence(KEY)),
        "Adds": Function(OPERATION, sequence(OPERATION)),
        "Raises": Subset(OPERATION),
        "Locking": Subset(OPERATION),
        "Shards": INT,
        "Program": Listing(THREAD, {1: (BEGUN,), 2: (OPERATION, CONDITION, KEY), 3: (KEY,)}),
    },
    variables={
        "ready": Function(CONDITION, BOOL),
        "completed": Function(OPERATION, BOOL),
        "pending": Function(OPERATION, BOOL),
        "lock": Function(OPERATION, Record({"owner": THREAD, "depth": INT})),
        "outer": THREAD,
        "armed": Function(OPERATION, BOOL),
        "entering": Function(OPERATION, BOOL),
        "shard": Function(SHARD, THREAD),
        "used": Function(SHARD, BOOL),
        "list": Function(KEY, INT),
        "content": Function(KEY, sequence(sequence(OPERATION))),
        "completions": Function(OPERATION, INT),
        "expirations": Function(OPERATION, INT),
        "won": Function(THREAD, BOOL),
        "raised": Function(THREAD, BOOL),
        "winner": Function(OPERATION, THREAD),
        "expiredBy": Function(OPERATION, Subset(THREAD)),
        "places": Function(OPERATION, Pairs(KEY, WHOLE)),
        "dropped": Pairs(KEY, WHOLE),
        "revoked": Subset(OPERATION),
        "pc": LABEL,
        "retry": BOOL,
        **dict.fromkeys(["xo", "co", "uo", "lo", "yo", "po", "bo", "ao"], OPERATION),
        **dict.fromkeys(["rk", "ck", "fk", "hk"], KEY),
        **dict.fromkeys(["nth", "found", "rw", "mine", "gone", "hw", "at", "no", "turn"], INT),
        **dict.fromkeys(["ahead", "here", "left", "held", "some", "one"], _HERE),
    },
)
"""A list is its key and its number. An operation that leaves one is null at its place."""
