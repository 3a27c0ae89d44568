"""Small runs of module OverflowWheel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs.overflow_wheel.words import NAMED
from wheelproof.prove.module.closing import Closed

NUMBERS = 8
"""Places in the buffer and in programs are below it."""


def scenario(wheels: str = "", linked: bool = False, **threads: str) -> dict[str, Any]:
    """A scenario as plain data. ``threads``: thread -> its steps, as a scenario file has them.

    ``wheels``: their names. A thread's stores into a field reach memory by a process of its own:
    those of wheels' times, or of the fields of ``memory``: ``memory="a list; b list"``.
    """
    memory = threads.pop("memory", "; ".join(f"{name} current_time" for name in threads))
    steps = {name: [word.split() for word in text.split("; ")] for name, text in threads.items()}
    for word in memory.split("; ") if memory else ():
        thread, field = word.split()
        steps[f"{thread}.{field}"] = [["memory", thread, field]]
    return {"wheels": wheels.split(), "linked": linked, "threads": steps}


class Here(Closed):
    """The system at a scenario's size."""

    PLACES = {"slot": "buffer"}


def operations(program: Mapping[str, Any], name: str) -> tuple[str | None, int]:
    """The last operation of this kind in a scenario: its thread, and its place from 1."""
    last: tuple[str | None, int] = (None, 0)
    for thread, steps in program["threads"].items():
        for number, step in enumerate(steps, 1):
            if step[0] == name:
                last = thread, number
    return last


def elements(program: Mapping[str, Any]) -> dict[str, Any]:
    """Wheels, the other things that have names, and numbers."""
    return {"Thing": tuple(dict.fromkeys((*program["wheels"], *NAMED))), "Int": range(NUMBERS)}


def rigid(program: Mapping[str, Any]) -> dict[str, Any]:
    """The last add and the last cancel: thread and place."""
    (adder, adding), (canceller, cancelling) = (
        operations(program, name) for name in ("add", "cancel")
    )
    return {
        "Adder": adder,
        "Adding": adding,
        "Canceller": canceller,
        "Cancelling": cancelling,
    }


SMALL = (
    scenario("w1 w2", a="place a", b="place b"),
    scenario(a="add; check", b="cancel", memory=""),
    scenario(linked=True, a="check", b="cancel", memory="a list"),
)
"""Scenarios in which every label is taken."""
