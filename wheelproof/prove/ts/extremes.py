"""Places that a step determines: the last one, or the first one, with a property.

To a proof such a place is a parameter, which a step's guards define. On finite states it is
computed. A parameter with an index is an array: one place for each element of a sort.
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

    def guards(self, element: z3.ExprRef) -> list[z3.BoolRef]:
        """The parameter's definition. Finitely many places have a last one, and a first one."""
        place, over = (element, []) if self.index is None else (element[self.index], [self.index])
        in_order = PLACE <= place if self.is_last else place <= PLACE
        here = z3.substitute(self.holds, (PLACE, place))
        claim = z3.Or(place == 0, here)
        return [
            z3.ForAll(over, claim) if over else claim,
            z3.ForAll([*over, PLACE], z3.Implies(self.holds, z3.And(place != 0, in_order))),
        ]


def extreme(holds: z3.BoolRef, is_last: bool, index: z3.ExprRef | None = None) -> Extreme:
    """``holds``: of places from 1 on alone."""
    sort = z3.IntSort() if index is None else z3.ArraySort(index.sort(), z3.IntSort())
    return Extreme(Sort(sort), False, holds, is_last, index)


class Determined(Instance):
    """An instance of a system whose last parameters may be such places."""

    def __init__(self, compilation: Compiled, *arguments: Any) -> None:
        super().__init__(compilation, *arguments)
        self._found = {
            name: [self.function(code) for code in codes(compilation, name)]
            for name in compilation.system.actions()
        }

    def _values(self, item: Parameter, numbers: range) -> Sequence[int]:
        return () if isinstance(item, Extreme) else super()._values(item, numbers)

    def moves(
        self, state: State, actions: Sequence[str] | None = None, thread: int | None = None
    ) -> Iterator[Move]:
        for name in self._steps if actions is None else actions:
            functions = self._found[name]
            choices = self._choices[name][: len(self._choices[name]) - len(functions)]
            if thread is not None:
                choices = [(thread,), *choices[1:]]
            for arguments in product(*choices):
                for place_of in functions:
                    arguments = (*arguments, place_of(state, *arguments))
                after = self._steps[name](state, *arguments)
                if after is not None:
                    yield Move(name, arguments, after)


def codes(compilation: Compiled, name: str) -> Iterator[CodeType]:
    """A function for each such place of an action, of the state and the parameters before it."""
    before: tuple[str, ...] = ()
    for parameter, item in compilation.system.actions()[name].parameters.items():
        if isinstance(item, Extreme):
            names = compilation.names | {f"{earlier}!": f"p_{earlier}" for earlier in before}
            names |= {"place_in_sequence": "here"}
            if item.index is not None:
                names |= {item.index.decl().name(): "key"}
            holds = Compiler(names, compilation.nulls).text(item.holds)
            operator = "max" if item.is_last else "min"
            places = f"{operator}([here for here in PLACES_Int if here and {holds}], default=0)"
            if item.index is not None:
                places = f"tuple([{places} for key in PLACES_{item.index.sort().name()}])"
            yield compilation.function(before, [f"return {places}"])
        before = (*before, parameter)
