"""Programs on queues: on the controlled classes, whose operations are single steps, and on
CPython's own source of these classes over the controlled condition."""

import inspect
import queue
import re

from wheelproof.explore import ControlledImplementation

BOX = """
from __future__ import annotations
from impl.threads import Empty, Full, Plain, Time, get_ident
from impl.threads import LifoQueue, PriorityQueue, Queue

KINDS = (Queue, LifoQueue, PriorityQueue)

class Box:
    __slots__ = ("queue", "clock", "got", "total")

    total: Plain[int]

    def __init__(self, kind, room, items):
        self.queue, self.clock, self.got, self.total = KINDS[kind](room), Time(), (), 0
        for item in items:
            self.queue.put_nowait(item)

    def note(self, value):
        self.got = (*self.got, (get_ident(), value))

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
OPERATIONS = re.findall(r"    def (?!__|note)(\w+)\(self(?:, (\w))?\)", BOX)
CALLS = "\n".join(
    f"    def {name}(self{', ' + a if a else ''}): self.box.{name}({a})" for name, a in OPERATIONS
)
HARNESS = f"""
from impl import box
SUBJECT = ("impl.box",)

class Harness:
    def __init__(self, scenario, impl=box):
        self.box = impl.Box(scenario["kind"], scenario["room"], scenario["items"])
        self.names = {{"box": self.box, "clock": self.box.clock}}
{CALLS}

def shared(harness):
    return {{"got": harness.box.got}}
"""
SLOTS = ("maxsize", "queue", "mutex", "not_empty", "not_full", "all_tasks_done", "unfinished_tasks")
HEAD = """
from __future__ import annotations
from heapq import heappop, heappush
from impl.threads import Condition, Empty, Full, Lock, monotonic as time
"""
ROOM = r"self\.(mutex|not_full|not_empty|all_tasks_done)"
LABELS = (
    (rf"with {ROOM}:", "lock X{0}, unlock Y{0}"),
    (rf"{ROOM}\.wait", "wait X{0}, wake Y{0}, lock Z{0}"),
    (rf"{ROOM}\.notify", "notify X{0}"),
    (r" time\(\)", "read X{0}"),
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
    """CPython's source of the three classes, with slots and with a label on each operation.

    ``changes``: (class, old, new), of texts that occur there exactly once.
    """
    text = HEAD
    for name in ("Queue", "LifoQueue", "PriorityQueue"):
        source = inspect.getsource(getattr(queue, name))
        for cls, old, new in changes:
            if cls == name:
                assert source.count(old) == 1, (old, source)
                source = source.replace(old, new)
        for old, new in OTHER.items():
            source = source.replace(old, new)
        slots = (*SLOTS, *re.findall(r"self\.(is_shutdown) =", source)) if name == "Queue" else ()
        head, body = source.split("\n", 1)
        text += f"\n{head}\n    __slots__ = {tuple(dict.fromkeys(slots))!r}\n{body}"
    lines = text.splitlines()
    for number, line in enumerate(lines):
        for operation, label in LABELS:
            if re.search(operation, line):
                lines[number] = f"{line}  # {label.format(number)}"
    return "\n".join(lines) + "\n"


def load(root, source=""):
    """The box on the controlled classes, or on ``source``, a module that has them."""
    box = BOX
    if source:
        box = re.sub(r"(self\.queue\..*)  # .*", r"\1", box).replace(
            "impl.threads import LifoQueue", "impl.queues import LifoQueue"
        )
    for folder, file, text in (
        ("impl", "box", box),
        ("impl", "queues", source),
        ("harness", "box", HARNESS),
    ):
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / f"{file}.py").write_text(text, encoding="utf-8")
    return ControlledImplementation.load(root, "box", lint=not source)


def scenario(kind=0, room=0, items=(), **programs):
    """``a="put 1; get"``: the program of thread ``a``. ``kind``: a place in the box's KINDS."""
    threads = {
        name: [
            [int(word) if word.isdigit() else word for word in operation.split()]
            for operation in program.split("; ")
        ]
        for name, program in programs.items()
    }
    return {"threads": threads, "kind": kind, "room": room, "items": items}
