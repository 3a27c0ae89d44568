"""The theorem about module EventQueue, for any number of threads and events."""

from __future__ import annotations

from proofs.event_queue.invariant import Queue
from proofs.event_queue.planted import FAULTS
from proofs.event_queue.subject import SUBJECT
from proofs.event_queue.words import NAME
from wheelproof.prove.kernel import Theory

THEORY = Theory("protocols.event_queue", mechanism=NAME)
SUBJECT.submit(
    THEORY,
    Queue,
    f"EventHandledOnce, ExpireFirst and CloseWaits in each state {SUBJECT.read}.",
    FAULTS,
    ("A-PROGRAM", "A-EXPIRY"),
)
