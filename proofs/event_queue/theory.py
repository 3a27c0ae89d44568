"""The theorem about module EventQueue, for any number of threads and events."""

from __future__ import annotations

from proofs.event_queue.planted import FAULTS
from proofs.event_queue.subject import SUBJECT
from proofs.event_queue.words import NAME
from wheelproof.prove.invariant.subject import submit
from wheelproof.prove.kernel import Theory

THEORY = Theory("protocols.event_queue", mechanism=NAME)
submit(
    THEORY,
    SUBJECT,
    "EventHandledOnce, ExpireFirst and CloseWaits in each state",
    FAULTS,
    ("A-PROGRAM", "A-EXPIRY"),
)
