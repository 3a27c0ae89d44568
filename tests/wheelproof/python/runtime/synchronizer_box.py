"""Programs on semaphores, events and barriers: on the controlled classes, whose operations are
single steps, and on CPython's own source of these classes over the controlled condition."""

import threading

from tests.wheelproof.python.runtime import boxes

TEXT = """
from __future__ import annotations
from impl.threads import BrokenBarrierError, Plain, Time, get_ident
from impl.threads import Barrier, BoundedSemaphore, Event, Semaphore

class Box:
    __slots__ = ("semaphore", "bounded", "event", "barrier", "clock", "acts", "got", "total")

    acts: Plain[int]
    total: Plain[int]

    def __init__(self, value, parties, within):
        self.semaphore, self.bounded = Semaphore(value), BoundedSemaphore(1)
        self.event, self.barrier, self.got = Event(), Barrier(parties, self.act, within), []
        self.total, self.acts, self.clock = 0, 0, Time()

    def act(self):
        self.acts = self.acts + 1  # write M9
        self.note("acts")

    def note(self, value):
        self.got.append((get_ident(), value))

    def acquire(self):
        self.note(self.semaphore.acquire())  # lock A1

    def acquire_within(self, n):
        self.note(self.semaphore.acquire(True, n))  # wait A2, wake A3

    def sleep(self, n):
        self.clock.advance(n)  # update C1

    def attempt(self):
        self.note(self.semaphore.acquire(False))  # try T1

    def release(self, n):
        self.semaphore.release(n)  # unlock R1

    def hold(self):
        with self.semaphore:  # lock H1, unlock H2
            self.total = self.total + 1  # write H3

    def fill(self):
        self.total = self.total + 1  # write F1

    def peek(self):
        self.note(self.total > 0)

    def give_back(self):
        try:
            self.bounded.release()  # unlock B1
            self.note("given")
        except ValueError:
            self.note("too many")

    def borrow(self):
        self.bounded.acquire()  # lock B2

    def set(self):
        self.event.set()  # write E1

    def clear(self):
        self.event.clear()  # write E2

    def look(self):
        self.note(self.event.is_set())  # read E3

    def wait(self):
        self.note(self.event.wait())  # wait E4, wake E5

    def wait_within(self, n):
        self.note(self.event.wait(n))  # wait E6, wake E7

    def meet_within(self, n):
        try:
            self.note(self.barrier.wait(n))  # wait M7, wake M8
        except BrokenBarrierError:
            self.note("broken")

    def meet(self):
        try:
            self.note(self.barrier.wait())  # wait M1, wake M2
        except BrokenBarrierError:
            self.note("broken")

    def reset(self):
        self.barrier.reset()  # notify M3

    def abort(self):
        self.barrier.abort()  # notify M4

    def count(self):
        self.note(self.barrier.n_waiting)  # read M5

    def ask(self):
        self.note(self.barrier.broken)  # read M6
"""
BOX = boxes.Box(
    TEXT, ("value", "parties", "within"), "semaphore|bounded|event|barrier", "import Barrier"
)
load = BOX.load

SLOTS = {
    "Semaphore": ("_cond", "_value"),
    "BoundedSemaphore": ("_initial_value",),
    "Event": ("_cond", "_flag"),
    "Barrier": ("_cond", "_action", "_timeout", "_parties", "_state", "_count"),
}
UNLOCKED = ("_flag", "_state", "_count")
"""Slots that some method reads without the lock."""

HEAD = """
from __future__ import annotations
from impl.threads import BrokenBarrierError, Condition, Lock, monotonic as _time
"""
CONDITION_LABELS = (
    (r"with self\._cond:", "lock X{0}, unlock Y{0}"),
    (r"self\._cond\.wait", "wait X{0}, wake Y{0}, lock Z{0}"),
    (r"self\._cond\.notify", "notify X{0}"),
)
LABELS = (
    *CONDITION_LABELS,
    (r"self\._(flag|state|count) [-+]?= ", "write X{0}"),
    (r"return self\._(flag|state|count)|if self\._state == 0:|_time\(\)", "read X{0}"),
)
"""What a line has -> the label of its operation. The last reads are made without the lock."""


def class_of_cpython(name, changes=()):
    """CPython's source of one class, with slots."""
    slots = SLOTS[name]
    marks = [f"{slot}: Plain" for slot in slots if slot in UNLOCKED]
    return boxes.with_slots(boxes.source_of(getattr(threading, name), name, changes), slots, marks)


def of_cpython(changes=()):
    """CPython's source of the four classes, with slots and with a label on each operation.

    ``changes``: (class, old, new), of texts that occur there exactly once.
    """
    text = HEAD + "".join(class_of_cpython(name, changes) for name in SLOTS)
    return boxes.labelled(text, LABELS)


def scenario(value=1, parties=2, within=None, **programs):
    """``a="acquire; release 1"``: the program of thread ``a``.

    ``within``: the time-out of the barrier's constructor.
    """
    made_with = {"value": value, "parties": parties, "within": within}
    return {"threads": boxes.threads(**programs), **made_with}
