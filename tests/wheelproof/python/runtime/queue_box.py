"""Programs on queues: on the controlled classes, whose operations are single steps, and on
CPython's own source of these classes over the controlled condition."""

import queue
import re

from tests.wheelproof.python.runtime import boxes, synchronizer_box

TEXT = """
from __future__ import annotations
from impl.threads import Empty, Full, Plain, Time, get_ident
from impl.threads import LifoQueue, PriorityQueue, Queue, SimpleQueue

KINDS = (Queue, LifoQueue, PriorityQueue)

class Box:
    __slots__ = ("queue", "clock", "got", "total")

    total: Plain[int]

    def __init__(self, kind, room, items):
        self.queue = KINDS[kind](room) if kind < len(KINDS) else SimpleQueue()
        self.clock, self.got, self.total = Time(), [], 0
        for item in items:
            self.queue.put_nowait(item)

    def note(self, value):
        self.got.append((get_ident(), value))

    def sleep(self, n):
        self.clock.advance(n)  # update C1

    def put(self, n):
        self.queue.put(n)  # wait P1
        self.note("put")

    def get(self):
        self.note(self.queue.get())  # wait G1

    def put_within(self, n):
        try:
            self.queue.put(7, timeout=n)  # wait P2, wake P3
            self.note("put")
        except Full:
            self.note("full")

    def get_within(self, n):
        try:
            self.note(self.queue.get(True, n))  # wait G2, wake G3
        except Empty:
            self.note("empty")

    def try_put(self, n):
        try:
            self.queue.put(n, False)  # try P4
            self.note("put")
        except Full:
            self.note("full")

    def try_get(self):
        try:
            self.note(self.queue.get(block=False))  # try G4
        except Empty:
            self.note("empty")

    def put_now(self, n):
        try:
            self.queue.put_nowait(n)  # try P5
        except Full:
            self.note("full")

    def get_now(self):
        try:
            self.note(self.queue.get_nowait())  # try G5
        except Empty:
            self.note("empty")

    def size(self):
        self.note(self.queue.qsize())  # read Q1

    def is_empty(self):
        self.note(self.queue.empty())  # read Q2

    def is_full(self):
        self.note(self.queue.full())  # read Q3

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
load = BOX.load

SLOTS = ("maxsize", "queue", "mutex", "not_empty", "not_full", "all_tasks_done", "unfinished_tasks")
HEAD = """
from __future__ import annotations
from heapq import heappop, heappush
from impl.threads import Condition, Empty, Full, Lock, Plain
from impl.threads import monotonic as time, monotonic as _time
"""
ROOM = r"self\.(mutex|not_full|not_empty|all_tasks_done)"
LABELS = (
    (rf"with {ROOM}:", "lock X{0}, unlock Y{0}"),
    (rf"{ROOM}\.wait", "wait X{0}, wake Y{0}, lock Z{0}"),
    (rf"{ROOM}\.notify", "notify X{0}"),
    (r"[ _]time\(\)", "read X{0}"),
    (r"self\._queue\.(append|pop)", "change X{0}"),
    (r"len\(self\._queue\)", "read X{0}"),
    *synchronizer_box.CONDITION_LABELS,
)
"""What a line has -> the label of its operation."""
OTHER = {
    "threading.": "",
    "deque()": "[]",
    "popleft()": "pop(0)",
    "__class_getitem__ = classmethod(types.GenericAlias)": "",
}
"""What the controlled runtime has under other names, or not at all."""


def of_cpython(changes=()):
    """CPython's source of the four classes, with slots and with a label on each operation.

    ``changes``: (class, old, new), of texts that occur there exactly once.
    """
    text = HEAD
    for name in ("Queue", "LifoQueue", "PriorityQueue"):
        source = boxes.source_of(getattr(queue, name), name, changes)
        for old, new in OTHER.items():
            source = source.replace(old, new)
        slots = (*SLOTS, *re.findall(r"self\.(is_shutdown) =", source)) if name == "Queue" else ()
        text += boxes.with_slots(source, dict.fromkeys(slots))
    return boxes.labelled(text + simple_of_cpython(changes), LABELS)


def simple_of_cpython(changes):
    """CPython's source of ``SimpleQueue`` in Python, and of the semaphore that it is made of."""
    source = boxes.source_of(queue._PySimpleQueue, "SimpleQueue", changes)
    for old, new in {**OTHER, "_PySimpleQueue": "SimpleQueue"}.items():
        source = source.replace(old, new)
    simple = boxes.with_slots(source, ("_queue", "_count"), ("_queue: Plain",))
    return synchronizer_box.class_of_cpython("Semaphore") + simple


def scenario(kind=0, room=0, items=(), **programs):
    """``a="put 1; get"``: the program of thread ``a``. ``kind``: a place in the box's KINDS."""
    return {"threads": boxes.threads(**programs), "kind": kind, "room": room, "items": items}
