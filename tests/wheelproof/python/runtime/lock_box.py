"""Programs on locks with time-outs, on the controlled classes and on others.

The other lock is written from Python's documentation, over the controlled condition. The other
monitor is CPython's own source of it, on that lock. A condition's ``acquire`` is its lock's."""

import threading

from tests.wheelproof.python.runtime import boxes

TEXT = """
from __future__ import annotations
from impl.threads import Plain, Time, get_ident
from impl.threads import Condition, Lock, Monitor

class Box:
    __slots__ = ("lock", "monitor", "changed", "clock", "got", "total")

    total: Plain[int]

    def __init__(self):
        self.lock, self.monitor, self.clock = Lock(), Monitor(), Time()
        self.changed = Condition(self.lock)
        self.got, self.total = [], 0

    def note(self, value):
        self.got.append((get_ident(), value))

    def sleep(self, n):
        self.clock.advance(n)  # update C1

    def clock_on(self):
        more = True
        while more:
            more = self.clock.elapse()  # update C2

    def take(self):
        self.lock.acquire()  # lock L1
        self.note("taken")

    def attempt(self):
        self.note(bool(self.lock.acquire(False)))  # try L2

    def look(self):
        self.note(self.lock.locked())  # read L9

    def take_within(self, n):
        self.note(bool(self.lock.acquire(True, n)))  # wait L3, wake L4

    def take_within_any(self, n):
        self.note(bool(self.lock.acquire(timeout=n)))  # wait L5, wake L6, lock L7

    def give(self):
        try:
            self.lock.release()  # unlock L8
        except RuntimeError:
            self.note("free")

    def hold_within(self, n):
        if self.lock.acquire(timeout=n):  # wait H1, wake H2
            self.total = self.total + 1  # write H3
            self.note(self.total)
            self.lock.release()  # unlock H4
        else:
            self.note("late")

    def take_changed_within(self, n):
        self.note(bool(self.changed.acquire(timeout=n)))  # wait V1, wake V2

    def enter(self):
        self.monitor.acquire()  # lock M1

    def enter_within(self, n):
        self.note(bool(self.monitor.acquire(timeout=n)))  # wait M2, wake M3

    def leave(self):
        self.monitor.release()  # unlock M4

    def look_inside(self):
        self.note(self.monitor.locked())  # read M5

    def fill(self):
        self.total = self.total + 1  # write F1

    def peek(self):
        self.note(self.total > 0)
"""
BOX = boxes.Box(TEXT, (), "lock|monitor|changed", "import Condition")
load = BOX.load

REFERENCE = """
from __future__ import annotations
from impl.threads import TIMEOUT_MAX, Plain, get_ident, monotonic
from impl.threads import Condition as Inner, Lock as InnerLock

class Lock:
    __slots__ = ("changed", "taken")
    taken: Plain[bool]

    def __init__(self):
        self.changed, self.taken = Inner(InnerLock()), False

    def acquire(self, blocking=True, timeout=-1):
        if timeout != -1 and not blocking:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout != -1 and timeout < 0:
            raise ValueError("timeout value must be a non-negative number")
        if timeout > TIMEOUT_MAX:
            raise OverflowError("timeout value is too large")
        end = None
        with self.changed:
            while self.taken:
                if not blocking:
                    return False
                if timeout == -1:
                    self.changed.wait()
                    continue
                if end is None:
                    end = monotonic() + timeout
                left = end - monotonic()
                if left <= 0:
                    return False
                self.changed.wait(left)
            self.taken = True
        return True

    def release(self):
        with self.changed:
            if not self.taken:
                raise RuntimeError("release unlocked lock")
            self.taken = False
            self.changed.notify()

    def locked(self):
        with self.changed:
            return self.taken

class Condition:
    __slots__ = ("lock",)

    def __init__(self, lock):
        self.lock = lock

    def acquire(self, blocking=True, timeout=-1):
        return self.lock.acquire(blocking, timeout)
"""
LABELS = (
    (r"with self\.changed:", "lock X{0}, unlock Y{0}"),
    (r"self\.changed\.wait", "wait X{0}, wake Y{0}, lock Z{0}"),
    (r"self\.changed\.notify", "notify X{0}"),
    (r"self\.taken = ", "write X{0}"),
    (r"monotonic\(\)", "read X{0}"),
)


def reference(changes=()):
    """The lock from the documentation and CPython's source of the monitor, with labels.

    ``changes``: (class, old, new), of texts that occur there exactly once.
    """
    source = boxes.source_of(threading._RLock, "Monitor", changes)
    monitor = boxes.with_slots(
        source.replace("class _RLock", "class Monitor").replace("_allocate_lock", "Lock"),
        ("_block", "_owner", "_count"),
    )
    return boxes.labelled(boxes.with_changes(REFERENCE, "Lock", changes) + monitor, LABELS)


def scenario(**programs):
    """``a="take; give"``: the program of thread ``a``."""
    return {"threads": boxes.threads(**programs)}
