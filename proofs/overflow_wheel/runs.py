"""Small runs of module OverflowWheel: the systems that are generated of it, and reached states."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from proofs.overflow_wheel.published import Published
from proofs.overflow_wheel.words import NAME, NAMED, WORDS
from wheelproof.prove import variants
from wheelproof.prove.invariant.runs import START, Reached
from wheelproof.prove.module import systems
from wheelproof.prove.module.closing import Closed
from wheelproof.prove.ts.concrete import Compiled, State
from wheelproof.prove.variants import Changes
from wheelproof.tla.model import Compiled as Specification

NUMBERS = 8
"""Places in the buffer and in programs are below it."""


@cache
def system(of: Any = Published, changes: Changes = ()) -> type[Published]:
    """The module's system, or that of the module with texts replaced.

    ``of``: its ghosts and conjuncts. Raises ValueError where a text is not there exactly once.
    """
    made = systems.made("OverflowWheelModule", specification(changes).module, WORDS, of)
    assert issubclass(made, Published)
    return made


def specification(changes: Changes = ()) -> Specification:
    """The module, compiled."""
    return variants.specification(NAME, changes)


@cache
def compiled(of: Any = Published, changes: Changes = ()) -> Compiled:
    return Compiled(system(of, changes)())


def scenario(wheels: str = "", linked: bool = False, **threads: str) -> dict[str, Any]:
    """A scenario as plain data. ``threads``: thread -> its steps, as a scenario file has them.

    ``wheels``: their names. A thread's stores into a field reach memory by a process of its own:
    those of wheels' times, or of what ``memory`` names: ``memory="a list; b list"``.
    """
    memory = threads.pop("memory", "; ".join(f"{name} current_time" for name in threads))
    steps = {name: [each.split() for each in of.split("; ")] for name, of in threads.items()}
    for each in memory.split("; ") if memory else ():
        thread, field = each.split()
        steps[f"{thread}.{field}"] = [["memory", thread, field]]
    return {"wheels": wheels.split(), "linked": linked, "threads": steps}


class Here(Closed):
    """The system at a scenario's size."""

    PLACES = {"slot": "buffer"}


def operations(program: Mapping[str, Any], name: str) -> tuple[str | None, int]:
    """The last operation of this kind in a scenario: its thread, and its place from 1."""
    found: tuple[str | None, int] = (None, 0)
    for thread, steps in program["threads"].items():
        for number, step in enumerate(steps, 1):
            if step[0] == name:
                found = thread, number
    return found


def elements(program: Mapping[str, Any]) -> dict[str, Any]:
    """Wheels, the other things that have names, and numbers."""
    return {"Thing": tuple(dict.fromkeys((*program["wheels"], *NAMED))), "Int": range(NUMBERS)}


def placed(program: Mapping[str, Any], of: Any = Published, changes: Changes = ()) -> Here:
    """The system at a scenario's size. ValueError: the scenario is assumed away."""
    constants = variants.mechanisms()[NAME].constants_of(program)
    model = specification(changes).model(constants, tuple(program["threads"]))
    (adder, adding), (canceller, cancelling) = (
        operations(program, name) for name in ("add", "cancel")
    )
    rigid = {
        "Adder": adder,
        "Adding": adding,
        "Canceller": canceller,
        "Cancelling": cancelling,
    }
    return Here(
        compiled(of, changes),
        model,
        constants,
        elements(program),
        **{name: value for name, value in rigid.items() if name in of.RIGID},
    )


def reached(
    program: Mapping[str, Any], of: Any = Published, changes: Changes = (), bound: int = 20_000
) -> Reached:
    """The states of the module in a scenario, with the ghost."""
    return Reached(placed(program, of, changes), {"slot": 0}, bound)


SMALL = (
    scenario("w1 w2", a="place a", b="place b"),
    scenario(a="add; check", b="cancel", memory=""),
    scenario(linked=True, a="check", b="cancel", memory="a list"),
)
"""Scenarios in which every label is taken."""


@cache
def witnesses(of: Any = Published) -> dict[str, tuple[Reached, State]]:
    """For each label a scenario, and in it a state, in which it is taken; and a start."""
    found: dict[str, tuple[Reached, State]] = {}
    for program in SMALL:
        run = reached(program, of)
        found.setdefault(START, (run, run.start))
        for edge in run.edges():
            found.setdefault(edge.label, (run, edge.before))
    return found
