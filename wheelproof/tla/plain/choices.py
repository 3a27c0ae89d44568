"""CHOOSE of one among several: the first in an order of all values.

Among numbers, tuples and sets of them the order is TLC's. TLC orders strings and model values by
the time at which it has read them first, which no one can know; here they are in alphabetical
order. Most specifications mean the same with either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wheelproof.tla.values import Map, Undefined
from wheelproof.tlc.values import order_of_atom


def place(value: Any) -> tuple[Any, ...]:
    """The key of a value in the order."""
    if (key := order_of_atom(value)) is not None:
        return key
    match value:
        case frozenset():
            return 4, len(value), sorted(map(place, value))
        case Map() if value.domain.sequence:
            return 5, len(value), tuple(map(place, value.results))
        case Map():
            return (
                6,
                len(value),
                tuple((place(key), place(value[key])) for key in value.domain.keys),
            )
    raise TypeError(f"{value!r} is no value of TLA+")


def choose(elements: Iterable[Any], test: Callable[[Any], bool]) -> Any:
    """CHOOSE; Undefined where no element fits."""
    for element in sorted(elements, key=place):
        if test(element):
            return element
    raise Undefined("CHOOSE: no element of the set fits.")
