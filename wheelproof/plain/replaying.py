"""A schedule, run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wheelproof.plain.answers import Failure, Schedule
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.guards import Guards
from wheelproof.plain.reading import Recorder
from wheelproof.plain.schedulers.replay import Follow


@dataclass(frozen=True)
class Replayed:
    """A schedule, run again. ``possible``: the program still comes to each of its switches."""

    possible: bool
    failure: Failure | None


def replay(explorer: Explorer, schedule: Schedule) -> Replayed:
    """Run the program of an explorer in the order of a schedule."""
    execution, world = explorer.execution, explorer.world
    recorder = execution.recorder = Recorder(execution, world)
    world.show(schedule.places)
    follow = Follow(schedule, lambda frame: recorder.place(frame).key)
    with Guards(execution), world.around():
        execution.run(explorer.program, follow)
        failing = recorder.finish(explorer.judge)
        execution.end_threads()
    if execution.was_interrupted():
        raise KeyboardInterrupt
    failure = recorder.failure(False, None) if failing else None
    return Replayed(follow.possible, failure if follow.possible else None)


def replay_program(
    function: Callable[[], object], schedule: Schedule, *, into: Sequence[str] = ()
) -> Replayed:
    """Run a function's threads in the order of a schedule, as :func:`explore_program` gave it."""
    return replay(Explorer(function, into), schedule)
