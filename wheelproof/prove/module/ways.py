"""One way through a step: its guards, and its next values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import z3

from wheelproof.prove.module.scopes import First
from wheelproof.prove.module.values import Value
from wheelproof.prove.ts.extremes import Extreme
from wheelproof.prove.ts.system import Everywhere, Parameter

RETURN = "back"
"""The name of the place that a return goes to."""


@dataclass
class Way:
    """One way through a step. ``to``: the label that it goes on to, or `RETURN`.

    ``guards``: where it is taken. ``after``: variable -> next value. ``back``, ``kept``: next
    values of frames, as in `Frames`, for this thread alone. ``popped``: the innermost frame is
    left, on a stack of levels. ``obligations``: formulas that hold where it is taken, or its terms
    and the module differ. ``chosen``: the elements that it may choose, by name. ``firsts``: those
    that are first in a sequence. ``defining``: the last guards, which define the chosen elements
    that stand for a value. ``extremes``: places that it determines. ``open``: it may be taken where
    the module does not take it, since a variable is not read. ``set``: the variables that have been
    given a next value. ``same``: those of them that keep their value.
    """

    to: str = ""
    guards: list[z3.BoolRef] = field(default_factory=list)
    after: dict[str, Any] = field(default_factory=dict)
    back: dict[str, z3.ExprRef] = field(default_factory=dict)
    kept: dict[tuple[str, str], Value] = field(default_factory=dict)
    popped: bool = False
    obligations: list[z3.BoolRef] = field(default_factory=list)
    chosen: dict[str, tuple[z3.ExprRef, Parameter]] = field(default_factory=dict)
    firsts: dict[str, First] = field(default_factory=dict)
    defining: list[z3.BoolRef] = field(default_factory=list)
    extremes: dict[str, Extreme] = field(default_factory=dict)
    open: bool = False
    set: set[str] = field(default_factory=set)
    same: frozenset[str] = frozenset()


def copy_of(way: Way) -> Way:
    """A way to be followed further, beside the other one."""
    return Way(
        way.to,
        [*way.guards],
        {**way.after},
        {**way.back},
        {**way.kept},
        way.popped,
        [*way.obligations],
        {**way.chosen},
        {**way.firsts},
        [*way.defining],
        {**way.extremes},
        way.open,
        {*way.set},
        way.same,
    )


def simple(value: Any) -> Any:
    """A next value, simplified."""
    if isinstance(value, dict):
        return {name: simple(part) for name, part in value.items()}
    if isinstance(value, Everywhere):
        return Everywhere(value.index, z3.simplify(value.value))
    return z3.simplify(value)


def exhaust(first: z3.BoolRef, second: z3.BoolRef) -> bool:
    """Whether Z3 sees at once that one of two formulas holds."""
    return exclude([z3.Not(z3.Or(first, second))])


def partition(former: Way, latter: Way) -> tuple[list[z3.BoolRef], z3.BoolRef, z3.BoolRef]:
    """The guards that two ways share, and the others of each."""
    common = [guard for guard in former.guards if any(guard.eq(same) for same in latter.guards)]
    first, second = (
        z3.simplify(
            z3.And([guard for guard in way.guards if not any(guard.eq(same) for same in common)])
        )
        for way in (former, latter)
    )
    return common, first, second


def exclude(formulas: list[z3.BoolRef]) -> bool:
    """Whether Z3 sees at once that formulas exclude each other."""
    solver = z3.Solver()
    solver.set("rlimit", 10_000)
    solver.add(formulas)
    return bool(solver.check() == z3.unsat)
