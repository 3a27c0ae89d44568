"""The runtime of the mechanisms: monitors, locks and atomic variables.

In production these are the standard library's: a monitor *is* a ``threading.RLock``, and a marked
field *is* a slot. The checks put a controlled runtime in the place of this module, and run the same
source one operation at a time. ``threads`` defines the marks. Projects import the same module as
``wheelproof_runtime``.
"""

from .atomic import Atomic
from .gate import Gate
from .read_write_lock import ReadWriteLock
from .threads import (
    Barrier,
    BoundedSemaphore,
    BrokenBarrierError,
    Condition,
    Empty,
    Event,
    Full,
    Interrupted,
    Interrupts,
    LifoQueue,
    Lock,
    Monitor,
    NoMonitor,
    Plain,
    PriorityQueue,
    Queue,
    Semaphore,
    ShutDown,
    SimpleQueue,
    Time,
    Volatile,
    choose,
    get_ident,
    monotonic,
)

__all__ = [
    "Atomic",
    "Barrier",
    "BoundedSemaphore",
    "BrokenBarrierError",
    "Condition",
    "Empty",
    "Event",
    "Full",
    "Gate",
    "Interrupted",
    "Interrupts",
    "LifoQueue",
    "Lock",
    "Memory",
    "Monitor",
    "NoMonitor",
    "Plain",
    "PriorityQueue",
    "Queue",
    "ReadWriteLock",
    "Semaphore",
    "ShutDown",
    "SimpleQueue",
    "Time",
    "Volatile",
    "choose",
    "get_ident",
    "monotonic",
]


class Memory:
    """The memory between a thread's stores and other threads' reads. CPython delays no store.

    Under control it may delay the stores of plain fields, as Java's memory model permits.
    """

    __slots__ = ()

    def write_back(self, thread: str, field: str) -> bool:
        """Perform a thread's oldest delayed store into a field; False if there will be none."""
        return False
