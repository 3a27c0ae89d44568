"""How a scenario runs on impl/read_write_lock.py, and which model state its objects are in."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness.conditions import condition, names
from harness.result import raised
from impl import read_write_lock
from impl.threads import Interrupted, Interrupts, Plain

SUBJECT = ("impl.read_write_lock",)
"""The modules whose steps are the mechanism's."""

NOT_RUN = {
    "impl.read_write_lock: ReadWriteLock.refuse_twice: ": (
        "a thread that asks twice breaks the contract; tests/impl/test_read_write_lock.py has one"
    ),
    "impl.read_write_lock: ReadWriteLock.let_go": (
        "an interrupt outside of a wait; tests/impl/test_interrupts.py has thousands"
    ),
}
"""Branches that no scenario runs, and why."""


class Page:
    """A plain field that the lock guards: the race detector checks that it orders the accesses."""

    __slots__ = ("written",)

    written: Plain[int]

    def __init__(self) -> None:
        self.written = 0

    def read(self) -> None:
        _ = self.written  # read D1

    def write(self) -> None:
        self.written = self.written + 1  # write D2


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = read_write_lock) -> None:
        self.lock, self.page = impl.ReadWriteLock(), Page()
        self.threads = tuple(scenario["threads"])
        self.interrupts = Interrupts()
        self.names = {"lock": self.lock, "page": self.page, "interrupts": self.interrupts}

    def read(self) -> tuple[str, str] | None:
        try:
            with self.lock.read_lock:
                self.page.read()
        except Interrupted as error:
            return raised(error)
        return None

    def read_on(self) -> None:
        while True:
            self.read()

    def write(self) -> tuple[str, str] | None:
        try:
            with self.lock.write_lock:
                self.page.write()
        except Interrupted as error:
            return raised(error)
        return None

    def interrupt(self, thread: str) -> None:
        self.interrupts.interrupt(thread)  # update I1


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values."""
    lock = harness.lock
    mutex, asleep, tickets = condition(lock.changed)
    name_of = dict(enumerate(harness.threads, 1))
    return {
        "mutex": (mutex,),
        "asleep": (asleep,),
        "tickets": (tickets,),
        "interrupted": (names(getattr(harness.interrupts, "pending", ())),),
        "readers": (frozenset(name_of[number] for number in lock.readers),),
        "writer": (None if lock.writer is None else name_of[lock.writer],),
        "waiting": (lock.waiting,),
        "page": (harness.page.written,),
    }
