"""The names of ``spec/EventQueue.tla`` as Z3 has them.

Tickets, sessions and their histories have no terms. So a thread may wake at any time.
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
    pair,
    prefixed,
    sequence,
)
from wheelproof.prove.ts.system import sort

NAME = "event_queue"
THREAD = sort("Hand", null="no_hand")
EVENT = sort("Happening", null="no_event")
LABEL = labels(NAME, "EventQueueLabel")
OPERATION = prefixed("EventQueueOperation", "do", "nothing put expire close work")
DOES = prefixed("EventQueueHandler", "does", "nothing request raise put")
HOW = prefixed("EventQueueEnd", "was", "nothing processed preempted")
CLEAR = prefixed("EventQueueClear", "by", "drain look")

WORDS = Vocabulary(
    threads=THREAD,
    sets={"Users": THREAD, "Workers": THREAD, "ProcSet": THREAD, "Events": EVENT},
    unread=frozenset(["tickets", "session", "requests", "entered"]),
    saved=(EVENT,),
    constants={
        "Users": Subset(THREAD),
        "Workers": Subset(THREAD),
        "Events": Subset(EVENT),
        "Expiries": Subset(EVENT),
        "Does": Function(EVENT, Padded({"1": DOES, "2": EVENT})),
        "Waiting": sequence(EVENT),
        "Clear": CLEAR,
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (EVENT,)}),
    },
    variables={
        **dict.fromkeys(["putLock", "mutex", "reader", "writer"], THREAD),
        "asleep": Subset(THREAD),
        "queue": sequence(EVENT),
        **dict.fromkeys(["spent", "started"], Function(EVENT, BOOL)),
        **dict.fromkeys(["running", "ended"], BOOL),
        "log": sequence(pair(HOW, EVENT)),
        "pc": LABEL,
        **dict.fromkeys(["item", "old", "new", "newest", "event", "expiry", "taken"], EVENT),
        **dict.fromkeys(["left", "seen"], sequence(EVENT)),
        **dict.fromkeys(["at", "place", "turn"], INT),
    },
)
