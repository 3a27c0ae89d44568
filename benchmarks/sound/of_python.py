"""Classes of Python's library. Each operation is one call."""

from __future__ import annotations

import functools
import queue
import threading
from concurrent.futures import Future
from typing import Any


def fifo() -> Any:
    return queue.Queue(2)


def by_priority() -> Any:
    return queue.PriorityQueue()


def event() -> Any:
    return threading.Event()


class Semaphore:
    """One that two may hold."""

    def __init__(self) -> None:
        self.inner = threading.Semaphore(2)

    def acquire(self) -> bool:
        return self.inner.acquire()

    def try_acquire(self) -> bool:
        return self.inner.acquire(False)

    def release(self) -> None:
        self.inner.release()


class Cached:
    """A function with a cache of one result."""

    def __init__(self) -> None:
        self.cached = functools.lru_cache(maxsize=1)(lambda number: number + 1)

    def call(self, number: int) -> int:
        return self.cached(number)

    def size(self) -> int:
        return self.cached.cache_info().currsize

    def clear(self) -> None:
        self.cached.cache_clear()


def future() -> Any:
    return Future()
