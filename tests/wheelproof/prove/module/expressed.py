"""The definitions of a small module as terms, each by itself, and whether a formula follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import z3

from wheelproof.prove.module.scopes import Frames, Made
from wheelproof.prove.module.shapes import Shape, Vocabulary, flat, z3_sort
from wheelproof.prove.module.systems import constants
from wheelproof.prove.module.terms import Terms
from wheelproof.prove.module.values import Value
from wheelproof.tla.syntax import Formal, Module

Constants = Iterable[tuple[str, z3.SortRef]]


def flattened(shapes: Mapping[str, Shape]) -> Iterator[tuple[str, z3.SortRef]]:
    for name, shape in shapes.items():
        for each, of in flat(name, shape):
            yield each, z3_sort(of)


class Expressed:
    """A module's definitions over constants of Z3 for all that the vocabulary names.

    ``kind``: the class of terms. ``further``: arguments of it. ``arguments``: the shapes of what
    definitions take, by name.
    """

    def __init__(
        self,
        module: Module,
        words: Vocabulary,
        *,
        kind: type[Terms] = Terms,
        arguments: Mapping[str, Shape] = {},
        frames: Frames | None = None,
        **further: Any,
    ) -> None:
        self.module, self.words, self.kind, self.arguments = module, words, kind, arguments
        self.frames = frames or Frames()
        self.further = further
        given = [*flattened(words.variables), *constants(words), *flattened(arguments)]
        self.s = SimpleNamespace(**{name: z3.Const(name, of) for name, of in given})

    def terms(self, **further: Any) -> Terms:
        return self.kind(
            self.words, self.s, self.words.variables, self.frames, **{**self.further, **further}
        )

    def names(self, name: str) -> dict[Formal, Made]:
        """What a definition takes."""
        return {
            formal: Made(getattr(self.s, formal.name), self.arguments[formal.name])
            for formal in self.module.definition(name).formals
        }

    def of(self, name: str, want: Shape | None = None, **further: Any) -> tuple[Value, Terms]:
        """The value of a definition, as one of a shape, and the terms with what they oblige to.

        Without a shape it is one of its own.
        """
        terms, node = self.terms(**further), self.module.definition(name).body
        names = self.names(name)
        return terms.plain(node, names) if want is None else terms.of(node, want, names), terms


def entails(premises: Iterable[z3.BoolRef], goal: z3.BoolRef) -> bool:
    solver = z3.Solver()
    solver.set("rlimit", 3_000_000)
    solver.add(*premises, z3.Not(goal))
    found = solver.check()
    assert found != z3.unknown, goal
    return bool(found == z3.unsat)
