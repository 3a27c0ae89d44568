"""The controlled ``SimpleQueue``, ``Queue``, ``LifoQueue`` and ``PriorityQueue`` of ``queue``.

The standard library makes the last three of a lock and three conditions, and the first of a lock in
C. Here an operation is one step:

* ``put`` and ``get`` wait until there is room, or an item (``# wait Q1``). Without blocking they
  try (``# try Q1``), with a time-out they are two steps (``# wait Q1, wake Q2``). ``put`` of a
  ``SimpleQueue`` never waits, and is one step always;
* ``join`` waits until every item is done (``# wait``), ``task_done`` is ``update``, and ``qsize``,
  ``empty`` and ``full`` are ``read``;
* ``shutdown`` is ``notify``: all that wait go on, and raise ShutDown where there is no item. It is
  there where Python has it, from 3.13 on.

``get`` is ordered behind every ``put`` before it, and ``join`` behind every ``task_done``. A
queue promises no more; CPython's lock orders the others too.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable
from queue import Empty, Full
from queue import SimpleQueue as PythonsSimpleQueue
from typing import Any, NoReturn

from wheelproof.python.runtime.patience import Patience, sleeps, wakes
from wheelproof.python.runtime.registry import Primitive, primitive
from wheelproof.python.runtime.synchronizers import OUTSIDE
from wheelproof.python.runtime.threads import Thread

if sys.version_info >= (3, 13):
    from queue import ShutDown
else:

    class ShutDown(Exception):
        """Raised by a queue that was shut down: by none before Python 3.13."""


SHUTS_DOWN = sys.version_info >= (3, 13)
"""Whether Python's queues have ``shutdown``: the controlled ones have it exactly then."""

Items = tuple[Any, ...]


class When:
    """Admits any thread where a condition holds. The test makes no step."""

    __slots__ = ("_condition",)

    def __init__(self, condition: Callable[[], bool]) -> None:
        self._condition = condition

    def admits(self, thread: Thread) -> bool:
        return self._condition()


class HasItems(Primitive):
    """The common part of all queues: items that are taken out.

    For harnesses to read: ``items`` in the order of arrival."""

    __slots__ = ("items",)

    def __init__(self) -> None:
        self.items: Items = ()

    # -- as Python's

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        scheduler = self.scheduler
        thread, condition = scheduler.running, When(self.may_leave)
        if thread is not None and not block:
            self.rules.whole(scheduler.point("try", True))
        elif thread is not None and timeout is None:
            self.rules.whole(scheduler.point("wait", True, condition))
        elif block and timeout is not None:
            self.rules.whole(scheduler.point("wait", True))
            if not self.is_over():
                self.judge(timeout)
            if thread is not None and not self.may_leave():
                sleeps(scheduler, thread, timeout)
                self.rules.whole(scheduler.point("wake", True, Patience(scheduler, condition)))
                wakes(scheduler, thread)
        return self.leave(block and timeout is None)

    def get_nowait(self) -> Any:
        scheduler = self.scheduler
        if scheduler.running is not None:
            self.rules.whole(scheduler.point("try", True))
        return self.leave(False)

    def qsize(self) -> int:
        self.rules.whole(self.scheduler.point("read", True))
        return len(self.items)

    def empty(self) -> bool:
        self.rules.whole(self.scheduler.point("read", True))
        return not self.has_some()

    # -- in a step

    def judge(self, timeout: float) -> None:
        """Raise ValueError for a time-out that ``get`` refuses."""
        if timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")

    def has_some(self) -> bool:
        return bool(self.items)

    def is_over(self) -> bool:
        """Whether no item will ever come: a queue that was shut down is empty."""
        return False

    def may_leave(self) -> bool:
        """Whether a thread that gets goes on."""
        return self.has_some() or self.is_over()

    def enter(self, item: object) -> None:
        """Put an item in."""
        self.rules.released(self)
        self.items = self.with_item(self.items, item)

    def leave(self, after_wait: bool) -> Any:
        """Take an item out.

        Raises Empty where there is none and the thread did not wait, ShutDown where none will
        come.
        """
        if self.is_over():
            self.rules.acquired(self)
            raise ShutDown
        if not self.has_some():
            if after_wait:
                self.refuse()
            raise Empty
        self.rules.acquired(self)
        item, self.items = self.without_item(self.items)
        return item

    def drop(self) -> int:
        """Take all items out; how many there were."""
        many, self.items = len(self.items), ()
        return many

    def refuse(self) -> NoReturn:
        scheduler = self.scheduler
        if scheduler.running is None:
            raise RuntimeError(OUTSIDE)
        self.rules.unplanned(scheduler.running)

    def with_item(self, items: Items, item: object) -> Items:
        """The items with one more."""
        return (*items, item)

    def without_item(self, items: Items) -> tuple[Any, Items]:
        """The item that comes next, and the others."""
        return items[0], items[1:]


@primitive
class SimpleQueue(HasItems):
    """Has room always: ``put`` never waits, with any arguments."""

    __slots__ = ()

    def put(self, item: object, block: bool = True, timeout: float | None = None) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            self.rules.whole(scheduler.point("wait" if block else "try", True))
        self.enter(item)

    def put_nowait(self, item: object) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            self.rules.whole(scheduler.point("try", True))
        self.enter(item)

    def judge(self, timeout: float) -> None:
        """Raise the error of Python's queue: one that has an item judges the time-out."""
        judge = PythonsSimpleQueue[None]()
        judge.put(None)
        judge.get(True, timeout)


def shut_down(queue: Queue, immediate: bool = False) -> None:
    """The method ``shutdown`` of the queues, where Python has it."""
    queue.rules.whole(queue.scheduler.point("notify", True))
    queue.rules.released(queue)
    queue.shut = True
    if immediate:
        queue.unfinished -= min(queue.unfinished, queue.drop())


@primitive
class Queue(HasItems):
    """For harnesses to read: ``items`` in the order of arrival, ``unfinished`` and ``shut``."""

    __slots__ = ("maxsize", "shut", "unfinished")

    def __init__(self, maxsize: int = 0) -> None:
        super().__init__()
        self.maxsize, self.unfinished, self.shut = maxsize, 0, False

    # -- as Python's

    def put(self, item: object, block: bool = True, timeout: float | None = None) -> None:
        scheduler = self.scheduler
        thread, room = scheduler.running, When(self.may_arrive)
        if thread is not None and not block:
            self.rules.whole(scheduler.point("try", True))
        elif thread is not None and timeout is None:
            self.rules.whole(scheduler.point("wait", True, room))
        elif block and timeout is not None:
            self.rules.whole(scheduler.point("wait", True))
            if self.maxsize > 0 and not self.shut:
                self.judge(timeout)
            if thread is not None and not self.may_arrive():
                sleeps(scheduler, thread, timeout)
                self.rules.whole(scheduler.point("wake", True, Patience(scheduler, room)))
                wakes(scheduler, thread)
        self.arrive(item, block and timeout is None)

    def put_nowait(self, item: object) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            self.rules.whole(scheduler.point("try", True))
        self.arrive(item, False)

    def full(self) -> bool:
        self.rules.whole(self.scheduler.point("read", True))
        return not self.has_room()

    def task_done(self) -> None:
        self.rules.whole(self.scheduler.point("update", True))
        if self.unfinished == 0:
            raise ValueError("task_done() called too many times")
        self.rules.released(self)
        self.unfinished -= 1

    def join(self) -> None:
        scheduler = self.scheduler
        if scheduler.running is not None:
            self.rules.whole(scheduler.point("wait", True, When(self.all_done)))
        if self.unfinished:
            self.refuse()
        self.rules.acquired(self)

    if SHUTS_DOWN:
        shutdown = shut_down

    # -- in a step

    def is_over(self) -> bool:
        return self.shut and not self.has_some()

    def may_arrive(self) -> bool:
        """Whether a thread that puts goes on."""
        return self.shut or self.has_room()

    def has_room(self) -> bool:
        return self.maxsize <= 0 or len(self.items) < self.maxsize

    def all_done(self) -> bool:
        return self.unfinished == 0

    def arrive(self, item: object, after_wait: bool) -> None:
        """Put an item in.

        Raises Full where there is no room and the thread did not wait, ShutDown where none may
        come any more.
        """
        if self.shut:
            self.rules.acquired(self)
            raise ShutDown
        if not self.has_room():
            if after_wait:
                self.refuse()
            raise Full
        self.unfinished += 1
        self.enter(item)


@primitive
class LifoQueue(Queue):
    """Hands out the item that came last."""

    __slots__ = ()

    def without_item(self, items: Items) -> tuple[Any, Items]:
        return items[-1], items[:-1]


@primitive
class PriorityQueue(Queue):
    """Hands out a smallest item. Its items are a heap, as ``heapq`` has it."""

    __slots__ = ()

    def with_item(self, items: Items, item: object) -> Items:
        heap = list(items)
        heapq.heappush(heap, item)
        return tuple(heap)

    def without_item(self, items: Items) -> tuple[Any, Items]:
        heap = list(items)
        smallest = heapq.heappop(heap)
        return smallest, tuple(heap)
