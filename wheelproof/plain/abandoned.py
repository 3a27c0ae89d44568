"""Threads that go on once their run is over: they catch the exception that is to end them."""

from __future__ import annotations

import contextlib
import linecache
import sys
from collections import Counter
from types import FrameType
from typing import NoReturn

from greenlet import greenlet

from wheelproof.plain.operations import Thread

PATIENCE = 20
"""How often a thread may go on after its run before it is abandoned."""

MOST = 5_000
"""Abandoned threads of an exploration, at most: each one stays in memory."""

MOST_BUSY = 20
"""Those of them that the watchdog has stopped, at most: each one takes time."""

_KEPT: list[greenlet] = []
"""Those of all explorations: a greenlet that is let go is ended by an exception, and goes on."""


class Abandoned:
    """The abandoned threads of an exploration. ``places``: thread and place -> their number.

    ``busy``: how many the watchdog has stopped.
    """

    def __init__(self) -> None:
        self.places: Counter[str] = Counter()
        self.busy = 0

    def keep(self, thread: Thread, hub: greenlet) -> NoReturn:
        """Stop the running thread for ever."""
        _KEPT.append(thread.greenlet)
        self.places[f"{thread.name}, {place(sys._getframe())}"] += 1
        while True:
            with contextlib.suppress(BaseException):
                hub.switch()

    @property
    def full(self) -> bool:
        """Whether there are too many."""
        return self.places.total() >= MOST or self.busy >= MOST_BUSY


def place(frame: FrameType | None) -> str:
    """The innermost place outside the checker, in text."""
    while frame is not None and frame.f_globals.get("__name__", "").startswith("wheelproof."):
        frame = frame.f_back
    if frame is None:
        return "an unknown place"
    file, line = frame.f_code.co_filename, frame.f_lineno
    return f"{file}:{line}: {linecache.getline(file, line).strip()}"
