"""Small runs of module TimerTaskList: the system that is generated of it, and reached states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from proofs.timer_task_list.rings import Rings
from proofs.timer_task_list.words import WORDS
from wheelproof.prove import variants
from wheelproof.prove.module import runs, systems
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import Compiled, State
from wheelproof.tla.model import Compiled as Specification

NAME = "timer_task_list"


@cache
def system(old: str = "", new: str = "", base: type = Rings) -> type[Rings]:
    """The module's system, or that of the module with one text of its translation replaced.

    ``base``: its ghosts and conjuncts. Raises ValueError where the text is not there exactly once.
    """
    result = systems.made("TimerTaskListModule", specification(old, new).module, WORDS, base)
    assert issubclass(result, Rings)
    return result


def specification(old: str = "", new: str = "") -> Specification:
    """The module, compiled."""
    return variants.specification(NAME, ((old, new),) if old else ())


@cache
def compiled(old: str = "", new: str = "", base: type = Rings) -> Compiled:
    return Compiled(system(old, new, base)())


@dataclass(frozen=True)
class Rung:
    """A small scenario: list -> entries, entry -> task, thread -> operations."""

    ring: tuple[tuple[str, str], ...]
    task_of: tuple[tuple[str, str], ...]
    threads: tuple[tuple[str, str], ...]

    def program(self) -> dict[str, Any]:
        ring = {name: members.split() for name, members in self.ring}
        entries = [entry for members in ring.values() for entry in members]
        task_of = dict(self.task_of)
        first = {task_of[entry]: entry for entry in reversed(entries)}
        return {
            "lists": [*ring],
            "task_of": task_of,
            "ring": ring,
            "current": [*first.values()] or [*task_of][:1],
            "threads": {
                name: [step.split() for step in steps.split("; ")] for name, steps in self.threads
            },
        }


def rung(ring: Mapping[str, str], task_of: Mapping[str, str], **threads: str) -> Rung:
    return Rung(tuple(ring.items()), tuple(task_of.items()), tuple(threads.items()))


ONE = {"e1": "t1"}
SMALL = (
    rung({"l1": "e1", "l2": ""}, ONE, a="expire l1", b="remove e1"),
    rung({"l1": "", "l2": ""}, ONE, a="add l1 e1", b="add l2 e1"),
    rung({"l1": "e1", "l2": ""}, ONE, a="flush l1 l2", b="cancel t1"),
    rung({"l1": "e1"}, {"e1": "t1", "e2": "t1"}, a="schedule l1 e2"),
    rung({"l1": ""}, {"e1": "t1", "e2": "t2"}, a="schedule l1 e2", b="cancel t2"),
)
"""Scenarios in which every way is taken."""


def ghosts(placement: Placed, program: Mapping[str, Any]) -> State:
    """The start of a scenario with its ghosts: its rings as the scenario has them."""
    ring = program["ring"]
    return placement.instance.state(
        placement.values(placement.model.initial())
        | {
            "linked": {e: {l: True} for l, members in ring.items() for e in members},
            "place": {e: i for members in ring.values() for i, e in enumerate(members)},
            "places": 1 + max(map(len, ring.values())),
            "size": sum(map(len, ring.values())),
            "uncounted": 0,
            "overcounted": 0,
            "home": {},
            "holder": {},
        }
    )


class Reached(runs.Reached):
    """The states of one small scenario, breadth first, with the ghosts that the start has."""

    def __init__(
        self,
        source: Rung | Mapping[str, Any],
        old: str = "",
        new: str = "",
        bound: int = 20_000,
        base: type = Rings,
    ) -> None:
        self.program = program = source.program() if isinstance(source, Rung) else source
        mechanism = variants.mechanisms()[NAME]
        constants = mechanism.constants_of(program)
        model = specification(old, new).model(constants, tuple(program["threads"]))
        placement = Placed(compiled(old, new, base), model, constants)
        super().__init__(placement, ghosts(placement, program), bound)


@cache
def witnesses(base: type = Rings) -> dict[str, Reached]:
    """For each way a scenario, and in it a state, in which it is taken."""
    return runs.of_ways(
        (Reached(program, base=base) for program in SMALL), system(base=base).actions()
    )
