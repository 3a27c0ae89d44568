"""Recordings for the tests: schedules that the model finds, programs for many threads, and the
files that both become."""

from __future__ import annotations

import random
import tomllib
from functools import cache
from pathlib import Path

from model.pluscal import DONE
from tests.found import mechanisms
from wheelproof.trace import examples
from wheelproof.trace.recording.record import Recorded, record

ROOT = Path(__file__).parents[3]
NAME = "timer_task_list"

REFUSED = {
    (mechanism, name): rule
    for mechanism, rules in tomllib.loads(
        (Path(__file__).parent / "refused.toml").read_text(encoding="utf-8")
    ).items()
    for name, rule in rules.items()
}
"""(mechanism, mutant) -> the rule of the table that refuses its recorded run first."""


def refused(mechanism: str) -> dict[str, str]:
    """Mutant of a mechanism -> the rule that refuses its recorded run first."""
    return {name: rule for (of, name), rule in REFUSED.items() if of == mechanism}


@cache
def mutant_of(mechanism: str, name: str, seed: int = 1) -> Recorded:
    """A run of a mutant in its scenario, through a state in which its property fails.

    The tests of all files share it: change it in none.
    """
    return examples.of_mutant(mechanisms(), mechanism, name, seed)


def of_mutant(name: str, seed: int = 1) -> Recorded:
    """Such a run of a mutant of timer_task_list."""
    return mutant_of(NAME, name, seed)


def random_steps(scenario: str, seed: int) -> list[tuple[int, str, object]]:
    """A random run of the model to its end: (thread's index, label, state after)."""
    model = mechanisms()[NAME].model(scenario)
    state, chance, out = model.initial(), random.Random(seed), []
    while moves := list(model.successors(state)):
        out.append(chance.choice(moves))
        state = out[-1][2]
    return out


def random_run(scenario: str, seed: int) -> Recorded:
    """The same run of the implementation."""
    mechanism = mechanisms()[NAME]
    names = mechanism.model(scenario).threads
    schedule = [
        (names[thread], label)
        for thread, label, _ in random_steps(scenario, seed)
        if label not in mechanism.silent
    ]
    return record(mechanisms(), NAME, scenario, f"{scenario}-{seed}", schedule=schedule)


def busy(operations: int, seed: int) -> dict:
    """A scenario of eight threads: seven schedule and cancel, one flushes the lists upwards and
    expires the last one."""
    chance, lists, task_of, threads = random.Random(seed), [f"l{i}" for i in range(8)], {}, {}
    for thread in range(8):
        program: list[list[str]] = []
        mine: list[str] = []
        for number in range(operations if thread else operations // 10):
            if not thread:
                below = chance.randrange(8)
                program.append(
                    ["expire", lists[7]]
                    if below == 7
                    else ["flush", lists[below], lists[below + 1]]
                )
            elif mine and chance.random() < 0.4:
                program.append(["cancel", chance.choice(mine)])
            else:
                entry, task = (
                    f"e{thread}_{number}",
                    f"t{thread}_{chance.randrange(operations // 4 + 1)}",
                )
                task_of[entry] = task
                mine.append(task)
                program.append(["schedule", chance.choice(lists), entry])
        threads[f"w{thread}"] = program
    return {
        "lists": lists,
        "task_of": task_of,
        "ring": {name: [] for name in lists},
        "current": [],
        "threads": threads,
    }


def of_turns(name: str, scenario: dict, seed: int) -> Recorded:
    """A run of a program whose threads take turns as the model's might, by the seed: it is the same
    whatever pace a machine gives to threads."""
    mechanism = mechanisms()[name]
    model, chance = mechanism.model_of(scenario), random.Random(seed)
    schedule, left = [], list(range(len(model.threads)))
    while left:
        thread = chance.choice(left)
        if label := model.step(thread):
            schedule.append((model.threads[thread], label))
        left = [other for other in left if model.processes[other].pc != DONE]
    return record(
        mechanisms(),
        name,
        scenario,
        f"turns-{seed}",
        schedule=[step for step in schedule if step[1] not in mechanism.silent],
    )
