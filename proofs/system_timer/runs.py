"""Small runs of module SystemTimer: the system that is generated of it, and reached states."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import z3

from proofs.system_timer.links import Linked
from proofs.system_timer.words import WORDS
from wheelproof.prove import variants
from wheelproof.prove.module import runs, systems
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import Compiled, State
from wheelproof.tla.model import Compiled as Specification

NAME = "system_timer"


@cache
def system(old: str = "", new: str = "", base: type = Linked) -> type[Linked]:
    """The module's system, or that of the module with one text of its translation replaced.

    ``base``: its ghosts and conjuncts. Raises ValueError where the text is not there exactly once.
    """
    result = systems.made("SystemTimerModule", specification(old, new).module, WORDS, base)
    assert issubclass(result, Linked)
    return result


def specification(old: str = "", new: str = "") -> Specification:
    """The module, compiled."""
    return variants.specification(NAME, ((old, new),) if old else ())


@cache
def compiled(old: str = "", new: str = "", base: type = Linked) -> Compiled:
    return Compiled(system(old, new, base)())


def scenario(
    deadlines: Mapping[str, int], tasks: str = "", size: int = 2, levels: int = 1, **threads: str
) -> dict[str, Any]:
    """A small scenario: entry -> deadline, entries' tasks in order, thread -> operations."""
    return {
        "timer": "SystemTimer",
        "wheel_size": size,
        "levels": levels,
        "task_of": dict(zip(deadlines, tasks.split() or deadlines, strict=True)),
        "deadline": dict(deadlines),
        "threads": {
            name: [step.split() for step in steps.split("; ")] for name, steps in threads.items()
        },
    }


SMALL = (
    scenario({"far": 3}, levels=2, a="add far", c="tick; tick; tick", r="reap"),
    scenario({"one": 1}, "x", a="add one", b="cancel x", c="close"),
    scenario({"one": 1, "two": 1}, "x x", a="add one; add two", c="tick", r="reap"),
    scenario({"one": 0}, "x", a="add one", b="execute", c="close"),
    scenario({"one": 1}, "x", a="add one", b="cancel x", c="tick", r="reap"),
)
"""Scenarios in which every way is taken, but for those that no thread takes."""
OF_KAFKA = scenario({"one": 1}, a="add one", b="close", c="tick", r="reap") | {
    "timer": "KafkaTimer"
}
"""A scenario in which every way is taken that Kafka's timer alone takes."""


def small(timers: tuple[str, ...]) -> list[dict[str, Any]]:
    """The small scenarios of these timers. Kafka's alone has those of the corrected one too."""
    if "SystemTimer" in timers:
        return [scenario for scenario in (*SMALL, OF_KAFKA) if scenario["timer"] in timers]
    return [scenario | {"timer": "KafkaTimer"} for scenario in (*SMALL, OF_KAFKA)]


def placed(program: Mapping[str, Any], old: str = "", new: str = "", base: type = Linked) -> Placed:
    """The module's system at the size of a scenario. Raises ValueError where it is none."""
    mechanism = variants.mechanisms()[NAME]
    constants = mechanism.constants_of(program)
    model = specification(old, new).model(constants, tuple(program["threads"]))
    steps = [
        (thread, turn, step)
        for thread, steps in program["threads"].items()
        for turn, step in enumerate(steps, 1)
    ]
    size = program["wheel_size"]
    buckets = range(1, size * program["levels"] + 1)
    reapers = [thread for thread, _, step in steps if step[0] == "reap"]
    adds = [(step[1], thread, turn) for thread, turn, step in steps if step[0] == "add"]
    return Placed(
        compiled(old, new, base),
        model,
        constants,
        reaper=(reapers or [*program["threads"]])[0],
        thread_of={entry: thread for entry, thread, _ in adds},
        turn_of={entry: turn for entry, _, turn in adds},
        level_of={b: (b - 1) // size + 1 for b in buckets},
        slot_of={b: (b - 1) % size for b in buckets},
        tick_of={b: size ** ((b - 1) // size) for b in buckets},
    )


def ghosts(here: Placed) -> State:
    """The start of a scenario with its ghosts."""
    assert isinstance(here.system, Linked)
    programs = here.constants["Program"].values()
    adds = [step[1] for program in programs for step in program if step[0] == "add"]
    return blank(here, here.model.initial(), here.system.at_start(adds))


def blank(here: Placed, model_state: Any, ghosts: Mapping[str, Any] = {}) -> State:
    """A state of the compiled module with ghosts: these, and the others blank."""
    values = here.values(model_state) | {**ghosts}
    missing: dict[str, Any] = {
        name: False if z3.is_bool(z3.Const(name, sort)) else {}
        for name, sort in here.system.VARIABLES.items()
        if name not in values
    }
    return here.instance.state(values | missing)


class ReachedTimer(runs.Reached):
    """The states of one small scenario, breadth first."""

    def __init__(
        self,
        program: Mapping[str, Any],
        old: str = "",
        new: str = "",
        bound: int = 20_000,
        base: type = Linked,
    ) -> None:
        here = placed(program, old, new, base)
        super().__init__(here, ghosts(here), bound)


@cache
def witnesses(base: type = Linked) -> dict[str, ReachedTimer]:
    """For each way a scenario, and in it a state, in which it is taken."""
    kind = system(base=base)
    return runs.of_ways(
        (ReachedTimer(program, base=base) for program in small(kind.TIMERS)), kind.actions()
    )
