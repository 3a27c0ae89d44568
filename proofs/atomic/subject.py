"""Module Atomic as a subject: small runs of it, in which a number stands for each object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs.atomic.invariant import Variable
from proofs.atomic.words import NAME, WORDS
from wheelproof.prove.invariant.subject import Here, Subject
from wheelproof.prove.module.shapes import INT, Shape


def scenario(
    initial: Any = 0, kind: Mapping[str, str] | None = None, **threads: str
) -> dict[str, Any]:
    """A scenario as plain data. ``threads``: thread -> its steps, as a scenario file has them.

    ``kind``: object -> its equal, none where values are numbers.
    """

    def step(text: str) -> list[Any]:
        name, *values = text.split()
        return [name, *(values if kind else map(int, values))]

    steps = {name: [step(word) for word in text.split("; ")] for name, text in threads.items()}
    return {"initial": initial, "kind": kind or [], "threads": steps}


class Numbered(Here):
    """The system at a scenario's size. Objects and their equals are numbers."""

    def number(self, value: Any) -> Any:
        """The number of an object, from 1; a number as it is."""
        kind = dict(self.constants["Kind"])
        names = [*kind, *dict.fromkeys(kind.values())]
        return names.index(value) + 1 if isinstance(value, str) else value

    def rigid(self, constants: Mapping[str, Any]) -> dict[str, Any]:
        kind = {
            self.number(name): self.number(value) for name, value in dict(constants["Kind"]).items()
        }
        return super().rigid({**constants, "Kind": kind})

    def value(self, shape: Shape, value: Any) -> Any:
        return self.number(value) if shape == INT else super().value(shape, value)


SUBJECT = Subject(
    NAME,
    WORDS,
    {Variable: "Spec.Atomic"},
    (
        scenario(a="add 1; get", b="set 5; cas 5 7", c="swap 3"),
        scenario("x", {"x": "k", "y": "k"}, a="cas x y; get", b="swap y"),
    ),
    properties=("AsIfAtomic", "LockExcludes"),
    placing=Numbered,
    sizes=lambda program: {"Int": range(2 + 2 * len(program["kind"]) + 4)},
)
