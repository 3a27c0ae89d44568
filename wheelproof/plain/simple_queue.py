"""``queue.SimpleQueue``: a method of it is one step, as in C."""

from __future__ import annotations

import collections
import queue
import types
from typing import Any

from wheelproof.plain.execution import Execution
from wheelproof.plain.operations import ACQUIRE, PEEK, RELEASE, TRY
from wheelproof.plain.primitives import Clock, Waited

EMPTY = "nothing"
"""The owner of a queue without items."""


class SimpleQueue(Waited):
    """A queue without a limit. Threads wait for an item as for a lock that EMPTY owns.

    A get is exchanged with the get before it, and with a put into a queue that had items.
    ``last_acquire`` is the last of these operations.
    """

    __slots__ = ("_items", "_outside")

    words = {ACQUIRE: "get", TRY: "try to get", RELEASE: "put"}

    def __init__(self) -> None:
        super().__init__()
        self._items: collections.deque[Any] = collections.deque()
        self._outside: collections.deque[Any] = collections.deque()  # where a run begins
        self.owner = self.initial = EMPTY

    def _renew(self) -> None:
        if self.run != self.execution.number:
            super()._renew()
            self._items = self._outside.copy()

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        self._renew()
        self.execution.point(RELEASE, self, None)
        thread = self.execution.running
        if thread is None:
            self._outside.append(item)
            self.initial = None
        else:
            if self._items:
                self.last_acquire = self.last_write
            if thread.polling is not None:
                thread.polling.writes(self)
        self._items.append(item)
        self.owner = None

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        if block and timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        self._renew()
        if not self._take_in_time(bool(block), timeout if block and timeout is not None else -1):
            raise queue.Empty
        thread = self.execution.running
        if thread is None:
            self._outside.popleft()
        else:
            thread.held.remove(self)
            if thread.polling is not None:
                thread.polling.writes(self)
        item = self._items.popleft()
        self.owner = None if self._items else EMPTY
        if thread is None:
            self.initial = self.owner
        return item

    def put_nowait(self, item: Any) -> None:
        self.put(item)

    def get_nowait(self) -> Any:
        return self.get(False)

    def empty(self) -> bool:
        return self.qsize() == 0

    def qsize(self) -> int:
        self._renew()
        self.execution.point(PEEK, self, None)
        return len(self._items)

    __class_getitem__: Any = classmethod(types.GenericAlias)


def simple_queue(execution: Execution, clock: Clock) -> type[Any]:
    """The class ``SimpleQueue`` of an execution."""
    fields = {"__slots__": (), "__module__": "_queue", "execution": execution, "clock": clock}
    return type("SimpleQueue", (SimpleQueue,), fields)
