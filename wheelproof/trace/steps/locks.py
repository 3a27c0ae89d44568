"""Locks and conditions that report to a recorder.

A lock is one of Python's. A condition is the recorder's own: any thread that was asleep when a
notification was given may take it, as under control, so that a run is one of the model's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, ClassVar

from wheelproof.python.runtime.bound import bound
from wheelproof.python.runtime.locks import MONITORS_SHOW
from wheelproof.python.runtime.patience import is_limited
from wheelproof.trace.recording.grain import Step
from wheelproof.trace.steps.recorder import (
    LOOK_SECONDS,
    Actor,
    Blocker,
    Recorded,
    Recorder,
    Stop,
    frame_of,
)

Interrupted = type("Interrupted", (KeyboardInterrupt,), {})
"""The exception of a wait that a thread of the scenario has interrupted."""


class InTime:
    """The wait of a thread that takes a lock within a limited time: for the lock, or the end."""

    __slots__ = ("_lock", "_recorder")

    def __init__(self, recorder: Recorder, lock: Blocker) -> None:
        self._recorder, self._lock = recorder, lock

    def blocks(self, actor: Actor) -> bool:
        clock = self._recorder.clock
        return self._lock.blocks(actor) and not (clock is not None and clock.late(actor))


class Lock(Recorded):
    """``owner``: the :class:`Actor` that has it, or None; ``depth``: how often, where the steps
    of an operation that is one step count once."""

    __slots__ = ("_count", "_name", "_steps", "_times", "inner", "owner")
    make: Callable[[], Any] = staticmethod(threading.Lock)
    reentrant = False

    def __init__(self) -> None:
        self.inner = self.make()
        self.owner: Actor | None = None
        self._times = self._steps = self._count = 0
        self._name = self.recorder.name(type(self).__name__)

    @property
    def depth(self) -> int:
        return max(self._steps, self.owner is not None)

    def token(self) -> list[Any]:
        self._count += 1
        return ["L", self._name, self._count, "w"]

    def blocks(self, actor: Actor) -> bool:
        return self.owner is not None and (self.owner is not actor or not self.reentrant)

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        return self.acquired(frame_of(1), blocking, timeout)

    def release(self) -> None:
        self.leave(frame_of(1))

    def locked(self) -> bool:
        recorder = self.recorder
        actor, frame = recorder.actor, frame_of(1)
        if actor is None:
            return bool(self.inner.locked())
        step = recorder.arrive(actor, frame, "read")
        with recorder.moment:
            is_held = self.owner is not None
            if step is not None:
                recorder.note(actor, step, frame)
            return is_held

    def __enter__(self) -> bool:
        return self.take(frame_of(1))

    def __exit__(self, *exception: object) -> None:
        self.leave(frame_of(1))

    def acquired(self, frame: FrameType, blocking: bool, timeout: float) -> bool:
        """Take the lock: in one step, or in two where the thread waits for a limited time."""
        recorder = self.recorder
        limit, actor = is_limited(blocking, timeout), recorder.actor
        if actor is None:
            return bool(self.inner.acquire(blocking, timeout))
        if not limit:
            return self.take(frame, blocking)
        step = recorder.arrive(actor, frame, "wait")
        return self.had(actor, step, frame, False, timeout) or self.in_time(actor, frame)

    def take(self, frame: FrameType, blocking: bool = True) -> bool:
        recorder = self.recorder
        actor = recorder.actor
        if actor is None:
            return bool(self.inner.acquire(blocking))
        step = recorder.arrive(actor, frame, "lock" if blocking else "try")
        return self.had(actor, step, frame, blocking)

    def had(
        self,
        actor: Actor,
        step: Step | None,
        frame: FrameType,
        blocking: bool = True,
        timeout: float | None = None,
    ) -> bool:
        """Take the lock, and record that it was taken, or tried in vain.

        ``timeout``: the thread is to wait so long where it has tried in vain.
        """
        recorder = self.recorder
        while True:
            with recorder.moment:
                if self.inner.acquire(False):
                    self.took(actor, step, frame)
                    return True
                if not blocking and self.blocks(actor):
                    actor.waits = None if timeout is None else InTime(recorder, self)
                    if timeout is not None and recorder.clock is not None:
                        recorder.clock.alarm(actor, timeout)
                    if step is not None:
                        recorder.note(actor, step, frame)
                    return False
                actor.waits = self
            if self.inner.acquire(timeout=LOOK_SECONDS):
                self.inner.release()
            elif recorder.over:
                raise Stop

    def in_time(self, actor: Actor, frame: FrameType) -> bool:
        """Wake: take the lock, or find that the time is up."""
        recorder = self.recorder
        assert recorder.grain is not None
        step = recorder.grain.step_of(frame, "wake")
        recorder.stand(actor, "" if step is None else step.label)
        waits = InTime(recorder, self)
        while True:
            with recorder.moment:
                free = bool(self.inner.acquire(False))
                if free or (self.blocks(actor) and not waits.blocks(actor)):
                    if recorder.clock is not None:
                        recorder.clock.forget(actor)
                    if free:
                        self.took(actor, step, frame)
                    else:
                        actor.waits = None
                        if step is not None:
                            recorder.note(actor, step, frame)
                    return free
            if self.inner.acquire(timeout=LOOK_SECONDS):
                self.inner.release()
            elif recorder.over:
                raise Stop

    def took(self, actor: Actor, step: Step | None, frame: FrameType) -> None:
        """Record, within its moment, that the lock was taken."""
        self.owner, actor.waits = actor, None
        self._times += 1
        self._steps += step is not None and step.exact
        if self._times == 1:
            actor.held.append(self)
        if step is not None:
            self.recorder.note(actor, step, frame)

    def leave(self, frame: FrameType) -> None:
        """Give the lock back, and record it while it is still held."""
        recorder = self.recorder
        actor = recorder.actor
        if actor is None:
            self.let_go()
            return
        step = recorder.arrive(actor, frame, "unlock")
        with recorder.moment:
            if step is not None:
                recorder.note(actor, step, frame)
                self._steps -= step.exact
            self.let_go()

    def let_go(self) -> None:
        """Give the lock back once. Any thread may give a plain lock back."""
        self._times = max(0, self._times - 1)
        if not self._times:
            self._steps = 0
            if self.owner is not None and self in self.owner.held:
                self.owner.held.remove(self)
            self.owner = None
        self.inner.release()

    def held_by(self, actor: Actor) -> bool:
        return self.owner is actor


class Monitor(Lock):
    """A re-entrant lock."""

    __slots__ = ()
    make = staticmethod(threading.RLock)
    reentrant = True
    if not MONITORS_SHOW:
        locked = property()  # an AttributeError, as of Python's


class NoMonitor(Recorded):
    """Excludes no thread; its steps keep their labels."""

    __slots__ = ()
    owner, depth = None, 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        limit = is_limited(blocking, timeout)
        self._step(frame_of(1), "wait" if limit else "lock" if blocking else "try")
        return True

    def release(self) -> None:
        self._step(frame_of(1), "unlock")

    def __enter__(self) -> None:
        self._step(frame_of(1), "lock")

    def __exit__(self, *exception: object) -> None:
        self._step(frame_of(1), "unlock")

    def _step(self, frame: FrameType, operation: str) -> None:
        recorder = self.recorder
        if (actor := recorder.actor) is not None:
            step = recorder.arrive(actor, frame, operation)
            recorder.perform(actor, step, frame, lambda: None)


class Condition(Recorded):
    """A wait is three steps, as in ``wheelproof.python.runtime.conditions``.

    ``asleep``: the threads that wait; ``tickets``: the threads that may take each notification.
    """

    __slots__ = ("asleep", "lock", "tickets")
    monitor: ClassVar[type[Monitor]]

    def __init__(self, lock: Any = None) -> None:
        self.lock = self.monitor() if lock is None else lock
        self.asleep: tuple[Actor, ...] = ()
        self.tickets: tuple[tuple[Actor, ...], ...] = ()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        return bool(self.lock.acquired(frame_of(1), blocking, timeout))

    def release(self) -> None:
        self.lock.leave(frame_of(1))

    def __enter__(self) -> bool:
        return bool(self.lock.take(frame_of(1)))

    def __exit__(self, *exception: object) -> None:
        self.lock.leave(frame_of(1))

    def blocks(self, actor: Actor) -> bool:
        return not self._may_wake(actor)

    def _may_wake(self, actor: Actor) -> bool:
        recorder = self.recorder
        has_ticket = any(actor in takers for takers in self.tickets)
        late = recorder.clock is not None and recorder.clock.late(actor)
        return has_ticket or late or self._is_interrupted(actor)

    def _is_interrupted(self, actor: Actor) -> bool:
        recorder = self.recorder
        return recorder.interrupts is not None and actor in recorder.interrupts.pending

    def wait(self, timeout: float | None = None) -> bool:
        """Fall asleep, wake, take the lock again; whether a notification was taken."""
        recorder = self.recorder
        actor, frame = recorder.actor, frame_of(1)
        if actor is None:
            raise RuntimeError("a wait outside of the scenario's threads")
        assert recorder.grain is not None
        step = recorder.arrive(actor, frame, "wait")
        with recorder.changed:
            if not self.lock.held_by(actor):
                raise RuntimeError("cannot wait on un-acquired lock")
            if step is not None:
                recorder.note(actor, step, frame)
            self.asleep = placed((*self.asleep, actor))
            if timeout is not None and timeout < threading.TIMEOUT_MAX and recorder.clock:
                recorder.clock.alarm(actor, timeout)
            self.lock.let_go()
            actor.waits = self
            recorder.changed.notify_all()
        wake = recorder.grain.step_of(frame, "wake")
        try:
            recorder.stand(actor, "" if wake is None else wake.label)
            with recorder.changed:
                while not self._may_wake(actor):
                    recorder.changed.wait(LOOK_SECONDS)
                    if recorder.over:
                        raise Stop
                is_woken = self._wake(actor)
                if wake is not None:
                    recorder.note(actor, wake, frame)
        except Stop:
            actor.muted = True
            self.lock.inner.acquire(timeout=LOOK_SECONDS)
            raise
        again = recorder.arrive(actor, frame, "lock")
        self.lock.had(actor, again, frame)
        with recorder.moment:
            interrupts = recorder.interrupts
            if interrupts is not None and actor in interrupts.pending:
                interrupts.pending = without(interrupts.pending, actor)
                raise Interrupted
        return is_woken

    def _wake(self, actor: Actor) -> bool:
        recorder = self.recorder
        actor.waits = None
        place = next((i for i, takers in enumerate(self.tickets) if actor in takers), None)
        tickets = [takers for i, takers in enumerate(self.tickets) if i != place]
        self.tickets = tuple(without(takers, actor) for takers in tickets)
        self.asleep = without(self.asleep, actor)
        if recorder.clock is not None:
            recorder.clock.forget(actor)
        return place is not None

    def notify(self, n: int = 1) -> None:
        self._notify(frame_of(1), n)

    def notify_all(self) -> None:
        self._notify(frame_of(1), None)

    def _notify(self, frame: FrameType, n: int | None) -> None:
        recorder = self.recorder
        actor = recorder.actor
        if actor is None:
            return
        step = recorder.arrive(actor, frame, "notify")
        with recorder.changed:
            if not self.lock.held_by(actor):
                raise RuntimeError("cannot notify on un-acquired lock")
            free = len(self.asleep) - len(self.tickets)
            self.tickets += (self.asleep,) * (free if n is None else min(n, free))
            if step is not None:
                recorder.note(actor, step, frame)
            recorder.changed.notify_all()


def locks(recorder: Recorder) -> dict[str, type]:
    """The classes that report to one recorder, by name."""
    monitor = bound(Monitor, recorder=recorder)
    return {
        "Lock": bound(Lock, recorder=recorder),
        "Monitor": monitor,
        "NoMonitor": bound(NoMonitor, recorder=recorder),
        "Condition": bound(Condition, recorder=recorder, monitor=monitor),
    }


def placed(actors: tuple[Actor, ...]) -> tuple[Actor, ...]:
    return tuple(sorted(actors, key=lambda actor: actor.index))


def without(actors: tuple[Actor, ...], actor: Actor) -> tuple[Actor, ...]:
    return tuple(member for member in actors if member is not actor)
