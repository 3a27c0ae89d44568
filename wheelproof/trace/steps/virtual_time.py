"""Time, interrupts and thread numbers that report to a recorder.

Time goes only when a thread of the scenario lets it pass, as under control: no recording of a run
in real time would have a model.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime.bound import bound
from wheelproof.trace.steps.locks import Condition, placed
from wheelproof.trace.steps.recorder import (
    LOOK_SECONDS,
    Actor,
    Recorded,
    Recorder,
    Stop,
    frame_of,
)


class Time(Recorded):
    """The scenario's clock. ``alarms``: (thread, deadline) of those that sleep for a time."""

    __slots__ = ("alarms", "now")

    def __init__(self) -> None:
        self.now = 0.0
        self.alarms: tuple[tuple[Actor, float], ...] = ()
        self.recorder.clock = self

    def late(self, actor: Actor) -> bool:
        at = self.deadline(actor)
        return at is not None and at <= self.now

    def deadline(self, actor: Actor) -> float | None:
        return next((at for sleeper, at in self.alarms if sleeper is actor), None)

    def alarm(self, actor: Actor, seconds: float) -> None:
        alarms = (*self.alarms, (actor, self.now + seconds))
        self.alarms = tuple(sorted(alarms, key=lambda alarm: alarm[0].index))

    def forget(self, actor: Actor) -> None:
        self.alarms = tuple(alarm for alarm in self.alarms if alarm[0] is not actor)

    def blocks(self, actor: Actor) -> bool:
        actors = [
            candidate for candidate in self.recorder.actors.values() if candidate is not actor
        ]
        ahead = any(at > self.now for _, at in self.alarms)
        return not ahead and not all(candidate.ended for candidate in actors)

    def advance(self, seconds: float) -> None:
        self._pass(frame_of(1), seconds)

    def elapse(self) -> bool:
        return self._pass(frame_of(1), None)

    def _pass(self, frame: FrameType, seconds: float | None) -> bool:
        recorder = self.recorder
        actor = recorder.actor
        if actor is None:
            return False
        step = recorder.arrive(actor, frame, "update")
        with recorder.changed:
            while seconds is None and self.blocks(actor):
                actor.waits = self
                recorder.changed.wait(LOOK_SECONDS)
                if recorder.over:
                    raise Stop
            actor.waits = None
            later = [at for _, at in self.alarms if at > self.now]
            if seconds is not None:
                self.now += seconds
            elif later:
                self.now = min(later)
            if step is not None:
                recorder.note(actor, step, frame)
            recorder.changed.notify_all()
        return bool(later)


class Interrupts(Recorded):
    """``pending``: the threads whose wait is to raise and has not yet."""

    __slots__ = ("pending",)

    def __init__(self) -> None:
        self.pending: tuple[Actor, ...] = ()
        self.recorder.interrupts = self

    def interrupt(self, thread: str) -> None:
        recorder = self.recorder
        actor, frame = recorder.actor, frame_of(1)
        if actor is None:
            return
        if thread not in recorder.actors:
            raise ExploreError(f"There is no thread {thread} to be interrupted.")
        step = recorder.arrive(actor, frame, "update")
        with recorder.changed:
            hit = recorder.actors[thread]
            if isinstance(hit.waits, Condition) and hit not in self.pending:
                self.pending = placed((*self.pending, hit))
            if step is not None:
                recorder.note(actor, step, frame)
            recorder.changed.notify_all()


def time_and_threads(recorder: Recorder) -> dict[str, Any]:
    """``Time``, ``Interrupts``, ``monotonic`` and ``get_ident``."""

    def monotonic() -> float:
        """Seconds on the scenario's clock; 0.0 always where it has none."""
        actor, frame = recorder.actor, frame_of(1)
        step = None if actor is None else recorder.arrive(actor, frame, "read")

        def now() -> float:
            return 0.0 if recorder.clock is None else float(recorder.clock.now)

        return float(recorder.perform(actor, step, frame, now))

    def get_ident() -> int:
        """The thread's place in the scenario, from 1 on; 0 outside."""
        actor = recorder.actor
        return 0 if actor is None else actor.index + 1

    return {
        "Time": bound(Time, recorder=recorder),
        "Interrupts": bound(Interrupts, recorder=recorder),
        "monotonic": monotonic,
        "get_ident": get_ident,
    }
