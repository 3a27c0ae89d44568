"""Which cases of a family run by day: named ones, the first of each group, or every so many-th, as
the marker ``daily`` tells. The others run by night, so that no case is lost.

The night's cases are dealt out over several nights, each of which takes every so many-th.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest


def by_night(case: Any) -> Any:
    """The case, or the values of one that is a tuple, as a parameter of a nightly test."""
    if hasattr(case, "marks"):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.nightly], id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.nightly)


def first(
    cases: Iterable[Any], many: int = 1, of: Callable[[Any], object] = lambda case: None
) -> list[Any]:
    """The cases, of which all but the first of each group are left to the night."""
    seen: Counter[object] = Counter()
    chosen = []
    for case in cases:
        seen[of(case)] += 1
        chosen.append(case if seen[of(case)] <= many else by_night(case))
    return chosen


def leave(items: Iterable[pytest.Item]) -> None:
    """Leave all but every so many-th case of a function with the marker ``daily`` to the night."""
    seen: Counter[str] = Counter()
    for item in items:
        if marker := item.get_closest_marker("daily"):
            function = item.nodeid.partition("[")[0]
            if seen[function] % marker.args[0]:
                item.add_marker(pytest.mark.nightly)
            seen[function] += 1


def parsed(text: str) -> tuple[int, int]:
    """A night and the number of nights, of a text such as "2/3". ValueError: it is none."""
    night, _, nights = (int(part) if part.isdecimal() else part for part in text.partition("/"))
    if not (isinstance(night, int) and isinstance(nights, int) and 1 <= night <= nights):
        raise ValueError(f"{text!r} is no night of several: write 1/3, 2/3 or 3/3.")
    return night, nights


def deal(
    items: Sequence[pytest.Item], night: int, nights: int
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The items that run in this night, and those of the other nights.

    The nights take the cases of a function in turn, and functions begin with different nights.
    """
    places: Counter[str] = Counter()
    chosen, others = [], []
    for item in items:
        function = item.nodeid.partition("[")[0]
        turn = (places[function] + zlib.crc32(function.encode())) % nights
        if item.get_closest_marker("nightly"):
            places[function] += 1
            (chosen if turn == night - 1 else others).append(item)
        else:
            chosen.append(item)
    return chosen, others


def names(case: Any) -> list[Any]:
    """What a case is called by: itself, its id, or a value of it."""
    if hasattr(case, "marks"):
        return [case.id, *case.values]
    return [case, *case] if isinstance(case, tuple) else [case]


def only(cases: Iterable[Any], *named: Any) -> list[Any]:
    """The cases, of which all but the named ones are left to the night.

    ValueError: no case has one of the names.
    """
    cases = list(cases)
    known = [name for case in cases for name in names(case)]
    if missing := [name for name in named if name not in known]:
        raise ValueError(f"There is no case {missing[0]!r}.")
    return [
        case if any(name in names(case) for name in named) else by_night(case) for case in cases
    ]


def of_each_mechanism(cases: Iterable[Any], many: int = 1) -> list[Any]:
    """Cases that begin with their mechanism, of which the first of each run by day."""
    return first(cases, many, lambda case: case[0])
