"""Places that a step determines: the last one, or the first one, with a property.

To a proof such a place is a parameter, of which a step's guards say what it is. On finite states it
is computed. A parameter with an index is an array: one place for each element of a sort.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from types import CodeType
from typing import Any

import z3

from wheelproof.prove.ts.concrete import Compiled, Compiler, Instance, Move, State
from wheelproof.prove.ts.system import Parameter, Sort

PLACE = z3.Int("place_in_sequence")
"""The place that a property is about."""
NEVER = z3.BoolVal(False)


@dataclass(frozen=True, eq=False)
class Extreme(Parameter):
    """The last place with a property, or the first one; 0 where none from 1 on has it.

    ``holds``: the property of `PLACE`. ``index``: the constant in it that an array is over.
    """

    holds: z3.BoolRef = NEVER
    is_last: bool = True
    index: z3.ExprRef | None = None

    def guards(self, made: z3.ExprRef) -> list[z3.BoolRef]:
        """What the parameter is. Of finitely many places there is a last one, and a first one."""
        found, over = (made, []) if self.index is None else (made[self.index], [self.index])
        in_order = PLACE <= found if self.is_last else found <= PLACE
        here = z3.substitute(self.holds, (PLACE, found))
        known = z3.Or(found == 0, here)
        return [
            z3.ForAll(over, known) if over else known,
            z3.ForAll([*over, PLACE], z3.Implies(self.holds, z3.And(found != 0, in_order))),
        ]


def extreme(holds: z3.BoolRef, is_last: bool, index: z3.ExprRef | None = None) -> Extreme:
    """``holds``: of places from 1 on alone."""
    of = z3.IntSort() if index is None else z3.ArraySort(index.sort(), z3.IntSort())
    return Extreme(Sort(of), False, holds, is_last, index)


class Determined(Instance):
    """An instance of a system whose last parameters may be such places."""

    def __init__(self, compiled: Compiled, *arguments: Any) -> None:
        super().__init__(compiled, *arguments)
        self._found = {
            name: [self.function(code) for code in codes(compiled, name)]
            for name in compiled.system.actions()
        }

    def _values(self, item: Parameter, numbers: range) -> Sequence[int]:
        return () if isinstance(item, Extreme) else super()._values(item, numbers)

    def moves(
        self, state: State, actions: Sequence[str] | None = None, thread: int | None = None
    ) -> Iterator[Move]:
        for name in self._steps if actions is None else actions:
            found = self._found[name]
            choices = self._choices[name][: len(self._choices[name]) - len(found)]
            if thread is not None:
                choices = [(thread,), *choices[1:]]
            for arguments in product(*choices):
                for place_of in found:
                    arguments = (*arguments, place_of(state, *arguments))
                after = self._steps[name](state, *arguments)
                if after is not None:
                    yield Move(name, arguments, after)


def codes(compiled: Compiled, name: str) -> Iterator[CodeType]:
    """A function for each such place of an action, of the state and the parameters before it."""
    before: tuple[str, ...] = ()
    for parameter, item in compiled.system.actions()[name].parameters.items():
        if isinstance(item, Extreme):
            names = compiled.names | {f"{each}!": f"p_{each}" for each in before}
            names |= {"place_in_sequence": "here"}
            if item.index is not None:
                names |= {item.index.decl().name(): "key"}
            holds = Compiler(names, compiled.nulls).text(item.holds)
            of = "max" if item.is_last else "min"
            places = f"{of}([here for here in PLACES_Int if here and {holds}], default=0)"
            if item.index is not None:
                places = f"tuple([{places} for key in PLACES_{item.index.sort().name()}])"
            yield compiled.function(before, [f"return {places}"])
        before = (*before, parameter)
