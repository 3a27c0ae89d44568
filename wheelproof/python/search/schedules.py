"""Single schedules: replayed or random, step by step, in lockstep with a model if there is one."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wheelproof.choices import Choice, choice_of, labelled, of_word
from wheelproof.protocols import Scenario, Values
from wheelproof.python.findings import ExploreError
from wheelproof.python.runtime.race import Race, RaceDetector
from wheelproof.python.runtime.watchdog import Watchdog
from wheelproof.python.search.difference import Difference, Rows
from wheelproof.python.search.run import ControlledImplementation, threads_of
from wheelproof.python.search.runner import Ended, Racing, Runner

MAX_STEPS = 10_000
"""Steps after which a run counts as one that does not end."""


@dataclass(frozen=True)
class Taken:
    """One step that was taken."""

    thread: str
    label: str
    kind: str
    """The kind of its operation."""
    source: str
    """``file:line``."""
    shared: Mapping[str, Values] = field(default_factory=dict)
    """The harness's variables after it."""


@dataclass(frozen=True)
class Replay:
    """A schedule that was run."""

    initial: Mapping[str, Values]
    """The variables before the first step."""
    steps: tuple[Taken, ...]
    end: str
    """``done`` (all threads ended), ``deadlock``, ``running`` (the schedule is over, threads can go
    on) or the kind of ``difference``.
    """
    enabled: Mapping[str, str]
    """Thread -> label, for the threads that can move after the last step."""
    difference: Difference | None = None
    races: tuple[Race, ...] = ()


def replay(
    implementation: ControlledImplementation,
    scenario: Scenario,
    schedule: Iterable[str | tuple[str, str]],
    *,
    rows: Rows | None = None,
    shared_of: Callable[[int], Mapping[str, object]] | None = None,
    race: RaceDetector | None = None,
    coarse: bool = False,
) -> Replay:
    """Run a schedule: words for steps, or (thread, label) whose labels are then checked.

    A word is the name of a thread, for a step that chooses ``thread=value,value``.

    ``rows`` and ``shared_of``: a model's graph to go along with; the first difference ends the
    replay. An exception of a thread and a broken rule end it too, as its ``difference``. Raises
    :class:`ExploreError` for a step that cannot be taken.
    """
    with Watchdog(implementation.scheduler):
        return _replay(implementation, scenario, list(schedule), rows, shared_of, race, coarse)


def _replay(
    implementation: ControlledImplementation,
    scenario: Scenario,
    schedule: Sequence[str | tuple[str, str]],
    rows: Rows | None,
    shared_of: Callable[[int], Mapping[str, object]] | None,
    race: RaceDetector | None,
    coarse: bool,
) -> Replay:
    names = threads_of(scenario)
    runner = Runner(implementation, scenario, rows, shared_of, race, coarse)
    steps: list[Taken] = []
    initial: Mapping[str, Values] = {}
    try:
        runner.begin()
        initial = runner.run.shared()
        for number, step in enumerate(schedule, 1):
            if isinstance(step, str):
                (name, choice), label = of_word(step, names), None
            else:
                (name, label), choice = step, choice_of(step[1])
            if name not in names:
                raise ExploreError(
                    f"Step {number}: the scenario has no thread {name!r}.",
                    f"Its threads are {', '.join(names)}.",
                )
            thread = runner.run.threads[names.index(name)]
            if not thread.enabled:
                raise ExploreError(
                    f"Step {number}: {name} cannot move, it waits at {thread.label}.",
                    "The schedule belongs to another version of the implementation or to another "
                    "scenario.",
                )
            if label is not None and thread.label != label:
                raise ExploreError(
                    f"Step {number}: {name} would take {thread.label}, the schedule has {label}.",
                    "The schedule belongs to another version of the implementation or to another "
                    "scenario.",
                )
            label, site = thread.label, thread.site
            assert site is not None
            runner.step((thread.index, choice) if choice else thread.index)
            if runner.run.choice != choice:
                raise ExploreError(
                    f"Step {number}: {name}.{label} chooses {texts_of(runner.run.choice)}, the "
                    f"schedule has {texts_of(choice)}.",
                    f"Write a step that chooses as {name}=value.",
                )
            label = labelled(label, choice)
            steps.append(Taken(name, label, site.kind, site.where, runner.run.shared()))
    except Ended as error:
        return Replay(
            initial, tuple(steps), error.difference.kind, {}, error.difference, _races(race)
        )
    finally:
        runner.end()
    end = "done" if runner.done else "running" if runner.can_move else "deadlock"
    return Replay(initial, tuple(steps), end, runner.can_move, None, _races(race))


def texts_of(choice: Choice) -> str:
    """A choice, or choices, in words."""
    return ", ".join(choice) or "nothing"


def _races(race: RaceDetector | None) -> tuple[Race, ...]:
    return () if race is None else tuple(sorted(race.found))


@dataclass(frozen=True)
class RandomSchedules:
    """The result of random schedules."""

    outcome: str
    """``passed``, ``different`` or ``inconclusive`` (``why`` has the reason)."""
    figures: Mapping[str, float]
    """The counts:

    schedules, steps, deadlocks (schedules that ended in one), capped (schedules that did not end),
    cpu (seconds).
    """
    races: tuple[Race, ...]
    seed: int
    """The seed. With the number of the schedule it makes the schedule again."""
    difference: Difference | None = None
    schedule: tuple[str, ...] = ()
    """The schedule of the difference.

    Without one it is the first that ended in a deadlock or not at all.
    """
    why: str = ""
    deadlock: tuple[str, ...] = ()
    """The first schedule that ended in a deadlock."""
    racing: Racing | None = None
    """The first race, in its schedule."""


def random_schedules(
    implementation: ControlledImplementation,
    scenario: Scenario,
    *,
    schedules: int,
    seed: int = 0,
    max_steps: int = MAX_STEPS,
    rows: Rows | None = None,
    shared_of: Callable[[int], Mapping[str, object]] | None = None,
    race: RaceDetector | None = None,
    coarse: bool = False,
    budget: float = 60.0,
) -> RandomSchedules:
    """Run a scenario ``schedules`` times, each time choosing among the enabled threads at random.

    The same ``seed`` makes the same schedules. With ``rows`` and ``shared_of`` (not with
    ``coarse``, which leaves the model's steps out) every step is compared with the model. A
    schedule of ``max_steps`` steps and ``budget`` CPU seconds make the outcome ``inconclusive``: a
    livelock is not a pass.
    """
    if coarse and rows is not None:
        raise ExploreError(
            "A coarse schedule cannot be compared with a model: it has fewer steps.",
            "Leave out coarse, or rows.",
        )
    begin = time.process_time()
    chance = random.Random(seed)
    tally = _Tally()
    runner = Runner(implementation, scenario, rows, shared_of, race, coarse)
    runner.draw = chance.randrange
    with Watchdog(implementation.scheduler):
        for _ in range(schedules):
            if time.process_time() - begin > budget:
                tally.why = (
                    f"{budget:g} CPU seconds were not enough for more than {tally.done} of "
                    f"{schedules} schedules"
                )
                break
            _run_one(runner, chance, max_steps, tally)
            if tally.difference:
                break
    implementation.check_definitions()
    figures = {
        "schedules": tally.done,
        "steps": tally.steps,
        "deadlocks": tally.deadlocks,
        "capped": tally.capped,
        "cpu": round(time.process_time() - begin, 3),
    }
    return RandomSchedules(
        "different" if tally.difference else "inconclusive" if tally.why else "passed",
        figures,
        _races(race),
        seed,
        tally.difference,
        tally.first,
        tally.why,
        tally.deadlock,
        tally.racing,
    )


@dataclass
class _Tally:
    """The outcome of random schedules so far. Fields are those of :class:`RandomSchedules`."""

    done: int = 0
    steps: int = 0
    deadlocks: int = 0
    capped: int = 0
    first: tuple[str, ...] = ()
    deadlock: tuple[str, ...] = ()
    racing: Racing | None = None
    difference: Difference | None = None
    why: str = ""


def _run_one(runner: Runner, chance: random.Random, max_steps: int, tally: _Tally) -> None:
    """Run one schedule, and count it unless a difference ends it."""
    steps = 0
    try:
        runner.begin()
        for _ in range(max_steps):
            able = [thread.index for thread in runner.run.threads if thread.enabled]
            if not able:
                break
            runner.step(able[0] if len(able) == 1 else chance.choice(able))
            steps += 1
        else:
            tally.capped += 1
            tally.first = tally.first or runner.schedule
            tally.why = (
                f"a schedule did not end within {max_steps} steps: a livelock, or a cap that is "
                "too low"
            )
        if not able and not runner.run.done:
            tally.deadlocks += 1
            tally.first = tally.first or runner.schedule
            tally.deadlock = tally.deadlock or runner.schedule
        tally.done += 1
    except Ended as end:
        tally.difference, tally.first = end.difference, end.difference.threads
    finally:
        tally.steps += steps
        tally.racing = tally.racing or runner.racing()
        runner.end()
