from __future__ import annotations

import threading
from collections import deque


class Closed(Exception):
    pass


class Pool:
    """Jobs that workers run, oldest first, until the pool is shut down."""

    def __init__(self) -> None:
        self._jobs: deque[str] = deque()
        self._closed = False
        self._running = 0
        self._done: list[str] = []
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)

    def submit(self, job: str) -> None:
        with self._lock:
            if self._closed:
                raise Closed
            self._jobs.append(job)
            self._changed.notify()

    def work(self) -> None:
        """Run jobs until the pool is shut down and no job is left."""
        while True:
            job = self._take()
            if job is None:
                return
            with self._changed:
                self._running -= 1
                self._done.append(job)
                self._changed.notify_all()

    def _take(self):
        with self._changed:
            while not self._jobs and not self._closed:
                self._changed.wait()
            job = None
            if self._jobs:
                job = self._jobs.popleft()
                self._running += 1
        return job

    def shutdown(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            while self._jobs or self._running > 0:
                self._changed.wait()

    def pending(self) -> int:
        with self._lock:
            return len(self._jobs)
