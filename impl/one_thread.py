"""One thread that runs calls in the order in which it was given them.

Java: ``Executors.newFixedThreadPool(1)``. The standard library's pool makes a future for each call.
That costs more than all else that a timer does with a task.

Labels are those of ``spec/TaskExecutor.tla``.
"""

from __future__ import annotations

import threading  # production only
from atexit import register as at_end  # production only
from atexit import unregister as not_at_end  # production only
from collections import deque
from collections.abc import Callable
from typing import Any

from impl.arguments import function, text
from impl.runtime import Condition, Monitor, Plain


class OneThread:
    """A daemon thread and a queue, first in first out. The thread starts with the first call.

    ``calls``: (function, arguments) of those that wait; ``shut``: no more are taken; ``ended``: the
    thread will run none any more. A thread that still runs when the program ends runs what it was
    given first.

    A call must catch what it raises. What leaves it is reported by ``threading.excepthook``, and
    ends the thread: another one goes on with the next call.
    """

    __slots__ = (
        "name",
        "initializer",
        "changed",
        "calls",
        "shut",
        "ended",
        "thread",
        "__weakref__",
    )

    calls: Plain[deque[tuple[Callable[..., None], tuple[Any, ...]]]]
    shut: Plain[bool]
    ended: Plain[bool]

    def __init__(self, name: str, initializer: Callable[[], None]) -> None:
        """``initializer`` is called first by each thread."""
        text("name", name)
        function("initializer", initializer)
        self.name, self.initializer = name, initializer
        self.changed = Condition(Monitor())
        self.calls = deque()
        self.shut = self.ended = False
        self.thread: Any = None

    def submit(self, call: Callable[..., None], *arguments: Any) -> None:
        """RuntimeError once the thread is shut down."""
        with self.changed:  # lock S1, unlock S4
            if self.shut:
                raise RuntimeError(f"the thread {self.name!r} takes no call after shutdown")
            self.calls.append((call, arguments))  # change S2
            self.changed.notify_all()  # notify S3
            if self.thread is None:
                self.start()

    def shutdown(self, wait: bool = True) -> None:
        """Take no more calls. ``wait``: until those that were taken have run."""
        with self.changed:  # lock D1, unlock D7
            self.shut = True  # write D2
            self.changed.notify_all()  # notify D3
            while wait and self.thread is not None and not self.ended:
                self.changed.wait()  # wait D4, wake D5, lock D6

    def work(self) -> None:
        """Run the calls in their order until none can come."""
        self.initializer()
        call = self.next()
        while call is not None:
            function, arguments = call
            function(*arguments)
            call = self.next()

    def next(self) -> tuple[Callable[..., None], tuple[Any, ...]] | None:
        """The first call, once there is one; None where it is shut down and none is left."""
        with self.changed:  # lock Y1, unlock Y8
            while not self.calls and not self.shut:
                self.changed.wait()  # wait Y2, wake Y3, lock Y4
            call = None
            if self.calls:
                call = self.calls.popleft()  # change Y5
            else:
                self.ended = True  # write Y6
                self.changed.notify_all()  # notify Y7
        return call

    def start(self) -> None:
        """Start the thread, or another one in the place of one that has died."""
        if self.thread is None:
            at_end(self.shutdown)
        self.thread = threading.Thread(target=self.live, name=self.name, daemon=True)
        self.thread.start()

    def live(self) -> None:
        """What the thread does."""
        try:
            self.work()
        finally:
            if self.ended:
                not_at_end(self.shutdown)
            else:
                self.start()
