"""Cycles in orders of locks that several threads can go round at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

LONGEST = 8
"""Locks of a cycle, at most."""

STEPS = 200_000
"""Steps of a search, at most."""

T = TypeVar("T")


class Arrow(NamedTuple, Generic[T]):
    """From a lock that is held to one that is taken. ``gates``: all that are held."""

    held: Hashable
    taken: Hashable
    gates: frozenset[Hashable]
    order: T


class Cycles(Generic[T]):
    """The cycles of arrows that hold no lock in common, and of which any two go ``together``.

    A sequence of locks comes once. ``cut``: the search came to its most steps.
    """

    def __init__(self, arrows: Iterable[Arrow[T]], together: Callable[[T, T], bool]) -> None:
        self._together = together
        self._steps = 0
        self.cut = False
        self._after: dict[Hashable, list[Arrow[T]]] = defaultdict(list)
        for arrow in _core(list(arrows)):
            self._after[arrow.held].append(arrow)
        self._rank = {lock: index for index, lock in enumerate(self._after)}

    def __iter__(self) -> Iterator[tuple[T, ...]]:
        lock_cycles: set[tuple[Hashable, ...]] = set()
        for first in self._rank:
            for path in self._paths([], first, first):
                locks = tuple(arrow.held for arrow in path)
                if locks not in lock_cycles:
                    lock_cycles.add(locks)
                    yield tuple(arrow.order for arrow in path)

    def _paths(
        self, path: list[Arrow[T]], first: Hashable, lock: Hashable
    ) -> Iterator[tuple[Arrow[T], ...]]:
        """The cycles through a path, whose first lock has the lowest rank."""
        for arrow in self._after[lock]:
            self._steps += 1
            if self._steps > STEPS:
                self.cut = True
                return
            target = arrow.taken
            again = target == first
            if not again and (
                self._rank[target] < self._rank[first]
                or any(target == earlier.held for earlier in path)
                or len(path) + 2 > LONGEST
            ):
                continue
            if any(
                arrow.gates & earlier.gates or not self._together(arrow.order, earlier.order)
                for earlier in path
            ):
                continue
            if again and path:
                yield (*path, arrow)
            elif not again:
                yield from self._paths([*path, arrow], first, target)


def _core(arrows: list[Arrow[T]]) -> list[Arrow[T]]:
    """The arrows without those that lead out of all cycles or into them."""
    while True:
        sources = {arrow.held for arrow in arrows}
        targets = {arrow.taken for arrow in arrows}
        rest = [arrow for arrow in arrows if arrow.taken in sources and arrow.held in targets]
        if len(rest) == len(arrows):
            return rest
        arrows = rest
