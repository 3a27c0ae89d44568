"""The system of a module whose invariant is proved of itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import z3

from wheelproof.prove import variants
from wheelproof.prove.module.actions import ABSENT
from wheelproof.prove.module.shapes import Words, prefixed
from wheelproof.prove.module.starts import starts
from wheelproof.prove.module.systems import Generated

if TYPE_CHECKING:
    from wheelproof.prove.invariant.subject import Subject


class Invariant(Generated):
    """The steps of a module, and the conjuncts of an invariant, of which a subclass has more."""

    RETURNS: Mapping[str, tuple[str, ...]] = {}
    """Procedure -> the labels behind its calls."""

    def initially(self, s: Any) -> list[z3.BoolRef]:
        """The formulas of Init."""
        return starts(self, s, self.WORDS.unread)

    def at(self, s: Any, t: z3.ExprRef, *labels: str) -> z3.BoolRef:
        """The thread is at one of these labels."""
        return at(self.labels, s, t, *labels)

    def inside(self, s: Any, t: z3.ExprRef, procedure: str) -> z3.BoolRef:
        """The thread is in this procedure, or in one that returns to it."""
        labels = [label for label, owner in self.PROCEDURES.of.items() if owner == procedure]
        callees = [
            back(self.labels, s, name, t, *to)
            for name, returns in self.RETURNS.items()
            if name != procedure and (to := [label for label in returns if label in labels])
        ]
        return z3.Or(self.at(s, t, *labels), *callees)

    def frames(self, s: Any, t: z3.ExprRef) -> z3.BoolRef:
        """A procedure that a thread is in returns to a label behind a call of it."""
        returning = partial(back, self.labels, s)
        return z3.And(
            [
                z3.If(self.inside(s, t, name), returning(name, t, *to), returning(name, t, ABSENT))
                for name, to in self.RETURNS.items()
            ]
        )

    def label(self, name: str) -> z3.ExprRef:
        value = self.labels.value(name)
        assert value is not None, name
        return value

    @property
    def labels(self) -> Words:
        words = self.WORDS.variables["pc"]
        assert isinstance(words, Words)
        return words

    def waits(self, s: Any, t: z3.ExprRef) -> z3.BoolRef:
        """The thread waits: its label has no step for it."""
        raise NotImplementedError

    def assumed(self, s: Any) -> dict[str, z3.BoolRef]:
        """The premises about programs, by the assumption, where no thread can step."""
        return {}


SUBJECTS: dict[type[Invariant], Subject] = {}
"""The subject of each system that has a theorem."""


def labels(name: str, enumeration: str) -> Words:
    """The places of a thread in a mechanism's module, with those that a decision's absence adds."""
    mechanism = variants.mechanisms()[name]
    additions = [label for decision in mechanism.decisions.values() for label in decision.labels]
    return prefixed(enumeration, "at", " ".join([ABSENT, *mechanism.labels, *additions, "Done"]))


def own(invariant: type[Invariant]) -> type[Invariant]:
    """The nearest system that has a theorem: this one, or the one that it is a variant of."""
    return next(base for base in invariant.__mro__ if base in SUBJECTS)


def at(words: Words, s: SimpleNamespace, t: z3.ExprRef, *labels: str) -> z3.BoolRef:
    """The thread is at one of these labels."""
    return _one_of(s.pc[t], words, labels)


def back(
    words: Words, s: SimpleNamespace, procedure: str, t: z3.ExprRef, *labels: str
) -> z3.BoolRef:
    """The procedure is on the thread's stack, and returns to one of these labels."""
    return _one_of(getattr(s, f"ret_{procedure}")[t], words, labels)


def _one_of(place: z3.ExprRef, words: Words, labels: tuple[str, ...]) -> z3.BoolRef:
    places = [place == words.value(label) for label in labels]
    return places[0] if len(places) == 1 else z3.Or(places)
