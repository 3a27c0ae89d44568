"""The theorem about module CoordinatorLoad, for any number of threads, epochs and loads."""

from __future__ import annotations

from proofs.coordinator_load.invariant import Load
from proofs.coordinator_load.planted import FAULTS
from proofs.coordinator_load.subject import SUBJECT
from proofs.coordinator_load.words import NAME
from wheelproof.prove.kernel import Theory

THEORY = Theory("protocols.coordinator_load", mechanism=NAME)
SUBJECT.submit(
    THEORY,
    Load,
    f"{', '.join(SUBJECT.properties[:-1])} and {SUBJECT.properties[-1]} in each state "
    f"{SUBJECT.read}.",
    FAULTS,
    ("A-LOG", "A-ONCE", "A-PROGRAM"),
)
