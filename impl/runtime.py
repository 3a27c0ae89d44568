"""What the mechanisms take from their surroundings: in production, the standard library and nothing around it.

A mechanism imports its monitors, locks and atomic variables from here, so that a controlled runtime can be put in this
module's place and the very same source be run one operation at a time. In production a monitor *is* a
``threading.RLock`` and a marked field *is* a slot: the indirection costs nothing. What the marks mean says ``impl.threads``.
"""

from impl.atomic import Atomic
from impl.gate import Gate
from impl.read_write_lock import ReadWriteLock
from impl.threads import (
    Condition,
    Interrupts,
    Lock,
    Monitor,
    NoMonitor,
    Plain,
    Time,
    Volatile,
    get_ident,
    monotonic,
)

__all__ = [
    "Atomic",
    "Condition",
    "Gate",
    "Interrupts",
    "Lock",
    "Memory",
    "Monitor",
    "NoMonitor",
    "Plain",
    "ReadWriteLock",
    "Time",
    "Volatile",
    "get_ident",
    "monotonic",
]


class Memory:
    """What lies between a thread's stores and the others' reads. Here it is nothing: CPython performs every store at once.

    Under control it may delay the stores of plain fields, as Java's memory model permits; ``write_back`` then is its step.
    """

    __slots__ = ()

    def write_back(self, thread: str, field: str) -> bool:
        """Bring a thread's oldest delayed store of a field of this name into memory; False when there will be no more."""
        return False
