"""A traced atomic variable: one word with a lock, a version and a clock of its own."""

from __future__ import annotations

import sys
import threading
from typing import Any

from wheelproof.trace.recording.bound import Recorded

_frame = sys._getframe


class Atomic(Recorded):
    """``value`` with the version and the clock of the word, all changed under ``lock``."""

    __slots__ = ("value", "lock", "owner", "number", "version", "lc")
    kind = "V"

    def __init__(self, value: object) -> None:
        recorder = self.recorder
        self.value = value
        self.lock = threading.Lock()
        self.owner = recorder.owner(_frame(1))
        self.number = recorder.register(self)
        self.version = self.lc = 0

    def __class_getitem__(cls, item: object) -> type:
        return cls

    def note(self, frame: Any, operation: str, old: object, new: object) -> None:
        """Record, with the word's lock held; every access moves the word's clock on."""
        recorder = self.recorder
        log = recorder.log()
        if self.lc > log.lc:
            log.lc = self.lc
        site = recorder.places.get(id(frame.f_code) + frame.f_lasti)
        if site is None:
            site = recorder.site(frame, operation)
        if site and not log.muted:
            look = recorder.looks[site]
            log.emit(
                site,
                self.owner,
                old if type(old) is int else recorder.id_of(old),
                new if type(new) is int else recorder.id_of(new),
                0 if look is None else look(log, frame),
                self.number,
                self.version,
            )
        self.lc = log.lc

    def get(self) -> object:
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "read")
        with self.lock:
            self.note(_frame(1), "read", self.value, self.value)
            return self.value

    def set(self, value: object) -> None:
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "write")
        with self.lock:
            old, self.value = self.value, value
            self.version += recorder.recording
            self.note(_frame(1), "write", old, value)

    def get_and_set(self, value: object) -> object:
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "swap")
        with self.lock:
            old, self.value = self.value, value
            self.version += recorder.recording
            self.note(_frame(1), "swap", old, value)
            return old

    def compare_and_set(self, expected: object, value: object) -> bool:
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "cas")
        with self.lock:
            old = self.value
            won = old is expected or type(old) is type(expected) is int and old == expected
            if won:
                self.value = value
                self.version += recorder.recording
            self.note(_frame(1), "cas", old, self.value)
            return won

    def add_and_get(self, delta: Any) -> Any:
        recorder = self.recorder
        if recorder.turn is not None:
            recorder.turn(_frame(1), "update")
        with self.lock:
            old = self.value
            self.value = new = old + delta
            self.version += recorder.recording
            self.note(_frame(1), "update", old, new)
            return new
