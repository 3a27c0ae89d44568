"""The value of an operator of a heap, where calls are left as they stand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import z3

from proofs.heap.sequences import Sequence


@dataclass(frozen=True)
class Keys:
    """A function from elements to their keys."""

    of: Callable[[Any], Any]


@dataclass(frozen=True)
class Called:
    """A call of a recursive operator: the condition under which it is made, and its result."""

    operator: str
    path: z3.BoolRef
    arguments: tuple[Any, ...]
    result: Sequence


@dataclass
class Unfolding:
    """The record of how an operator's value is made. ``path``: the conditions of this point.

    ``obligations``: that places are those of sequences. ``quotients``: dividend, divisor, and the
    number that they give. ``ended``: further sequences, which are the value where no operator is
    called. ``given``: the conditions of the value.
    """

    path: tuple[z3.BoolRef, ...] = ()
    called: list[Called] = field(default_factory=list)
    obligations: list[z3.BoolRef] = field(default_factory=list)
    quotients: list[tuple[Any, Any, Any]] = field(default_factory=list)
    ended: list[Sequence] = field(default_factory=list)
    given: dict[str, z3.BoolRef] = field(default_factory=dict)
    names: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @contextmanager
    def where(self, *conditions: z3.BoolRef) -> Iterator[None]:
        """Values that are read within are needed only where the conditions hold."""
        before, self.path = self.path, (*self.path, *conditions)
        yield
        self.path = before

    def oblige(self, claim: z3.BoolRef) -> None:
        self.obligations.append(z3.Implies(z3.And(*self.path), claim) if self.path else claim)

    def fresh(self, stands_for: str) -> str:
        """A name for one more sequence."""
        return f"{stands_for}_{next(self.names)}"

    def quotient(self, dividend: Any, divisor: Any) -> Any:
        """``dividend \\div divisor``: the number defined so. It is the same one each time."""
        for top, bottom, result in self.quotients:
            if top.eq(dividend) and bottom.eq(divisor):
                return result
        result = z3.Int(self.fresh("quotient"))
        self.quotients.append((dividend, divisor, result))
        return result

    def defined(self) -> dict[str, z3.BoolRef]:
        """The conditions of the value, and the definition of each quotient, as premises."""
        return self.given | {
            str(quotient): z3.And(
                divisor * quotient <= dividend, dividend < divisor * quotient + divisor
            )
            for dividend, divisor, quotient in self.quotients
        }

    def sequence(self, length: Any, at: Callable[[Any], Any]) -> Sequence:
        return Sequence(length, at, z3.Int(f"{self.fresh('made')}_total"))
