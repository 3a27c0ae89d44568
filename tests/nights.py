"""Which cases of a family run by day: the first of each group, or every so many-th. The others run
by night, so that no case is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
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


def every(cases: Iterable[Any], step: int) -> list[Any]:
    """The cases, of which all but every ``step``-th are left to the night."""
    return [by_night(case) if number % step else case for number, case in enumerate(cases)]


def of_each_mechanism(cases: Iterable[Any], many: int = 1) -> list[Any]:
    """Cases that begin with their mechanism, of which the first of each run by day."""
    return first(cases, many, lambda case: case[0])
