"""A scenario run on real threads, each labelled operation recorded: freely, or by a schedule.

In a run by a schedule each thread waits in front of every step for its turn. When the schedule is
over the threads go on freely, to their end or until no thread can move.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Mapping, Sequence

from wheelproof.choices import choice_of
from wheelproof.errors import ToolError
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Harness, Program, Scenario, programs
from wheelproof.trace.format.origin import origin
from wheelproof.trace.steps.format import SCHEMA, Recording
from wheelproof.trace.steps.loading import Subject
from wheelproof.trace.steps.recorder import LONGEST, LOOK_SECONDS, Actor, Recorder, Stop
from wheelproof.trace.steps.values import plain

LOOKS = 400
"""Looks without an event after which a run is given up: a thread does something that no recorder
sees."""

SWITCH_INTERVAL = 1e-5
"""Seconds between the interpreter's thread switches in a free run."""


def record(
    mechanism: Mechanism,
    scenario: str | Scenario,
    run_id: str,
    *,
    mutant: str = "",
    schedule: Iterable[tuple[str, str]] | None = None,
    seed: int = 0,
    limit: int = LONGEST,
) -> Recording:
    """Run a scenario of a mechanism and record it.

    ``mutant``: the decision that the implementation lacks. ``schedule``: (thread, label) of every
    step that is not silent; None: the threads run as the machine lets them. ``seed``: of the
    pauses in a free run. ``limit``: events after which a run is stopped that does not end.

    Raises UsageError where the mechanism cannot be imported or an operation of it has no event,
    ToolError where a thread comes to no step, or to another than the schedule has.
    """
    program = mechanism.scenarios[scenario] if isinstance(scenario, str) else scenario
    recorder = Recorder(seed, limit)
    subject = Subject(mechanism.without(mutant), recorder)
    harness = subject.set_up(program)
    recorder.actors = {name: Actor(name, place) for place, name in enumerate(programs(program))}
    if not subject.delays:
        recorder.observe = lambda: {n: plain(value) for n, value in subject.shared(harness).items()}
    recorder.directed = schedule is not None
    try:
        _run(recorder, harness, programs(program), schedule)
    finally:
        if recorder.refused is not None:
            raise recorder.refused
    header = {
        "schema": SCHEMA,
        "run_id": run_id,
        **origin(mechanism, mutant),
        "threads": [actor.name for actor in recorder.actors.values() if not actor.absent],
        "program": {name: value for name, value in program.items() if name != "about"},
    }
    return Recording(header, recorder.events)


def _run(
    recorder: Recorder,
    harness: Harness,
    works: Mapping[str, Program],
    schedule: Iterable[tuple[str, str]] | None,
) -> None:
    threads = [
        threading.Thread(
            target=_body,
            args=(recorder, recorder.actors[name], harness, program),
            daemon=True,
        )
        for name, program in works.items()
    ]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        for thread in threads:
            thread.start()
        if schedule is not None:
            _direct(recorder, schedule)
        _wait(recorder, threads)
    finally:
        sys.setswitchinterval(interval)
        recorder.directed, recorder.over = False, True
        for actor in recorder.actors.values():
            actor.go.release()


def _body(recorder: Recorder, actor: Actor, harness: Harness, program: Program) -> None:
    recorder.enter(actor)
    exception = ""
    try:
        for operation, *arguments in program:
            recorder.returned(actor, plain(getattr(harness, str(operation))(*arguments)))
    except Stop:
        actor.ended = True
        actor.arrived.release()
        return
    except BaseException as error:
        exception = "" if recorder.over else f"{type(error).__name__}: {error}"
    recorder.leave(actor, exception)
    actor.arrived.release()


def _direct(recorder: Recorder, schedule: Iterable[tuple[str, str]]) -> None:
    for actor in recorder.actors.values():
        _arrive(actor)
    for number, (name, label) in enumerate(schedule, 1):
        actor = recorder.actors[name]
        if actor.absent:
            continue
        if actor.at != label:
            raise ToolError(
                f"Step {number} of the schedule: {name} waits at {actor.at or 'its end'}, "
                f"and should take {label}.",
                "Make the schedule anew: it is of other sources, or of another mutant.",
            )
        actor.chooses = list(choice_of(label))
        actor.go.release()
        _arrive(actor)
        if actor.chooses:
            raise ToolError(
                f"Step {number} of the schedule: {name} takes {label}, and does not choose "
                f"{', '.join(actor.chooses)}.",
                "Make the schedule anew: it is of other sources, or of another mutant.",
            )
    recorder.directed = False
    for actor in recorder.actors.values():
        actor.go.release()


def _arrive(actor: Actor) -> None:
    """Wait until a thread stands at its next step, or has ended."""
    if not any(actor.arrived.acquire(timeout=LOOK_SECONDS) for _ in range(LOOKS)):
        raise ToolError(
            f"Thread {actor.name} of the recorded run comes to no step: it waits for a lock that "
            "another one holds.",
        )


def _wait(recorder: Recorder, threads: Sequence[threading.Thread]) -> None:
    """Wait for the threads to end, or for the moment in which none can."""
    events_before, looks = -1, 0
    while alive := [thread for thread in threads if thread.is_alive()]:
        alive[0].join(LOOK_SECONDS)
        with recorder.moment:
            stuck = not recorder.over and recorder.stuck()
            now = len(recorder.events)
        if stuck:
            recorder.stop()
        looks, events_before = (looks + 1 if now == events_before else 0), now
        if looks > LOOKS:
            if recorder.over:
                return
            raise ToolError("The threads of the recorded run come to no step.")
