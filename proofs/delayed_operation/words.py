"""The names of ``spec/DelayedOperation.tla`` as Z3 has them."""

from __future__ import annotations

from proofs.delayed_operation.steps import CONDITION, THREAD
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Listing,
    Record,
    Subset,
    Vocabulary,
    Words,
    partial,
    prefixed,
    sequence,
)
from wheelproof.prove.ts.system import Enumeration, sort

OPERATION = sort("Operation", null="no_operation")
LOCK = sort("CallersLock", null="no_lock")


LABEL = prefixed(
    "DelayedOperationLabel",
    "at",
    "T0 Nowhere T1 V1 H1 H2 E1 G3 E3 G4 G1 E2 G2 D1 D2 D3 D4 X1 X3 X4 "
    "L1 L2 L3 L4 L5 L6 L7 Y1 Y2 O1 O2 P1 P2 P3 P4 P5 P6 S1 S2 B1 B2 B3 Done",
)
PROTOCOL = Enumeration("Protocol", "TryOnce TryPending LockedTry CheckedTry Blocking")
BEGUN = prefixed("Begun", "do", "deliver deliver_holding deliver_after attempt hold expire")
_MONITOR = Record({"owner": THREAD, "depth": INT})

WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "Operations": OPERATION, "Conditions": CONDITION, "Locks": LOCK},
    elements={"outer": LOCK},
    constants={
        "Protocol": Function(OPERATION, Words(PROTOCOL)),
        "Needs": Function(OPERATION, sequence(CONDITION)),
        "Completes": Function(OPERATION, sequence(OPERATION)),
        "Raises": Subset(OPERATION),
        "Locking": Subset(OPERATION),
        "OuterOf": partial(OPERATION, LOCK),
        "Guard": partial(OPERATION, LOCK),
        "Program": Listing(THREAD, {0: (OPERATION,), 1: (BEGUN,), 2: (CONDITION,), 3: (LOCK,)}),
    },
    variables={
        "ready": Function(CONDITION, BOOL),
        "completed": Function(OPERATION, BOOL),
        "pending": Function(OPERATION, BOOL),
        "lock": Function(OPERATION, _MONITOR),
        "outer": Function(LOCK, _MONITOR),
        "armed": Function(OPERATION, BOOL),
        "completions": Function(OPERATION, INT),
        "expirations": Function(OPERATION, INT),
        "won": Function(THREAD, BOOL),
        "raised": Function(THREAD, BOOL),
        "winner": Function(OPERATION, THREAD),
        "expiredBy": Function(OPERATION, Subset(THREAD)),
        "gaveUp": Function(THREAD, BOOL),
        "pc": LABEL,
        "turn": INT,
        "at": INT,
        "retry": BOOL,
        **dict.fromkeys(["co", "xo", "lo", "yo", "oo", "po", "so", "bo"], OPERATION),
    },
)
"""The callers' lock ``outer`` is a constant, which the module names by a string."""
