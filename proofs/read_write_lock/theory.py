"""The theorem about module ReadWriteLock, for any number of threads."""

from __future__ import annotations

from proofs.read_write_lock.invariant import Lock
from proofs.read_write_lock.planted import FAULTS
from proofs.read_write_lock.subject import SUBJECT
from proofs.read_write_lock.words import NAME
from wheelproof.prove.kernel import Theory

THEORY = Theory("protocols.read_write_lock", mechanism=NAME)
SUBJECT.submit(
    THEORY,
    Lock,
    "TypeOK, MutualExclusion, WriterGoesFirst, Registered and WaitsForAThread in each state "
    f"{SUBJECT.read}.",
    FAULTS,
    ("A-ENDLESS", "A-SIZES"),
)
