"""Programs on semaphores, events and barriers: on the controlled classes, whose operations are
single steps, and on CPython's own source of these classes over the controlled condition."""

import inspect
import re
import threading

from wheelproof.explore import ControlledImplementation, Crashed

RAISED = "raised"

BOX = """
from __future__ import annotations
from impl.threads import BrokenBarrierError, Plain, Time, get_ident
from impl.threads import Barrier, BoundedSemaphore, Event, Semaphore

class Box:
    __slots__ = ("semaphore", "bounded", "event", "barrier", "clock", "acts", "got", "total")

    acts: Plain[int]
    total: Plain[int]

    def __init__(self, value, parties):
        self.semaphore, self.bounded = Semaphore(value), BoundedSemaphore(1)
        self.event, self.barrier, self.got = Event(), Barrier(parties, self.act), ()
        self.total, self.acts, self.clock = 0, 0, Time()

    def act(self):
        self.acts = self.acts + 1  # write M9
        self.note("acts")

    def note(self, value):
        self.got = (*self.got, (get_ident(), value))

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
OPERATIONS = re.findall(r"    def (?!__|act|note)(\w+)\(self(?:, (\w))?\)", BOX)
CALLS = "\n".join(
    f"    def {name}(self{', ' + a if a else ''}): self.box.{name}({a})" for name, a in OPERATIONS
)
HARNESS = f"""
from impl import box
SUBJECT = ("impl.box",)

class Harness:
    def __init__(self, scenario, impl=box):
        self.box = impl.Box(scenario["value"], scenario["parties"])
        self.names = {{"box": self.box, "clock": self.box.clock}}
{CALLS}

def shared(harness):
    return {{"got": harness.box.got}}
"""
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
LABELS = (
    (r"with self\._cond:", "lock X{0}, unlock Y{0}"),
    (r"self\._cond\.wait", "wait X{0}, wake Y{0}, lock Z{0}"),
    (r"self\._cond\.notify", "notify X{0}"),
    (r"self\._(flag|state|count) [-+]?= ", "write X{0}"),
    (r"return self\._(flag|state|count)|if self\._state == 0:|_time\(\)", "read X{0}"),
)
"""What a line has -> the label of its operation. The last reads are made without the lock."""


def of_cpython(changes=()):
    """CPython's source of the four classes, with slots and with a label on each operation.

    ``changes``: (class, old, new), of texts that occur there exactly once.
    """
    text = HEAD
    for name, slots in SLOTS.items():
        source = inspect.getsource(getattr(threading, name))
        for cls, old, new in changes:
            if cls == name:
                assert source.count(old) == 1, (old, source)
                source = source.replace(old, new)
        head, body = source.split("\n", 1)
        marks = "".join(f"    {slot}: Plain\n" for slot in slots if slot in UNLOCKED)
        text += f"\n{head}\n    __slots__ = {slots!r}\n{marks}{body}"
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
        box = re.sub(r"(self\.(semaphore|bounded|event|barrier).*)  # .*", r"\1", box).replace(
            "impl.threads import Barrier", "impl.synchronizers import Barrier"
        )
    for folder, file, text in (
        ("impl", "box", box),
        ("impl", "synchronizers", source),
        ("harness", "box", HARNESS),
    ):
        (root / folder).mkdir(parents=True, exist_ok=True)
        (root / folder / f"{file}.py").write_text(text, encoding="utf-8")
    return ControlledImplementation.load(root, "box", lint=not source)


def scenario(value=1, parties=2, **programs):
    """``a="acquire; release 1"``: the program of thread ``a``."""
    threads = {
        name: [
            [int(word) if word.isdigit() else word for word in operation.split()]
            for operation in program.split("; ")
        ]
        for name, program in programs.items()
    }
    return {"threads": threads, "value": value, "parties": parties}


def ends(implementation, program):
    """Every end of some schedule: (all have ended, the results of each thread in order).

    Each has a shortest schedule that comes there. (RAISED, class) is the end by an exception.
    """
    table, seen, found, todo = {}, set(), {}, [()]
    while todo:
        later = []
        for schedule in todo:
            run = implementation.begin(program, intern=table)
            try:
                for thread in schedule:
                    run.step(thread)
            except Crashed as error:
                found.setdefault((RAISED, type(error.error).__name__), schedule)
                run.end()
                continue
            state = run.fingerprint()
            if state not in seen:
                seen.add(state)
                able = list(run.enabled())
                if not able:
                    got = run.shared()["got"]
                    results = tuple(
                        tuple(value for thread, value in got if thread == index + 1)
                        for index in range(len(run.threads))
                    )
                    found.setdefault((run.done, results), schedule)
                later += [(*schedule, thread) for thread in able]
            run.end()
        todo = later
    return found


def broken(found, expected):
    """What is wrong with the ends of a program, by name; () where they are the expected ones."""
    more = found.keys() - expected.keys()
    faults = {
        "NoException": any(done is RAISED for done, _ in more),
        "NoDeadlock": any(done is False for done, _ in more),
        "NoOtherResult": any(done is True for done, _ in more),
        "EveryResult": bool(expected.keys() - found.keys()),
    }
    return tuple(name for name, wrong in faults.items() if wrong)
