"""The recorder: real threads, each labelled operation one event, all events in one exact order.

A thread *arrives* in front of an operation, and performs it. The operation and its event are one
moment, for which the recorder has a lock; so the order of events is the order of effects. Between
two moments threads run as the machine lets them.

An operation that is one step of the mechanism although it makes several accesses, as an operation
of a lower mechanism does, has two events: it takes effect at some moment between its ``begin`` and
its ``end``.

A moment in which no thread is between an effect and its next arrival is *quiet*: then the objects
are in a state of the model. The recorder asks the harness for it and writes down the changes.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any, NoReturn, Protocol

from wheelproof.errors import UsageError
from wheelproof.python.runtime.primitives import ReadLock, WriteLock
from wheelproof.python.runtime.threads import DONE, Admits
from wheelproof.trace.recording.grain import Grain, Progress, Step
from wheelproof.trace.steps.format import Did, Event

LOOK_SECONDS = 0.05
"""How long a thread that waits sleeps at a time, before it looks whether the run is over."""

LONGEST = 20_000
"""Events after which a run is stopped that does not end."""

PAUSES = 0.3
"""Share of the arrivals at which a free thread lets others go first."""

frame_of = sys._getframe


class Stop(BaseException):
    """Ends a thread of a run that is over. No code of the project catches it."""


class Blocker(Protocol):
    """The condition that a thread waits for."""

    def blocks(self, actor: Actor) -> bool:
        """Whether the thread has to go on waiting. Called within a moment."""


class Actor:
    """One thread of the scenario.

    ``at``: the label that it stands at, "" while it runs. ``within``: the label of a step that has
    begun and not ended. ``waits``: the condition that it waits for. ``awaits``: the primitive that
    is to admit it to the next step of an operation that is under way. ``held``: its locks, each
    with the step that has taken it, outermost first. ``settled``: it has changed nothing since it
    arrived. ``inside``: the operation whose moment it has, "" for none: then it can take no other.
    ``step``: that of the moment. ``absent``: it stands for something that does not take place here,
    such as a memory that delays stores. ``chooses``: the choices of the schedule for the step that
    is under way.
    """

    def __init__(self, name: str, index: int) -> None:
        self.name, self.index = name, index
        self.count = 0
        self.at, self.within, self.within_at, self.inside = "", "", "", ""
        self.waits: Blocker | None = None
        self.awaits: Admits | None = None
        self.held: list[tuple[Any, Step | None]] = []
        self.step: Step | None = None
        self.settled = self.ended = self.absent = self.muted = False
        self.progress = Progress()
        self.chooses: list[str] = []
        self.go, self.arrived = threading.Semaphore(0), threading.Semaphore(0)

    @property
    def label(self) -> str:
        """The label of its next step, as a controlled thread has it."""
        return DONE if self.ended else self.at


Tokens = dict[int, tuple[Any, int]]
"""Locks by their id, each with the write holds that were over."""


class Order:
    """The locks of a recording: their names, and the order tokens of those that a thread holds."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._names: dict[int, str] = {}
        self._counts: dict[str, int] = {}
        self._locks: list[object] = []  # keeps them, so that no id is used twice

    def add(self, lock: Any) -> None:
        """Note a new lock. The halves of a read/write lock have one name."""
        whole = _whole(lock)
        if id(whole) not in self._names:
            name = self._names[id(whole)] = self._recorder.name(type(whole).__name__)
            self._counts[name] = 0
            self._locks.append(whole)

    def enter(self, actor: Actor, lock: object, step: Step) -> None:
        """A thread has taken a lock."""
        actor.held.append((lock, step))

    def inside(self, actor: Actor, lock: object, blocking: bool) -> None:
        """A thread has taken a lock for which it has not waited, in the moment that it has."""
        actor.held.append((lock, actor.step))

    def leave(self, held: list[tuple[Any, Step | None]], lock: object) -> None:
        """A lock among those that a thread holds is given back, once."""
        for place in range(len(held) - 1, -1, -1):
            if held[place][0] is lock:
                del held[place]
                break
        if isinstance(lock, WriteLock):
            self._counts[self._names[id(lock.of)]] += 1

    def held(self, actor: Actor) -> Tokens:
        """The locks that a thread holds now, outermost first."""
        return {id(lock): (lock, self._counts[self._name(lock)]) for lock, _ in actor.held}

    def tokens(self, locks: Tokens) -> list[list[Any]]:
        """The tokens of an event: a lock counts those that are made while it is held."""
        tokens: list[list[Any]] = []
        for lock, over in locks.values():
            name = self._name(lock)
            if isinstance(lock, ReadLock):
                tokens.append(["RW", name, over, "w" if isinstance(lock, WriteLock) else "r"])
            else:
                self._counts[name] += 1
                tokens.append(["L", name, self._counts[name], "w"])
        return tokens

    def _name(self, lock: object) -> str:
        return self._names[id(_whole(lock))]


def _whole(lock: Any) -> object:
    """The lock that a half belongs to, or the lock itself."""
    return lock.of if isinstance(lock, ReadLock) else lock


class Recorder:
    """``events``: the recorded ones. ``observe``: the model's view of the objects, as data.

    ``refused``: the reason for which the run cannot be recorded, or None.
    """

    def __init__(self, seed: int = 0, limit: int = LONGEST) -> None:
        self.moment = threading.Lock()
        self.changed = threading.Condition(self.moment)
        self.actors: dict[str, Actor] = {}
        self.events: list[Event] = []
        self.grain: Grain | None = None
        self.observe: Callable[[], Mapping[str, Any]] | None = None
        self.shown: Mapping[str, str] = {}
        self.state: dict[str, Any] = {}
        self.directed = self.over = False
        self.refused: UsageError | None = None
        self.order = Order(self)
        self._local = threading.local()
        self._random, self._limit = random.Random(seed), limit
        self._words: dict[tuple[int, str], list[Any]] = {}
        self._numbers: dict[str, int] = {}
        self._unseen = False

    # -- threads

    @property
    def actor(self) -> Actor | None:
        """The running thread of the scenario; None outside, and where nothing is recorded."""
        actor: Actor | None = getattr(self._local, "actor", None)
        return None if actor is None or actor.muted else actor

    @actor.setter
    def actor(self, actor: Actor | None) -> None:
        self._local.actor = actor

    def enter(self, actor: Actor) -> None:
        """The running thread is this one of the scenario."""
        self._local.actor = actor

    def leave(self, actor: Actor, exception: str = "") -> None:
        """The running thread has ended."""
        with self.changed:
            self._end_step(actor)
            if not actor.absent:
                self.emit(actor, {"k": "stop", "raised": exception} if exception else {"k": "stop"})
            actor.ended = actor.settled = True
            actor.at, actor.waits = "", None
            self._look()
            self.changed.notify_all()

    def dismiss(self) -> None:
        """The running thread is none of the recording."""
        if (actor := self.actor) is not None:
            actor.absent = True

    def draw(self, values: Sequence[Any]) -> Any:
        """One of the values, at random; IndexError if there is none."""
        return self._random.choice(values)

    def returned(self, actor: Actor, value: Any) -> None:
        """An operation of a thread's program has returned."""
        with self.moment:
            if not actor.absent:
                self._end_step(actor)
                self.emit(actor, {"k": "return", "value": value})

    # -- operations

    def arrive(self, actor: Actor, frame: FrameType, operation: str) -> Step | None:
        """The running thread is about to perform an operation in ``frame``.

        The step that the operation begins or is; None where it belongs to one that has begun.
        Raises Stop where the run is over.
        """
        assert self.grain is not None
        step = self.grain.step_of(frame, operation)
        if actor.inside and not (step is None and operation == "read"):
            self.refuse(
                frame,
                f"a step of kind {operation} within {actor.inside}, which is one step.",
                "Let no labelled operation compare the items.",
            )
        if step is None:
            return None
        if not actor.progress.begins(step, frame):
            return step if step.exact else None
        self.stand(actor, step.label, operation != "unlock")
        return step

    def stand(self, actor: Actor, label: str, stoppable: bool = True) -> None:
        """A thread stands in front of a label; it goes on when it may."""
        with self.moment:
            self._end_step(actor)
            actor.at, actor.settled = label, True
            self._look()
        if self.directed:
            actor.arrived.release()
            actor.go.acquire()
        elif self._random.random() < PAUSES:
            time.sleep(0)
        if self.over and stoppable:
            self.halt(actor)

    def halt(self, actor: Actor) -> NoReturn:
        """End a thread: none of its further operations is recorded or waits."""
        actor.muted = True
        raise Stop

    def perform(
        self,
        actor: Actor | None,
        step: Step | None,
        frame: FrameType,
        effect: Callable[[], Any],
        word: tuple[object, str, str] | None = None,
    ) -> Any:
        """Make an effect and its event one moment; the result of the effect.

        ``word``: the object and the name of the variable that is touched, and how (a mode of the
        order tokens).
        """
        if actor is None or step is None:
            return effect()
        with self.changed:
            result = effect()
            self.note(actor, step, frame, word)
            self.changed.notify_all()
        return result

    def note(
        self,
        actor: Actor,
        step: Step,
        frame: FrameType,
        word: tuple[object, str, str] | None = None,
        held: Tokens | None = None,
    ) -> None:
        """Record the operation that has just been performed, within its moment.

        ``held``: the locks that order it; None: those that the thread holds.
        """
        begins = not step.exact and (step.call is not None or self._changes(step))
        if not step.exact and not begins:
            return
        place = self._place(frame if step.call is None else step.place[0], step)
        actor.settled, actor.at = False, ""
        if begins:
            actor.within, actor.within_at = step.label, place
            actor.progress.open = None
        order = self.order.tokens(self.order.held(actor) if held is None else held)
        if word is not None:
            order.append(self._version(*word))
        event: Did = {"k": "begin" if begins else "step", "label": step.label, "at": place}
        if order:
            event["ord"] = order
        self.emit(actor, event)

    def _changes(self, step: Step) -> bool:
        """Whether the step's line changes a field's value in place: the read is all that is
        seen of it."""
        frame, line = step.place
        assert self.grain is not None
        return "change" in self.grain.kinds(frame.f_code.co_filename, line)

    def _end_step(self, actor: Actor) -> None:
        if actor.within:
            label, actor.within = actor.within, ""
            self.emit(actor, {"k": "end", "label": label, "at": actor.within_at})

    def emit(self, actor: Actor, event: Did) -> None:
        """Add an event, within its moment."""
        if self.over and event["k"] != "blocked":
            return
        actor.count += 1
        self._unseen |= event["k"] in ("step", "end")
        seq = len(self.events) + 1
        self.events.append({"seq": seq, "thread": actor.name, "tseq": actor.count, **event})
        if len(self.events) >= self._limit:
            self.over = True

    def _look(self) -> None:
        """Where the moment is quiet, record the changes of the state: none at all, too,
        where a step has been taken, whose effect the model may have and the objects have not."""
        if self.over or self.observe is None:
            return
        if not all(actor.settled or actor.absent for actor in self.actors.values()):
            return
        present: Actor | None = getattr(self._local, "actor", None)
        self._local.actor = None
        try:
            state = self.observe()
        finally:
            self._local.actor = present
        changes = {name: value for name, value in state.items() if self.state.get(name) != value}
        if changes or self._unseen:
            self.state |= changes
            self._unseen = False
            self.events.append({"seq": len(self.events) + 1, "k": "state", "state": changes})

    def _place(self, frame: FrameType, step: Step) -> str:
        file = frame.f_code.co_filename
        return f"{self.shown.get(file, file)}:{frame.f_lineno}"

    def refuse(self, frame: FrameType, problem: str, remedy: str = "") -> NoReturn:
        """End the run: the operation in ``frame`` cannot be recorded.

        Raises Stop in a thread of the scenario, and the UsageError elsewhere.
        """
        file = frame.f_code.co_filename
        error = UsageError(f"{self.shown.get(file, file)}:{frame.f_lineno}: {problem}", remedy)
        if (actor := self.actor) is None:
            raise error
        self.refused = self.refused or error
        self.over = True
        self.halt(actor)

    # -- order

    def name(self, role: str) -> str:
        """A name for a lock or a variable, as order tokens have it."""
        number = self._numbers[role] = self._numbers.get(role, 0) + 1
        return f"{role}:{number}"

    def _version(self, holder: object, name: str, mode: str) -> list[Any]:
        """The token of a variable: a write makes a version, a read has seen one."""
        key = (id(holder), name)
        word = self._words.get(key)
        if word is None:
            word = self._words[key] = [self.name(name), 0, holder]
        word[1] += mode in ("w", "cas+")
        return ["V", word[0], word[1], mode]

    # -- the end

    def stuck(self) -> bool:
        """Whether no thread that is left can ever go on. Called within a moment."""
        actors = [actor for actor in self.actors.values() if not actor.ended]
        return bool(actors) and all(
            actor.waits is not None and actor.waits.blocks(actor) for actor in actors
        )

    def stop(self) -> None:
        """End the run: threads that wait say so, and end."""
        with self.changed:
            for actor in self.actors.values():
                if not actor.ended and actor.waits is not None and not actor.absent:
                    self.emit(actor, {"k": "blocked", "label": actor.at})
            self.over = True
            self.changed.notify_all()
