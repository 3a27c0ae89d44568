"""Small runs of module DelayedOperation: the system that is generated of it, and reached states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from proofs.delayed_operation.links import Linked
from proofs.delayed_operation.words import WORDS
from wheelproof.prove import variants
from wheelproof.prove.module import runs, systems
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import Compiled
from wheelproof.tla.model import Compiled as Specification

NAME = "delayed_operation"


@cache
def system(old: str = "", new: str = "") -> type[Linked]:
    """The module's system, or that of the module with one text of its translation replaced.

    Raises ValueError where the text is not there exactly once.
    """
    result = systems.made("DelayedOperationModule", specification(old, new).module, WORDS, Linked)
    assert issubclass(result, Linked)
    return result


def specification(old: str = "", new: str = "") -> Specification:
    """The module, compiled."""
    return variants.specification(NAME, ((old, new),) if old else ())


@cache
def compiled(old: str = "", new: str = "") -> Compiled:
    return Compiled(system(old, new)())


@dataclass(frozen=True)
class Rung:
    """A small scenario: operation -> protocol and conditions, thread -> its steps.

    ``completes``: operation -> the one that its onComplete completes. ``locking``: operations whose
    onComplete takes the callers' lock.
    """

    operations: tuple[tuple[str, str], ...]
    threads: tuple[tuple[str, str], ...]
    completes: tuple[tuple[str, str], ...] = ()
    locking: tuple[str, ...] = ()

    def program(self) -> dict[str, Any]:
        operations = {name: text.split() for name, text in self.operations}
        completes = dict(self.completes)
        return {
            "protocol": {name: words[0] for name, words in operations.items()},
            "needs": {name: words[1:] for name, words in operations.items()},
            "completes": {
                name: [completes[name]] if name in completes else [] for name in operations
            },
            "raises": [],
            "locking": [*self.locking],
            "locks": ["outer"],
            "outer_of": {},
            "guard": {},
            "threads": {
                name: [step.split() for step in steps.split("; ")] for name, steps in self.threads
            },
        }


def rung(operations: Mapping[str, str], completes: Mapping[str, str], **threads: str) -> Rung:
    return Rung(tuple(operations.items()), tuple(threads.items()), tuple(completes.items()))


PROTOCOLS = ("TryOnce", "TryPending", "LockedTry", "CheckedTry", "Blocking")
EVERY_LABEL = Rung(
    (
        ("TryOnce", "TryOnce c1 c7"),
        ("TryPending", "TryPending c2"),
        ("LockedTry", "LockedTry c3"),
        ("CheckedTry", "CheckedTry c4"),
        ("Blocking", "Blocking c5"),
        ("further", "TryOnce c6"),
    ),
    (
        (
            "a",
            "deliver c2 TryPending; deliver c1 TryOnce; deliver c3 LockedTry; "
            "deliver c4 CheckedTry; deliver c5 Blocking; expire TryOnce; hold further; "
            "deliver_holding c6 further; deliver_after c6 further",
        ),
        ("b", "attempt TryPending"),
    ),
    locking=("TryPending",),
)
"""A scenario in which every label is taken. The operations have their protocols' names."""


def placed(
    program: Mapping[str, Any], viewed: str, compilation: Compiled | None = None, model: Any = None
) -> Placed:
    """The system at a scenario's size, with an operation viewed."""
    constants = variants.mechanisms()[NAME].constants_of(program)
    compiled_model = model or specification().model(constants, tuple(program["threads"]))
    places = {name: place for place, name in enumerate(program["needs"][viewed], 1)}
    return Placed(compilation or compiled(), compiled_model, constants, viewed=viewed, place=places)


class Reached(runs.Reached):
    """The states of one small scenario, breadth first, with the ghosts that the start has."""

    def __init__(
        self, rung: Rung, viewed: str, old: str = "", new: str = "", bound: int = 20_000
    ) -> None:
        program = rung.program()
        constants = variants.mechanisms()[NAME].constants_of(program)
        model = specification(old, new).model(constants, tuple(program["threads"]))
        here = placed(program, viewed, compiled(old, new), model)
        ghosts: dict[str, Any] = {name: {} for name in Linked.VARIABLES}
        super().__init__(here, here.instance.state(here.values(model.initial()) | ghosts), bound)


@cache
def witnesses(viewed: str) -> Reached:
    """The scenario with an operation viewed, and a state for each label in which it is taken."""
    exploration = Reached(EVERY_LABEL, viewed)
    exploration.note_labels()
    return exploration
