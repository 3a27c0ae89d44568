"""Sets of sets, of functions and of records, enumerated up to a bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cmp_to_key
from itertools import chain, combinations, product
from itertools import permutations as orders
from math import factorial, prod
from typing import Any

from wheelproof.tla.values import Map, Undefined, Values, order

BOUND = 2_000_000
"""The elements that are enumerated at most."""


def _within(count: int, subject: str) -> None:
    if count > BOUND:
        raise Undefined(f"{subject} has {count:,} elements, and at most {BOUND:,} are enumerated.")


def subsets(whole: Iterable[Any]) -> Iterator[frozenset[Any]]:
    """The elements of SUBSET ``whole``, small ones first."""
    elements = sorted(whole, key=order)
    _within(2 ** min(len(elements), 64), f"SUBSET of {len(elements)} elements")
    sizes = range(len(elements) + 1)
    return map(frozenset, chain.from_iterable(combinations(elements, size) for size in sizes))


def functions(maps: Values, arguments: Iterable[Any], results: Iterable[Any]) -> Iterator[Map]:
    """The elements of ``[arguments -> results]``."""
    domain, values = maps.domain(arguments), sorted(results, key=order)
    size = len(domain.keys)
    _within(len(values) ** min(size, 64), f"[S -> T] of {size} and {len(values)} elements")
    return map(domain.map, product(values, repeat=size))


def records(maps: Values, fields: tuple[tuple[str, Iterable[Any]], ...]) -> Iterator[Map]:
    """The elements of ``[field : S, ...]``."""
    values = {name: sorted(domain, key=order) for name, domain in fields}
    _within(prod(map(len, values.values())), "[field : S, ...]")
    domain = maps.domain(values)
    return map(domain.map, product(*(values[name] for name in domain.keys)))


def permutations(maps: Values, whole: frozenset[Any]) -> frozenset[Map]:
    """``Permutations(whole)``."""
    domain = maps.domain(whole)
    _within(factorial(min(len(domain.keys), 20)), "Permutations")
    return frozenset(map(domain.map, orders(domain.keys)))


def arranged(maps: Values, whole: Map, before: Callable[[Any, Any], bool]) -> Map:
    """``SortSeq(whole, before)``."""
    sort_key = cmp_to_key(lambda a, b: -1 if before(a, b) else int(bool(before(b, a))))
    return maps.sequence(tuple(sorted(maps.items(whole), key=sort_key)))
