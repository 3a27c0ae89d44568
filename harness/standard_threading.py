"""In the place of ``threading``: an event and a thread, made of the runtime's condition.

A thread of the scenario plays the part of a ``Thread``: it calls ``run``. Two things differ from
the standard library: a thread that joins itself waits for ever, while the library raises
RuntimeError; and no thread can wait for an event.
"""

from __future__ import annotations

from collections.abc import Callable

from impl.threads import Condition, Lock, Plain, Volatile, get_ident

__all__ = ["Event", "Thread", "get_ident"]


class Event:
    """A flag that is set once."""

    __slots__ = ("flag",)

    flag: Volatile[bool]

    def __init__(self) -> None:
        self.flag = False

    def is_set(self) -> bool:
        return self.flag  # read E1

    def set(self) -> None:
        self.flag = True  # write E2


class Thread:
    """``started``: it may run; ``ended``: it has run.

    ``ident``: the get_ident() of the scenario's thread that plays its part. The harness sets it.
    """

    __slots__ = ("target", "changed", "started", "ended", "ident")

    ended: Plain[bool]

    def __init__(self, target: Callable[[], None], name: str = "", daemon: bool = False) -> None:
        self.target = target
        self.changed = Condition(Lock())
        self.started = self.ended = False
        self.ident: int | None = None

    def start(self) -> None:
        """Called while the scenario is set up: it runs when the scenario's thread calls ``run``."""
        self.started = True

    def run(self) -> None:
        """Raises RuntimeError if no thread has started it."""
        if not self.started:
            raise RuntimeError("this thread was not started")
        self.target()
        with self.changed:  # lock H1, unlock H4
            self.ended = True  # write H2
            self.changed.notify_all()  # notify H3

    def join(self, timeout: None = None) -> None:
        with self.changed:  # lock J1, unlock J5
            while not self.ended:
                self.changed.wait()  # wait J2, wake J3, lock J4
