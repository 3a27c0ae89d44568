"""Python's event, which reports to a recorder.

A wait is one step where the flag is set, and two where the thread sleeps, as in
``wheelproof.explore.synchronizers``.
"""

from __future__ import annotations

from threading import TIMEOUT_MAX
from types import FrameType

from wheelproof.trace.recording.grain import Step
from wheelproof.trace.steps.locks import placed, without
from wheelproof.trace.steps.recorder import (
    LOOK_SECONDS,
    Actor,
    Recorder,
    Stop,
    frame_of,
)


def event(recorder: Recorder) -> type:
    """``Event``: its operations are moments."""

    class Event:
        """``flag``: whether it is set; ``asleep``: the threads that wait."""

        __slots__ = ("asleep", "flag")

        def __init__(self) -> None:
            self.flag = False
            self.asleep: tuple[Actor, ...] = ()

        def blocks(self, actor: Actor) -> bool:
            late = recorder.clock is not None and recorder.clock.late(actor)
            return actor in self.asleep and not late

        def is_set(self) -> bool:
            actor, frame = recorder.actor, frame_of(1)
            step = None if actor is None else recorder.arrive(actor, frame, "read")
            word = (self, "event", "r")
            return bool(recorder.perform(actor, step, frame, lambda: self.flag, word))

        def set(self) -> None:
            self._put(True, frame_of(1))

        def clear(self) -> None:
            self._put(False, frame_of(1))

        def _put(self, flag: bool, frame: FrameType) -> None:
            actor = recorder.actor
            step = None if actor is None else recorder.arrive(actor, frame, "write")
            with recorder.changed:
                self.flag = flag
                if flag:
                    self.asleep = ()
                self._note(actor, step, frame, "w")
                recorder.changed.notify_all()

        def wait(self, timeout: float | None = None) -> bool:
            """Return True once the flag is set, or False when the time is up.

            Raises RuntimeError where nothing could set it.
            """
            actor, frame = recorder.actor, frame_of(1)
            if actor is None:
                if not self.flag:
                    raise RuntimeError("a wait outside of the scenario's threads")
                return True
            step = recorder.arrive(actor, frame, "wait")
            with recorder.changed:
                self._note(actor, step, frame, "r")
                if self.flag:
                    return True
                self.asleep = placed((*self.asleep, actor))
                if timeout is not None and timeout < TIMEOUT_MAX and recorder.clock is not None:
                    recorder.clock.alarm(actor, timeout)
                actor.waits = self
                recorder.changed.notify_all()
            assert recorder.grain is not None
            wake = recorder.grain.step_of(frame, "wake")
            recorder.stand(actor, "" if wake is None else wake.label)
            with recorder.changed:
                while self.blocks(actor):
                    recorder.changed.wait(LOOK_SECONDS)
                    if recorder.over:
                        raise Stop
                is_set, actor.waits = actor not in self.asleep, None
                self.asleep = without(self.asleep, actor)
                if recorder.clock is not None:
                    recorder.clock.forget(actor)
                self._note(actor, wake, frame, "r")
            return is_set

        def _note(
            self, actor: Actor | None, step: Step | None, frame: FrameType, mode: str
        ) -> None:
            if actor is not None and step is not None:
                recorder.note(actor, step, frame, (self, "event", mode))

    return Event
