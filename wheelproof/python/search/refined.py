"""A coarse schedule taken again with a step for each labelled line.

A coarse step has all plain accesses up to the next stop, so that no model has it. Taken line by
line it is the same run, which a counterexample can show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wheelproof.choices import Move, choice_in, labelled, of_word, thread_of, word
from wheelproof.protocols import Scenario
from wheelproof.python.findings import StepError
from wheelproof.python.runtime.race import RaceDetector
from wheelproof.python.runtime.watchdog import Watchdog
from wheelproof.python.search.run import ControlledImplementation, Run, threads_of
from wheelproof.python.search.runner import Racing
from wheelproof.python.search.schedules import MAX_STEPS

Stop = tuple[str, str | None]
"""Where a thread waits: the label and the line."""


def refine(
    implementation: ControlledImplementation,
    scenario: Scenario,
    schedule: Sequence[str],
) -> Racing | None:
    """The first race of a coarse schedule, in a fine one.

    None where the fine run does not come to the coarse one's stops, or has no race on its way.
    """
    names = threads_of(scenario)
    with Watchdog(implementation.scheduler):
        try:
            moves: list[Move] = []
            for text in schedule:
                name, choice = of_word(text, names)
                moves.append((names.index(name), choice) if choice else names.index(name))
            stops = list(_stops(implementation, scenario, moves))
            race = RaceDetector()
            run = implementation.begin(scenario, race=race)
            try:
                return _racing(run, race, stops)
            finally:
                run.end()
        except StepError:
            return None


def _stops(
    implementation: ControlledImplementation, scenario: Scenario, moves: Sequence[Move]
) -> Iterator[tuple[Move, Stop]]:
    """The thread of each coarse step, with its choice, and where it then waits.

    The threads before their first step come first.
    """
    run = implementation.begin(scenario, coarse=True)
    try:
        yield from ((thread.index, _stop(run, thread.index)) for thread in run.threads)
        for move in moves:
            run.step(move)
            yield move, _stop(run, thread_of(move))
    finally:
        run.end()


def _stop(run: Run, index: int) -> Stop:
    return run.labels[index], run.source(index)


def _racing(run: Run, race: RaceDetector, stops: Sequence[tuple[Move, Stop]]) -> Racing | None:
    steps: list[str] = []
    for number, (move, stop) in enumerate(stops):
        index, choice = thread_of(move), choice_in(move)
        first = number >= len(run.threads)  # before the first step a thread may be there already
        while first or _stop(run, index) != stop:
            if not run.threads[index].enabled or len(steps) == MAX_STEPS:
                return None
            name = run.threads[index].name
            run.step((index, choice))
            steps.append(word(name, labelled("", run.choice)))
            choice, first = choice[len(run.choice) :], False
            if race.met is not None:
                return Racing(race.met.race, tuple(steps[: race.met.second]), race.met.first)
    return None
