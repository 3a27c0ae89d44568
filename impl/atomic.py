"""An atomic variable, as far as the mechanisms need ``java.util.concurrent.atomic``.

Labels are those of ``spec/Atomic.tla``.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from .threads import Lock, Volatile

T = TypeVar("T")


class Atomic(Generic[T]):
    """One value, each operation on which takes effect at one moment. Reading it takes no lock."""

    __slots__ = ("_value", "_lock")

    _value: Volatile[T]

    def __init__(self, value: T) -> None:
        self._value = value
        self._lock = Lock()

    def get(self) -> T:
        return self._value  # read G1

    def set(self, value: T) -> None:
        with self._lock:  # lock S1, unlock S3
            self._value = value  # write S2

    def get_and_set(self, value: T) -> T:
        """Store ``value`` and return what it replaced."""
        with self._lock:  # lock E1, unlock E4
            old = self._value  # read E2
            self._value = value  # write E3
            return old

    def compare_and_set(self, expected: T, value: T) -> bool:
        """Store ``value`` if the variable holds ``expected``: the same object or an equal int."""
        with self._lock:  # lock C1, unlock C4
            current = self._value  # read C2
            if current is not expected and not (
                type(current) is type(expected) is int and current == expected
            ):
                return False
            self._value = value  # write C3
            return True

    def add_and_get(self: Atomic[int], delta: int) -> int:
        """Add ``delta`` and return the sum."""
        with self._lock:  # lock A1, unlock A4
            total = self._value + delta  # read A2
            self._value = total  # write A3
            return total
