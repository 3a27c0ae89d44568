"""The parent of a timing wheel: made when it is first needed, once, and never seen half-built.

A comment ``# kind LABEL`` marks the line with the one shared operation of a step. The labels are
those of ``spec/OverflowWheel.tla``, which also says what ``overflow_wheel`` loses when it is not
volatile.
"""

from __future__ import annotations

from typing import Self

from impl.runtime import Monitor, Volatile


class Overflowing:
    """A wheel that has a coarser one above it as soon as an entry needs it.

    ``overflow_wheel`` is the parent, None until it is made. A subclass makes it in ``new_parent``.
    Kafka: ``TimingWheel.overflowWheel`` and ``addOverflowWheel``.
    """

    __slots__ = ("monitor", "overflow_wheel")

    overflow_wheel: Volatile[Self | None]

    def __init__(self) -> None:
        self.monitor = Monitor()
        self.overflow_wheel = None

    def parent(self) -> Self:
        """The wheel above this one. One thread makes it, before any thread gets it."""
        if self.overflow_wheel is None:  # read O1
            with self.monitor:  # lock O2, unlock O5
                if self.overflow_wheel is None:  # read O3
                    # in a local: the wheel is complete before the field knows of it
                    wheel = self.new_parent()
                    self.overflow_wheel = wheel  # write O4
        return self.overflow_wheel  # read O6

    def new_parent(self) -> Self:
        """A wheel whose tick is this one's whole interval. Called once, with the monitor held."""
        raise NotImplementedError
