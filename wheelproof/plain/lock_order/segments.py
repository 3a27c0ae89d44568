"""Threads cut into segments by starts and joins: which parts of a run can overlap.

S. Bensalem, K. Havelund: Dynamic Deadlock Analysis of Multi-threaded Programs, HVC 2005. Departure:
segments are nodes that name their predecessors, in the place of numbers in a shared graph.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

_NUMBERS = itertools.count(1)


class Segment:
    """A part of a thread. ``before``: the segments that end before it begins.

    A segment has a higher number than all that are before it.
    """

    __slots__ = ("before", "number")

    def __init__(self, *before: Segment) -> None:
        self.before, self.number = before, next(_NUMBERS)


class Held:
    """A lock that a thread holds, with the stack where it was taken."""

    __slots__ = ("lock", "stack")

    def __init__(self, lock: Any, stack: Any) -> None:
        self.lock, self.stack = lock, stack


class Thread:
    """The record of a real thread. ``held``: its locks, in the order in which it took them.

    ``busy``: the recorder itself runs in it, so that a finalizer's locks are not recorded.
    """

    __slots__ = ("busy", "held", "name", "number", "segment")

    def __init__(self, name: str, segment: Segment) -> None:
        self.name, self.segment, self.number = name, segment, next(_NUMBERS)
        self.held: list[Held] = []
        self.busy = False

    def start(self, name: str) -> Thread:
        """A thread that this one starts. The later actions of this one are not before it."""
        child = Thread(name, Segment(self.segment))
        self.segment = Segment(self.segment)
        return child

    def join(self, thread: Thread) -> None:
        """The other thread has ended. The later actions of this one are after it."""
        if thread.segment not in self.segment.before:
            self.segment = Segment(self.segment, thread.segment)


def earlier(segment: Segment, least: int = 0) -> Iterator[Segment]:
    """A segment and all before it, but those whose number is below ``least``."""
    numbers = {segment.number}
    waiting = [segment]
    while waiting:
        current = waiting.pop()
        yield current
        for predecessor in current.before:
            if predecessor.number >= least and predecessor.number not in numbers:
                numbers.add(predecessor.number)
                waiting.append(predecessor)


def overlap(first: Segment, second: Segment) -> bool:
    """Whether no chain of starts and joins orders two segments."""
    low, high = sorted((first, second), key=lambda segment: segment.number)
    return all(segment is not low for segment in earlier(high, low.number))


def past(segments: Iterable[Segment], least: int) -> set[int]:
    """The numbers of the segments that are before every given one, from ``least`` on."""
    sets = [
        {part.number for part in earlier(segment, least)} - {segment.number} for segment in segments
    ]
    return set.intersection(*sets) if sets else set()
