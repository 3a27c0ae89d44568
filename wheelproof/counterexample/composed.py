"""A data race of a composed run: an implementation with the steps of lower mechanisms.

The model takes an operation of a lower mechanism for one step, so that no run of the model has
these steps. The file has the implementation's own, with the changes that its harness shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wheelproof.counterexample.document import Counterexample, Step
from wheelproof.counterexample.places import place_texts, plain
from wheelproof.errors import ToolError
from wheelproof.project.mechanism import Composed, Mechanism
from wheelproof.protocols import Model, Values
from wheelproof.python import (
    ControlledImplementation,
    RaceDetector,
    Replay,
    Taken,
    replay,
)
from wheelproof.python.search.runner import Racing

LAYER = "composition"
RACE = "NoDataRace"


def build(
    mechanism: Mechanism, entry: Composed, schedule: tuple[str, ...]
) -> Counterexample | None:
    """The counterexample of a schedule of the composed implementation, up to its first race.

    None where the schedule has none.
    """
    run, racing = _run(mechanism, entry, schedule)
    if racing is None:
        return None
    model = mechanism.model(entry.scenario)
    steps = run.steps[: len(racing.schedule)]
    return Counterexample(
        mechanism=mechanism.name,
        layer=LAYER,
        name=entry.name,
        scenario=entry.scenario,
        property=RACE,
        explanation=str(racing.race),
        threads=model.threads,
        initial=place_texts(model, run.initial),
        steps=tuple(_steps(model, run.initial, steps, racing.accesses)),
        impl_without=entry.mutant,
    )


def again(mechanism: Mechanism, counterexample: Counterexample, until: int | None) -> int | None:
    """Run a file's schedule again, up to a step; the number of the race's second access.

    None where it stopped before. Raises ToolError where the run goes another way than the file
    says, or has no race there.
    """
    entry = mechanism.composed.get(counterexample.name)
    if entry is None:
        raise ToolError(
            f"{mechanism.name} has no composed run {counterexample.name}.",
            "Make the counterexample anew with `wheelproof verify`.",
        )
    last = len(counterexample.steps) if until is None else until
    schedule = tuple((step.thread, step.label) for step in counterexample.steps[:last])
    run, racing = _run(mechanism, entry, schedule)
    model = mechanism.model(entry.scenario)
    for number, (step, repeat) in enumerate(
        zip(counterexample.steps, _steps(model, run.initial, run.steps, {}), strict=False), 1
    ):
        if dict(repeat.changes) != dict(step.changes):
            raise ToolError(
                f"Step {number}, {step.thread}.{step.label}, changes {dict(repeat.changes)}, in "
                f"the file {dict(step.changes)}.",
                "Make the counterexample anew with `wheelproof verify`.",
            )
    if last < len(counterexample.steps):
        values = run.steps[last - 1].shared if last else run.initial
        print(f"stopped after step {last} of {len(counterexample.steps)}:")
        for place, text in place_texts(model, values).items():
            print(f"  {place} = {plain(text)}")
        return None
    if racing is None or len(racing.schedule) != len(counterexample.steps):
        raise ToolError(
            "No two accesses are unordered at the last step.",
            "Make the counterexample anew with `wheelproof verify`.",
        )
    print(racing.race)
    return last


def _run(
    mechanism: Mechanism, entry: Composed, schedule: tuple[str | tuple[str, str], ...]
) -> tuple[Replay, Racing | None]:
    """The schedule on the composed implementation, with a detector of its own."""
    mutation = mechanism.without(entry.mutant)
    implementation = ControlledImplementation.load(
        mechanism.root, mechanism.name, texts=mutation.modules, atomicity="COMPOSED"
    )
    race = RaceDetector()
    run = replay(implementation, mechanism.scenarios[entry.scenario], schedule, race=race)
    if race.met is None:
        return run, None
    names = tuple(step.thread for step in run.steps[: race.met.second])
    return run, Racing(race.met.race, names, race.met.first)


def _steps(
    model: Model,
    initial: Mapping[str, Values],
    steps: tuple[Taken, ...],
    accesses: Mapping[int, str],
) -> Iterator[Step]:
    before = place_texts(model, initial)
    for number, step in enumerate(steps, 1):
        after = place_texts(model, step.shared)
        changes = {
            place: (before[place], text) for place, text in after.items() if text != before[place]
        }
        access = accesses.get(number, "")
        yield Step(step.thread, step.label, step.kind, step.source, changes, access)
        before = after
