"""Runs in which code under test is not divided: threads switch between its calls alone.

A failure of such a run is no fault within a call. The caller makes several calls, and counts on
nothing to come between.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from wheelproof.linearizability.judging import Outcome, outcome
from wheelproof.linearizability.running import Driver
from wheelproof.plain.operations import Ending
from wheelproof.plain.reading import Found, Judge
from wheelproof.plain.schedulers.bounded import Bounded

if TYPE_CHECKING:
    from wheelproof.plain.execution import Execution
    from wheelproof.plain.exploration import Explorer
    from wheelproof.plain.happens_before import Location
    from wheelproof.plain.operations import Thread


_OTHERS = ("builtins", "hypothesis")


def codes_of(kind: type, functions: Iterable[Any] = ()) -> frozenset[CodeType]:
    """The code of a class's own functions, and of others, with all that is defined in them."""
    bases = [base for base in kind.__mro__ if base.__module__.partition(".")[0] not in _OTHERS]
    values = [value for base in bases for value in vars(base).values()]
    return frozenset(code for value in (*values, *functions) for code in _codes(value))


def _codes(value: Any) -> Iterator[CodeType]:
    if isinstance(value, CodeType):
        yield value
        for constant in value.co_consts:
            if isinstance(constant, CodeType):
                yield from _codes(constant)
    elif isinstance(value, (staticmethod, classmethod)):
        yield from _codes(value.__func__)
    elif isinstance(value, property):
        for function in (value.fget, value.fset, value.fdel):
            yield from _codes(function)
    elif isinstance(value, types.FunctionType):
        yield from _codes(value.__code__)


class WholeCalls(Bounded):
    """Every run in which threads are preempted in a caller's own code, or between its calls.

    ``codes``: the caller's code.
    """

    def __init__(self, codes: frozenset[CodeType]) -> None:
        super().__init__()
        self._codes = codes
        self._within: dict[int, FrameType | None] = {}

    def begin(self, execution: Execution) -> None:
        super().begin(execution)
        self._within = {}

    def may_preempt(self, thread: Thread) -> bool:
        call = self.call(sys._getframe(1))
        return call is None or call is not self._within.get(thread.number)

    def performed(
        self,
        execution: Execution,
        thread: Thread,
        index: int,
        location: Location | None,
        conflicts: list[int],
        writes: bool,
    ) -> None:
        super().performed(execution, thread, index, location, conflicts, writes)
        self._within[thread.number] = self.call(sys._getframe(1))

    def call(self, frame: FrameType | None) -> FrameType | None:
        """The call of other code in which the caller's code is; None if it is in none."""
        frames = []
        while frame is not None and frame.f_code is not Driver.work.__code__:
            frames.append(frame)
            frame = frame.f_back
        if frame is None:
            return None
        within = False
        for inner in reversed(frames):
            if inner.f_code in self._codes:
                within = True
            elif within and not _is_hidden(inner):
                return inner
        return None


def _is_hidden(frame: FrameType) -> bool:
    """Whether a frame is one of the checker's or of Hypothesis, which call the code under test."""
    name: str = frame.f_globals.get("__name__", "")
    return name.startswith(("wheelproof.", "hypothesis"))


class BetweenCalls(WholeCalls):
    """Every run in which threads are preempted between two calls of one operation alone."""

    def __init__(self, codes: frozenset[CodeType], driver: Driver) -> None:
        super().__init__(codes)
        self._driver = driver
        self._of: dict[int, int] = {}
        self.names: set[str] = set()

    def begin(self, execution: Execution) -> None:
        super().begin(execution)
        self._of = {}

    def may_preempt(self, thread: Thread) -> bool:
        call = self.call(sys._getframe(1))
        before = self._within.get(thread.number)
        operation = self._operation(thread)
        if call is None or before is None or call is before:
            return False
        if self._of.get(thread.number) != operation:
            return False
        self.names.add(self._driver.calls[operation][1].name)
        return True

    def performed(
        self,
        execution: Execution,
        thread: Thread,
        index: int,
        location: Location | None,
        conflicts: list[int],
        writes: bool,
    ) -> None:
        super().performed(execution, thread, index, location, conflicts, writes)
        self._of[thread.number] = self._operation(thread)

    def _operation(self, thread: Thread) -> int:
        """The number of a thread's present operation, or -1."""
        run = self._driver.run
        for owner, number in run.numbers.items():
            if number == thread.number:
                return run.under_way.get(owner, -1)
        return -1


class _Collector(Judge):
    """Collects the outcomes of runs. None of them fails."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.outcomes: set[Outcome] = set()

    def __call__(self, execution: Execution) -> Found | None:
        if execution.ending in (Ending.DONE, Ending.STUCK, Ending.ENDLESS):
            self.outcomes.add(outcome(self._driver.history()))
        return None


def outcomes(
    explorer: Explorer, driver: Driver, codes: frozenset[CodeType], limit: int
) -> frozenset[Outcome] | None:
    """The outcomes of all runs with whole calls; None if there are too many runs."""
    judge, explorer.judge = explorer.judge, _Collector(driver)
    try:
        whole = _search(explorer, lambda: WholeCalls(codes), limit)
        return None if whole is None else frozenset(explorer.judge.outcomes)
    finally:
        explorer.judge = judge


def names_of_several(
    explorer: Explorer, driver: Driver, codes: frozenset[CodeType], limit: int
) -> list[str]:
    """The operations between whose calls a thread is preempted in a failing run; none without."""
    scheduler = _search(explorer, lambda: BetweenCalls(codes, driver), limit)
    return sorted(scheduler.names) if scheduler is not None and explorer.failing else []


AnyCalls = TypeVar("AnyCalls", bound=WholeCalls)


def _search(explorer: Explorer, make: Callable[[], AnyCalls], limit: int) -> AnyCalls | None:
    """The scheduler of a search that has made all its runs, or one that fails; None without."""
    explorer.renew(limit)
    scheduler = make()
    while not scheduler.over and explorer.failing is None:
        if explorer.is_out_of_time():
            return None
        cut = explorer.run(scheduler) is Ending.CUT
        if explorer.failing is None and explorer.grew():
            scheduler = make()
        elif cut or explorer.trouble is not None:
            return None
    return scheduler
