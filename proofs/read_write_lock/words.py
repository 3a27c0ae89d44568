"""The names of ``spec/ReadWriteLock.tla`` as Z3 has them.

Threads and those that interrupt are of one sort. A ticket is the set of threads that may take it.
"""

from __future__ import annotations

from wheelproof.prove.invariant.system import labels
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
LABEL = labels(NAME, "ReadWriteLockLabel")
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
