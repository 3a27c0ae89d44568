"""Scenarios run on real threads and recorded: freely, or by a schedule.

A schedule is a list of (thread, label), as the explorer or TLC gives it. Each thread waits in front
of every labelled operation for its turn, so that the first attempt records a run that a machine
would take years to hit.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from types import FrameType

from wheelproof.errors import ToolError
from wheelproof.protocols import Harness, Program, Scenario, programs
from wheelproof.trace.recording.grain import Progress
from wheelproof.trace.recording.loading import PATIENCE_SECONDS, Traced
from wheelproof.trace.recording.log import Log
from wheelproof.trace.recording.recorder import Stop

KNOCK_SECONDS = 0.5
"""How long a thread that may be in a deadlock has to record that it waits."""


STALL_SECONDS = 5
"""How long no thread of a free run records anything before they are taken to wait for each other,
and stopped."""


LOOK_SECONDS = 0.1
"""How long one look takes. Looks are counted, not time: a stall of the whole process is one look,
however long it is."""


class Infeasible(ToolError):
    """A schedule that the implementation's own locks do not allow. ``steps``: so many of its steps
    were begun."""

    def __init__(self, name: str, steps: int, seconds: float) -> None:
        super().__init__(
            f"Thread {name} of the recorded run came to no step in {seconds} s: it waits for a "
            "lock that another one holds."
        )
        self.steps = steps


def run_freely(subject: Traced, scenario: Scenario, harness: Harness) -> None:
    """Run every thread's program at once, and wait for the last. Raises ToolError where a program
    raises an error."""
    start = threading.Barrier(len(programs(scenario)))
    failures: list[tuple[str, BaseException]] = []

    def body(name: str, program: Program) -> None:
        operations = [
            (getattr(harness, str(operation)), arguments) for operation, *arguments in program
        ]
        subject.recorder.enter(name)
        start.wait()
        try:
            for method, arguments in operations:
                method(*arguments)
            subject.recorder.leave()
        except Stop:
            pass
        except Exception as error:
            failures.append((name, error))

    threads = [
        threading.Thread(target=body, args=item, name=item[0], daemon=True)
        for item in programs(scenario).items()
    ]
    for thread in threads:
        thread.start()
    recorder, records_before, looks = subject.recorder, -1, 0
    while alive := [thread for thread in threads if thread.is_alive()]:
        alive[0].join(LOOK_SECONDS)
        now = sum(map(len, recorder.logs))
        looks = looks + 1 if now == records_before else 0
        if (
            alive[0].is_alive() and looks * LOOK_SECONDS >= STALL_SECONDS
        ):  # no thread has done anything for so long: they wait for each other
            recorder.end()
            recorder.stopped, looks = True, 0
        records_before = now
    if failures:
        name, error = failures[0]
        raise ToolError(
            f"Thread {name} of the recorded run raised {type(error).__name__}: {error}."
        ) from error


def run_by(
    subject: Traced,
    schedule: Iterable[tuple[str, str]],
    scenario: Scenario,
    harness: Harness,
) -> None:
    """Run the threads one labelled step at a time. Threads that are not through when the
    schedule ends are stopped where they are.

    Raises ToolError where a thread stands at another label than the schedule has, or raises;
    Infeasible where a lock keeps it from its step.
    """
    director = _Director(subject, scenario, harness)
    try:
        for number, (thread, label) in enumerate(schedule, 1):
            director.step(number, thread, label)
        director.knock()
    finally:
        subject.recorder.end()
        director.stop()


class _Actor:
    """One thread of a directed run: where it waits, and how it is let go."""

    def __init__(self) -> None:
        self.go, self.arrived = threading.Semaphore(0), threading.Semaphore(0)
        self.label: str | None = None
        self.operation = ""
        self.progress = Progress()
        self.error: BaseException | None = None
        self.absent = (
            False  # it is none of the recording: what it would do is no step of any real thread
        )


class _Director:
    """Lets the threads of a run step one after the other."""

    def __init__(self, subject: Traced, scenario: Scenario, harness: Harness) -> None:
        self.traced, self.over = subject, False
        self.actors = {name: _Actor() for name in programs(scenario)}
        self._by_log: dict[int, _Actor] = {}
        subject.recorder.turn = self.turn
        self.threads = [
            threading.Thread(
                target=self._body, args=(name, harness, program), name=name, daemon=True
            )
            for name, program in programs(scenario).items()
        ]
        for thread, actor in zip(self.threads, self.actors.values()):
            thread.start()
            self._wait(thread.name, actor)

    def _body(self, name: str, harness: Harness, program: Program) -> None:
        actor, log = self.actors[name], self.traced.recorder.enter(name)
        self._by_log[id(log)] = actor
        try:
            for operation, *arguments in program:
                getattr(harness, str(operation))(*arguments)
            self.traced.recorder.leave()
        except Stop:
            pass
        except BaseException as error:
            actor.error = error
        actor.label, actor.absent = (
            None,
            all(other_log is not log for other_log in self.traced.recorder.logs),
        )
        actor.arrived.release()

    def turn(self, frame: FrameType, operation: str) -> None:
        """Called before each operation of a traced primitive: stop in front of it if it begins a
        step."""
        log: Log = self.traced.recorder.log()
        actor = self._by_log.get(id(log))
        if actor is None:
            return
        if self.over:
            if operation != "unlock":
                raise Stop
            return
        step = self.traced.grain.step_of(frame, operation)
        if step is None or not actor.progress.begins(step, frame):
            return
        actor.label, actor.operation = step.label, operation
        actor.arrived.release()
        actor.go.acquire()
        if self.over and operation != "unlock":
            raise Stop

    def _wait(self, name: str, actor: _Actor, number: int = 0) -> None:
        if not _acquire(actor.arrived, self.traced.patience):
            raise Infeasible(name, number, self.traced.patience)
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
        actors = [actor for actor in self.actors.values() if actor.label is not None]
        if all(actor.operation == "lock" for actor in actors):
            for actor in actors:
                actor.go.release()
                _acquire(actor.arrived, KNOCK_SECONDS)

    def stop(self) -> None:
        self.over = self.traced.recorder.stopped = True
        for actor in self.actors.values():
            actor.go.release()
        for thread in self.threads:
            thread.join(PATIENCE_SECONDS)
        self.traced.recorder.turn = None


def _acquire(semaphore: threading.Semaphore, seconds: float) -> bool:
    """Wait for a semaphore for so many seconds' looks; whether it was had."""
    return any(
        semaphore.acquire(timeout=min(LOOK_SECONDS, seconds))
        for _ in range(max(1, round(seconds / LOOK_SECONDS)))
    )
