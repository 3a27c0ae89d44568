"""Pool of pool.py, with a label for each step."""

from __future__ import annotations

from collections import deque

from wheelproof_runtime import Condition, Lock, Plain


class Closed(Exception):
    """An exception of pool.py."""


class Pool:
    """Jobs that workers run, oldest first, until the pool is shut down."""

    __slots__ = ("_lock", "_changed", "_jobs", "_closed", "_running", "_done")

    _jobs: Plain[deque]
    _closed: Plain[bool]
    _running: Plain[int]
    _done: Plain[list]

    def __init__(self):
        self._lock = Lock()
        self._changed = Condition(self._lock)
        self._jobs = deque()
        self._closed = False
        self._running = 0
        self._done = []

    def submit(self, job):
        with self._lock:  # lock S1, unlock S5
            if self._closed:  # read S2
                raise Closed
            self._jobs.append(job)  # change S3
            self._changed.notify()  # notify S4

    def work(self):
        """Run jobs until the pool is shut down and no job is left."""
        while True:
            with self._changed:  # lock W1, unlock W11
                while True:
                    test = not self._jobs  # read W2
                    if test:
                        test = not self._closed  # read W3
                    if not test:
                        break
                    self._changed.wait()  # wait W4, wake W5, lock W6
                take_job = None
                if self._jobs:  # read W7
                    take_job = self._jobs.popleft()  # change W8
                    value = self._running + 1  # read W9
                    self._running = value  # write W10
            job = take_job
            if job is None:
                return
            with self._changed:  # lock W12, unlock W17
                value = self._running - 1  # read W13
                self._running = value  # write W14
                self._done.append(job)  # change W15
                self._changed.notify_all()  # notify W16

    def shutdown(self):
        with self._changed:  # lock SH1, unlock SH9
            self._closed = True  # write SH2
            self._changed.notify_all()  # notify SH3
            while True:
                test = bool(self._jobs)  # read SH4
                if not test:
                    test = self._running > 0  # read SH5
                if not test:
                    break
                self._changed.wait()  # wait SH6, wake SH7, lock SH8

    def pending(self):
        with self._lock:  # lock P1, unlock P3
            result = len(self._jobs)  # read P2
            return result
