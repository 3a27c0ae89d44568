"""What the runtime is made of: the standard library's locks, conditions, clock and thread numbers, under one roof.

``impl.runtime`` builds its read/write lock, gate and atomic variables from these names. Under control another module stands in
this one's place, and the very same source runs one operation at a time.

``Volatile[T]`` and ``Plain[T]`` mark the mutable shared fields of a class. They are annotations of names in
``__slots__``, in modules with postponed annotations, hence never evaluated:

* ``Volatile``: accessed without a common lock; every access is a step of its own and is sequentially consistent
  (a Java ``volatile`` field);
* ``Plain``: guarded by a lock (an ordinary Java field); a data race on it is an error;
* no mark: final, set before the object is published and never again.
"""

from threading import TIMEOUT_MAX, Condition, Lock, get_ident
from threading import RLock as Monitor
from time import monotonic, sleep
from typing import Annotated, TypeVar

__all__ = [
    "TIMEOUT_MAX",
    "Condition",
    "Interrupted",
    "Interrupts",
    "Lock",
    "Monitor",
    "NoMonitor",
    "Plain",
    "Time",
    "Volatile",
    "get_ident",
    "monotonic",
]

T = TypeVar("T")

Volatile = Annotated[T, "accessed without a common lock"]
Plain = Annotated[T, "guarded by a lock"]

Interrupted = KeyboardInterrupt
"""What a wait raises that is interrupted: in CPython by a signal, hence in the main thread only."""


class NoMonitor:
    """A monitor that excludes nobody: what a mutant puts where it takes a lock away, so that its steps keep their names."""

    __slots__ = ()

    def acquire(self, blocking: bool = True) -> bool:
        return True

    def release(self) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


class Interrupts:
    """What interrupts waits: in production signals, under control only the method of this class."""

    __slots__ = ()

    def interrupt(self, thread: str) -> None:
        """Let the present wait of a scenario's thread raise :data:`Interrupted`, if it waits."""


class Time:
    """The clock that ``monotonic`` reads. In production it goes by itself; under control only the methods of this class move it."""

    __slots__ = ()

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass: here, sleep for them."""
        sleep(seconds)

    def elapse(self) -> bool:
        """Let time pass up to the next deadline of a thread that sleeps; False when there will be no more."""
        return False
