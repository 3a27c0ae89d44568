"""Programs on queues that are shut down: on the controlled classes, and on CPython's own source.

Before Python 3.13 that source has no ``shutdown``: it gets the lines that 3.13 has added."""

import queue

from tests.wheelproof.python.runtime import boxes, queue_box

TEXT = """
from __future__ import annotations
from impl.threads import Empty, Full, Plain, ShutDown, Time, get_ident
from impl.threads import LifoQueue, PriorityQueue, Queue

KINDS = (Queue, LifoQueue, PriorityQueue)

class Box:
    __slots__ = ("queue", "clock", "got", "total")

    total: Plain[int]

    def __init__(self, kind, room, items):
        self.queue = KINDS[kind](room)
        self.clock, self.got, self.total = Time(), [], 0
        for item in items:
            self.queue.put_nowait(item)

    def note(self, value):
        self.got.append((get_ident(), value))

    def sleep(self, n):
        self.clock.advance(n)  # update C1

    def shut(self):
        self.queue.shutdown()  # notify S1

    def shut_now(self):
        self.queue.shutdown(immediate=True)  # notify S2

    def put(self, n):
        try:
            self.queue.put(n)  # wait P1
            self.note("put")
        except ShutDown:
            self.note("shut")

    def get(self):
        try:
            self.note(self.queue.get())  # wait G1
        except ShutDown:
            self.note("shut")

    def put_within(self, n):
        try:
            self.queue.put(7, timeout=n)  # wait P2, wake P3
            self.note("put")
        except Full:
            self.note("full")
        except ShutDown:
            self.note("shut")

    def get_within(self, n):
        try:
            self.note(self.queue.get(True, n))  # wait G2, wake G3
        except Empty:
            self.note("empty")
        except ShutDown:
            self.note("shut")

    def try_put(self, n):
        try:
            self.queue.put_nowait(n)  # try P4
            self.note("put")
        except Full:
            self.note("full")
        except ShutDown:
            self.note("shut")

    def try_get(self):
        try:
            self.note(self.queue.get_nowait())  # try G4
        except Empty:
            self.note("empty")
        except ShutDown:
            self.note("shut")

    def size(self):
        self.note(self.queue.qsize())  # read Q1

    def done(self):
        try:
            self.queue.task_done()  # update D1
        except ValueError:
            self.note("too many")

    def join(self):
        self.queue.join()  # wait J1
        self.note("joined")

    def fill(self):
        self.total = self.total + 1  # write F1

    def peek(self):
        self.note(self.total > 0)
"""
BOX = boxes.Box(TEXT, ("kind", "room", "items"), "queue", "import LifoQueue")
load, scenario = BOX.load, queue_box.scenario

FULL = "if self.is_shutdown:\n{0}    raise ShutDown"
EMPTY = "if self.is_shutdown and not self._qsize():\n{0}    raise ShutDown"


SHUTDOWN = """def shutdown(self, immediate=False):
        with self.mutex:
            self.is_shutdown = True
            if immediate:
                while self._qsize():
                    self._get()
                    if self.unfinished_tasks > 0:
                        self.unfinished_tasks -= 1
                self.all_tasks_done.notify_all()
            self.not_empty.notify_all()
            self.not_full.notify_all()

    def put_nowait("""
ADDED = tuple(
    ("Queue", old, new)
    for old, new in {
        "self.unfinished_tasks = 0": "self.unfinished_tasks = 0\n        self.is_shutdown = False",
        **{
            f"{line}\n": f"{line}\n{' ' * deep}{check.format(' ' * deep)}\n"
            for line, check, deep in (
                ("with self.not_full:", FULL, 12),
                ("self.not_full.wait()", FULL, 24),
                ("self.not_full.wait(remaining)", FULL, 24),
                ("with self.not_empty:", EMPTY, 12),
                ("self.not_empty.wait()", EMPTY, 20),
                ("self.not_empty.wait(remaining)", EMPTY, 20),
            )
        },
        "def put_nowait(": SHUTDOWN,
    }.items()
)
"""What 3.13 has added to the class."""


def of_cpython(changes=()):
    """CPython's source, with ``shutdown``. ``changes``: faults, as in the box of queues."""
    added = () if hasattr(queue.Queue, "shutdown") else ADDED
    text = queue_box.of_cpython((*added, *changes))
    head = "from impl.threads import Condition, Empty, Full, "
    assert text.count(head) == 1
    return text.replace(head, f"{head}ShutDown, ")
