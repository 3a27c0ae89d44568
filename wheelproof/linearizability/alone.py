"""A class as its own specification: its operations run one after the other, in every order.

A thread moves until its operation has returned or waits. An operation that waited goes on as soon
as it can, before any other one begins. So those that wait for each other, as at a barrier, have a
meaning, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wheelproof.linearizability.histories import Done, Operation
from wheelproof.linearizability.running import PENDING, Boundary, Driver
from wheelproof.linearizability.values import Numbering
from wheelproof.plain.execution import Execution
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.operations import JOIN, Thread, times_out
from wheelproof.plain.schedulers.base import BLOCKED, Scheduler, members

WAITS = "waits"
"""Where an operation stands that has begun, and waits."""

Moves = tuple[int, ...]
"""The numbers of operations in the order in which they move."""


class OneByOne(Scheduler):
    """Lets operations move in an order, each until it returns or waits.

    ``possible``: each of them could. Threads of the subject's own run while they can.
    """

    def __init__(self, moves: Moves, driver: Driver) -> None:
        self._moves, self._driver = moves, driver
        self._position, self._mover = 0, 0
        self._stuck = False

    def choose(self, execution: Execution, thread: Thread, enabled: int) -> int:
        numbers = self._driver.run.numbers
        for number in (self._mover, 0):
            if enabled >> number & 1 and self._goes_on(execution.threads[number]):
                return number
        program = {0, *numbers.values()}
        for number in members(enabled):
            if number not in program and not times_out(execution.threads[number]):
                return number
        if self._position == len(self._moves):
            return BLOCKED
        number = self._moves_on(execution, enabled)
        self._stuck = number == BLOCKED
        return number

    @property
    def possible(self) -> bool:
        return self._position == len(self._moves) and not self._stuck

    def _goes_on(self, thread: Thread) -> bool:
        """Whether a thread that can move is within its operation, or between all of them."""
        if isinstance(thread.target, Boundary) or times_out(thread):
            return False
        return thread.number == self._mover or thread.kind == JOIN

    def _moves_on(self, execution: Execution, enabled: int) -> int:
        """The thread of the next move, or BLOCKED if its operation cannot move."""
        operation = self._moves[self._position]
        self._position += 1
        driver = self._driver
        thread = driver.calls[operation][0]
        number = driver.run.numbers.get(thread, -1)
        if number < 0 or not enabled >> number & 1:
            return BLOCKED
        begins = isinstance(execution.threads[number].target, Boundary)
        if begins and self._can_go_on(execution, enabled):
            return BLOCKED
        if begins:
            driver.next[thread] = operation
        elif driver.run.under_way.get(thread) != operation:
            return BLOCKED
        self._mover = number
        return number

    def _can_go_on(self, execution: Execution, enabled: int) -> bool:
        """Whether an operation that has waited can go on, other than by a time-out."""
        run = self._driver.run
        numbers = [run.numbers[thread] for thread in run.under_way]
        return any(
            enabled >> number & 1 and not times_out(execution.threads[number]) for number in numbers
        )


class Alone:
    """The specification that a class is by itself. A state is the moves that lead to it."""

    initial: Moves = ()

    def __init__(self, explorer: Explorer, driver: Driver) -> None:
        self._explorer, self._driver = explorer, driver
        self._places: dict[Moves, dict[int, Any]] = {}

    def points(self, state: Moves, operation: Operation, at: Any) -> Iterable[tuple[Moves, Any]]:
        moves = (*state, operation.number)
        places = self.places(moves)
        if operation.number in places:
            yield moves, places[operation.number]

    def places(self, moves: Moves) -> dict[int, Any]:
        """The places of operations after moves; none if these are not possible."""
        if moves not in self._places:
            self._places[moves] = self._run(moves)
        return self._places[moves]

    def _run(self, moves: Moves) -> dict[int, Any]:
        explorer, driver, execution = self._explorer, self._driver, self._explorer.execution
        counts = execution.executions, execution.all_points, execution.all_accesses
        patient, execution.patient = execution.patient, False
        scheduler = OneByOne(moves, driver)
        driver.stops = True
        try:
            if explorer.world.draws:
                explorer.world.seed()
            execution.run(driver, scheduler)
            places = self._read() if scheduler.possible else {}
            execution.end_threads()
        finally:
            driver.stops, execution.patient = False, patient
        explorer.restore()
        execution.executions, execution.all_points, execution.all_accesses = counts
        return places

    def _read(self) -> dict[int, Any]:
        run, number_of = self._driver.run, Numbering()
        results = [n for n, result in enumerate(run.results) if result is not PENDING]
        results.sort(key=lambda number: run.ended[number])
        places: dict[int, Any] = {n: Done(number_of(run.results[n])) for n in results}
        for number, begin in enumerate(run.begun):
            if begin >= 0 and number not in places:
                places[number] = WAITS
        return places
