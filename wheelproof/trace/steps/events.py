"""Python's event, which reports to a recorder.

A wait is one step where the flag is set, and two where the thread sleeps, as in
``wheelproof.explore.synchronizers``.
"""

from __future__ import annotations

from types import FrameType
from typing import Any

from wheelproof.trace.recording.grain import Step
from wheelproof.trace.steps.locks import placed
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
            return actor in self.asleep

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

        def wait(self, timeout: Any = None) -> bool:
            """Return once the flag is set. Raises RuntimeError where nothing could set it."""
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
                actor.waits = self
                recorder.changed.notify_all()
            assert recorder.grain is not None
            wake = recorder.grain.step_of(frame, "wake")
            recorder.stand(actor, "" if wake is None else wake.label)
            with recorder.changed:
                while actor in self.asleep:
                    recorder.changed.wait(LOOK_SECONDS)
                    if recorder.over:
                        raise Stop
                actor.waits = None
                self._note(actor, wake, frame, "r")
            return True

        def _note(
            self, actor: Actor | None, step: Step | None, frame: FrameType, mode: str
        ) -> None:
            if actor is not None and step is not None:
                recorder.note(actor, step, frame, (self, "event", mode))

    return Event
