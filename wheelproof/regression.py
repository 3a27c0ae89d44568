"""Regression tests: a schedule that once violated a property, run on the implementation as it is.

`wheelproof export TRACE --to pytest` writes such a test. It needs no Java.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wheelproof import project
from wheelproof.choices import Choice, move_of, of_word, thread_of
from wheelproof.errors import UsageError
from wheelproof.graph.reduced import settle
from wheelproof.project.mechanism import Mechanism
from wheelproof.python import ControlledImplementation, RaceDetector
from wheelproof.python.findings import StepError
from wheelproof.python.search.difference import compare_shared

LONGEST = 10_000
"""Steps after which a run that has not ended is given up."""


class Violated(AssertionError):
    """The schedule violates the property, or leaves the model."""


def check(
    file: str | Path,
    mechanism: str,
    scenario: str,
    violated: str,
    schedule: Sequence[str],
    without: str = "",
) -> int:
    """Run a schedule, then the rest of the scenario, and check the property after each step.

    ``file``: one below the project's folder, such as the test's own. ``schedule``: the threads that
    move, in order, as ``thread=value`` where the step chooses. One that cannot move now is passed
    over, since the mended code may wait there; where the value is none now, the first one is taken.
    ``without``: a decision that the implementation lacks, as the test's control.

    Returns the number of steps. Raises Violated, and UsageError where the names fit no project.
    """
    root = root_of(Path(file))
    mechanisms = project.find(root)
    if mechanism not in mechanisms or scenario not in mechanisms[mechanism].scenarios:
        raise UsageError(f"{root} has no scenario {scenario} of a mechanism {mechanism}.")
    return _Run(mechanisms[mechanism], scenario, violated, without).go(schedule)


def root_of(file: Path) -> Path:
    """The nearest folder above a file that has specifications and implementations."""
    for folder in file.resolve().parents:
        if any((folder / "spec").glob("*.toml")) and (folder / "impl").is_dir():
            return folder
    raise UsageError(f"No folder above {file} has spec/ and impl/.", "Move the test below it.")


class _Run:
    def __init__(
        self, mechanism: Mechanism, scenario: str, property_name: str, without: str
    ) -> None:
        self.property = property_name
        kind = (
            mechanism.properties[property_name].kind
            if property_name in mechanism.properties
            else ""
        )
        self.invariant = kind == "invariant"
        self.race = RaceDetector()
        subject = mechanism.without(without)
        self.execution = ControlledImplementation.load(
            mechanism.root, mechanism.name, texts=subject.modules
        ).begin(mechanism.scenarios[scenario], race=self.race)
        self.model = mechanism.model(scenario)
        self.settled = settle(self.model, mechanism.silent)
        self.state = self.settled(self.model.initial())
        self.steps = 0

    def go(self, schedule: Sequence[str]) -> int:
        try:
            names = [thread.name for thread in self.execution.threads]
            words = [of_word(word, names) for word in schedule]
            if unknown := sorted({name for name, _ in words} - set(names)):
                raise UsageError(f"The scenario has no thread {unknown[0]}.")
            for name, choice in words:
                if (thread := names.index(name)) in self.execution.enabled():
                    self.step(thread, choice)
            while able := self.execution.enabled():
                if self.steps == LONGEST:
                    raise Violated(f"The run has not ended after {LONGEST:,} steps.")
                self.step(min(able))
            if not self.execution.done:
                waiting = ", ".join(
                    f"{name} at {label}"
                    for name, label in zip(names, self.execution.labels, strict=True)
                    if label is not None
                )
                raise Violated(f"Deadlock after step {self.steps}: {waiting}.")
        finally:
            self.execution.end()
        return self.steps

    def step(self, thread: int, choice: Choice = ()) -> None:
        label = self.execution.labels[thread]
        self.steps += 1
        place = f"Step {self.steps}, {self.execution.threads[thread].name}.{label}"
        moves = {
            (move_of(mover, name), str(name)): after
            for mover, name, after in self.model.successors(self.state)
        }
        if not any((thread_of(move), name) == (thread, label) for move, name in moves):
            raise Violated(f"{place}: the model cannot take this step.")
        try:
            self.execution.step((thread, choice) if choice else thread, strict=False)
        except StepError as error:
            raise Violated(f"{place}: {error}") from error
        edge = (thread, self.execution.choice) if self.execution.choice else thread
        if (edge, label) not in moves:
            choice_text = ", ".join(self.execution.choice) or "nothing"
            raise Violated(
                f"{place}: the step chooses {choice_text}, which it cannot in the model."
            )
        self.state = self.settled(moves[edge, label])
        theirs = zip(self.model.variables, self.model.pieces(self.state))
        difference = compare_shared(
            self.execution.shared(),
            {name: value for name, value in theirs if name not in self.model.AUXILIARY},
        )
        if difference:
            raise Violated(f"{place}: the implementation leaves the model: {difference[0]}.")
        if self.race.found:
            raise Violated(f"{place}: {min(self.race.found)}")
        if self.invariant and not self.model.holds(self.property, self.state):
            raise Violated(f"{place}: {self.property} is violated.")
