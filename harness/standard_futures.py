"""In the place of ``concurrent.futures``: a pool of one thread, made of the runtime's condition.

A thread of the scenario plays the part of the pool's thread: it calls ``work``. There are no
futures. Three things differ from the standard library:

* The thread is there from the beginning. The library starts it at the first call.
* What a call raises ends the thread. The library keeps it in a future.
* A thread that shuts its own pool down and waits for it waits for ever. The library raises
  RuntimeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from impl.threads import Condition, Lock, Plain


class Executor:
    """What runs calls."""

    __slots__ = ()


class ThreadPoolExecutor(Executor):
    """One thread and a queue, first in first out.

    ``calls``: (function, arguments) of those that wait; ``shut``: no more are taken; ``ended``: the
    thread will run none any more.
    """

    __slots__ = ("changed", "calls", "shut", "ended", "initializer")

    calls: Plain[tuple[tuple[Callable[..., None], tuple[Any, ...]], ...]]
    shut: Plain[bool]
    ended: Plain[bool]

    def __init__(self, workers: int, name: str, initializer: Callable[[], None]) -> None:
        """Raises ValueError for more than one thread: a scenario has one that plays its part."""
        if workers != 1:
            raise ValueError(f"a stand-in for a pool of one thread, not of {workers}")
        self.initializer = initializer
        self.changed = Condition(Lock())
        self.calls = ()
        self.shut = self.ended = False

    def submit(self, call: Callable[..., None], *arguments: Any) -> None:
        """RuntimeError once the pool is shut down."""
        with self.changed:  # lock S1, unlock S4
            if self.shut:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self.calls = (*self.calls, (call, arguments))  # write S2
            self.changed.notify_all()  # notify S3

    def shutdown(self, wait: bool = True) -> None:
        """Take no more calls. ``wait``: until those that were taken have run."""
        with self.changed:  # lock D1, unlock D7
            self.shut = True  # write D2
            self.changed.notify_all()  # notify D3
            while wait and not self.ended:
                self.changed.wait()  # wait D4, wake D5, lock D6

    def work(self) -> None:
        """What the pool's thread does: run the calls in their order until none can come."""
        self.initializer()
        call = self.next()
        while call is not None:
            function, arguments = call
            function(*arguments)
            call = self.next()

    def next(self) -> tuple[Callable[..., None], tuple[Any, ...]] | None:
        """The first call, once there is one; None where the pool is shut down and none is left."""
        with self.changed:  # lock Y1, unlock Y8
            while not self.calls and not self.shut:
                self.changed.wait()  # wait Y2, wake Y3, lock Y4
            call = self.calls[0] if self.calls else None
            if call is not None:
                self.calls = self.calls[1:]  # write Y5
            else:
                self.ended = True  # write Y6
                self.changed.notify_all()  # notify Y7
        return call
