"""Histories of concurrent operations, and whether a specification explains them.

A history is linearizable if each operation can be given a moment between its call and its return at
which it happened as a whole (Herlihy and Wing, 1990). Here a specification may also give an
operation several moments, its *points*. With one point each this is linearizability. With more it
is a weaker claim, weaker by exactly those points.

The search goes along the history (Wing and Gong's, just in time: Lowe, 2017). It keeps every
situation that the points so far can have led to, each once: ``(state, the places of the open
operations)``. A return that no situation allows refutes the specification.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

CALLED = "called"
"""Where an operation is that has taken no point yet."""


class Done(NamedTuple):
    """Where an operation is that has taken its last point, and what it returns."""

    result: Any


class Operation(NamedTuple):
    """One call: ``number`` is unique in its history; ``task``, ``ms``: None where it takes none."""

    number: int
    thread: str
    name: str
    task: str | None = None
    ms: int | None = None

    def __str__(self) -> str:
        arguments = ", ".join(
            str(argument) for argument in (self.task, self.ms) if argument is not None
        )
        return f"{self.name}({arguments})"


class Call(NamedTuple):
    operation: Operation

    def __str__(self) -> str:
        return f"{self.operation.thread} calls {self.operation}"


class Return(NamedTuple):
    operation: Operation
    result: Any = None

    def __str__(self) -> str:
        of = "" if self.result is None else f": {self.result}"
        return f"{self.operation.thread} returns from {self.operation}{of}"


History = Sequence[Call | Return]


class Specification(Protocol):
    """The operations, one after the other or in points. States and places must be hashable."""

    initial: Hashable

    def points(self, state: Any, operation: Operation, at: Any) -> Iterable[tuple[Any, Any]]:
        """Every (state, place) after the next point of an operation that is at ``at``.

        The first place is ``CALLED``, the last is ``Done``.
        """


class Refusal(NamedTuple):
    """``event``: index of the unexplained return; ``possible``: the results that are explained."""

    event: int
    returned: Return
    possible: tuple[Any, ...]
    specification: str

    def __str__(self) -> str:
        would = " or ".join(map(str, self.possible)) or "no return at all"
        return f"{self.returned}; {self.specification} explains {would}"


def refute(history: History, specification: Specification) -> Refusal | None:
    """The first return that the specification does not explain; None if it explains all.

    Operations may be open at the history's end.

    Raises ValueError for a history in which an operation is called twice, or returns uncalled.
    """
    situations = {(specification.initial, frozenset())}
    called: dict[int, Operation] = {}
    for index, event in enumerate(history):
        number = event.operation.number
        if isinstance(event, Call):
            if number in called:
                raise ValueError(
                    f"event {index}: {event.operation} has the number {number} of an earlier "
                    "operation; number them apart"
                )
            called[number] = event.operation
            situations = {(state, places | {(number, CALLED)}) for state, places in situations}
            continue
        if called.get(number) != event.operation:
            raise ValueError(
                f"event {index}: {event.operation} returns, and was not called; "
                "put its call before it"
            )
        # Points may be put off until a return needs them: closing here alone loses nothing.
        reached = _closed(situations, specification, called)
        situations = {
            (state, places - {(number, Done(event.result))})
            for state, places in reached
            if (number, Done(event.result)) in places
        }
        if not situations:
            results = {
                at.result
                for _, places in reached
                for other, at in places
                if other == number and isinstance(at, Done)
            }
            return Refusal(
                index, event, tuple(sorted(results, key=repr)), type(specification).__name__
            )
    return None


def _closed(
    situations: Iterable[tuple[Any, frozenset]],
    specification: Specification,
    called: dict[int, Operation],
) -> set[tuple[Any, frozenset]]:
    """The situations and all that points of open operations lead to."""
    seen = set(situations)
    pending = list(seen)
    while pending:
        for following in _steps(*pending.pop(), specification, called):
            if following not in seen:
                seen.add(following)
                pending.append(following)
    return seen


def _steps(
    state: Any, places: frozenset, specification: Specification, called: dict[int, Operation]
) -> Iterator[tuple[Any, frozenset]]:
    for number, at in places:
        if not isinstance(at, Done):
            for after, place in specification.points(state, called[number], at):
                yield after, places - {(number, at)} | {(number, place)}
