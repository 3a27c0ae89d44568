"""Single schedules: replayed or random, step by step, in lockstep with a model if there is one."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from wheelproof.explore.difference import (
    Difference,
    Rows,
    compare_enabled,
    compare_results,
    compare_shared,
    results_of,
)
from wheelproof.explore.findings import ExploreError, StepError
from wheelproof.explore.race import Race, RaceDetector
from wheelproof.explore.run import ControlledImplementation, Run, threads_of
from wheelproof.explore.watchdog import Watchdog

MAX_STEPS = 10_000
"""Steps after which a run counts as one that does not end."""


@dataclass(frozen=True)
class Taken:
    """One step that was taken.

    ``kind``: of its operation; ``source``: ``file:line``; ``shared``: the harness's variables after
    it.
    """

    thread: str
    label: str
    kind: str
    source: str
    shared: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Replay:
    """A schedule that was run. ``initial``: the variables before the first step.

    ``end``: ``done`` (all threads ended), ``deadlock``, ``running`` (the schedule is over, threads
    can go on) or the kind of ``difference``. ``enabled``: thread -> label of those that can move
    after the last step.
    """

    initial: Mapping[str, object]
    steps: tuple[Taken, ...]
    end: str
    enabled: Mapping[str, str]
    difference: Difference | None = None
    races: tuple[Race, ...] = ()


def replay(
    implementation: ControlledImplementation,
    scenario: Mapping[str, object],
    schedule: Iterable[str | tuple[str, str]],
    *,
    rows: Rows | None = None,
    shared_of: Callable[[int], Mapping[str, object]] | None = None,
    race: RaceDetector | None = None,
    coarse: bool = False,
) -> Replay:
    """Run a schedule: names of threads, or (thread, label) whose labels are then checked.

    ``rows`` and ``shared_of``: a model's graph to go along with; the first difference ends the
    replay. An exception of a thread and a broken rule end it too, as its ``difference``. Raises
    :class:`ExploreError` for a step that cannot be taken.
    """
    with Watchdog(implementation.scheduler):
        return _replay(implementation, scenario, list(schedule), rows, shared_of, race, coarse)


def _replay(
    implementation: ControlledImplementation,
    scenario: Mapping[str, object],
    schedule: Sequence[str | tuple[str, str]],
    rows: Rows | None,
    shared_of: Callable[[int], Mapping[str, object]] | None,
    race: RaceDetector | None,
    coarse: bool,
) -> Replay:
    names = threads_of(scenario)
    runner = _Runner(implementation, scenario, rows, shared_of, race, coarse)
    taken: list[Taken] = []
    initial: Mapping[str, object] = {}
    try:
        runner.begin()
        initial = runner.run.shared()
        for number, step in enumerate(schedule, 1):
            name, label = (step, None) if isinstance(step, str) else step
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
            runner.step(thread.index)
            taken.append(Taken(name, label, site.kind, site.where, runner.run.shared()))
    except _Ended as ended:
        return Replay(
            initial, tuple(taken), ended.difference.kind, {}, ended.difference, _races(race)
        )
    finally:
        runner.end()
    end = "done" if runner.done else "running" if runner.can_move else "deadlock"
    return Replay(initial, tuple(taken), end, runner.can_move, None, _races(race))


def _races(race: RaceDetector | None) -> tuple[Race, ...]:
    return () if race is None else tuple(sorted(race.found))


@dataclass(frozen=True)
class Racing:
    """The first race, and the schedule up to its second access. ``first``: the other one's step."""

    race: Race
    schedule: tuple[str, ...]
    first: int

    @property
    def accesses(self) -> dict[int, str]:
        """The number of each access's step -> the access, in words."""
        field, first, second = self.race.field, self.race.first, self.race.second
        return {
            self.first: f"race on {field}, first access: {first}",
            len(self.schedule): f"race on {field}, second access: {second}",
        }


@dataclass(frozen=True)
class RandomSchedules:
    """The result of random schedules.

    ``outcome``: ``passed``, ``different`` or ``inconclusive`` (``why`` has the reason).

    ``figures``: schedules, steps, deadlocks (schedules that ended in one), capped (schedules that
    did not end), cpu (seconds).
    ``seed``: with the number of the schedule it makes the schedule again; ``schedule``: of the
    schedule that the difference is in, else of the first that ended in a deadlock or not at all.
    ``deadlock``: of the first that ended in one. ``racing``: the first race, in its schedule.
    """

    outcome: str
    figures: Mapping[str, float]
    races: tuple[Race, ...]
    seed: int
    difference: Difference | None = None
    schedule: tuple[str, ...] = ()
    why: str = ""
    deadlock: tuple[str, ...] = ()
    racing: Racing | None = None


def random_schedules(
    implementation: ControlledImplementation,
    scenario: Mapping[str, object],
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
    started = time.process_time()
    chance = random.Random(seed)
    steps = deadlocks = capped = done = 0
    first: tuple[str, ...] = ()
    deadlock: tuple[str, ...] = ()
    racing: Racing | None = None
    difference, why = None, ""
    runner = _Runner(implementation, scenario, rows, shared_of, race, coarse)
    with Watchdog(implementation.scheduler):
        for _ in range(schedules):
            if time.process_time() - started > budget:
                why = (
                    f"{budget:g} CPU seconds were not enough for more than {done} of {schedules} "
                    "schedules"
                )
                break
            try:
                runner.begin()
                for _ in range(max_steps):
                    able = [thread.index for thread in runner.run.threads if thread.enabled]
                    if not able:
                        break
                    runner.step(able[0] if len(able) == 1 else chance.choice(able))
                    steps += 1
                else:
                    capped += 1
                    first = first or runner.schedule
                    why = (
                        f"a schedule did not end within {max_steps} steps: a livelock, or a cap "
                        "that is too low"
                    )
                if not able and not runner.run.done:
                    deadlocks += 1
                    first = first or runner.schedule
                    deadlock = deadlock or runner.schedule
            except _Ended as ended:
                difference, first = ended.difference, ended.difference.threads
                break
            finally:
                racing = racing or runner.racing()
                runner.end()
            done += 1
    implementation.check_definitions()
    figures = {
        "schedules": done,
        "steps": steps,
        "deadlocks": deadlocks,
        "capped": capped,
        "cpu": round(time.process_time() - started, 3),
    }
    outcome = "different" if difference else "inconclusive" if why else "passed"
    return RandomSchedules(
        outcome, figures, _races(race), seed, difference, first, why, deadlock, racing
    )


class _Ended(Exception):
    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


class _Runner:
    """One run at a time, with the model's state beside it."""

    def __init__(
        self,
        implementation: ControlledImplementation,
        scenario: Mapping[str, object],
        rows: Rows | None,
        shared_of: Callable[[int], Mapping[str, object]] | None,
        race: RaceDetector | None,
        coarse: bool,
    ) -> None:
        self._implementation, self._scenario, self._rows, self._shared_of = (
            implementation,
            scenario,
            rows,
            shared_of,
        )
        self._race, self._coarse = race, coarse
        self._known = None if race is None else race.met
        self._names = threads_of(scenario)
        self._run: Run | None = None
        self.can_move: dict[str, str] = {}
        self.done = False

    @property
    def run(self) -> Run:
        """The present run."""
        assert self._run is not None
        return self._run

    @property
    def schedule(self) -> tuple[str, ...]:
        return tuple(thread for thread, _ in self._path)

    def racing(self) -> Racing | None:
        """The first race that the detector met, if it was in the present run."""
        met = None if self._race is None else self._race.met
        if met is None or met is self._known:
            return None
        return Racing(met.race, self.schedule[: met.second], met.first)

    def begin(self) -> None:
        self._path: list[tuple[str, str]] = []
        self._state = 0
        self._source: str | None = None
        try:
            self._run = self._implementation.begin(
                self._scenario, race=self._race, coarse=self._coarse
            )
        except StepError as error:
            raise self._stopped(error) from None
        self._compare()

    def step(self, index: int) -> None:
        thread = self.run.threads[index]
        self._path.append((thread.name, thread.label))
        self._source = thread.source
        try:
            self.run.step(index)
        except StepError as error:
            raise self._stopped(error) from None
        if self._rows is not None:
            mine, theirs = self.run.results(index), results_of(self._rows, self._state, index)
            before, self._state = self._state, self._rows[self._state][index][1]
            self._compare()
            if parted := compare_results(mine, theirs, thread.name):
                raise _Ended(
                    Difference(
                        "result",
                        parted,
                        tuple(self._path),
                        before,
                        {"results": mine},
                        {"results": theirs},
                        self._source,
                    )
                )

    def end(self) -> None:
        if self._run is not None:
            self.can_move = {
                thread.name: thread.label for thread in self.run.threads if thread.enabled
            }
            self.done = self.run.done
            self.run.end()

    def _compare(self) -> None:
        if self._rows is None:
            return
        parted = compare_enabled(
            self.run.enabled(), self._rows[self._state], self._names, self.run.labels
        )
        if parted is not None:
            kind, message, mine, theirs = parted
            raise _Ended(
                Difference(
                    kind, message, tuple(self._path), self._state, mine, theirs, self._source
                )
            )
        if self._shared_of is not None:
            unequal = compare_shared(self.run.shared(), self._shared_of(self._state))
            if unequal is not None:
                raise _Ended(
                    Difference(
                        "shared",
                        unequal[0],
                        tuple(self._path),
                        self._state,
                        unequal[1],
                        unequal[2],
                        self._source,
                    )
                )

    def _stopped(self, error: StepError) -> _Ended:
        return _Ended(Difference(error.kind, error.message, tuple(self._path), source=self._source))
