"""Classes whose objects write to one recorder.

A recording has a subclass of each traced primitive, whose class attribute is its recorder.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeVar

from wheelproof.python.runtime.bound import bound as of_its_own
from wheelproof.trace.recording.recorder import Recorder

T = TypeVar("T", bound="Recorded")


class Recorded:
    """A primitive that writes to ``recorder``, which the subclass of :func:`bound` has."""

    __slots__ = ()
    recorder: ClassVar[Recorder]


def bound(primitive: type[T], recorder: Recorder) -> type[T]:
    """The class of the primitives of one recording."""
    return of_its_own(primitive, recorder=recorder)


def memory(dismiss: Callable[[], None], production: type) -> type:
    """The class ``Memory``: stores are seen at once, so that a thread that brings them into memory
    has no step. ``dismiss``: takes the running thread out of the recording."""

    class Memory(production):  # type: ignore[misc]
        __slots__ = ()

        def write_back(self, thread: str, field: str) -> bool:
            dismiss()
            return bool(super().write_back(thread, field))

    return Memory
