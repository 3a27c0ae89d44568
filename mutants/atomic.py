"""Atomic with one decision taken away at a time; every step keeps its label."""
from __future__ import annotations

from typing import Any

from impl import atomic as impl
from impl.runtime import NoMonitor


class AddsUnlocked:
    switch = "AddLocks"

    class Atomic(impl.Atomic):
        __slots__ = ("nothing",)

        def __init__(self, value: Any) -> None:
            super().__init__(value)
            self.nothing = NoMonitor()

        def add_and_get(self, delta: Any) -> Any:
            with self.nothing:  # lock A1, unlock A4
                total = self._value + delta  # read A2
                self._value = total  # write A3
                return total


class SwapsUnlocked:
    switch = "SwapLocks"

    class Atomic(impl.Atomic):
        __slots__ = ("nothing",)

        def __init__(self, value: Any) -> None:
            super().__init__(value)
            self.nothing = NoMonitor()

        def get_and_set(self, value: Any) -> Any:
            with self.nothing:  # lock E1, unlock E4
                old = self._value  # read E2
                self._value = value  # write E3
                return old


class ComparesUnlocked:
    switch = "CasLocks"

    class Atomic(impl.Atomic):
        __slots__ = ("nothing",)

        def __init__(self, value: Any) -> None:
            super().__init__(value)
            self.nothing = NoMonitor()

        def compare_and_set(self, expected: Any, value: Any) -> bool:
            with self.nothing:  # lock C1, unlock C4
                current = self._value  # read C2
                if current is not expected and not (type(current) is type(expected) is int and current == expected):
                    return False
                self._value = value  # write C3
                return True


class SetsUnlocked:
    switch = "SetLocks"

    class Atomic(impl.Atomic):
        __slots__ = ("nothing",)

        def __init__(self, value: Any) -> None:
            super().__init__(value)
            self.nothing = NoMonitor()

        def set(self, value: Any) -> None:
            with self.nothing:  # lock S1, unlock S3
                self._value = value  # write S2


class ComparesByEquality:
    switch = "ByIdentity"

    class Atomic(impl.Atomic):
        __slots__ = ()

        def compare_and_set(self, expected: Any, value: Any) -> bool:
            with self._lock:  # lock C1, unlock C4
                current = self._value  # read C2
                if current != expected:
                    return False
                self._value = value  # write C3
                return True


class ComparesNumbersByIdentity:
    switch = "NumbersByValue"

    class Atomic(impl.Atomic):
        __slots__ = ()

        def compare_and_set(self, expected: Any, value: Any) -> bool:
            with self._lock:  # lock C1, unlock C4
                current = self._value  # read C2
                if current is not expected:
                    return False
                self._value = value  # write C3
                return True


class KeepsLock:
    switch = "GivesBack"

    class Atomic(impl.Atomic):
        __slots__ = ("nothing",)

        def __init__(self, value: Any) -> None:
            super().__init__(value)
            self.nothing = NoMonitor()

        def compare_and_set(self, expected: Any, value: Any) -> bool:
            self._lock.acquire()  # lock C1
            current, back = self._value, self.nothing  # read C2
            if current is expected or type(current) is type(expected) is int and current == expected:
                self._value = value  # write C3
                back = self._lock
            back.release()  # unlock C4
            return back is self._lock
