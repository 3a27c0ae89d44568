"""The names of ``spec/Atomic.tla`` as Z3 has them.

A value is a number. One that stands for an object is read by ``=`` alone, and by ``Kind``. The
results of operations have no terms: ``exact`` has the claim about them.
"""

from __future__ import annotations

from wheelproof.prove.invariant.system import labels
from wheelproof.prove.module.shapes import BOOL, INT, Listing, Subset, Vocabulary, partial, prefixed
from wheelproof.prove.ts.system import WHOLE, sort

NAME = "atomic"
THREAD = sort("Caller", null="no_caller")
LABEL = labels(NAME, "AtomicLabel")
OPERATION = prefixed("AtomicOperation", "do", "nothing get set swap cas add")

WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "ProcSet": THREAD},
    unread=frozenset(["got"]),
    constants={
        "Threads": Subset(THREAD),
        "Initial": INT,
        "Kind": partial(WHOLE, INT),
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (INT,), 3: (INT,)}),
    },
    variables={
        **dict.fromkeys(["held", "ought"], INT),
        "lock": THREAD,
        "exact": BOOL,
        "pc": LABEL,
        **dict.fromkeys(["set_value", "swap_value", "seen", "expected", "cas_value"], INT),
        "done": BOOL,
        **dict.fromkeys(["delta", "total"], INT),
        "turn": INT,
    },
)
