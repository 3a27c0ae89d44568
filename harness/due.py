"""The content of a scenario's delay queue: elements that are due at a moment of its clock."""

from __future__ import annotations

from impl.threads import monotonic

TICK = 1 / 1024
"""Seconds: a power of two, so that sums and products of ticks are exact."""

MS = 1000 * TICK
"""Milliseconds of a tick."""


class Element:
    """Due ``at`` seconds on the clock. Its delay is read in one step of the queue."""

    __slots__ = ("at",)

    def __init__(self, at: float) -> None:
        self.at = at

    def get_delay(self) -> float:
        now = monotonic()
        return (self.at - now) * 1000

    def compare_to(self, other: Element) -> float:
        return self.at - other.at


def ticks(seconds: float) -> int:
    """Seconds as ticks. Raises ValueError where they are none: rounding would hide a difference."""
    value = seconds / TICK
    if value != int(value):
        raise ValueError(f"{seconds} s are {value} ticks")
    return int(value)
