"""Peterson's lock: two threads exclude each other by reads and writes alone."""

from __future__ import annotations

from wheelproof_runtime import Plain, Volatile


class Side:
    """What one of the two threads tells the other."""

    __slots__ = ("wants",)

    wants: Volatile[bool]

    def __init__(self) -> None:
        self.wants = False


class Peterson:
    """A lock for the threads 0 and 1. ``turn`` is the one that goes first if both want to."""

    __slots__ = ("sides", "turn")

    turn: Volatile[int]

    def __init__(self) -> None:
        self.sides = (Side(), Side())
        self.turn = 0

    def acquire(self, me: int) -> None:
        """Wait until the other thread is outside, or lets this one go first."""
        other = 1 - me
        self.sides[me].wants = True  # write A1
        self.turn = other  # write A2
        while True:
            if not self.sides[other].wants:  # read A3
                break
            if self.turn == me:  # read A4
                break

    def release(self, me: int) -> None:
        """Let the other thread in."""
        self.sides[me].wants = False  # write R1


class Section:
    """What the lock guards. ``inside``: how many threads are in it."""

    __slots__ = ("inside",)

    inside: Plain[int]

    def __init__(self) -> None:
        self.inside = 0

    def enter(self) -> None:
        """Count a thread that comes."""
        self.inside = self.inside + 1  # write C1

    def leave(self) -> None:
        """Count a thread that goes."""
        self.inside = self.inside - 1  # write C2
