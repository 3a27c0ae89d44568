"""Another class as the specification: a simpler one, whose operations run in one thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wheelproof.linearizability.alone import WAITS, Moves
from wheelproof.linearizability.histories import Done, Operation
from wheelproof.linearizability.programs import FINAL, Call
from wheelproof.linearizability.running import IGNORED
from wheelproof.linearizability.values import Numbering, Raised, snapshot


class Waits(Exception):
    """An operation of a reference raises it where the operation would wait."""


class ByReference:
    """The specification that a reference is. A state is the operations that lead to it."""

    initial: Moves = ()

    def __init__(
        self,
        make: Callable[[], Any],
        observe: Callable[[Any], Any] | None,
        ignored: frozenset[str],
        calls: list[tuple[int, Call]],
    ) -> None:
        self._make, self._observe, self._ignored, self._calls = make, observe, ignored, calls
        self._places: dict[Moves, Any] = {}

    def points(self, state: Moves, operation: Operation, at: Any) -> Iterable[tuple[Moves, Any]]:
        moves = (*state, operation.number)
        if moves not in self._places:
            self._places[moves] = self._after(moves)
        place = self._places[moves]
        if place is not WAITS:
            yield moves, place
        elif at != WAITS:
            yield state, WAITS

    def _after(self, moves: Moves) -> Any:
        """The place of the last operation after it."""
        reference, number_of = self._make(), Numbering()
        result: Any = None
        for number in moves:
            try:
                result = number_of(self._called(self._calls[number][1], reference))
            except Waits:
                return WAITS
        return Done(result)

    def _called(self, call: Call, reference: Any) -> Any:
        try:
            if call.name == FINAL and self._observe is not None:
                return snapshot(self._observe(reference))
            result = snapshot(getattr(reference, call.name)(*call.arguments, **call.keywords))
        except Waits:
            raise
        except Exception as error:
            return Raised(type(error).__name__, str(error))
        return IGNORED if call.name in self._ignored else result
