"""The names of ``spec/SystemTimerReaper.tla`` as Z3 has them."""

from __future__ import annotations

from wheelproof.prove.invariant.system import labels
from wheelproof.prove.module.shapes import BOOL, INT, Listing, Subset, Tickets, Vocabulary, prefixed
from wheelproof.prove.ts.system import sort

NAME = "system_timer_reaper"
THREAD = sort("ReaperThread", null="no_reaper_thread")
LABEL = labels(NAME, "SystemTimerReaperLabel")
OPERATION = prefixed("SystemTimerReaperOperation", "do", "nothing close reap")

WORDS = Vocabulary(
    threads=THREAD,
    sets={"ProcSet": THREAD, "Closers": THREAD, "Reapers": THREAD},
    constants={
        "Closers": Subset(THREAD),
        "Reapers": Subset(THREAD),
        "Due": BOOL,
        "Program": Listing(THREAD, {1: (OPERATION,)}),
    },
    variables={
        "mutex": THREAD,
        "asleep": Subset(THREAD),
        "tickets": Tickets(THREAD),
        **dict.fromkeys(["stopping", "ended", "due", "early", "late"], BOOL),
        "closed": INT,
        "pc": LABEL,
        "turn": INT,
    },
)
