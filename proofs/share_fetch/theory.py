"""The theorem about module ShareFetch, for any number of threads, fetches and batches."""

from __future__ import annotations

from proofs.share_fetch.planted import FAULTS
from proofs.share_fetch.subject import SUBJECT
from proofs.share_fetch.wakes import Wakes
from proofs.share_fetch.words import NAME
from wheelproof.prove.kernel import Theory

THEORY = Theory("protocols.share_fetch", mechanism=NAME)
SUBJECT.submit(
    THEORY,
    Wakes,
    f"{', '.join(SUBJECT.properties[:-1])} and {SUBJECT.properties[-1]} in each state "
    f"{SUBJECT.read}.",
    FAULTS,
    ("A-OFFSETS", "A-ONCE", "A-PLACES", "A-PROGRAM"),
)
