"""What the mechanisms take from their surroundings: in production, the standard library and nothing around it.

A mechanism imports its monitors, locks and atomic variables from here, so that a controlled runtime can be put in this
module's place and the very same source be run one operation at a time. In production a monitor *is* a
``threading.RLock`` and a marked field *is* a slot: the indirection costs nothing.

``Volatile[T]`` and ``Plain[T]`` mark the mutable shared fields of a class. They are annotations of names in
``__slots__``, in modules with postponed annotations, hence never evaluated:

* ``Volatile``: accessed without a common lock; every access is a step of its own and is sequentially consistent
  (a Java ``volatile`` field);
* ``Plain``: guarded by a lock (an ordinary Java field); a data race on it is an error;
* no mark: final, set before the object is published and never again.
"""
from threading import Lock, RLock as Monitor
from typing import Annotated, Generic, TypeVar

__all__ = ["Atomic", "Lock", "Monitor", "NoMonitor", "Plain", "Volatile"]

T = TypeVar("T")

Volatile = Annotated[T, "accessed without a common lock"]
Plain = Annotated[T, "guarded by a lock"]


class Atomic(Generic[T]):
    """An atomic variable, as far as the mechanisms need ``java.util.concurrent.atomic``."""

    __slots__ = ("_value", "_lock")

    def __init__(self, value: T) -> None:
        self._value = value
        self._lock = Lock()

    def get(self) -> T:
        return self._value

    def set(self, value: T) -> None:
        with self._lock:
            self._value = value

    def get_and_set(self, value: T) -> T:
        """Store ``value`` and return what it replaced."""
        with self._lock:
            old, self._value = self._value, value
            return old

    def compare_and_set(self, expected: T, value: T) -> bool:
        """Store ``value`` if the variable holds ``expected``: the same object, or an equal number."""
        with self._lock:
            current = self._value
            if current is not expected and not (type(current) is type(expected) is int and current == expected):
                return False
            self._value = value
            return True

    def add_and_get(self, delta: T) -> T:
        """Add ``delta`` and return the sum."""
        with self._lock:
            self._value += delta
            return self._value


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
