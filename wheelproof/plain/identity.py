"""Identities of objects that are the same in each run, where the interpreter's are addresses.

The order of a set follows the hashes of its elements, and by default those follow addresses. A
class without bases gets one that counts its objects instead, in the order in which a thread asks
for their identity. So orders that differ only in independent steps give the same identities.
"""

from __future__ import annotations

import types
import weakref
from typing import Any

from wheelproof.plain.execution import Execution

_BEYOND = 1 << 56
"""Identities begin beyond all addresses."""

_THREAD = 1 << 24
"""Objects of one thread, at most."""


class Identities:
    """Numbers the objects of a program. Those of a run are forgotten when the next one begins."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._numbers: dict[int, tuple[int, Any]] = {}
        self._outside = 0
        self._run, self._of_run = -1, list[int]()
        self._counts: dict[int, int] = {}

    def number(self, value: Any) -> int | None:
        """The number of an object; None where its end cannot be noticed."""
        execution, key = self._execution, id(value)
        thread = execution.running
        if thread is not None and self._run != execution.number:
            for old in self._of_run:
                self._numbers.pop(old, None)
            self._run, self._of_run, self._counts = execution.number, [], {}
        entry = self._numbers.get(key)
        if entry is not None:
            return entry[0]
        numbers = self._numbers
        try:
            reference = weakref.ref(value, lambda referent: numbers.pop(key, None))
        except TypeError:
            return None
        if thread is None:
            self._outside += 1
            number = self._outside
        else:
            count = self._counts[thread.number] = self._counts.get(thread.number, 0) + 1
            number = (thread.number + 1) * _THREAD + count
            self._of_run.append(key)
        numbers[key] = number, reference
        return number

    def id(self, value: Any, /) -> int:
        """``id``, for an object whose end can be noticed."""
        number = self.number(value)
        return id(value) if number is None else _BEYOND + number * 16

    def base(self) -> type:
        """A class whose objects are hashed by their numbers."""
        number_of = self.number

        def __hash__(self: Any) -> int:
            number = number_of(self)
            return object.__hash__(self) if number is None else number

        return type(
            "Identified", (), {"__slots__": (), "__hash__": __hash__, "__module__": __name__}
        )


def by_address(value: Any) -> bool:
    """Whether the hash of an object follows its address."""
    kind: Any = type(value)
    return kind.__hash__ is object.__hash__ or kind is types.MethodType
