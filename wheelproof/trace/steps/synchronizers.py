"""Python's semaphores, events, barriers and queues, which report to a recorder.

They are the controlled classes of :mod:`wheelproof.python.runtime`, on :class:`Moments` in the
place of their scheduler. So each operation is the step that it is under control, with the same
time-outs, and a harness reads the same attributes. Its effect and its event are one moment of the
recorder.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any, NoReturn, TypeGuard

from wheelproof.python.runtime import (
    queues,
    registry,
    synchronizers,
)
from wheelproof.python.runtime.threads import Admits
from wheelproof.trace.recording.grain import Step
from wheelproof.trace.steps.recorder import LOOK_SECONDS, Actor, Recorder, Stop, frame_of

NAMES = (
    "Semaphore",
    "BoundedSemaphore",
    "Event",
    "Barrier",
    "Queue",
    "LifoQueue",
    "PriorityQueue",
    "SimpleQueue",
)
"""The classes that are recorded so."""

HOME = (synchronizers, queues)
"""The modules that register them."""


class Call:
    """One call of an operation. ``step``: the step that has been taken and has no event yet.

    ``held``: whether the call has the recorder's moment. ``before``: the object's values when the
    moment began.
    """

    __slots__ = ("before", "frame", "held", "holder", "name", "step")

    def __init__(self, holder: object, name: str, frame: FrameType) -> None:
        self.holder, self.name, self.frame = holder, name, frame
        self.step: Step | None = None
        self.held = False
        self.before: tuple[Any, ...] = ()


class Waits:
    """The wait of a thread in front of an operation."""

    __slots__ = ("_acting", "_awaits", "_holder")

    def __init__(self, acting: dict[int, Actor], holder: object, awaits: Admits | None) -> None:
        self._acting, self._holder, self._awaits = acting, holder, awaits

    def blocks(self, actor: Actor) -> bool:
        """Whether the object does not let the thread on, or is about to change.

        A thread that runs the action of a barrier changes the barrier when the action is over,
        within the last step of it. So others wait until that thread stands at its next step.
        """
        if self._awaits is not None and not self._awaits.admits(actor):  # type: ignore[arg-type]
            return True
        acting = self._acting.get(id(self._holder))
        return acting is not None and not acting.settled


class Moments:
    """The scheduler of the controlled classes, played by a recorder."""

    race = None

    def __init__(self, recorder: Recorder) -> None:
        self._recorder, self._local = recorder, threading.local()
        self._acting: dict[int, Actor] = {}

    @property
    def running(self) -> Actor | None:
        return self._recorder.actor

    @property
    def time(self) -> Any:
        return self._recorder.clock

    def note_unwinding(self, error: BaseException) -> None:
        """Nothing: the operations on the way out are events like any others."""

    def point(self, kind: str, volatile: bool, awaits: Admits | None = None) -> Step | bool | None:
        """Let the thread stand at a step of this kind, then take the moment in which it is done.

        The moment before is over. None outside of the scenario's threads. In a constructor an
        operation may have no label: its object is not published yet.
        """
        recorder, actor = self._recorder, self._recorder.actor
        if actor is None:
            return None
        call: Call = self._calls[-1]
        self._close(actor, call)
        assert recorder.grain is not None
        step = recorder.grain.step_of(call.frame, kind)
        if step is None and call.frame.f_code.co_name == "__init__":
            self._open(actor, call, None)
            return True
        if step is None or not step.exact:
            within = step is not None and step.call is not None
            recorder.refuse(
                call.frame,
                f"{call.name} cannot be recorded: "
                + (
                    "it is within an operation of another mechanism that is one step."
                    if within
                    else f"its line has no label '# {kind} <Name>'."
                ),
                "Let the operation that uses it have its steps." if within else "Label the line.",
            )
        step = recorder.arrive(actor, call.frame, kind)
        self._open(actor, call, step, Waits(self._acting, call.holder, awaits))
        return step

    def fail(self, message: str) -> NoReturn:
        """Stop the run for good: the operation has no step."""
        self._recorder.refuse(self._calls[-1].frame, f"{message}.")

    def operation(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method, each call of which ends the moment that it has taken."""

        @functools.wraps(method)
        def call(holder: object, *arguments: Any, **keywords: Any) -> Any:
            actor = self._recorder.actor
            if actor is None:
                return method(holder, *arguments, **keywords)
            call = Call(holder, f"{type(holder).__name__}.{name}", frame_of(1))
            calls = self._calls
            calls.append(call)
            try:
                return method(holder, *arguments, **keywords)
            finally:
                calls.pop()
                self._close(actor, call)

        return call

    def between(self, holder: object, action: Callable[[], object]) -> Callable[[], None]:
        """A barrier's action, which runs between two moments of the call that opens the barrier."""

        def run() -> None:
            actor, call = self._recorder.actor, self._calls[-1]
            assert actor is not None
            self._acting[id(holder)] = actor
            self._close(actor, call)
            try:
                action()
            finally:
                self._open(actor, call, None)
                del self._acting[id(holder)]

        return run

    @property
    def _calls(self) -> list[Call]:
        """The calls that the running thread is within, the innermost last."""
        calls: list[Call] | None = getattr(self._local, "calls", None)
        if calls is None:
            calls = self._local.calls = []
        return calls

    def _open(
        self, actor: Actor, call: Call, step: Step | None, waits: Waits | None = None
    ) -> None:
        recorder = self._recorder
        recorder.changed.acquire()
        try:
            while waits is not None and waits.blocks(actor):
                actor.waits = waits
                recorder.changed.wait(LOOK_SECONDS)
                if recorder.over:
                    raise Stop
        except BaseException:
            recorder.changed.release()
            raise
        actor.waits, actor.inside = None, call.name
        call.held, call.step, call.before = True, step, _values_of(call.holder)

    def _close(self, actor: Actor, call: Call) -> None:
        if not call.held:
            return
        recorder, after = self._recorder, _values_of(call.holder)
        try:
            if call.step is not None:
                same = all(old is new for old, new in zip(call.before, after, strict=True))
                role = type(call.holder).__name__.lower()
                word = (call.holder, role, "r" if same else "w")
                recorder.note(actor, call.step, call.frame, word)
            recorder.changed.notify_all()
        finally:
            call.held, call.step, actor.inside = False, None, ""
            recorder.changed.release()


def recorded(recorder: Recorder) -> dict[str, type]:
    """The classes of :data:`NAMES`, whose operations are moments."""
    moments = Moments(recorder)
    classes = registry.select(NAMES, moments)
    for cls in classes.values():
        for name, member in _members(cls).items():
            if isinstance(member, property) and member.fget is not None:
                setattr(cls, name, property(moments.operation(name, member.fget)))
            elif _has_point(member):
                setattr(cls, name, moments.operation(name, member))
    _let_act(moments, classes["Barrier"])
    return classes


def _let_act(moments: Moments, barrier: Any) -> None:
    """Let the action of each barrier run between two moments."""
    make = barrier.__init__

    @functools.wraps(make)
    def init(
        self: object,
        parties: int,
        action: Callable[[], object] | None = None,
        timeout: float | None = None,
    ) -> None:
        make(self, parties, None if action is None else moments.between(self, action), timeout)

    barrier.__init__ = init


def _members(cls: type) -> dict[str, object]:
    """All that a class has of its own and from its bases, as it is stored there."""
    return {
        name: member for base in reversed(cls.__mro__[:-1]) for name, member in vars(base).items()
    }


def _has_point(member: object) -> TypeGuard[FunctionType]:
    """Whether a method of a controlled class is one that the implementation calls."""
    return isinstance(member, FunctionType) and "point" in member.__code__.co_names


def _values_of(holder: object) -> tuple[Any, ...]:
    """The values of an object: it changes by new ones alone, never in place."""
    slots = (slot for cls in type(holder).__mro__ for slot in vars(cls).get("__slots__", ()))
    return tuple(getattr(holder, slot) for slot in slots)
