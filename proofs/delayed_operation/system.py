"""P6 - P8: a delayed operation completes at most once, loses no completion, expires by timeout.

One operation, any number of threads and conditions. A thread's place is the label of
``spec/DelayedOperation.tla`` that it takes next *on this operation*; ``via`` names the caller of
forceComplete. An operation completed by another one's onComplete is completed ``via`` other.

Three things are left out, so that the system here can do more than the spec. The callers' own lock
would be one more wait. An exception of onComplete: here any thread that finds the operation
completed may unwind. And conditions are read in any order.

Theorems: P6 onComplete runs at most once. P7 no completion is lost. P8 onExpiration runs only for
the thread that won by expiry.
"""

from proofs.delayed_operation.blocking import Blocking
from proofs.delayed_operation.compared import (
    CheckedTry,
    LockedTry,
    TryOnce,
    TryOnceHeld,
    TryPending,
    TryPendingHeld,
)

__all__ = [
    "Blocking",
    "CheckedTry",
    "LockedTry",
    "TryOnce",
    "TryOnceHeld",
    "TryPending",
    "TryPendingHeld",
]
