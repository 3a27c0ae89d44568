"""Classes whose objects write to one recorder.

A recording has a subclass of each traced primitive, whose class attribute is its recorder.
"""

from __future__ import annotations

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
