"""The names of ``spec/Controller.tla`` as Z3 has them.

Threads and brokers are of one sort: the event thread of a broker has the broker's name. Its null is
also the ``None`` of the module, and a function over brokers is blank elsewhere. Five variables have
no terms: the queues, the watches, the handler of an event, whether faults are over, and the request
of a notification. So an event may be any.
"""

from __future__ import annotations

from wheelproof.prove import variants
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Listing,
    Record,
    Subset,
    Vocabulary,
    prefixed,
    single,
)
from wheelproof.prove.ts.system import sort

NAME = "controller"
THREAD = sort("Broker", null="no_broker")
NO_ONE = THREAD.null
UNREADABLE, NEVER = "?", "never"
LABELS = tuple(variants.mechanisms()[NAME].labels)
LABEL = prefixed("ControllerLabel", "at", " ".join((*LABELS, "Nowhere", "Done")))
OPERATION = prefixed(
    "ControllerOperation",
    "do",
    "nothing serve connect expire remove lose notify overwrite lag hear shrink visit leave rest",
)
ELECTOR = prefixed("ControllerElector", "of", "Elector EarlyElector")
MANNER = prefixed("ControllerManner", "is", "none before after gracefully abruptly", null="none")
MISSED = prefixed("ControllerMissed", "missed", "none change reelect")

NODE = Record({"id": THREAD, "session": INT})
EPOCH = Record({"value": INT, "version": INT})
PART = Record({"epoch": INT, "by": INT, "isr": INT, "version": INT})
TREE = Record({"node": NODE, "epoch": EPOCH, "part": PART, "missed": MISSED})

WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "Brokers": THREAD},
    nulls=frozenset(["none"]),
    elements={UNREADABLE: THREAD, NEVER: THREAD},
    unread=frozenset(["queue", "watching", "busy", "over", "what"]),
    constants={
        "Brokers": Subset(THREAD),
        "Session": Function(THREAD, INT),
        "First": THREAD,
        "Elector": Function(THREAD, ELECTOR),
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (THREAD,), 3: (MANNER,)}),
    },
    variables={
        "node": NODE,
        "epoch": EPOCH,
        "part": PART,
        "live": Subset(THREAD),
        "session": Function(THREAD, INT),
        "sessions": INT,
        "cut": Function(THREAD, MANNER),
        "late": Function(THREAD, single(TREE)),
        "acts": Function(THREAD, BOOL),
        "own": Function(THREAD, EPOCH),
        "known": Function(THREAD, PART),
        "leaves": Function(THREAD, MANNER),
        "elections": INT,
        **dict.fromkeys(["stale", "robbed", "overwritten"], BOOL),
        "pc": LABEL,
        "seen": EPOCH,
        **dict.fromkeys(["of", "victim", "leaver", "id", "slow", "again", "whose", "whom"], THREAD),
        **dict.fromkeys(["when", "how"], MANNER),
        "turn": INT,
    },
)
"""``/controller`` is a record whose ``id`` is null where there is none.

How replies are lost and how brokers end are words of one enumeration: both are third in an
operation."""
