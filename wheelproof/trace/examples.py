"""A folder of traces to try the checks on: runs that conform, and one of each mutant, made in the
same way on every machine.

A run follows a schedule that the model finds; a mutant's leads to a state in which the mutant's
property fails, and on from there until no thread can move. Where a mechanism takes operations of
another for single steps, the real threads make each such operation at one go. Locks that the model
then does not know of may forbid a schedule: another one is taken.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

from wheelproof import isolated
from wheelproof.errors import UsageError
from wheelproof.project.mechanism import Mechanism, Mutant
from wheelproof.trace.recording.record import Recorded, record
from wheelproof.trace.recording.runs import Infeasible
from wheelproof.trace.violating import Search, TooLarge

LONGEST = 400
"""Steps after which a run is not gone on with."""

TRIES = 20
"""Schedules of a mutant that are given up, one after the other, because locks forbid them."""

BOUND = 100_000
"""States of a mutant's scenario that are explored at most."""


class Unmakable(UsageError):
    """A mutant whose fault the model shows only in runs that the implementation's own locks forbid,
    or that need a memory that delays stores."""


def random_schedule(mechanism: Mechanism, scenario: str, seed: int) -> list[tuple[str, str]]:
    """A random run of the model to its end, as a schedule without silent steps."""
    model, chance = mechanism.model(scenario), random.Random(seed)
    state, out = model.initial(), []
    while moves := list(model.successors(state)):
        thread, label, state = chance.choice(moves)
        if label not in mechanism.silent:
            out.append((model.threads[thread], label))
    return out


def completed(
    mechanism: Mechanism, search: Search, number: int, seed: int
) -> list[tuple[str, str]]:
    """A schedule to a state, and on from there until no thread can move; no silent steps."""
    model, chance, path = search.model, random.Random(seed), search.path(number)
    state = search.states[number]
    while len(path) < LONGEST and (moves := model.successors(state)):
        thread, label, state = chance.choice(moves)
        path.append((thread, label))
    return [
        (model.threads[thread], label) for thread, label in path if label not in mechanism.silent
    ]


def of_mutant(
    mechanisms: Mapping[str, Mechanism], mechanism: str, name: str, seed: int = 1
) -> Recorded:
    """A run of a mutant in its scenario, through a state in which its property fails; of an
    equivalent one through the last state found.

    Raises UsageError where the scenario is larger than can be explored here, or the property fails
    nowhere.
    """
    subject = mechanisms[mechanism]
    mutant = subject.mutants[name]
    if mutant.data_race and getattr(
        isolated.load(subject.root, f"harness.{mechanism}"), "MEMORY", None
    ):
        raise Unmakable(
            f"What {name} does wrong shows where memory delays stores, and those of recorded "
            "threads are seen at once: its traces conform."
        )
    search = Search(subject.without(mutant.decision).model(mutant.scenario), BOUND)
    try:
        return _violating(mechanisms, mechanism, mutant, search, seed)
    except TooLarge as error:
        raise UsageError(
            f"The scenario of {name} has {error}.", "Record a counterexample with --schedule."
        ) from error


def _violating(
    mechanisms: Mapping[str, Mechanism], mechanism: str, mutant: Mutant, search: Search, seed: int
) -> Recorded:
    subject, name = mechanisms[mechanism], mutant.name
    forbidden: list[list[tuple[str, str]]] = []
    for number in (
        search.failing(mutant.property) if mutant.property else deque(search.all(), maxlen=1)
    ):
        schedule = completed(subject, search, number, seed)
        if any(schedule[: len(begin)] == begin for begin in forbidden):
            continue
        try:
            return record(
                mechanisms,
                mechanism,
                mutant.scenario,
                f"{mechanism}-{name}",
                mutant=mutant.decision,
                schedule=schedule,
            )
        except Infeasible as error:
            forbidden.append(schedule[: error.steps])
            if len(forbidden) == TRIES:
                raise
    if forbidden:
        raise Unmakable(
            f"No run of {mutant.scenario} in which {mutant.property} of the mutant {name} fails "
            "can be made: locks forbid all that were found."
        )
    raise UsageError(f"{mutant.property} fails nowhere in {mutant.scenario} of the mutant {name}.")


def examples(
    mechanisms: Mapping[str, Mechanism], mechanism: str, seed: int = 1
) -> Iterator[tuple[str, Recorded]]:
    """(name of the file, trace) of a mechanism's examples: its fast scenarios that keep all
    properties, then its mutants, but for those whose faults no recording can show."""
    subject = mechanisms[mechanism]
    scenarios = dict.fromkeys(
        config.scenario
        for config in subject.configs.values()
        if config.profile == "fast"
        and config.expect == "exhaustive"
        and not config.module
        and not config.property
        and not config.fails
    )
    for scenario in scenarios:
        yield (
            f"{mechanism}-{scenario}",
            record(
                mechanisms,
                mechanism,
                scenario,
                f"{mechanism}-{scenario}",
                schedule=random_schedule(subject, scenario, seed),
            ),
        )
    for name, mutant in subject.mutants.items():
        if (
            mutant.property
            and not mutant.untraced
            and mutant.profile == "fast"
            and subject.properties[mutant.property].kind != "liveness"
        ):
            try:
                yield f"{mechanism}-mutant-{name}", of_mutant(mechanisms, mechanism, name, seed)
            except Unmakable:
                continue


def write(
    folder: Path, mechanisms: Mapping[str, Mechanism], mechanism: str, seed: int = 1
) -> list[tuple[Path, Recorded]]:
    """Write the examples as JSON Lines; their paths, with their recordings. Raises ToolError."""
    out = []
    for name, recording in examples(mechanisms, mechanism, seed):
        path = folder / f"{name}.jsonl"
        recording.write(path)
        out.append((path, recording))
    return out
