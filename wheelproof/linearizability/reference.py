"""Another class as the specification: a simpler one, whose operations run in one thread."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeVar

from wheelproof.linearizability.alone import WAITS, Moves
from wheelproof.linearizability.histories import CALLED, Done, Operation
from wheelproof.linearizability.programs import FINAL, Call
from wheelproof.linearizability.running import IGNORED
from wheelproof.linearizability.values import Numbering, Raised, snapshot

Method = TypeVar("Method", bound=Callable[..., Generator[None, None, Any]])


class Waits(Exception):
    """An operation of a reference raises it where the operation would wait."""


def several_points(method: Method) -> Method:
    """A method of a reference that is a generator: other operations may come where it yields.

    Its result is the value that it returns.
    """
    setattr(method, _SEVERAL, True)
    return method


_SEVERAL = "__wheelproof_several_points__"
_BETWEEN = object()
"""The result of an operation that has taken a point, and not its last one."""


class ByReference:
    """The specification that a reference is.

    A state is the operations that lead to it, each as often as it has taken a point.
    """

    initial: Moves = ()

    def __init__(
        self,
        make: Callable[[], Any],
        observe: Callable[[Any], Any] | None,
        result_names: frozenset[str],
        calls: list[tuple[int, Call]],
    ) -> None:
        self._make, self._observe, self._ignored, self._calls = make, observe, result_names, calls
        self._places: dict[Moves, Any] = {}

    def points(self, state: Moves, operation: Operation, at: Any) -> Iterable[tuple[Moves, Any]]:
        moves = (*state, operation.number)
        if moves not in self._places:
            self._places[moves] = self._after(moves)
        place = self._places[moves]
        if place is not WAITS:
            yield moves, place
        elif at == CALLED:
            yield state, WAITS

    def _after(self, moves: Moves) -> Any:
        """The place of the last operation after it: done, or the number of its points."""
        reference, number_of = self._make(), Numbering()
        under_way: dict[int, Generator[None, None, Any]] = {}
        place: Any = None
        for at, number in enumerate(moves, 1):
            call = self._calls[number][1]
            try:
                result = self._after_moves(call, reference, under_way, number)
            except Waits:
                return WAITS
            between = result is _BETWEEN
            place = moves[:at].count(number) if between else Done(number_of(result))
        return place

    def _after_moves(
        self,
        call: Call,
        reference: Any,
        under_way: dict[int, Generator[None, None, Any]],
        number: int,
    ) -> Any:
        """The result of an operation, after its next point. Raises Waits."""
        try:
            if call.name == FINAL and self._observe is not None:
                return snapshot(self._observe(reference))
            if number not in under_way:
                method = getattr(reference, call.name)
                result = method(*call.arguments, **call.keywords)
                if not hasattr(method, _SEVERAL):
                    return IGNORED if call.name in self._ignored else snapshot(result)
                under_way[number] = result
            next(under_way[number])
        except Waits:
            raise
        except StopIteration as stop:
            return IGNORED if call.name in self._ignored else snapshot(stop.value)
        except Exception as error:
            return Raised(type(error).__name__, str(error))
        return _BETWEEN
