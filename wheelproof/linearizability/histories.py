"""Histories of concurrent operations, and whether a specification explains them.

J. Wing, C. Gong: Testing and Verifying Concurrent Objects, J. Parallel and Distributed Computing
17, 1993: a depth-first search for an order of the operations that the specification allows.
Situations that have been seen are not searched again: G. Lowe, Testing for Linearizability,
Concurrency and Computation 29(4), 2017.

Departures: which operations must come before others is given, so that one search serves every
condition. A specification may take an operation in several *points*, as one that waits takes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

CALLED = "called"
"""Where an operation stands that has taken no point yet."""

LATER = float("inf")
"""The moment at which an operation returns that has not returned."""


@dataclass(frozen=True)
class Done:
    """Where an operation stands that has taken its last point."""

    result: Hashable


@dataclass(frozen=True)
class Operation:
    """One call of a history.

    ``number`` is unique in its history. ``call`` is in the specification's terms. ``is_free``: its
    result fits every order, and it may have done nothing.
    """

    number: int
    thread: int
    call: Any
    called: float
    returned: float = LATER
    result: Hashable = None
    is_free: bool = False

    @property
    def is_pending(self) -> bool:
        """Whether it has not returned."""
        return self.returned == LATER


class Specification(Protocol):
    """The meaning of operations, one by one or in points. States and places are hashable."""

    @property
    def initial(self) -> Hashable:
        """The first state."""

    def points(self, state: Any, operation: Operation, at: Any) -> Iterable[tuple[Any, Any]]:
        """Every (state, place) after the next point of an operation that stands at ``at``.

        The first place is ``CALLED``, the last is ``Done``. Without a point the operation waits.
        """


@dataclass(frozen=True)
class DeadEnd:
    """An order that goes no further. ``would``: the results that follow there, by number."""

    order: tuple[int, ...]
    would: tuple[tuple[int, Hashable], ...]


@dataclass(frozen=True)
class Explanation:
    """The result of a search.

    ``order``: numbers of operations in the order of their last points, or None if none fits.
    ``dead_ends``: how far the orders go that were tried in vain.
    """

    order: tuple[int, ...] | None
    dead_ends: tuple[DeadEnd, ...] = ()

    @property
    def fits(self) -> bool:
        return self.order is not None


Accepts = Callable[[Any, tuple[Any, ...]], bool]
"""Whether a state and the places of all operations may end a history."""

Agrees = Callable[[tuple[int, ...], Operation, Hashable], bool]
"""Whether an operation has the result that a specification gives after the operations of an order.
"""

Situation = tuple[Any, tuple[Any, ...]]
"""A state, and the place of each operation."""

Path = tuple[Situation, tuple[int, ...]]
"""A situation, and the numbers of the operations that are done, in their order."""


def explain(
    operations: Sequence[Operation],
    before: Sequence[int],
    specification: Specification,
    accepts: Accepts | None = None,
    agrees: Agrees | None = None,
) -> Explanation:
    """Look for an order of the operations that a specification allows.

    ``before``: for each operation a mask of those that must be done when it begins. Pending ones
    may take points or none. Results agree if they are equal, unless ``agrees`` says otherwise.
    """
    return _Search(operations, before, specification, accepts, agrees or _are_equal).run()


def _are_equal(order: tuple[int, ...], operation: Operation, result: Hashable) -> bool:
    return operation.result == result


class _Search:
    """A search of one history."""

    def __init__(
        self,
        operations: Sequence[Operation],
        before: Sequence[int],
        specification: Specification,
        accepts: Accepts | None,
        agrees: Agrees,
    ) -> None:
        self._operations, self._before = operations, before
        self._specification, self._accepts, self._agrees = specification, accepts, agrees
        self._seen: set[Situation] = set()
        self._dead_ends: list[DeadEnd] = []

    def run(self) -> Explanation:
        places = (CALLED,) * len(self._operations)
        paths: list[Path] = [((self._specification.initial, places), ())]
        while paths:
            situation, order = paths.pop()
            if situation in self._seen:
                continue
            self._seen.add(situation)
            if self._ends(*situation):
                return Explanation(order)
            following, would = self._following(situation, order)
            if not following and would:
                self._dead_ends.append(DeadEnd(order, tuple(would)))
            paths.extend(reversed(following))
        return Explanation(None, tuple(self._dead_ends))

    def _ends(self, state: Any, places: tuple[Any, ...]) -> bool:
        is_done = all(
            operation.is_pending or isinstance(place, Done)
            for operation, place in zip(self._operations, places)
        )
        return is_done and (self._accepts is None or self._accepts(state, places))

    def _following(
        self, situation: Situation, order: tuple[int, ...]
    ) -> tuple[list[Path], list[tuple[int, Hashable]]]:
        """The situations after one, and the results that the history does not have."""
        following: list[Path] = []
        would: list[tuple[int, Hashable]] = []
        for index, state, place in self._points(situation):
            operation = self._operations[index]
            longer = order
            if isinstance(place, Done):
                fits = operation.is_pending or operation.is_free
                if not (fits or self._agrees(order, operation, place.result)):
                    would.append((operation.number, place.result))
                    continue
                longer = (*order, operation.number)
            places = situation[1]
            after = state, (*places[:index], place, *places[index + 1 :])
            following.append((after, longer))
        return following, would

    def _points(self, situation: Situation) -> Iterator[tuple[int, Any, Any]]:
        state, places = situation
        mask = sum(1 << index for index, place in enumerate(places) if isinstance(place, Done))
        for index, place in enumerate(places):
            if isinstance(place, Done) or (place == CALLED and self._before[index] & ~mask):
                continue
            operation = self._operations[index]
            for after, place_after in self._specification.points(state, operation, place):
                yield index, after, place_after
            if operation.is_free and place == CALLED:
                yield index, state, Done(operation.result)
