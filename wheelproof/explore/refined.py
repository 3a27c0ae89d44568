"""A coarse schedule taken again with a step for each labelled line.

A coarse step has all plain accesses up to the next stop, so that no model has it. Taken line by
line it is the same run, which a counterexample can show.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from wheelproof.explore.findings import StepError
from wheelproof.explore.race import RaceDetector
from wheelproof.explore.run import ControlledImplementation, Run, threads_of
from wheelproof.explore.schedules import MAX_STEPS, Racing
from wheelproof.explore.watchdog import Watchdog

Stop = tuple[str, str | None]
"""Where a thread waits: the label and the line."""


def refined(
    implementation: ControlledImplementation,
    scenario: Mapping[str, object],
    schedule: Sequence[str],
) -> Racing | None:
    """The first race of a coarse schedule, in a fine one.

    None where the fine run does not come to the coarse one's stops, or has no race on its way.
    """
    names = threads_of(scenario)
    with Watchdog(implementation.scheduler):
        try:
            stops = list(_stops(implementation, scenario, [*map(names.index, schedule)]))
            race = RaceDetector()
            run = implementation.begin(scenario, race=race)
            try:
                return _racing(run, race, stops)
            finally:
                run.end()
        except StepError:
            return None


def _stops(
    implementation: ControlledImplementation, scenario: Mapping[str, object], threads: Sequence[int]
) -> Iterator[tuple[int, Stop]]:
    """The thread of each coarse step and where it then waits, those before the first one too."""
    run = implementation.begin(scenario, coarse=True)
    try:
        yield from ((thread.index, _stop(run, thread.index)) for thread in run.threads)
        for index in threads:
            run.step(index)
            yield index, _stop(run, index)
    finally:
        run.end()


def _stop(run: Run, index: int) -> Stop:
    return run.labels[index], run.source(index)


def _racing(run: Run, race: RaceDetector, stops: Sequence[tuple[int, Stop]]) -> Racing | None:
    taken: list[str] = []
    for number, (index, stop) in enumerate(stops):
        first = number >= len(run.threads)  # before the first step a thread may be there already
        while first or _stop(run, index) != stop:
            if not run.threads[index].enabled or len(taken) == MAX_STEPS:
                return None
            taken.append(run.threads[index].name)
            run.step(index)
            first = False
            if race.met is not None:
                return Racing(race.met.race, tuple(taken[: race.met.second]), race.met.first)
    return None
