"""Traced read/write locks, and the gate at which a delay queue's users wait.

A half of a read/write lock orders by its epoch, not by a count of events: readers are not ordered
among themselves.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from wheelproof.trace.recording.bound import Recorded
from wheelproof.trace.recording.recorder import STOP_SECONDS, Recorder, Stop

_frame = sys._getframe


class ReadLock:
    """The reading half. ``seq`` is the epoch: how many write holds were over when it was taken."""

    __slots__ = ("of", "number", "owner", "mode", "recorder")
    step = 0
    kind = "RW"

    def __init__(self, lock: ReadWriteLock, owner: int, mode: str) -> None:
        self.of, self.owner, self.mode = lock, owner, mode
        self.recorder = lock.recorder
        self.number = self.recorder.register(self)

    @property
    def seq(self) -> int:
        return self.of.epoch

    @seq.setter
    def seq(self, value: int) -> None:
        """The epoch moves when a writer is through, not with events."""

    def __enter__(self) -> None:
        lock, recorder = self.of, self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "lock")
        with lock.changed:
            self.take()
            self._note_entry(_frame(1))

    def __exit__(self, *exception: object) -> None:
        lock, recorder = self.of, self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "unlock")
        with lock.changed:
            self._note_exit(_frame(1))
            self.give_back(recorder.log().lc)
            lock.changed.notify_all()

    def _note_entry(self, frame: Any) -> None:
        log, lock = self.recorder.log(), self.of
        log.held.append(self)
        log.lc = max(log.lc, lock.lc_read if self.mode == "w" else 0, lock.lc_write)
        if not log.muted and (site := self.recorder.site(frame, "lock")):
            log.emit(site, self.owner, 0, 1, 0, 0, 0)

    def _note_exit(self, frame: Any) -> None:
        log = self.recorder.log()
        if not log.muted and (site := self.recorder.site(frame, "unlock")):
            log.emit(site, self.owner, 1, 0, 0, 0, 0)
        log.held.remove(self)

    def take(self) -> None:
        """Wait until the thread may read, and note that it does."""
        lock = self.of
        while lock.writing or lock.waiting:
            _wait(self.recorder, lock.changed)
        lock.reading += 1

    def give_back(self, clock: int) -> None:
        """Note that the thread reads no more, at its ``clock``."""
        self.of.reading -= 1
        self.of.lc_read = max(self.of.lc_read, clock)


class WriteLock(ReadLock):
    __slots__ = ()

    def take(self) -> None:
        """Wait until the thread may write, before readers that come later."""
        lock = self.of
        lock.waiting += 1
        try:
            while lock.writing or lock.reading:
                _wait(self.recorder, lock.changed)
            lock.writing = True
        finally:
            lock.waiting -= 1

    def give_back(self, clock: int) -> None:
        """Note that the thread writes no more, at its ``clock``."""
        self.of.writing = False
        self.of.epoch += 1
        self.of.lc_write = clock


class ReadWriteLock(Recorded):
    """``epoch``: write holds that are over. Not re-entrant; writers before later readers, as in
    production."""

    __slots__ = (
        "number",
        "changed",
        "reading",
        "writing",
        "waiting",
        "epoch",
        "lc_read",
        "lc_write",
        "read_lock",
        "write_lock",
    )

    def __init__(self) -> None:
        self.changed = threading.Condition(threading.Lock())
        self.reading = self.waiting = self.epoch = self.lc_read = self.lc_write = 0
        self.writing = False
        owner = self.recorder.owner(_frame(1))
        # One lock has one name, whichever half of it is held.
        self.number = self.recorder.register(self)
        self.read_lock, self.write_lock = ReadLock(self, owner, "r"), WriteLock(self, owner, "w")

    def let_go(self) -> None:
        """Records nothing: no interrupt ends the release of a lock in a recording."""


def _wait(recorder: Recorder, condition: threading.Condition) -> None:
    condition.wait(STOP_SECONDS)
    if recorder.stopped:
        raise Stop


def gate(recorder: Recorder, production: type) -> type:
    """The class ``Gate`` that writes to ``recorder`` around the one of the production runtime."""
    log_of, site_of, takes = recorder.log, recorder.site, recorder.takes

    class Gate(production):  # type: ignore[misc]
        """The production gate with a number, a clock and a count of the records that are made while
        it is held. Its events are sections that end with it."""

        __slots__ = ("owner", "number", "seq", "lc")
        step = 1
        kind = "L"

        def __init__(self) -> None:
            super().__init__()
            self.owner = recorder.owner(_frame(1))
            self.number = recorder.register(self)
            self.seq = self.lc = 0

        def _enter_section_of(self) -> None:
            log = log_of()
            log.held.append(self)
            log.lc = max(log.lc, self.lc)

        def _given_back(self, frame: Any) -> None:
            log = log_of()
            site = 0 if log.muted else site_of(frame, "leave")
            section = takes[site]
            if section is not None and (values := section(recorder, frame)) is not None:
                log.emit(site, *values)
            log.held.remove(self)
            self.lc = log.lc

        def __enter__(self) -> None:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "lock")
            super().__enter__()
            self._enter_section_of()

        def __exit__(self, *exception: object) -> None:
            self._given_back(_frame(1))
            super().__exit__(*exception)

        def acquire_when(self, wait_ms: Any, timeout_ms: float) -> None:
            if recorder.turn is not None:
                recorder.turn(_frame(1), "lock")
            super().acquire_when(wait_ms, timeout_ms)
            self._enter_section_of()

        def release(self) -> None:
            if (
                self in log_of().held
            ):  # the production class lets go itself where waiting was interrupted
                self._given_back(_frame(1))
            super().release()

    return Gate
