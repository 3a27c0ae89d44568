"""Vector clocks over visible operations, and the race detector that uses them.

A thread's component of its clock is the stamp of its last visible operation; starting a thread
takes a number between two stamps. An access that is no visible operation has the stamp of the
operation before it: another thread has seen the access if its clock is *above* that stamp. So one
set of clocks serves the reduction (which operations can be reversed) and the detector (which
accesses are unordered).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wheelproof.plain.sites import Site

STAMP = 1 << 10
"""The distance between the stamps of two operations: room for the threads started in between."""

Clock = list[int]


class Location:
    """The object of accesses and visible operations: a field, a container, a lock, a thread's end.

    For operations: ``last_write`` and ``last_acquire`` are indices in the run; ``reads`` maps
    threads to the index of their last read since that write. For accesses: the last writer
    with its stamp and site, and the readers since. ``words``: kind of an operation -> its name,
    where that is not the one of locks.
    """

    words: Mapping[int, str] = {}

    __slots__ = (
        "kept",
        "last_acquire",
        "last_write",
        "name",
        "owner",
        "read_clock",
        "readers",
        "reads",
        "write_clock",
        "write_site",
        "write_stamp",
        "writer",
    )

    def __init__(self, name: Any = None, keeper: Any = None) -> None:
        self.name, self.kept = name, keeper
        self.last_write = self.last_acquire = -1
        self.write_clock: Clock | None = None
        self.read_clock: Clock | None = None
        self.reads: dict[int, int] | None = None
        self.writer, self.write_stamp = -1, 0
        self.write_site: Site | None = None
        self.readers: dict[int, tuple[int, Site]] | None = None
        self.owner: Any = None

    def forget(self) -> None:
        """Drop all clocks: the object has outlived its run."""
        Location.__init__(self, self.name, self.kept)


def join(clock: Clock, source: Clock) -> None:
    """Raise a clock to the later of both."""
    for number, stamp in enumerate(source):
        if stamp > clock[number]:
            clock[number] = stamp


def stamp(index: int) -> int:
    """The stamp of the operation with this index."""
    return (index + 1) * STAMP
