"""Threads of a scenario, the sites where they stop, and interfaces of a run's other parts."""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Protocol

from greenlet import greenlet as Greenlet

if TYPE_CHECKING:
    from wheelproof.python.runtime.fields import Field
    from wheelproof.python.runtime.lock_order import Held

DONE = "Done"
"""Label of a thread that has ended (PlusCal's name for it)."""

START = "Start"
"""Label of a thread that has not reached its first operation."""


class Abort(BaseException):
    """Ends a suspended thread; not an ``Exception``, so that no handler of the code catches it."""


class Interrupted(KeyboardInterrupt):
    """Raised by a wait that a thread of the scenario interrupts; Ctrl-C is another exception."""


class Site:
    """One operation at one place in the code, looked up by position on every access.

    ``label`` is None where the access belongs to the step under way. ``exact``: whether the label
    names this operation, and not one that a plain read prepares.
    """

    __slots__ = ("exact", "file", "function", "kind", "label", "line")

    def __init__(
        self, label: str | None, kind: str, exact: bool, file: str, line: int, function: str
    ) -> None:
        self.label, self.kind, self.exact = label, kind, exact
        self.file, self.line, self.function = file, line, function

    @property
    def where(self) -> str:
        """``file:line``, the file relative to the project's folder."""
        return f"{self.file}:{self.line}"


class Admits(Protocol):
    """A primitive for which a thread waits."""

    def admits(self, thread: Thread, /) -> bool:
        """Whether the thread can take its next step now."""


class Observer(Protocol):
    """An object to which a run's accesses and its synchronisation are reported."""

    def acquire(self, thread: Thread, source: object) -> None: ...
    def release(self, thread: Thread, target: object) -> None: ...
    def read(self, thread: Thread, field: Field, instance: object, site: Site | None) -> None: ...
    def write(self, thread: Thread, field: Field, instance: object, site: Site | None) -> None: ...


class Clock(Protocol):
    """The clock of a scenario (:mod:`wheelproof.python.runtime.virtual_time`)."""

    now: float
    alarms: tuple[tuple[Thread, float], ...]

    def deadline(self, thread: Thread) -> float | None: ...


class InterruptSource(Protocol):
    """The interrupts of a scenario (:mod:`wheelproof.python.runtime.virtual_time`)."""

    pending: tuple[Thread, ...]


class OwnStore(Protocol):
    """A store of the running thread that is not in memory yet."""

    @property
    def value(self) -> object: ...


class Buffers(Protocol):
    """The delayed stores of a scenario (:mod:`wheelproof.python.runtime.store_buffer`)."""

    def delay(self, thread: Thread, field: str, instance: object, value: object) -> None: ...
    def own_store(self, thread: Thread, field: str, instance: object) -> OwnStore | None: ...
    def acquire(self, thread: Thread, source: object) -> None: ...
    def release(self, thread: Thread, target: object) -> None: ...


class Thread:
    """A thread of the scenario. ``label`` and ``kind`` name the step that it takes next."""

    __slots__ = (
        "awaits",
        "calls",
        "error",
        "frame",
        "greenlet",
        "handled",
        "held",
        "index",
        "label",
        "lasti",
        "name",
        "performed",
        "position",
        "results",
        "site",
        "unwinding",
    )

    def __init__(self, name: str, index: int) -> None:
        self.name, self.index = name, index
        self.greenlet: Greenlet | None = None
        self.label = START
        self.awaits: Admits | None = None
        """The primitive that must admit the thread before its next step, or None."""
        self.site: Site | None = None
        self.frame: FrameType | None = None
        self.lasti, self.performed, self.position = -1, False, 0
        """``position``:

        the number of operations of its program that it has begun, a part of the state.
        """
        self.calls: tuple[FrameType, ...] = ()
        """Frames of atomic operations under way, whose further accesses make no step."""
        self.error: BaseException | None = None
        self.unwinding: BaseException | None = None
        self.handled: BaseException | None = None
        """The exception that is being handled, or is going up, where the thread has stopped."""
        self.results: list[object] = []
        """The results of the operations that the last step ended."""
        self.held: list[Held] = []
        """The locks that it holds, for the order of locks."""

    @property
    def kind(self) -> str | None:
        """The kind of operation of the next step: that of its label, not of the first access."""
        return None if self.site is None else self.site.kind

    @property
    def source(self) -> str | None:
        """``file:line`` of the next step, or None."""
        return None if self.site is None else self.site.where

    @property
    def enabled(self) -> bool:
        """Whether the next step can be taken now."""
        return self.label is not DONE and (self.awaits is None or self.awaits.admits(self))
