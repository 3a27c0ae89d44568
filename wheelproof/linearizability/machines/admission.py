"""Which calls of a program can be made: in each order, one after the other.

A precondition says when a rule may be called. A call that some order forbids is taken out of the
program, as under threads it could come at that moment. A machine that fails in one thread says
nothing about threads.
"""

from __future__ import annotations

from typing import Any

from wheelproof.errors import UsageError
from wheelproof.linearizability.alone import Alone, Moves
from wheelproof.linearizability.histories import Done, Operation
from wheelproof.linearizability.judging import named
from wheelproof.linearizability.machines.running import LEFT_OUT
from wheelproof.linearizability.running import Driver
from wheelproof.linearizability.values import Raised


class Admission:
    """The orders of one program. ``refused``: the numbers of calls that an order leaves out."""

    def __init__(self, name: str, driver: Driver, alone: Alone) -> None:
        """Raises UsageError where an order raises an exception."""
        self._name, self._driver, self._alone = name, driver, alone
        self.refused: set[int] = set()
        program = driver.program
        numbers = iter(range(len(driver.calls)))
        prefix = [next(numbers) for _ in program.prefix]
        columns = [[next(numbers) for _ in column] for column in program.threads]
        self._rest = list(numbers)
        moves: Moves = ()
        for number in prefix:
            moves = (*moves, number)
            if self._place(moves) is None:
                return
        if not self.refused:
            self._follow(moves, columns)

    def _follow(self, moves: Moves, columns: list[list[int]]) -> None:
        """Every order of the calls that are left to the threads."""
        if not any(columns):
            self._end(moves)
        for at, column in enumerate(columns):
            if column and column[0] not in self.refused:
                after = (*moves, column[0])
                if self._place(after) is not None:
                    rest = [*columns[:at], column[1:], *columns[at + 1 :]]
                    self._follow(after, rest)

    def _end(self, moves: Moves) -> None:
        for number in self._rest:
            moves = (*moves, number)
            if self._place(moves) is None:
                return

    def _place(self, moves: Moves) -> Any:
        """The place of the last call of an order; None if it waits or cannot be made."""
        number = moves[-1]
        place = self._alone.places(moves).get(number)
        if not isinstance(place, Done):
            return None
        if isinstance(place.result, Raised):
            order = ", ".join(self._names_of(at) for at in moves)
            raise UsageError(
                f"{self._name} fails in one thread: {order} raises {place.result.kind}"
                + f": {place.result.message}" * bool(place.result.message),
                "Run it without threads first: it says what is right.",
            )
        if place.result == LEFT_OUT and number not in self._rest:
            self.refused.add(number)
            return None
        return place

    def _names_of(self, number: int) -> str:
        thread, call = self._driver.calls[number]
        return named(Operation(number, thread, call, 0))
