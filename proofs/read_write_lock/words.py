"""The names of ``spec/ReadWriteLock.tla`` as Z3 has them.

Threads and those that interrupt are of one sort. A ticket is the set of threads that may take it.
"""

from __future__ import annotations

from wheelproof.prove import variants
from wheelproof.prove.module.shapes import (
    BOOL,
    INT,
    Function,
    Listing,
    Subset,
    Vocabulary,
    prefixed,
    sequence,
)
from wheelproof.prove.ts.system import sort

NAME = "read_write_lock"
THREAD = sort("Guest", null="no_guest")
LABELS = tuple(variants.mechanisms()[NAME].labels)
LABEL = prefixed("ReadWriteLockLabel", "at", " ".join(("Nowhere", *LABELS, "Done")))
OPERATION = prefixed("ReadWriteLockOperation", "do", "nothing read read_on write interrupt")

WORDS = Vocabulary(
    threads=THREAD,
    sets={"Threads": THREAD, "Interrupters": THREAD, "ProcSet": THREAD},
    constants={
        "Threads": Subset(THREAD),
        "Interrupters": Subset(THREAD),
        "Program": Listing(THREAD, {1: (OPERATION,), 2: (THREAD,)}),
    },
    variables={
        "mutex": THREAD,
        "asleep": Subset(THREAD),
        "tickets": sequence(Subset(THREAD)),
        "interrupted": Subset(THREAD),
        "readers": Subset(THREAD),
        "writer": THREAD,
        "waiting": INT,
        "page": INT,
        "raised": Function(THREAD, BOOL),
        "pc": LABEL,
        "turn": INT,
    },
)
