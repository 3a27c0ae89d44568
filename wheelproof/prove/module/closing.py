"""States of a system with sequences by places: those without gaps, which the model's states are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wheelproof.prove.module.shapes import Flags, Shape, Spaced, flat
from wheelproof.prove.module.states import Placed
from wheelproof.prove.ts.concrete import State
from wheelproof.prove.ts.extremes import Determined


class Closed(Placed):
    """A system at a scenario's size, whose states differ in more than gaps.

    ``PLACES``: a further variable that is a place, or has places as values -> the sequence's.
    """

    INSTANCE = Determined
    PLACES: Mapping[str, str] = {}

    def parts(self, shape: Shape, value: Any) -> dict[str, Any]:
        match shape:
            case Flags(fields):
                return {f"_{name}": name in value for name in fields}
            case Spaced():
                items = [self.parts(shape.of, item) for item in value]
                return {
                    "_has": {number: True for number, _ in enumerate(items, 1)},
                    **{
                        f"_item{suffix}": {n: item[suffix] for n, item in enumerate(items, 1)}
                        for suffix, _ in flat("", shape.of)
                    },
                }
        return super().parts(shape, value)

    def normal(self, state: State) -> State:
        """The state without gaps: elements in their order from place 1 on, and blank behind."""
        return self.moved(state, lambda number: number)

    def moved(self, state: State, place: Any) -> State:
        """A state with the elements of each sequence at other places. ``place``: number -> place.

        The numbers are 1, 2, ... in the order of the elements.
        """
        names = tuple(self.system.VARIABLES)
        cells = dict(zip(names, state, strict=True))
        for name, shape in self.system.SHAPES.items():
            if not isinstance(shape, Spaced):
                continue
            has = cells[f"{name}_has"]
            order = [number for number in range(1, len(has)) if has[number]]
            to = {old: place(number) for number, old in enumerate(order, 1)}
            for variable, _ in flat(name, shape):
                blank = self.instance.default(self.system.VARIABLES[variable].range())
                column = [blank] * len(has)
                for old, new in to.items():
                    column[new] = cells[variable][old]
                cells[variable] = tuple(column)
            for variable, sequence in self.PLACES.items():
                if sequence == name and variable in cells:
                    cell = cells[variable]
                    cells[variable] = (
                        tuple([to.get(old, 0) for old in cell])
                        if isinstance(cell, tuple)
                        else to.get(cell, 0)
                    )
        return tuple([cells[name] for name in names])
