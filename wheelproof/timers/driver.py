"""One program of a timer's calls, run under a scheduler, and the moments that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from wheelproof.linearizability.programs import Call, Program
from wheelproof.plain.answers import FailureKind
from wheelproof.plain.execution import Execution
from wheelproof.plain.moments import Moments
from wheelproof.plain.operations import Ending
from wheelproof.plain.reading import Found, Judge, failure_of
from wheelproof.plain.world import World
from wheelproof.timers import contract
from wheelproof.timers.contract import Breach, Clause
from wheelproof.timers.options import Options
from wheelproof.timers.programs import ADD, CANCEL


class Driver:
    """The function that an exploration runs: it makes a timer, and calls it.

    ``make`` is a function of the exploration's world. ``alone``: all calls are in the first thread,
    and the size is compared after each.
    """

    def __init__(
        self, world: World, make: Callable[[], Any], program: Program, options: Options
    ) -> None:
        self.world, self.program, self.options = world, program, options
        self._make = make
        self.execution: Execution = world.execution
        self.moments = Moments(self.execution)
        self.alone = len(program.threads) == 1
        calls = list(program.calls())
        self.numbers: dict[int, int] = {}
        self.delays: dict[int, int] = {}
        for at, (_, call) in enumerate(calls):
            if call.name == ADD:
                number = len(self.numbers) + 1
                self.numbers[at], self.delays[number] = number, call.arguments[0]
        kind = world.modules["threading"].Thread
        self._thread = type("Worker", (kind,), {"__module__": "threading", "run": _work})
        self.breach: Breach | None = None
        self.end = 0.0
        self._handles: dict[int, Any] = {}

    def __call__(self) -> None:
        self.moments.begin()
        self.breach, self.end, self._handles = None, 0.0, {}
        start = self.execution.now
        self._timer = self._make()
        calls = [call for _, call in self.program.calls()]
        ends = len(self.program.prefix)
        self._call_all(calls, range(ends))
        workers = []
        for number, part in enumerate(self.program.threads, 1):
            begins, ends = ends, ends + len(part)
            if self.alone:
                self._call_all(calls, range(begins, ends))
                continue
            worker = self._thread(name=f"T{number}")
            worker.work = lambda at=range(begins, ends): self._call_all(calls, at)
            workers.append(worker)
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self._wait(max(self.delays.values(), default=0) + self.options.rest)
        self._compare_size()
        self.end = (self.execution.now - start) * 1000
        if hasattr(self._timer, "close"):
            self.execution.judged(self._timer.close)()

    def _call_all(self, calls: Sequence[Call], places: Sequence[int]) -> None:
        for at in places:
            self._call(calls[at], at)
            if self.alone:
                self._compare_size()

    def _call(self, call: Call, at: int) -> None:
        timer, judge = self._timer, self.execution.judged
        if call.name == ADD:
            number = self.numbers[at]
            self.moments.note(contract.ADDS, number)
            action = self.moments.noting(contract.RUNS, number)
            handle = judge(timer.add)(call.arguments[0], action)
            self.moments.note(contract.ADDED, number)
            self._handles[number] = handle
        elif call.name == CANCEL:
            number = call.arguments[0]
            self.moments.meet(contract.CANCELS, number)
            if number in self._handles:
                self.moments.add(contract.CANCELS, number)
                judge(timer.cancel)(self._handles[number])
                self.moments.note(contract.CANCELLED, number)
        else:
            self._wait(call.arguments[0])

    def _wait(self, milliseconds: int) -> None:
        if hasattr(self._timer, "wait"):
            self.execution.judged(self._timer.wait)(milliseconds)
        else:
            self.world.clock.sleep(milliseconds / 1000)

    def _compare_size(self) -> None:
        """Compare the timer's size with the number of actions that wait, where nothing runs."""
        if self.breach is not None or not hasattr(self._timer, "size"):
            return
        self.moments.rest()
        size = self.execution.judged(self._timer.size)()
        actions = contract.actions(self.moments.log, self.delays).values()
        waiting = sum(1 for action in actions if not (action.cancelled or action.runs))
        if size != waiting:
            reason = f"size is {size}, and {waiting} wait"
            self.breach = Breach(Clause.SIZE, reason)


class TimerJudge(Judge):
    """Judges runs of a driver by the contract.

    ``ran``: how many actions ran in all runs. Of the last run that failed ``last`` has the moments,
    and ``breach`` is that of the contract, if it was one.
    """

    def __init__(self, driver: Driver, excuses: Collection[Clause]) -> None:
        self._driver, self._excused = driver, frozenset(excuses)
        self.ran = 0
        self.breach: Breach | None = None
        self.last: list[Any] = []

    def __call__(self, execution: Execution) -> Found | None:
        failure = failure_of(execution)
        driver = self._driver
        log = driver.moments.log
        breach = None
        self.ran += sum(moment.what == contract.RUNS for moment in log)
        if failure is None and execution.ending is Ending.DONE:
            breaches = contract.breaches(log, driver.delays, driver.options.tick, driver.end)
            breaches += [driver.breach] if driver.breach is not None else []
            breach = next((b for b in breaches if b.clause not in self._excused), None)
            if breach is not None:
                failure = Found(FailureKind.CONTRACT, str(breach), "", None)
        if failure is not None:
            self.breach = breach
            self.last = list(log)
        return failure


def _work(self: Any) -> None:
    self.work()
