"""The theorem about module Atomic, for any number of threads and operations, and any values."""

from __future__ import annotations

from proofs.atomic.invariant import Variable
from proofs.atomic.planted import FAULTS
from proofs.atomic.subject import SUBJECT
from proofs.atomic.words import NAME
from wheelproof.prove.kernel import Theory

THEORY = Theory("protocols.atomic", mechanism=NAME)
SUBJECT.submit(
    THEORY,
    Variable,
    f"AsIfAtomic and LockExcludes in each state {SUBJECT.read}.",
    FAULTS,
)
