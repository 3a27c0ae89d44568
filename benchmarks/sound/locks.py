"""Read-write locks of packages. Each operation is one call."""

from __future__ import annotations

from typing import Any

import dogpile.util.readwrite_lock
import fasteners
import readerwriterlock.rwlock


class ReadWrite:
    """A value behind a read-write lock."""

    def __init__(self) -> None:
        self.value, self.lock = 0, self.make()

    def make(self) -> Any:
        return readerwriterlock.rwlock.RWLockFair()

    def read(self) -> int:
        with self.lock.gen_rlock():
            return self.value

    def add(self) -> None:
        with self.lock.gen_wlock():
            self.value += 1


class Fasteners(ReadWrite):
    def make(self) -> Any:
        return fasteners.ReaderWriterLock()

    def read(self) -> int:
        with self.lock.read_lock():
            return self.value

    def add(self) -> None:
        with self.lock.write_lock():
            self.value += 1


class Dogpile(ReadWrite):
    def make(self) -> Any:
        return dogpile.util.readwrite_lock.ReadWriteMutex()

    def read(self) -> int:
        self.lock.acquire_read_lock()
        try:
            return self.value
        finally:
            self.lock.release_read_lock()

    def add(self) -> None:
        self.lock.acquire_write_lock()
        try:
            self.value += 1
        finally:
            self.lock.release_write_lock()
