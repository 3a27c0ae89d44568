"""One run at a time, step by step, in lockstep with a model if there is one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from wheelproof.choices import Move, choice_in, labelled, moves_in, texts, thread_of, word
from wheelproof.protocols import Scenario
from wheelproof.python.findings import StepError
from wheelproof.python.runtime.race import Race, RaceDetector
from wheelproof.python.search.difference import (
    Difference,
    Rows,
    compare_enabled,
    compare_results,
    compare_shared,
    results_of,
)
from wheelproof.python.search.run import ControlledImplementation, Run, threads_of


@dataclass(frozen=True)
class Racing:
    """The first race, and the schedule up to its second access."""

    race: Race
    schedule: tuple[str, ...]
    first: int
    """The step of the first access."""

    @property
    def accesses(self) -> dict[int, str]:
        """The number of each access's step -> the access, in words."""
        field, first, second = self.race.field, self.race.first, self.race.second
        return {
            self.first: f"race on {field}, first access: {first}",
            len(self.schedule): f"race on {field}, second access: {second}",
        }


class Ended(Exception):
    """A difference has ended the run."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


class Runner:
    """One run at a time, with the model's state beside it."""

    def __init__(
        self,
        implementation: ControlledImplementation,
        scenario: Scenario,
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
        self.draw: Callable[[int], int] | None = None
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
        """The steps taken, as words."""
        return tuple(word(*step) for step in self._path)

    def racing(self) -> Racing | None:
        """The first race that the detector met, if it was in the present run."""
        meeting = None if self._race is None else self._race.met
        if meeting is None or meeting is self._known:
            return None
        return Racing(meeting.race, self.schedule[: meeting.second], meeting.first)

    def begin(self) -> None:
        """Begin a run. Raises Ended, as :meth:`step`."""
        self._path: list[tuple[str, str]] = []
        self._state = 0
        self._source: str | None = None
        try:
            self._run = self._implementation.begin(
                self._scenario, race=self._race, coarse=self._coarse, draw=self.draw
            )
        except StepError as error:
            raise self._end_of(error) from None
        self._compare()

    def step(self, move: Move) -> None:
        """Take a step. Its choices beyond ``move`` are drawn at random."""
        index, run = thread_of(move), self.run
        thread, label = run.threads[index], run.threads[index].label
        self._path.append((thread.name, label))
        self._source = thread.source
        failure = None
        try:
            run.step(move)
        except StepError as error:
            failure = error
        if run.choice:
            self._path[-1], move = (thread.name, labelled(label, run.choice)), (index, run.choice)
        if failure is not None:
            raise self._end_of(failure) from None
        if self._rows is not None:
            row = self._rows[self._state]
            if move not in row:
                raise Ended(self._other_choice(move, moves_in(row, index)))
            ours, theirs = run.results(index), results_of(self._rows, self._state, move)
            before, self._state = self._state, row[move][1]
            self._compare()
            if difference := compare_results(ours, theirs, thread.name):
                raise Ended(
                    Difference(
                        "result",
                        difference,
                        tuple(self._path),
                        before,
                        {"results": ours},
                        {"results": theirs},
                        self._source,
                    )
                )

    def _other_choice(self, move: Move, theirs: Collection[Move]) -> Difference:
        """A step makes a choice that the model cannot, or none where the model does."""
        name, label = self._path[-1]
        return Difference(
            "choice",
            f"{name}.{label} chooses {', '.join(choice_in(move)) or 'nothing'} in the "
            f"implementation, and {' or '.join(texts(theirs)) or 'nothing'} in the model",
            tuple(self._path[:-1]),
            self._state,
            {name: choice_in(move)},
            {name: texts(theirs)},
            self._source,
        )

    def end(self) -> None:
        """End the run, if it has begun."""
        if self._run is not None:
            self.can_move = {
                thread.name: thread.label for thread in self.run.threads if thread.enabled
            }
            self.done = self.run.done
            self.run.end()

    def _compare(self) -> None:
        if self._rows is None:
            return
        difference = compare_enabled(
            self.run.enabled(), self._rows[self._state], self._names, self.run.labels
        )
        if difference is not None:
            kind, message, ours, theirs = difference
            raise Ended(
                Difference(
                    kind, message, tuple(self._path), self._state, ours, theirs, self._source
                )
            )
        if self._shared_of is not None:
            unequal = compare_shared(self.run.shared(), self._shared_of(self._state))
            if unequal is not None:
                raise Ended(
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

    def _end_of(self, error: StepError) -> Ended:
        return Ended(Difference(error.kind, error.message, tuple(self._path), source=self._source))
