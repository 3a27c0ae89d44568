"""Small runs of module Purgatory: the system that is generated of it, and reached states."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from proofs.purgatory.links_lists import Linked
from proofs.purgatory.words import WORDS
from wheelproof.prove import variants
from wheelproof.prove.module import levels, runs, systems
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import Compiled
from wheelproof.prove.variants import Changes
from wheelproof.tla.model import Compiled as Specification

NAME = "purgatory"
SCENARIO = {
    "protocol": "Blocking",
    "need": {"o": "c"},
    "keys_of": {"o": ["k"]},
    "adds": {"o": []},
    "raises": [],
    "locking": [],
    "keys": {"k": 0},
    "shards": 1,
    "interval": 0,
    "timer": "abstract",
}
"""The fields of a scenario that does not give them."""


@cache
def system(changes: Changes = ()) -> type[Linked]:
    """The module's system, or that of the module with texts of its translation replaced.

    Raises ValueError where a text is not there exactly once.
    """
    result = systems.made("PurgatoryModule", specification(changes).module, WORDS, Linked)
    assert issubclass(result, Linked)
    return result


def specification(changes: Changes = ()) -> Specification:
    """The module, compiled."""
    return variants.specification(NAME, changes)


@cache
def compiled(changes: Changes = ()) -> Compiled:
    return Compiled(system(changes)())


def scenario(threads: Mapping[str, str], **fields: Any) -> dict[str, Any]:
    """A scenario as plain data. ``threads``: thread -> its steps, as a scenario file has them."""
    steps = {name: [word.split() for word in text.split("; ")] for name, text in threads.items()}
    return {**SCENARIO, **fields, "threads": steps}


def placed(
    program: Mapping[str, Any], viewed: str, compilation: Compiled | None = None, model: Any = None
) -> Placed:
    """The system at a scenario's size, with an operation viewed."""
    constants = variants.mechanisms()[NAME].constants_of(program)
    compiled_model = model or specification().model(constants, tuple(program["threads"]))
    keys = tuple(program["keys"])
    longest = max(*map(len, program["threads"].values()), program["shards"])
    numbers = range(1, max(longest, levels.DEEPEST - 2) + 2)
    lists = [(key, number) for key in keys for number in numbers]
    return Placed(
        compilation or compiled(),
        compiled_model,
        constants,
        {"Watchers": tuple(lists)},
        viewed=viewed,
        place={key: place for place, key in enumerate(program["keys_of"][viewed], 1)},
        watchers={key: {number: (key, number) for number in numbers} for key in keys},
        key_of={pair: pair[0] for pair in lists},
        number_of={pair: pair[1] for pair in lists},
        unset={},
    )


class Reached(runs.Reached):
    """The states of one small scenario, breadth first, with the ghosts that the start has."""

    def __init__(
        self,
        program: Mapping[str, Any],
        viewed: str = "o",
        changes: Changes = (),
        bound: int = 20_000,
    ) -> None:
        constants = variants.mechanisms()[NAME].constants_of(program)
        model = specification(changes).model(constants, tuple(program["threads"]))
        here = placed(program, viewed, compiled(changes), model)
        ghosts: dict[str, Any] = {name: {} for name in Linked.VARIABLES}
        ghosts |= {"given_to": False, "begun": False, "enterer": None, "taker": None}
        super().__init__(here, here.instance.state(here.values(model.initial()) | ghosts), bound)


EVERY_LABEL = scenario(
    {
        "a": "watch o; deliver c k; watch_holding p; expire p; purge; watched; num_delayed; "
        "watch q; cancel_key k"
    },
    need={"o": "c", "p": "d", "q": "e"},
    keys_of={"o": ["k"], "p": ["k"], "q": ["k"]},
    adds={"o": [], "p": [], "q": []},
    locking=["o"],
)
"""A scenario in which every label is taken."""


@cache
def witnesses() -> Reached:
    """The scenario, and a state for each label in which it is taken."""
    exploration = Reached(EVERY_LABEL)
    exploration.note_labels()
    return exploration
