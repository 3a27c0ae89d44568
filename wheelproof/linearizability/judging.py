"""The judge of the runs of one program: whether some order of its operations explains each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wheelproof.linearizability.conditions import Condition, SequentiallyConsistent
from wheelproof.linearizability.histories import (
    CALLED,
    Done,
    Explanation,
    Operation,
    Specification,
    explain,
)
from wheelproof.linearizability.realtime import Clocks, Pair, Times, reordered
from wheelproof.linearizability.running import PENDING, Driver
from wheelproof.linearizability.values import Identity, Numbering, Snapshot, shown, unnumbered
from wheelproof.plain import answers
from wheelproof.plain.answers import FailureKind
from wheelproof.plain.execution import Execution
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.operations import Ending
from wheelproof.plain.reading import Found, Judge, failure_of

Outcome = tuple[Any, ...]
"""The numbers of operations, whether each is pending, whether it is free, and its result."""

ORDERS = 500
"""Sets of real-time orders that are judged for a run, at most."""


@dataclass(frozen=True)
class Refusal:
    """A history that no order explains, with the orders that were tried.

    ``pairs``: numbers of operations of which the first returned before the second was called.
    ``unexcused``: a pending operation that would not wait alone.
    """

    operations: tuple[Operation, ...]
    explanation: Explanation
    pairs: tuple[Pair, ...]
    unexcused: Operation | None = None


@dataclass(frozen=True)
class _Case:
    """A run that is to be judged: its history, times, steps, and how it ended."""

    key: Any
    operations: list[Operation]
    raw: list[Any]
    times: Times | None
    order: list[int]
    failure: Found | None


class HistoryJudge(Judge):
    """Judges histories. Those that are alike are judged once.

    ``last`` is the refusal of the present one. ``allowed``: outcomes that need no order. ``freed``:
    an operation was free in some run.
    """

    def __init__(
        self,
        explorer: Explorer,
        driver: Driver,
        specification: Specification,
        condition: Condition,
        outcomes_allowed: frozenset[Outcome] = frozenset(),
    ) -> None:
        self._explorer, self.driver = explorer, driver
        self._allowed = outcomes_allowed
        self.specification, self._condition = specification, condition
        self._verdicts: dict[Any, tuple[Found, Refusal | None] | None] = {}
        self._open: _Case | None = None
        self.last: Refusal | None = None
        self.freed = False
        self.outcomes: dict[str, set[str]] = {}

    def __call__(self, execution: Execution) -> Found | None:
        self._open = None
        if execution.ending not in (Ending.DONE, Ending.STUCK, Ending.ENDLESS):
            return None
        failure = failure_of(execution)
        if any(thread.error is not None for thread in execution.threads):
            return failure
        self._count()
        # A new race is no step of the run yet: what must come before what is not yet known.
        final = not (execution.racing or execution.grown)
        operations = self.driver.history(final)
        self.freed = self.freed or any(operation.is_free for operation in operations)
        stuck = execution.ending is not Ending.DONE
        if not self._condition.judges or (stuck and not any(o.is_pending for o in operations)):
            return failure
        times = Times(self.driver, operations)
        before = tuple(self._condition.before(operations))
        key = outcome(operations), before, times.precedes if final else None
        if key not in self._verdicts:
            raw = list(self.driver.run.results)
            order = list(execution.order)
            self._open = _Case(key, operations, raw, times if final else None, order, failure)
            return None
        return self._report(key)

    def operations(self) -> tuple[answers.Operation, ...]:
        driver, threads = self.driver, self._explorer.execution.threads
        return tuple(
            answers.Operation(
                threads[driver.run.numbers[operation.thread]].name,
                str(operation.call),
                "" if operation.is_pending else shown(operation.result),
                math.ceil(operation.called / 2),
                None if operation.is_pending else int(operation.returned // 2),
            )
            for operation in driver.history()
        )

    def settle(self) -> Found | None:
        case, self._open = self._open, None
        if case is None:
            return None
        verdict = self._judgement(case)
        if verdict is not None and outcome(case.operations) in self._allowed:
            verdict = None
        self._verdicts[case.key] = verdict
        return self._report(case.key)

    def _report(self, key: Any) -> Found | None:
        verdict = self._verdicts[key]
        if verdict is None:
            return None
        self.last = verdict[1]
        return verdict[0]

    def _count(self) -> None:
        run = self.driver.run
        for (_, call), result, begin in zip(self.driver.calls, run.results, run.begun):
            if begin >= 0:
                kind = "raised" if type(result).__name__ == "Raised" else "returned"
                kind = "waited" if result is PENDING else kind
                self.outcomes.setdefault(call.name, set()).add(kind)

    # -- verdicts

    def _judgement(self, case: _Case) -> tuple[Found, Refusal | None] | None:
        operations = case.operations
        before = self._condition.before(operations)
        explanation = self._explain(case, operations, before)
        if not explanation.fits:
            pairs = tuple(_pairs(operations, before))
            return self._refusal(Refusal(tuple(operations), explanation, pairs))
        for operation in operations:
            if operation.is_pending and not self._is_excused(case, operation, operations):
                assert case.failure is not None
                kind = case.failure.kind
                names = ", ".join(named(o) for o in operations if o.is_pending)
                refusal = Refusal(tuple(operations), explanation, (), operation)
                return Found(kind, f"{kind}: {names} waits for ever", "", None), refusal
        if self._condition.by_time and case.times is not None:
            return self._judged_at_other_times(case, case.times)
        return None

    def _refusal(self, refusal: Refusal, order: list[int] | None = None) -> tuple[Found, Refusal]:
        results = ", ".join(
            f"{named(o)}: {shown(o.result)}" for o in refusal.operations if not o.is_pending
        )
        message = f"not {self._condition.name}: {results}"
        failure = Found(FailureKind.RESULTS, message, "", None)
        failure.order = order
        return failure, refusal

    def _explain(
        self,
        case: _Case,
        operations: Sequence[Operation],
        before: Sequence[int],
        accepts: Any = None,
    ) -> Explanation:
        agrees = None
        if any(map(_has_identity, case.raw)):
            free = {operation.number for operation in operations if operation.is_free}

            def agrees(order: tuple[int, ...], operation: Operation, result: Any) -> bool:
                number_of = Numbering()
                for number in order:
                    number_of(case.raw[number])
                value = number_of(case.raw[operation.number])
                if free.intersection(order):  # it may have returned another object, or none
                    return bool(unnumbered(value) == unnumbered(result))
                return bool(value == result)

        return explain(operations, before, self.specification, accepts, agrees)

    def _is_excused(self, case: _Case, waiter: Operation, operations: Sequence[Operation]) -> bool:
        """Whether a pending operation would wait alone, too, after those that have returned.

        Pending ones take part only where the results need it.
        """
        pending = [o for o in operations if o.is_pending]
        for count in range(len(pending) + 1):
            fits = False
            for helpers in itertools.combinations(pending, count):
                part = [o for o in operations if not o.is_pending or o in helpers]
                before = self._condition.before(part)
                if not self._explain(case, part, before).fits:
                    continue
                fits = True
                at = part.index(waiter) if waiter in helpers else None

                def waits(state: Any, places: tuple[Any, ...], at: int | None = at) -> bool:
                    return self._waits(state, CALLED if at is None else places[at], waiter)

                if self._explain(case, part, before, waits).fits:
                    return True
            if fits:
                return False
        return False

    def _waits(self, state: Any, place: Any, operation: Operation) -> bool:
        """Whether an operation does not return, however far it goes."""
        visits: set[tuple[Any, Any]] = set()
        while not isinstance(place, Done):
            points = list(self.specification.points(state, operation, place))
            if not points or (state, place) in visits:
                return True
            visits.add((state, place))
            state, place = points[0]
        return False

    # -- times

    def _judged_at_other_times(
        self, case: _Case, times: Times
    ) -> tuple[Found, Refusal | None] | None:
        operations = case.operations
        base = SequentiallyConsistent().before(operations)
        pending: list[frozenset[Pair]] = [frozenset()]
        visits = set(pending)
        while pending:
            pairs = pending.pop()
            before = list(base)
            for first, second in pairs:
                before[second] |= 1 << first
            explanation = self._explain(case, operations, before)
            if explanation.order is None:
                numbers = tuple((operations[x].number, operations[y].number) for x, y in pairs)
                refusal = Refusal(tuple(operations), explanation, numbers)
                steps = times.steps(pairs)
                return self._refusal(refusal, self._run_with(case, steps))
            for pair in times.pairs(explanation.order):
                more = pairs | {pair}
                if len(visits) < ORDERS and more not in visits and times.is_possible(pair, pairs):
                    visits.add(more)
                    pending.append(more)
        return None

    def _run_with(self, case: _Case, steps: Sequence[Pair]) -> list[int]:
        """The threads of an equivalent run that has pairs of steps in their order."""
        explorer, execution = self._explorer, self._explorer.execution
        clocks = Clocks(case.order)
        explorer.world.seed()
        execution.run(self.driver, clocks)
        execution.end_threads()
        explorer.restore()
        return reordered(case.order, clocks.clocks, steps)


def outcome(operations: Sequence[Operation]) -> Outcome:
    """The results of a history, and which operations are pending, without their times."""
    return tuple((o.number, o.is_pending, o.is_free, o.result) for o in operations)


def _pairs(operations: Sequence[Operation], before: Sequence[int]) -> Sequence[Pair]:
    """The operations of different threads of which one comes before the other."""
    return [
        (first.number, second.number)
        for at, second in enumerate(operations)
        for where, first in enumerate(operations)
        if before[at] >> where & 1
        and first.thread
        and second.thread
        and first.thread != second.thread
    ]


def named(operation: Operation) -> str:
    """An operation with its thread."""
    return f"T{operation.thread} {operation.call}" if operation.thread else str(operation.call)


def _has_identity(part: Any) -> bool:
    if isinstance(part, Snapshot):
        return any(map(_has_identity, part.parts))
    return isinstance(part, Identity)
