"""Greenlets that carry one thread after another.

To make a greenlet costs more than all else that a short thread does. An idle one refers to nothing
of a run.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any

from greenlet import getcurrent, greenlet

_IDLE: list[greenlet] = []
"""Those that carry nothing now, of all explorations."""


class Hub:
    """The starter of the first thread."""

    def __init__(self) -> None:
        self.greenlet = getcurrent()


def carrier(hub: greenlet) -> greenlet:
    """A greenlet beside ``hub``. To be switched to with a life, a thread and its body.

    The life is called with both. It returns the greenlet that goes on afterwards.
    """
    while _IDLE:
        idle = _IDLE.pop()
        if idle.parent is hub:  # another OS thread has others
            return idle
    return greenlet(_carry, hub)


def _carry(life: Callable[[Any, Any], greenlet], thread: Any, body: Any) -> None:
    me = getcurrent()
    while True:
        following = life(thread, body)
        thread.greenlet = None
        me.gr_context = None
        _IDLE.append(me)
        del life, thread, body
        life, thread, body = following.switch()


def _end() -> None:
    """Before the interpreter ends, as it waits for greenlets that are suspended."""
    while _IDLE:
        _IDLE.pop().throw()


atexit.register(_end)
