"""Threads under control, and the operations that they stop in front of."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from wheelproof.plain.happens_before import Location
from wheelproof.plain.sites import Site

READ, WRITE, ACQUIRE, TRY, RELEASE, PEEK, JOIN, TRY_JOIN, END, SLEEP = range(10)
"""Kinds of visible operations."""

OPERATIONS = (
    "read",
    "write",
    "acquire",
    "try to acquire",
    "release",
    "look at",
    "join",
    "try to join",
    "end",
    "sleep",
)
"""Their names."""

TIME_OUT = "time out"
"""The name of an attempt that fails by its time-out."""

NEVER = float("inf")
"""The time at which a wait without a time-out ends."""

CHANGES = (False, True, True, None, True, False, False, False, True, False)
"""Whether a kind changes its location; of TRY it depends."""


def times_out(thread: Thread) -> bool:
    """Whether a thread's operation is a wait that would end by its time-out."""
    if not thread.timed or thread.kind not in (TRY, TRY_JOIN):
        return False
    owner = thread.target.owner
    return owner is not None and not (thread.kind == TRY_JOIN and owner.done)


def awaits_time(thread: Thread) -> bool:
    """Whether a thread's operation is a sleep, or a wait that would end by its time-out."""
    return thread.kind == SLEEP or times_out(thread)


class Ending(StrEnum):
    """How an execution ended."""

    DONE = "done"  # all threads that must end have ended
    STUCK = "stuck"  # a thread that must end waits for ever
    ENDLESS = "endless"  # a thread runs on alone
    CUT = "cut"  # too many operations
    REDUNDANT = "redundant"  # sleep sets: an equivalent run has been seen
    DIFFERENT = "different"  # what should have been repeated ran differently
    STOPPED = "stopped"  # by the checker itself, with an error


class Ended(BaseException):
    """Ends a thread whose execution is over."""


class RealLock(BaseException):
    """A thread under control has met a lock that is not."""


class NotRunning(RuntimeError):
    """A thread is started while modules are loaded."""


class Thread:
    """A logical thread: its greenlet, its clock, and the operation that it stands in front of.

    ``inside``: the access of a container by code in C that has called back code in Python.
    ``held``: its locks, in the order in which it took them. ``waited``: the seconds that its waits
    with a time-out and its sleeps have taken. ``origin`` tells the threads of all runs apart: which
    thread has started it, and how many that had started before. ``last``: the site of its last
    access. ``region`` and ``position`` are those of that site. ``switchable``: since its last
    visible operation it has come to where an interpreter with a global lock switches threads.
    ``timed``: its attempt to acquire or to join has a time-out. ``due``: the time at which that, or
    its sleep, ends. ``expires``: when the first of its time-outs ends, since a judge looked at it.
    ``visits``: place -> its reads, writes and looks there.
    ``refused``: how often it went on once its run was over.
    """

    __slots__ = (
        "clock",
        "children",
        "daemon",
        "done",
        "due",
        "end",
        "error",
        "expires",
        "greenlet",
        "held",
        "inside",
        "kind",
        "last",
        "local",
        "name",
        "number",
        "object",
        "origin",
        "polling",
        "position",
        "refused",
        "region",
        "site",
        "starter",
        "switchable",
        "target",
        "timed",
        "visits",
        "waited",
    )

    def __init__(self, number: int, name: str, capacity: int) -> None:
        self.number, self.name = number, name
        self.clock = [0] * capacity
        self.end = Location(name)
        self.end.owner = self
        self.greenlet: Any = None
        self.kind = -1
        self.target: Any = None
        self.site: Site | None = None
        self.last: Site | None = None
        self.starter: Any = None
        self.done = self.daemon = False
        self.error: BaseException | None = None
        self.object: Any = None
        self.local: dict[Any, Any] = {}
        self.held: list[Any] = []
        self.inside: Any = None
        self.polling: Any = None
        self.visits: dict[Any, int] = {}
        self.waited = self.due = 0.0
        self.expires = NEVER
        self.origin, self.children = 0, 0
        self.switchable, self.timed = True, False
        self.region = self.position = self.refused = 0

    def waits_until(self, due: float, timed: bool) -> None:
        """It is in front of an attempt that ends then. ``timed``: by a time-out."""
        self.timed, self.due = timed, due
        if timed:
            self.expires = min(self.expires, due)
