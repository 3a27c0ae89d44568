"""A subject loaded once more, on traced primitives, and its scenarios run on real threads: freely,
or by a schedule.

A schedule is a list of (thread, label) as the explorer or TLC gives it. Each thread then waits in
front of every labelled operation until it is its turn, so that a run that takes a machine years to
hit is recorded at the first attempt.
"""

from __future__ import annotations

import importlib
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType, MemberDescriptorType, SimpleNamespace
from typing import Any

from wheelproof import isolated
from wheelproof.errors import ToolError, UsageError
from wheelproof.explore import labels
from wheelproof.explore.fields import classes_of, marks_of
from wheelproof.project.mechanism import Mechanism
from wheelproof.trace import declared, traced, traced_fields
from wheelproof.trace.grain import Grain
from wheelproof.trace.recorder import Log, Recorder, Stop

RUNTIME = "impl.runtime"
PATIENCE_SECONDS = 60
"""How long a thread of a directed run may take to its next step before the run is given up."""

COMPOSED_PATIENCE_SECONDS = 2
"""The same where locks that the schedule does not know of may make it impossible: the steps of a
mechanism that takes others' operations for single steps."""

KNOCK_SECONDS = 0.5
"""How long a thread that may be in a deadlock is given to say that it waits."""

STALL_SECONDS = 5
"""How long no thread of a free run records anything before they are taken to wait for each other,
and stopped."""

LOOK_SECONDS = 0.1
"""How long one look takes. Looks are counted, not time: a stall of the whole process is one look,
however long it is."""

_LOCKS = {"lock": "lock_acquire", "try": "lock_acquire", "unlock": "lock_release"}
_TAKES = frozenset(("lock", "try"))


class Infeasible(ToolError):
    """A schedule that the implementation's own locks do not allow. ``steps``: so many of its steps
    were begun."""

    def __init__(self, name: str, steps: int, seconds: float) -> None:
        super().__init__(
            f"Thread {name} of the recorded run came to no step in {seconds} s: it waits for a "
            "lock that another one holds."
        )
        self.steps = steps


class Traced:
    """The modules of one subject on traced primitives.

    ``kinds``: the kinds of event to record; None for all that the label tables name. ``mutant``:
    the decision that it lacks. ``directed``: plain fields wait for their turn too. Raises
    UsageError where the mechanism has no such decision or cannot be imported.
    """

    def __init__(
        self,
        mechanisms: Mapping[str, Mechanism],
        stem: str,
        mutant: str | None = None,
        kinds: Iterable[str] | None = None,
        directed: bool = False,
    ) -> None:
        if stem not in mechanisms:
            raise UsageError(
                f"There is no mechanism {stem!r}.", f"Known mechanisms: {', '.join(mechanisms)}."
            )
        self.mechanism, self.mechanisms, self.stem = (
            mechanisms[stem].without(mutant or ""),
            mechanisms,
            stem,
        )
        self.kinds = None if kinds is None else frozenset(kinds)
        self.labels: dict[str, labels.Labels] = {}
        self._tables: dict[str, Mapping[str, Any]] = {}
        self._shown: dict[str, str] = {}
        self._calls: list[type] = []
        self._wrapped: set[tuple[type, str]] = set()
        self.recorder = Recorder(self._event_of)
        self.translator = declared.part("translator")
        self.recorder.observers = self.translator.observers(self.recorder)
        self.recorder.conditions = self.translator.CONDITIONS
        root = self.mechanism.root
        production = isolated.load(root, RUNTIME)
        finder = isolated.Finder(root, self.mechanism.modules)
        with isolated.apart(finder):
            sys.modules[RUNTIME] = traced.runtime_module(self.recorder, production)
            try:
                impl: Any = importlib.import_module("impl")
                impl.runtime = sys.modules[RUNTIME]
                self.harness_module = importlib.import_module(f"harness.{stem}")
                for name in self.harness_module.SUBJECT:
                    importlib.import_module(name)
            except ImportError as error:
                raise UsageError(
                    f"{root}: the subject {stem} cannot be imported: {error}."
                ) from error
            self.modules = isolated.present()
        for name, module in self.modules.items():
            if name != RUNTIME and module.__spec__ is not None and not name.startswith("model"):
                self._prepare(name, module, root, directed)
        self._wrap(cls for base in self._calls for cls in _family(base))
        self._combine()
        atomic = getattr(self.harness_module, "ATOMIC", None) or {}
        self.grain = Grain(atomic, self.harness_module.SUBJECT, self.modules, self.labels)
        self.patience = COMPOSED_PATIENCE_SECONDS if atomic else PATIENCE_SECONDS

    def _prepare(self, name: str, module: Any, root: Path, directed: bool) -> None:
        file = module.__spec__.origin
        text = module.__spec__.loader.get_source(name)
        self.labels[file] = labels.of_source(text, file)
        self._shown[file] = Path(file).relative_to(root).as_posix()
        stem = name.rpartition(".")[2]
        own = self.mechanism if stem == self.stem else self.mechanisms.get(stem, self.mechanism)
        self._tables[file] = own.labels
        for cls in classes_of(module):
            if "__slots__" in vars(cls):
                self.recorder.known.add(cls)
            for field, volatile in marks_of(cls).items():
                member = vars(cls).get(field)
                if not isinstance(member, MemberDescriptorType):
                    continue
                kind: type
                if volatile:
                    kind = traced_fields.DirectedField if directed else traced_fields.VolatileField
                elif directed or self._written(file, text, field):
                    kind = traced_fields.PlainField if directed else traced_fields.RecordedField
                else:
                    continue
                setattr(cls, field, kind(member, self.recorder))
            if cls.__name__ in self.translator.CALLS:
                self._calls.append(cls)

    def _written(self, file: str, text: str, field: str) -> bool:
        """Whether some labelled write of a plain field is an event."""
        lines = text.splitlines()
        return any(
            "write" in kinds
            and self._event_of_label(file, kinds["write"])
            and re.search(rf"\.{field}\s*=[^=]", lines[line - 1])
            for line, kinds in self.labels[file].items()
        )

    def _event_of_label(self, file: str, label: str) -> str:
        row = self._tables[file].get(label)
        return row.event if row is not None else ""

    def _wrap(self, classes: Iterable[type]) -> None:
        """Put a recording method in the place of each that CALLS names, in the class that has it
        for these classes: a base, or one that is mixed in."""
        for cls in list(classes):
            for base in cls.__mro__:
                for method, event, values, after in self.translator.CALLS.get(base.__name__, ()):
                    own = (
                        base
                        if method == "__init__"
                        else next(each for each in cls.__mro__ if method in vars(each))
                    )
                    if (own, method) not in self._wrapped and method in vars(own):
                        self._wrapped.add((own, method))
                        setattr(
                            own,
                            method,
                            traced_fields.recorded_call(
                                self.recorder, vars(own)[method], event, values, after
                            ),
                        )

    def _combine(self) -> None:
        modules = [self.modules[name] for name in self.harness_module.SUBJECT]
        names = {
            name: value
            for module in modules
            for name, value in vars(module).items()
            if not name.startswith("__")
        }
        self.harness = self.harness_module.Harness
        self.implementation = SimpleNamespace(**names)

    def _event_of(self, code: CodeType, line: int, operation: str) -> tuple[str, str, str]:
        """Label, kind of event and place of an operation on a line; the kind is "" where nothing is
        to be recorded."""
        file = code.co_filename
        if operation.startswith("call "):
            event = operation.removeprefix("call ")
            return (
                "",
                event if self.kinds is None or event in self.kinds else "",
                f"{self._shown.get(file, Path(file).name)}:{line}",
            )
        where = f"{self._shown.get(file, Path(file).name)}:{line}"
        label = (
            self.labels.get(file, {})
            .get(line, {})
            .get("lock" if operation == "wait" else operation, "")
        )
        row = self._tables.get(file, {}).get(label) if label else None
        if operation == "wait":
            event = "lock_wait"
        elif row is not None and (row.kind == operation or {row.kind, operation} == _TAKES):
            event = row.event
        elif label:  # a mutant's step of another kind: it does not do what the event says
            event = _LOCKS.get(operation, "")
        else:
            event = _LOCKS.get(operation) or self.translator.UNLABELLED.get(
                (code.co_qualname, operation), ""
            )
        if self.kinds is not None and event not in self.kinds:
            event = ""
        return label, event, where

    # -- runs

    def set_up(self, scenario: Mapping[str, Any]) -> Any:
        """The scenario's Harness. What is done until the recorder begins is not recorded."""
        harness = self.harness(scenario, self.implementation)
        self._wrap({type(value) for value in list(self.recorder.objects.values())})
        return harness

    def run_freely(self, scenario: Mapping[str, Any], harness: Any) -> None:
        """Run every thread's program at once, and wait for the last. Raises ToolError for what a
        program raises."""
        start = threading.Barrier(len(scenario["threads"]))
        failures: list[tuple[str, BaseException]] = []

        def body(name: str, program: Sequence[Sequence[Any]]) -> None:
            operations = [
                (getattr(harness, operation), arguments) for operation, *arguments in program
            ]
            self.recorder.enter(name)
            start.wait()
            try:
                for method, arguments in operations:
                    method(*arguments)
                self.recorder.leave()
            except Stop:
                pass
            except Exception as error:
                failures.append((name, error))

        threads = [
            threading.Thread(target=body, args=item, name=item[0], daemon=True)
            for item in scenario["threads"].items()
        ]
        for thread in threads:
            thread.start()
        recorder, seen, looks = self.recorder, -1, 0
        while alive := [thread for thread in threads if thread.is_alive()]:
            alive[0].join(LOOK_SECONDS)
            now = sum(map(len, recorder.logs))
            looks = looks + 1 if now == seen else 0
            if (
                alive[0].is_alive() and looks * LOOK_SECONDS >= STALL_SECONDS
            ):  # nobody has done anything for so long: they wait for each other
                recorder.end()
                recorder.stopped, looks = True, 0
            seen = now
        if failures:
            name, error = failures[0]
            raise ToolError(
                f"Thread {name} of the recorded run raised {type(error).__name__}: {error}."
            ) from error

    def run_by(
        self, schedule: Iterable[tuple[str, str]], scenario: Mapping[str, Any], harness: Any
    ) -> None:
        """Run the threads one labelled step at a time. Threads that are not through when the
        schedule ends are stopped where they are.

        Raises ToolError where a thread stands at another label than the schedule has, or raises;
        Infeasible where a lock keeps it from its step.
        """
        director = _Director(self, scenario, harness)
        try:
            for number, (thread, label) in enumerate(schedule, 1):
                director.step(number, thread, label)
            director.knock()
        finally:
            self.recorder.end()
            director.stop()


def _still(calls: Iterable[FrameType], frame: FrameType) -> Iterator[FrameType]:
    """The calls that a frame is inside of."""
    around: set[int] = set()
    outer: FrameType | None = frame
    while outer is not None:
        around.add(id(outer))
        outer = outer.f_back
    return (call for call in calls if id(call) in around)


def _family(cls: type) -> list[type]:
    """A class and all that derive from it."""
    found: list[type] = [cls]
    below: type
    for below in cls.__subclasses__():
        found += _family(below)
    return found


def _acquired(semaphore: threading.Semaphore, seconds: float) -> bool:
    """Wait for a semaphore for so many seconds' looks; whether it was had."""
    return any(
        semaphore.acquire(timeout=min(LOOK_SECONDS, seconds))
        for _ in range(max(1, round(seconds / LOOK_SECONDS)))
    )


class _Actor:
    """One thread of a directed run: where it waits, and how it is let go."""

    def __init__(self) -> None:
        self.go, self.arrived = threading.Semaphore(0), threading.Semaphore(0)
        self.label: str | None = None
        self.operation = ""
        self.open: tuple[FrameType, int] | None = None  # of a step whose operation is still to come
        self.calls: tuple[
            FrameType, ...
        ] = ()  # of labelled lines, the outermost first: what they do is under way
        self.error: BaseException | None = None
        self.absent = (
            False  # it is none of the recording: what it would do is no step of any real thread
        )


class _Director:
    """Lets the threads of a run step one after the other."""

    def __init__(self, subject: Traced, scenario: Mapping[str, Any], harness: Any) -> None:
        self.subject, self.over = subject, False
        self.actors = {name: _Actor() for name in scenario["threads"]}
        self._by_log: dict[int, _Actor] = {}
        subject.recorder.turn = self.turn
        self.threads = [
            threading.Thread(
                target=self._body, args=(name, harness, program), name=name, daemon=True
            )
            for name, program in scenario["threads"].items()
        ]
        for thread, actor in zip(self.threads, self.actors.values()):
            thread.start()
            self._wait(thread.name, actor)

    def _body(self, name: str, harness: Any, program: Sequence[Sequence[Any]]) -> None:
        actor, log = self.actors[name], self.subject.recorder.enter(name)
        self._by_log[id(log)] = actor
        try:
            for operation, *arguments in program:
                getattr(harness, operation)(*arguments)
            self.subject.recorder.leave()
        except Stop:
            pass
        except BaseException as error:
            actor.error = error
        actor.label, actor.absent = (
            None,
            all(each is not log for each in self.subject.recorder.logs),
        )
        actor.arrived.release()

    def turn(self, frame: FrameType, operation: str) -> None:
        """Called before each operation of a traced primitive: stop in front of it if it begins a
        step."""
        log: Log = self.subject.recorder.log()
        actor = self._by_log.get(id(log))
        if actor is None:
            return
        if self.over:
            if operation != "unlock":
                raise Stop
            return
        step = self.subject.grain.step_of(frame, operation)
        if step is None:
            return
        if actor.open == step.place:
            if step.exact:
                actor.open = None
            return
        if step.call is not None:
            if any(call is step.call for call in actor.calls):
                return
            actor.calls = (*_still(actor.calls, frame), step.call)
        actor.open = None if step.exact else step.place
        actor.label, actor.operation = step.label, operation
        actor.arrived.release()
        actor.go.acquire()
        if self.over and operation != "unlock":
            raise Stop

    def _wait(self, name: str, actor: _Actor, number: int = 0) -> None:
        if not _acquired(actor.arrived, self.subject.patience):
            raise Infeasible(name, number, self.subject.patience)
        if actor.error is not None:
            raise ToolError(
                f"Thread {name} of the recorded run raised {type(actor.error).__name__}: "
                f"{actor.error}."
            ) from actor.error

    def step(self, number: int, name: str, label: str) -> None:
        actor = self.actors[name]
        if actor.absent:
            return
        if actor.label != label:
            raise ToolError(
                f"Step {number} of the schedule: {name} waits at {actor.label or 'its end'}, and "
                f"should take {label}.",
                "Make the schedule anew: it is of other sources, or of another mutant.",
            )
        actor.go.release()
        self._wait(name, actor, number)

    def knock(self) -> None:
        """Where all that are left are about to take a lock, let them: in a deadlock, that they wait
        is the last that is seen of them."""
        left = [actor for actor in self.actors.values() if actor.label is not None]
        if all(actor.operation == "lock" for actor in left):
            for actor in left:
                actor.go.release()
                _acquired(actor.arrived, KNOCK_SECONDS)

    def stop(self) -> None:
        self.over = self.subject.recorder.stopped = True
        for actor in self.actors.values():
            actor.go.release()
        for thread in self.threads:
            thread.join(PATIENCE_SECONDS)
        self.subject.recorder.turn = None
