"""The line that shows how far something long has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

FIRST = 5.0
"""Seconds before the first line."""


class Progress:
    """Shows executions, racy places and rate, or any line.

    ``over`` replaces the last line, as on a terminal: once a second. Otherwise each line comes
    after twice the time of the last.
    """

    def __init__(
        self,
        write: Callable[[str], object],
        over: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write, self._over, self._clock = write, over, clock
        self._begun = clock()
        self._next = self._begun + FIRST
        self._shown = 0

    def due(self) -> bool:
        return self._clock() >= self._next

    def show(self, executions: int, places: int) -> None:
        seconds = self._clock() - self._begun
        rate = executions / seconds if seconds else 0.0
        self.line(f"exploring: {executions:,} executions, {places} racy places, {rate:,.0f}/s")

    def line(self, text: str) -> None:
        """Show a line."""
        now = self._clock()
        if self._over:
            self._write("\r" + text.ljust(self._shown))
            self._next = now + 1.0
        else:
            self._write(text + "\n")
            self._next = now + max(FIRST, now - self._begun)
        self._shown = len(text)

    def end(self) -> None:
        """Take the line away."""
        if self._over and self._shown:
            self._write("\r" + " " * self._shown + "\r")
        self._shown = 0


def on_stderr() -> Progress:
    """Progress on the standard error that the process has now."""
    stream = sys.stderr

    def write(text: str) -> None:
        stream.write(text)
        stream.flush()

    return Progress(write, stream.isatty())
