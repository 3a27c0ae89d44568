"""Recordings to try the follower on: runs of a mechanism's scenarios, and one of each mutant."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from wheelproof.choices import move_of
from wheelproof.errors import UsageError
from wheelproof.graph.reduced import settle
from wheelproof.project.mechanism import Mechanism
from wheelproof.protocols import Model, State
from wheelproof.trace.examples import (
    BOUND,
    Unmakable,
    completed,
    random_schedule,
)
from wheelproof.trace.steps.format import Recording
from wheelproof.trace.steps.loading import Subject
from wheelproof.trace.steps.record import record
from wheelproof.trace.steps.recorder import Recorder
from wheelproof.trace.violating import Search, TooLarge

LIMIT = 2_000
"""Events of a mutant's run, which need not end."""


def of_mutant(mechanism: Mechanism, name: str, seed: int = 1) -> Recording:
    """A run of a mutant in its scenario, by a schedule of the mutant's model: through a state in
    which its property fails; of one that breaks a liveness property, or none, through the
    first state in which other steps can be taken than in the mechanism's own model.

    Raises Unmakable where real threads cannot show the fault, UsageError where the scenario is
    larger than can be explored here.
    """
    mutant = mechanism.mutants[name]
    if mutant.data_race and Subject(mechanism, Recorder()).delays:
        raise Unmakable(
            f"What {name} does wrong shows where memory delays stores, "
            "and real threads see those at once."
        )
    actors = mechanism.without(mutant.decision)
    search = Search(actors.model(mutant.scenario), BOUND)
    try:
        if mutant.property and mechanism.properties[mutant.property].kind != "liveness":
            number = next(search.failing(mutant.property), None)
            missing = f"{mutant.property} fails nowhere in {mutant.scenario} of {name}."
        else:
            settled_state = settle(mechanism.model(mutant.scenario), mechanism.silent)
            number = _parting(
                search, actors.silent, mechanism.model(mutant.scenario), settled_state
            )
            missing = f"{name} takes the same steps as the mechanism in {mutant.scenario}."
    except TooLarge as error:
        raise UsageError(f"The scenario of {name} has {error}.") from error
    if number is None:
        raise UsageError(missing)
    schedule = completed(actors, search, number, seed)
    run_id = f"{mechanism.name}-{name}"
    return record(
        mechanism,
        mutant.scenario,
        run_id,
        mutant=mutant.decision,
        schedule=schedule,
        seed=seed,
        limit=LIMIT,
    )


def _parting(
    search: Search, silent: frozenset[str], model: Model, settle_state: Callable[[State], State]
) -> int | None:
    """The first state of a mutant's graph in which other steps can be taken than in the
    mechanism's own model, which has come there by the same steps; None if there is none."""
    start = (0, settle_state(model.initial()))
    visits, waiting = {start}, deque([start])
    while waiting:
        number, original = waiting.popleft()
        row = search.edges(number)
        quiet = [after for _, label, after in row if label in silent]
        moves = {
            (move_of(thread, label), str(label)): settle_state(after)
            for thread, label, after in model.successors(original)
        }
        if (
            not quiet
            and {(move_of(step[0], step[1]), str(step[1])) for step in row} != moves.keys()
        ):
            return number
        if quiet:
            following = [(quiet[0], original)]
        else:
            following = [
                (after, moves[move_of(thread, label), str(label)]) for thread, label, after in row
            ]
        fresh = [pair for pair in following if pair not in visits]
        visits.update(fresh)
        waiting.extend(fresh)
    return None


def examples(mechanism: Mechanism, seed: int = 1) -> Iterator[tuple[str, Recording]]:
    """(name of the file, recording): of each fast scenario that ends a free run and one by a
    random schedule of the model, then of the mutants that break a safety property.

    There is no free run where the harness has ``BY_SCHEDULE``.
    """
    free = not hasattr(Subject(mechanism, Recorder()).harness_module, "BY_SCHEDULE")
    for scenario in ending(mechanism):
        name = f"{mechanism.name}-{scenario}"
        if free:
            yield name, record(mechanism, scenario, name, seed=seed)
        schedule = random_schedule(mechanism, scenario, seed)
        yield f"{name}-scheduled", record(mechanism, scenario, name, schedule=schedule)
    for name, mutant in mechanism.mutants.items():
        safety = mutant.property and mechanism.properties[mutant.property].kind != "liveness"
        if safety:
            try:
                yield f"{mechanism.name}-mutant-{name}", of_mutant(mechanism, name, seed)
            except Unmakable:
                continue


def write(folder: Path, mechanism: Mechanism, seed: int = 1) -> list[tuple[Path, Recording]]:
    """Write the examples as JSON Lines; their paths, with their recordings. Raises ToolError."""
    out = []
    for name, recording in examples(mechanism, seed):
        path = folder / f"{name}.jsonl"
        recording.write(path)
        out.append((path, recording))
    return out


def ending(mechanism: Mechanism) -> list[str]:
    """The scenarios of the fast configs that keep all properties and that come to an end."""
    scenarios = dict.fromkeys(
        config.scenario
        for config in mechanism.configs.values()
        if config.profile == "fast"
        and config.expect == "exhaustive"
        and not (config.module or config.property or config.fails)
    )
    return [scenario for scenario in scenarios if _ends(mechanism.model(scenario))]


def _ends(model: Model) -> bool:
    """Whether a random run of the model ends."""
    chance, state = random.Random(0), model.initial()
    for _ in range(LIMIT):
        moves = list(model.successors(state))
        if not moves:
            return True
        state = chance.choice(moves)[2]
    return False
