"""The controlled primitives on a recorder: each operation is the step that it is under control.

A recording has the classes of :mod:`wheelproof.python.runtime`, with :class:`Moments` in the place
of their scheduler. So each has the same time-outs and wake-ups, and a harness reads the same
attributes. The effect of an operation and its event are one moment of the recorder.

Under control an operation within one that is a single step excludes no thread, since no other
runs meanwhile. Real threads do, so that here a lock is taken there, too, without an event.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from types import FrameType, FunctionType, ModuleType
from typing import Any, NoReturn, TypeGuard

from wheelproof.isolated import Finder
from wheelproof.python.runtime import locks, own, primitives, queues, synchronizers
from wheelproof.python.runtime.bound import bound
from wheelproof.python.runtime.own import Own
from wheelproof.python.runtime.registry import Primitive, classes
from wheelproof.python.runtime.threads import Admits
from wheelproof.python.runtime.virtual_time import functions
from wheelproof.trace.recording.grain import Step
from wheelproof.trace.steps.recorder import LOOK_SECONDS, Actor, Recorder, Tokens, frame_of

SYNCHRONIZERS = (
    synchronizers.Semaphore,
    synchronizers.Event,
    synchronizers.Barrier,
    queues.HasItems,
)
"""Classes whose objects have versions. None of their operations can be within a step."""

_MODES = {"read": "r", "write": "w", "swap": "w", "update": "w"}
"""Kind of an atomic variable's operation -> the mode of its order token."""


class Call:
    """One call of an operation. ``step``: the step that has been taken and has no event yet.

    ``open``: whether the call has the recorder's moment. ``before`` and ``held``: the object's
    values, and the thread's locks, when the moment began.
    """

    __slots__ = ("before", "frame", "held", "holder", "kind", "name", "open", "step")

    def __init__(self, holder: object, name: str, frame: FrameType) -> None:
        self.holder, self.name, self.frame = holder, name, frame
        self.step: Step | None = None
        self.kind, self.open = "", False
        self.before: tuple[Any, ...] = ()
        self.held: Tokens = {}


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
        self.order = recorder.order
        self.strict: tuple[type, ...] = SYNCHRONIZERS
        """The classes whose operations are steps and nothing else."""
        self.time: Any = None
        """The clock of the scenario, once there is one."""
        self.interrupts: Any = None
        """The scenario's source of interrupts, once there is one."""

    @property
    def running(self) -> Actor | None:
        return self._recorder.actor

    @running.setter
    def running(self, actor: Actor | None) -> None:
        self._recorder.actor = actor

    @property
    def threads(self) -> tuple[Actor, ...]:
        return tuple(self._recorder.actors.values())

    def note_unwinding(self, error: BaseException) -> None:
        """Nothing: the operations on the way out are events like any others."""

    def point(self, kind: str, volatile: bool, awaits: Admits | None = None) -> Step | None:
        """Let the thread stand at a step of this kind, then take the moment in which it is done.

        The moment before is over. None outside of the scenario's threads, and a step without a
        label for an operation that has no event: one that belongs to a step that has begun.
        """
        recorder, actor = self._recorder, self._recorder.actor
        if actor is None:
            return None
        call: Call = self._calls[-1]
        self._close(actor, call, awaits)
        if isinstance(call.holder, self.strict):
            self._confirm(call, kind)
        step = recorder.arrive(actor, call.frame, kind)
        if not actor.inside:
            call.kind = kind
            self._open(actor, call, step, Waits(self._acting, call.holder, awaits))
        return step or Step("", False, (call.frame, 0))

    def fail(self, message: str) -> NoReturn:
        """Stop the run for good: the operation has no step."""
        calls = self._calls
        self._recorder.refuse(calls[-1].frame if calls else frame_of(2), f"{message}.")

    def operation(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method or a function, each call of which ends the moment that it has taken."""

        @functools.wraps(method)
        def call(*arguments: Any, **keywords: Any) -> Any:
            actor = self._recorder.actor
            if actor is None:
                return method(*arguments, **keywords)
            holder = arguments[0] if arguments else None
            called = name if holder is None else f"{type(holder).__name__}.{name}"
            call = Call(holder, called, frame_of(1))
            calls, result = self._calls, None
            calls.append(call)
            try:
                result = method(*arguments, **keywords)
                return result
            finally:
                calls.pop()
                self._close(actor, call, None, result)

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

    def after(self, predicate: Callable[[], object]) -> Callable[[], object]:
        """The predicate of a wait, which is called when the moment before is over."""

        def run() -> object:
            if (actor := self._recorder.actor) is not None:
                self._close(actor, self._calls[-1])
            return predicate()

        return run

    @property
    def _calls(self) -> list[Call]:
        """The calls that the running thread is within, the innermost last."""
        calls: list[Call] | None = getattr(self._local, "calls", None)
        if calls is None:
            calls = self._local.calls = []
        return calls

    def _confirm(self, call: Call, kind: str) -> None:
        """Refuse an operation that is no step. An object that a constructor makes is not published
        yet, and its operations need no label."""
        recorder = self._recorder
        assert recorder.grain is not None
        step = recorder.grain.step_of(call.frame, kind)
        if step is None and call.frame.f_code.co_name == "__init__":
            return
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
                    recorder.halt(actor)
        except BaseException:
            recorder.changed.release()
            raise
        actor.waits, actor.inside, actor.step = None, call.name, step
        call.open, call.step = True, step
        call.before, call.held = _values_of(call.holder), recorder.order.held(actor)

    def _close(
        self, actor: Actor, call: Call, awaits: Admits | None = None, result: object = None
    ) -> None:
        """End the moment of a call. ``awaits``: the primitive that its next step waits for."""
        if not call.open:
            return
        recorder = self._recorder
        try:
            if call.step is not None:
                held = call.held | recorder.order.held(actor)
                recorder.note(actor, call.step, call.frame, _word_of(call, result), held)
            actor.awaits = awaits
            recorder.changed.notify_all()
        finally:
            call.open, call.step, actor.inside = False, None, ""
            recorder.changed.release()


def recorded(moments: Moments) -> dict[str, Any]:
    """The primitives of a project's runtime, by name, whose operations are moments."""
    scheduler: Any = moments
    names = classes(scheduler)
    halves = tuple(bound(half) for half in names["ReadWriteLock"].halves)
    for cls in (*names.values(), *halves):
        report(moments, cls)
        if issubclass(cls, locks.Lock):
            cls.depth = _depth(moments)
    names["ReadWriteLock"].halves = halves
    _let_act(moments, names["Barrier"])
    _let_look(moments, names["Condition"])
    clock = functions(scheduler)
    return names | clock | {"monotonic": moments.operation("monotonic", clock["monotonic"])}


def report(moments: Moments, cls: Any) -> None:
    """Let each operation of a class be a moment."""
    for name, member in _members(cls).items():
        if isinstance(member, property) and member.fget is not None:
            setattr(cls, name, property(moments.operation(name, member.fget)))
        elif _has_point(member):
            setattr(cls, name, moments.operation(name, member))


def add(moments: Moments, table: Mapping[str, str], runtime: ModuleType, finder: Finder) -> Own:
    """Build the primitives that a project brings, as under control, on the recorder."""
    scheduler: Any = moments
    primitives_of_project = own.add(table, runtime, scheduler, finder, "PRIMITIVES")
    for cls in primitives_of_project.classes:
        report(moments, cls)
        if not issubclass(cls, Primitive):
            moments.strict += (cls,)
    return primitives_of_project


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


def _let_look(moments: Moments, condition: Any) -> None:
    """Let the predicate of each wait run between two moments."""
    wait = condition.wait_for.__wrapped__

    def wait_for(
        self: object, predicate: Callable[[], object], timeout: float | None = None
    ) -> object:
        return wait(self, moments.after(predicate), timeout)

    condition.wait_for = moments.operation("wait_for", wait_for)


def _depth(moments: Moments) -> property:
    """The depth of a lock. A harness, which reads it outside of the threads, is shown the steps
    alone: a second entry within an operation that is one step has no state under control."""
    slot: Any = vars(locks.Lock)["depth"]

    def depth(lock: Any) -> int:
        times: int = slot.__get__(lock)
        if moments.running is not None or times < 2:
            return times
        steps = [step for held, step in lock.owner.held if held is lock and step is not None]
        return max(1, len([step for step in steps if step.exact]))

    return property(depth, slot.__set__)


def _members(cls: type) -> dict[str, object]:
    """All that a class has of its own and from its bases, as it is stored there."""
    return {
        name: member for base in reversed(cls.__mro__[:-1]) for name, member in vars(base).items()
    }


def _has_point(member: object) -> TypeGuard[FunctionType]:
    """Whether a method of a controlled class is one that the implementation calls."""
    return isinstance(member, FunctionType) and "point" in member.__code__.co_names


def _word_of(call: Call, result: object) -> tuple[object, str, str] | None:
    """The variable that an operation touches, with the mode of its order token; None for a lock."""
    holder = call.holder
    if isinstance(holder, primitives.Atomic):
        mode = _MODES.get(call.kind) or ("cas+" if result else "cas-")
        return holder, "atomic", mode
    if isinstance(holder, SYNCHRONIZERS):
        values = zip(call.before, _values_of(holder), strict=True)
        same = all(old is new for old, new in values)
        return holder, type(holder).__name__.lower(), "r" if same else "w"
    return None


def _values_of(holder: object) -> tuple[Any, ...]:
    """The values of a synchronizer: it changes by new ones alone, never in place."""
    if not isinstance(holder, SYNCHRONIZERS):
        return ()
    slots = (slot for cls in type(holder).__mro__ for slot in vars(cls).get("__slots__", ()))
    return tuple(getattr(holder, slot) for slot in slots)
