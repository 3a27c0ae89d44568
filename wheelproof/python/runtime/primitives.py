"""The controlled ``impl/runtime.py``: the same names, every operation a point of the scheduler.

A primitive for all projects is in both: a class in the production module and, here, the controlled
class, registered with :func:`primitive`. Locks, conditions and time have modules of their own. A
project may bring further ones, see :mod:`wheelproof.python.runtime.own`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from queue import Empty, Full
from threading import TIMEOUT_MAX, BrokenBarrierError
from types import MethodType, ModuleType
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

from wheelproof.isolated import DISTRIBUTION
from wheelproof.python.findings import ExploreError

# The modules whose primitives are registered when they are imported.
from wheelproof.python.runtime import (
    queues,
    virtual_time,
)
from wheelproof.python.runtime.alternatives import chooser
from wheelproof.python.runtime.controlled import Scheduler
from wheelproof.python.runtime.locks import Lock
from wheelproof.python.runtime.registry import Primitive, classes, primitive, primitive_names
from wheelproof.python.runtime.threads import Interrupted, Thread

__all__ = ["Due", "primitive", "primitive_names", "runtime_module"]

T = TypeVar("T")

MEANINGS = {
    "Lock, Condition": "Python's; a harness may ask for "
    "[spurious wake-ups](beyond-one-mechanism.md#spurious-wake-ups)",
    "Semaphore, BoundedSemaphore, Event, Barrier, BrokenBarrierError": "Python's; see "
    "[their labels](beyond-one-mechanism.md#semaphores-events-barriers-queues)",
    "Queue, LifoQueue, PriorityQueue, SimpleQueue, Empty, Full, ShutDown": "those of Python's "
    "`queue`; see the same page",
    "Monitor": "a re-entrant lock, `threading.RLock`",
    "NoMonitor": "excludes no thread: for decisions that take a lock away and keep its labels",
    "ReadWriteLock": "many readers or one writer",
    "Atomic": "one value: `get`, `set`, `get_and_set`, `compare_and_set`, `add_and_get`",
    "Gate": "a lock at which a thread can wait until something is due",
    "Plain, Volatile": "marks of fields",
    "Interrupts, Interrupted": "interrupts of waits, and what they raise",
    "Time, monotonic": "the clock: under control only the methods of `Time` move it",
    "Memory": "delayed stores; see [weak memory](beyond-one-mechanism.md#weak-memory)",
    "choose": "one of several values, at random; see [choices](#choices)",
    "get_ident": "Python's",
}
"""Names that a project imports -> description: a row of the reference page each."""


def runtime_module(scheduler: Scheduler, wakes_spuriously: Collection[str] = ()) -> ModuleType:
    """A module with the names of ``impl/runtime.py`` and ``impl/threads.py``, controlled.

    ``wakes_spuriously``: the primitives whose waits may end without a reason.
    """
    module = ModuleType(DISTRIBUTION, "Controlled primitives.")
    module.__dict__.update(
        classes(scheduler, wakes_spuriously),
        **virtual_time.functions(scheduler),
        choose=chooser(scheduler),
        TIMEOUT_MAX=TIMEOUT_MAX,
        BrokenBarrierError=BrokenBarrierError,
        Empty=Empty,
        Full=Full,
        ShutDown=queues.ShutDown,
        Interrupted=Interrupted,
        Volatile=Annotated[T, "volatile"],
        Plain=Annotated[T, "plain"],
        T=T,
    )
    return module


_ONLY_EQUAL = (str, bytes, float, complex, tuple, frozenset, range, MethodType)
"""Types whose equal values may be one object or several, as Python likes."""


@primitive
class Atomic(Primitive):
    """An atomic variable; ``value`` is its value, for harnesses to read."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __class_getitem__(cls, item: object) -> type:
        return cls

    def get(self) -> object:
        self.scheduler.point("read", True)
        self.rules.acquired(self)
        return self.value

    def set(self, value: object) -> None:
        self.scheduler.point("write", True)
        self.rules.released(self)
        self.value = value

    def get_and_set(self, value: object) -> object:
        self.scheduler.point("swap", True)
        self.rules.acquired(self)
        self.rules.released(self)
        old, self.value = self.value, value
        return old

    def compare_and_set(self, expected: object, value: object) -> bool:
        self.scheduler.point("cas", True)
        self.rules.acquired(self)
        current = self.value
        if type(current) is type(expected) in _ONLY_EQUAL and current == expected:
            self._refuse_equal(expected)
        if current is not expected and not (
            type(current) is type(expected) is int and current == expected
        ):
            return False
        self.rules.released(self)
        self.value = value
        return True

    def _refuse_equal(self, expected: Any) -> None:
        """Stop a thread that compares equal values where no state says if they are one object.

        A text that Python has interned is one object wherever it is, and so is the empty tuple.
        """
        is_single = expected == () or (
            type(expected) is str and all(sys.intern(v) is v for v in (expected, self.value))
        )
        if not is_single and self.scheduler.running is not None:
            self.scheduler.fail(
                f"Atomic: compare_and_set compares two equal values of type "
                f"{type(expected).__name__}, and whether they are one object is in no state; "
                "compare numbers, members of an enumeration, or objects with __slots__"
            )

    def add_and_get(self, delta: object) -> object:
        self.scheduler.point("update", True)
        self.rules.acquired(self)
        self.rules.released(self)
        self.value += delta
        return self.value


# A reader is ordered behind the writers before it only, a writer behind all threads: two
# clocks, one per half.
class ReadLock:
    """One half of a read/write lock; the other one differs in the methods at the end."""

    __slots__ = ("of",)
    name = "read"

    def __init__(self, lock: ReadWriteLock) -> None:
        self.of = lock
        self.of.scheduler.order.add(self)

    def __enter__(self) -> None:
        scheduler = self.of.scheduler
        thread = scheduler.running
        if thread is None:
            return
        site = scheduler.point("lock", True, self)
        if site is not None:
            self._refuse(thread)
            self.let_in(thread)
        if scheduler.race is not None:
            for half in self.before():
                scheduler.race.acquire(thread, half)
        scheduler.order.enter(thread, self, site)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        scheduler = self.of.scheduler
        thread = scheduler.running
        if thread is None:
            return
        if error is not None:
            scheduler.note_unwinding(error)
        if scheduler.point("unlock", True) is not None:
            if not self.held_by(thread):
                scheduler.fail(
                    f"{thread.name} releases a {self.name} lock that it does not hold; release "
                    "what the thread has acquired, once"
                )
            self.let_out(thread)
        scheduler.order.leave(thread.held, self)
        if scheduler.race is not None:
            scheduler.race.release(thread, self)

    def _refuse(self, thread: Thread) -> None:
        """Stop a thread that must not enter."""
        lock = self.of
        if lock.writer is thread or thread in lock.readers:
            lock.scheduler.fail(
                f"{thread.name} holds the ReadWriteLock already, and it is not re-entrant; "
                "release it first"
            )
        if not self.admits(thread):
            lock.scheduler.fail(
                f"{thread.name} was let into a ReadWriteLock that is taken: the run is not the "
                "one that was planned"
            )

    def admits(self, thread: Thread) -> bool:
        """Whether the thread could take the half now."""
        return self.of.writer is None

    def let_in(self, thread: Thread) -> None:
        self.of.readers = tuple(sorted((*self.of.readers, thread), key=_index))

    def let_out(self, thread: Thread) -> None:
        self.of.readers = tuple([reader for reader in self.of.readers if reader is not thread])

    def held_by(self, thread: Thread) -> bool:
        return thread in self.of.readers

    def before(self) -> tuple[ReadLock, ...]:
        """The halves whose releases come before an entry here, for the race detector."""
        return (self.of.write_lock,)


class WriteLock(ReadLock):
    __slots__ = ()
    name = "write"

    def admits(self, thread: Thread) -> bool:
        return self.of.writer is None and not self.of.readers

    def let_in(self, thread: Thread) -> None:
        self.of.writer = thread

    def let_out(self, thread: Thread) -> None:
        self.of.writer = None

    def held_by(self, thread: Thread) -> bool:
        return self.of.writer is thread

    def before(self) -> tuple[ReadLock, ...]:
        return (self, self.of.read_lock)


@primitive
class ReadWriteLock(Primitive):
    """A lock for several readers or one writer."""

    __slots__ = ("read_lock", "readers", "write_lock", "writer")
    halves: ClassVar[tuple[type[ReadLock], type[ReadLock]]] = (ReadLock, WriteLock)

    def __init__(self) -> None:
        self.readers: tuple[Thread, ...] = ()
        """The threads that read, in the scenario's order."""
        self.writer: Thread | None = None
        """The thread that writes, or None."""
        read, write = self.halves
        self.read_lock, self.write_lock = read(self), write(self)

    def let_go(self) -> None:
        """Makes no step: no interrupt ends the release of a lock here."""


def _index(thread: Thread) -> int:
    return thread.index


class Held(Protocol):
    """A lock that a thread may hold."""

    owner: Thread | None


class Due:
    """Admits a thread to a gate that is free when its task is due. The test makes no step."""

    __slots__ = ("_scheduler", "_wait_ms", "gate")

    def __init__(self, scheduler: Scheduler, gate: Held, wait_ms: Callable[[], float]) -> None:
        self._scheduler, self.gate, self._wait_ms = scheduler, gate, wait_ms

    def admits(self, thread: Thread) -> bool:
        """Whether the gate is free and ``wait_ms() <= 0``. No wait at a gate times out here."""
        if self.gate.owner is not None:
            return False
        scheduler = self._scheduler
        running, scheduler.running = scheduler.running, None
        try:
            return self._wait_ms() <= 0
        finally:
            scheduler.running = running


@primitive
class Gate(Lock):
    """A lock at which a thread can wait until something is due; fields as those of a lock."""

    __slots__ = ()
    acquire = locked = None  # type: ignore[assignment]  # production has none either

    def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
        if not callable(wait_ms):
            raise ExploreError(
                f"acquire_when got {wait_ms!r}, which is no function.",
                "Give it the function that says how long to wait, and then the longest wait.",
            )
        scheduler = self.scheduler
        thread = scheduler.running
        if thread is None:
            return
        due = Due(scheduler, self, wait_ms)
        site = scheduler.point("lock", True, due)
        if not due.admits(thread):
            scheduler.fail(
                f"{thread.name} was let into a gate before something was due; in an atomic "
                "module the gate must be "
                "the first shared operation of its call, elsewhere the run is not the one that "
                "was planned"
            )
        if site is not None:
            self.take_over(thread)
        if scheduler.race is not None:
            scheduler.race.acquire(thread, self)
        scheduler.order.enter(thread, self, site)

    def let_go(self) -> None:
        """Makes no step: no interrupt ends the release of a lock here."""

    def notify(self) -> None:
        """Makes no step: after every step all waiting threads are admitted anew."""
