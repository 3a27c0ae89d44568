"""Kinds, causes and results as numbers, from 1: a row of numbers is copied, sorted and tested at a
fraction of the cost of one with texts.

A family codes the values that it selects (:func:`kind`, :func:`cause`, :func:`result`). Its rules
use the codes (:data:`KIND`, :data:`CAUSE`, :data:`RESULT`), and messages have the names
(:func:`named`). ``wheelproof.trace.format.schema`` lists the values: a row with any other is no
event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from wheelproof.pipeline import columns as F
from wheelproof.pipeline.columns import Column
from wheelproof.trace.format import schema


def _numbers(values: Iterable[str]) -> dict[str, int]:
    return {value: number for number, value in enumerate(values, 1)}


KIND = _numbers(schema.KINDS)
CAUSE = _numbers(schema.CAUSES)
RESULT = _numbers(schema.RESULTS)


def kind(*kinds: str) -> Column:
    """The code of ``k``, of an event that is of one of the kinds."""
    return coded("k", {name: KIND[name] for name in kinds}).alias("kind")


def cause() -> Column:
    return coded("cause", CAUSE).alias("cause")


def result() -> Column:
    return coded("res", RESULT).alias("res")


def is_kind(*kinds: str) -> Column:
    """A coded row is of one of the kinds."""
    return any_of("kind", KIND, *kinds)


def any_of(column: str, codes: Mapping[str, int], *values: str) -> Column:
    """A coded column has one of the values; null where it has none."""
    numbers = [codes[value] for value in values]
    return F.col(column) == numbers[0] if len(numbers) == 1 else F.col(column).isin(*numbers)


def named(column: str, codes: Mapping[str, int]) -> Column:
    """The text that a coded column stands for; null for no code."""
    return F.get(F.split(F.lit(" ".join(codes)), " "), F.col(column) - 1)


def names() -> dict[str, Column]:
    """Column of a coded row -> its text in a violation."""
    return {"k": named("kind", KIND)}


def coded(column: str, codes: Mapping[str, int]) -> Column:
    """The code of a text; null where it has none."""
    first, *rest = codes.items()
    return reduce(
        lambda branches, pair: branches.when(F.col(column) == pair[0], pair[1]),
        rest,
        F.when(F.col(column) == first[0], first[1]),
    )
