"""The standard library's locks, conditions, queues, clock and thread numbers, in one module.

``runtime`` builds its read/write lock, gate and atomic variables from these names. The checks
put a controlled module in this one's place, and run the same source one operation at a time.

``Volatile[T]`` and ``Plain[T]`` mark the mutable shared fields of a class. They annotate names in
``__slots__``, in modules with postponed annotations, and are never evaluated:

* ``Volatile``: accessed without a common lock. Every access is a step of its own and is
  sequentially consistent, as of a Java ``volatile`` field.
* ``Plain``: guarded by a lock, as an ordinary Java field. A data race on it is an error.
* No mark: final, set before the object is published and never again.
"""

import sys
from collections.abc import Iterable
from queue import Empty, Full, LifoQueue, PriorityQueue, Queue, SimpleQueue
from random import choice
from threading import (
    TIMEOUT_MAX,
    Barrier,
    BoundedSemaphore,
    BrokenBarrierError,
    Event,
    Lock,
    Semaphore,
    get_ident,
)
from threading import RLock as Monitor
from time import monotonic, sleep
from typing import Annotated, TypeVar

from .condition import Condition

if sys.version_info >= (3, 13):
    from queue import ShutDown
else:

    class ShutDown(Exception):
        """Raised by a queue that was shut down: by none before Python 3.13."""


__all__ = [
    "TIMEOUT_MAX",
    "Barrier",
    "BoundedSemaphore",
    "BrokenBarrierError",
    "Condition",
    "Empty",
    "Event",
    "Full",
    "Interrupted",
    "Interrupts",
    "LifoQueue",
    "Lock",
    "Monitor",
    "NoMonitor",
    "Plain",
    "PriorityQueue",
    "Queue",
    "Semaphore",
    "ShutDown",
    "SimpleQueue",
    "Time",
    "Volatile",
    "choose",
    "get_ident",
    "monotonic",
]

T = TypeVar("T")

Volatile = Annotated[T, "accessed without a common lock"]
Plain = Annotated[T, "guarded by a lock"]

Interrupted = KeyboardInterrupt
"""The exception of an interrupted wait. CPython raises it in the main thread only, for a signal."""


def choose(values: Iterable[T]) -> T:
    """One of the values, at random. Code that calls it is right whichever it is.

    Under control each of them is taken. IndexError if there is none.
    """
    return choice(tuple(values))


class NoMonitor:
    """A monitor that excludes no thread: for mutants that lack a lock but keep its labels."""

    __slots__ = ()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        return True

    def release(self) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


class Interrupts:
    """Interrupts of waits: in production signals, under control only the method of this class."""

    __slots__ = ()

    def interrupt(self, thread: str) -> None:
        """Let the present wait of a scenario's thread raise :data:`Interrupted`, if it waits."""


class Time:
    """The clock that ``monotonic`` reads. Under control only the methods of this class move it."""

    __slots__ = ()

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass: here, sleep for them."""
        sleep(seconds)

    def elapse(self) -> bool:
        """Let time pass up to the next deadline of a thread that sleeps; False if there is none."""
        return False
