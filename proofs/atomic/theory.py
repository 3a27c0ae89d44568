"""The theorem about module Atomic, for any number of threads and operations, and any values."""

from __future__ import annotations

from proofs.atomic.planted import FAULTS
from proofs.atomic.subject import SUBJECT
from proofs.atomic.words import NAME
from wheelproof.prove.invariant.subject import submit
from wheelproof.prove.kernel import Theory

THEORY = Theory("protocols.atomic", mechanism=NAME)
submit(
    THEORY,
    SUBJECT,
    "AsIfAtomic and LockExcludes in each state",
    FAULTS,
)
