"""Loops that poll: an iteration that changes nothing is not repeated until something has changed.

A thread that times out or sleeps where it did before, with the same variables, without having
written anything or read the time, would only repeat itself. It waits until a location that it
has looked at is written by another thread, or until no other thread can move. Such waiting loses
no outcome, and makes a search of polling loops end. A thread that still repeats itself when no
other can move polls for ever.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

from wheelproof.plain.happens_before import Location, join
from wheelproof.plain.operations import Thread

ALONE = 3
"""Iterations of a loop that changes nothing while no other thread can move: then it is endless."""


class Polling:
    """What a thread has done since it last timed out or slept.

    ``dirty``: it has written something, or read the time. ``parked``: it is about to repeat
    itself. ``alone``: how often it did while no other thread could move.
    """

    __slots__ = ("alone", "dirty", "frames", "looked", "parked")

    def __init__(self) -> None:
        self.frames: Any = None
        self.looked: dict[Location, int] = {}
        self.dirty = self.parked = False
        self.alone = 0

    def yields(self, frames: Any) -> None:
        """The thread is in front of a sleep or of a wait with a time-out."""
        self.parked = not self.dirty and frames == self.frames
        if not self.parked:
            self.frames, self.looked, self.alone = frames, {}, 0
        self.dirty = False

    def looks(self, location: Location) -> None:
        """The thread has performed an operation on a location."""
        self.looked[location] = location.last_write

    def changed(self) -> bool:
        """Whether another thread has written what this one has looked at."""
        return any(location.last_write != last for location, last in self.looked.items())

    def resumes(self, thread: Thread) -> None:
        """The thread goes on: after the writes that it has waited for."""
        changed = False
        for location, last in self.looked.items():
            if location.last_write != last and location.write_clock is not None:
                join(thread.clock, location.write_clock)
                changed = True
        self.alone = 0 if changed else self.alone + 1
        self.parked = False


def frames_of(frame: FrameType | None, hidden: frozenset[str]) -> list[Any]:
    """Where the frames of a thread are, and which objects their variables hold.

    Frames of the files in ``hidden`` do not count, as those of a condition's wait.
    """
    found: list[Any] = []
    while frame is not None:
        code = frame.f_code
        if code.co_filename not in hidden:
            values = frame.f_locals
            found.append((id(code), frame.f_lasti, *((name, id(values[name])) for name in values)))
        frame = frame.f_back
    return found
