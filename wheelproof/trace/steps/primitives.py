"""The runtime of a project whose primitives report to a recorder.

An atomic variable, a read/write lock and a gate are the project's own production classes, with a
report around each operation. Each class has the attributes by which a harness reads locks and
sleepers under control.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import Empty, Full
from types import FrameType, ModuleType
from typing import Annotated, Any, ClassVar, TypeVar

from wheelproof.isolated import DISTRIBUTION
from wheelproof.python.runtime.bound import bound
from wheelproof.python.runtime.queues import ShutDown
from wheelproof.trace.recording.grain import Step
from wheelproof.trace.steps.choices import chooser
from wheelproof.trace.steps.locks import Interrupted, locks, placed, without
from wheelproof.trace.steps.recorder import Actor, Recorded, Recorder, Stop, frame_of
from wheelproof.trace.steps.synchronizers import recorded
from wheelproof.trace.steps.unrecorded import refuse_in
from wheelproof.trace.steps.virtual_time import time_and_threads

T = TypeVar("T")


def runtime_module(recorder: Recorder, production: ModuleType | None) -> ModuleType:
    """The names of a project's runtime, whose primitives report to ``recorder``.

    ``production``: the runtime itself; names that report nothing are taken from it.
    """
    module = ModuleType(DISTRIBUTION, "Primitives that report.")
    inner = {} if production is None else vars(production)
    module.__dict__.update({key: value for key, value in inner.items() if key[0] != "_"})
    refuse_in(vars(module), recorder)
    module.__dict__.update(
        locks(recorder),
        **recorded(recorder),
        **time_and_threads(recorder),
        choose=chooser(recorder),
        TIMEOUT_MAX=threading.TIMEOUT_MAX,
        BrokenBarrierError=threading.BrokenBarrierError,
        Empty=Empty,
        Full=Full,
        ShutDown=ShutDown,
        Interrupted=Interrupted,
        Volatile=Annotated[T, "volatile"],
        Plain=Annotated[T, "plain"],
        T=T,
    )
    for cls in (Atomic, ReadWriteLock, Gate):
        role = cls.__name__
        if role in inner:
            vars(module)[role] = bound(cls, recorder=recorder, production=inner[role])
    if "Memory" in inner:
        vars(module)["Memory"] = memory(recorder, inner["Memory"])
    return module


class Wrapped(Recorded):
    """A class of production with a report around each operation. ``production``: that class."""

    __slots__ = ()
    production: ClassVar[type[Any]]


class Atomic(Wrapped):
    """Each operation is one moment. ``value``: its content, for harnesses to read."""

    __slots__ = ("inner",)

    def __init__(self, value: object) -> None:
        self.inner = self.production(value)

    def __class_getitem__(cls, item: object) -> type:
        return cls

    @property
    def value(self) -> Any:
        return self.inner.get()

    def get(self) -> Any:
        return self._report(frame_of(1), "read", "r", self.inner.get)

    def set(self, value: object) -> Any:
        return self._report(frame_of(1), "write", "w", self.inner.set, value)

    def get_and_set(self, value: object) -> Any:
        return self._report(frame_of(1), "swap", "w", self.inner.get_and_set, value)

    def compare_and_set(self, expected: object, value: object) -> Any:
        return self._report(frame_of(1), "cas", "cas", self.inner.compare_and_set, expected, value)

    def add_and_get(self, delta: object) -> Any:
        return self._report(frame_of(1), "update", "w", self.inner.add_and_get, delta)

    def _report(
        self,
        frame: FrameType,
        operation: str,
        mode: str,
        method: Callable[..., Any],
        *arguments: object,
    ) -> Any:
        """Call a method of production as a moment. ``mode``: that of its order token."""
        recorder = self.recorder
        actor = recorder.actor
        step = None if actor is None else recorder.arrive(actor, frame, operation)
        word = (self, "atomic", mode)
        return recorder.perform(actor, step, frame, lambda: method(*arguments), word)


class Half:
    """One half of a read/write lock. ``mode``: ``r`` or ``w``."""

    __slots__ = ("inner", "mode", "of")

    def __init__(self, lock: ReadWriteLock, mode: str, inner: Any) -> None:
        self.of, self.mode, self.inner = lock, mode, inner

    def token(self) -> list[Any]:
        return ["RW", self.of.name, self.of.epoch, self.mode]

    def blocks(self, actor: Actor) -> bool:
        reader_blocks = self.mode == "w" and any(reader is not actor for reader in self.of.readers)
        return self.of.writer is not None or reader_blocks

    def __enter__(self) -> None:
        frame, lock = frame_of(1), self.of
        recorder = lock.recorder
        actor = recorder.actor
        if actor is None:
            self.inner.__enter__()
            return
        step = recorder.arrive(actor, frame, "lock")
        actor.waits = self
        self.inner.__enter__()
        with recorder.moment:
            actor.waits = None
            actor.held.append(self)
            if self.mode == "r":
                lock.readers = placed((*lock.readers, actor))
            else:
                lock.writer = actor
            if step is not None:
                recorder.note(actor, step, frame)

    def __exit__(self, *exception: object) -> None:
        frame, lock = frame_of(1), self.of
        recorder = lock.recorder
        actor = recorder.actor
        if actor is not None:
            step = recorder.arrive(actor, frame, "unlock")
            with recorder.moment:
                if step is not None:
                    recorder.note(actor, step, frame)
                if self in actor.held:
                    actor.held.remove(self)
                if self.mode == "r":
                    lock.readers = without(lock.readers, actor)
                else:
                    lock.writer = None
                    lock.epoch += 1
        self.inner.__exit__(*exception)


class ReadWriteLock(Wrapped):
    """Its halves report.

    ``readers`` and ``writer``: the threads inside; ``epoch``: write holds that are over.
    """

    __slots__ = ("epoch", "name", "read_lock", "readers", "write_lock", "writer")

    def __init__(self) -> None:
        inner = self.production()
        self.readers: tuple[Actor, ...] = ()
        self.writer: Actor | None = None
        self.epoch, self.name = 0, self.recorder.name("ReadWriteLock")
        self.read_lock = Half(self, "r", inner.read_lock)
        self.write_lock = Half(self, "w", inner.write_lock)

    def let_go(self) -> None:
        """Records nothing: no interrupt ends the release of a lock in a recording."""


class Due:
    """The wait of a thread at a gate: for the gate, and until something is due."""

    def __init__(self, gate: Any, wait_ms: Callable[[], float]) -> None:
        self._gate, self._wait_ms = gate, wait_ms

    def blocks(self, actor: Actor) -> bool:
        return self._gate.owner is not None or self._wait_ms() > 0


class Gate(Wrapped):
    """``owner`` and ``depth`` as those of a lock.

    A wait for something due does not time out: the clock of a scenario stands still until a thread
    moves it.
    """

    __slots__ = ("_count", "_name", "depth", "inner", "owner")

    def __init__(self) -> None:
        self.inner = self.production()
        self.owner: Actor | None = None
        self.depth = self._count = 0
        self._name = self.recorder.name("Gate")

    def token(self) -> list[Any]:
        self._count += 1
        return ["L", self._name, self._count, "w"]

    def blocks(self, actor: Actor) -> bool:
        return self.owner is not None

    def let_go(self) -> None:
        """Records nothing: no interrupt ends the release of a lock in a recording."""

    def __enter__(self) -> None:
        recorder = self.recorder
        actor, frame = recorder.actor, frame_of(1)
        step = None if actor is None else recorder.arrive(actor, frame, "lock")
        if actor is not None:
            actor.waits = self
        self.inner.__enter__()
        self._enter_section(actor, step, frame)

    def __exit__(self, *exception: object) -> None:
        self._leave_section(frame_of(1))
        self.inner.__exit__(*exception)

    def acquire_when(self, wait_ms: Callable[[], float], timeout_ms: float) -> None:
        recorder = self.recorder
        actor, frame = recorder.actor, frame_of(1)
        step = None if actor is None else recorder.arrive(actor, frame, "lock")
        if actor is None:
            self.inner.acquire_when(wait_ms, timeout_ms)
            return
        actor.waits = Due(self, wait_ms)
        actor.muted = True
        try:
            self.inner.acquire_when(wait_ms, timeout_ms)
            while wait_ms() > 0:
                self.inner.release()
                if recorder.over:
                    raise Stop
                self.inner.acquire_when(wait_ms, timeout_ms)
        finally:
            actor.muted = recorder.over
        self._enter_section(actor, step, frame)

    def release(self) -> None:
        self._leave_section(frame_of(1))
        self.inner.release()

    def notify(self) -> None:
        self.inner.notify()

    def _enter_section(self, actor: Actor | None, step: Step | None, frame: FrameType) -> None:
        recorder = self.recorder
        if actor is None:
            return
        with recorder.moment:
            self.owner, self.depth, actor.waits = actor, 1, None
            actor.held.append(self)
            if step is not None:
                recorder.note(actor, step, frame)

    def _leave_section(self, frame: FrameType) -> None:
        recorder = self.recorder
        actor = recorder.actor
        if actor is None:
            return
        step = recorder.arrive(actor, frame, "unlock")
        with recorder.moment:
            if step is not None:
                recorder.note(actor, step, frame)
            self.owner, self.depth = None, 0
            if self in actor.held:
                actor.held.remove(self)


def memory(recorder: Recorder, production: type) -> type:
    """``Memory``: stores are seen at once, so that a thread that brings them there has no step."""

    class Memory(production):  # type: ignore[misc]
        __slots__ = ()

        def write_back(self, thread: str, field: str) -> bool:
            recorder.dismiss()
            return bool(super().write_back(thread, field))

    return Memory
