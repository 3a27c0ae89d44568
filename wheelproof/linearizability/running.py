"""One program, run under the scheduler of an exploration, and the history that it leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wheelproof.linearizability.histories import LATER, Operation
from wheelproof.linearizability.programs import FINAL, Call, Program
from wheelproof.linearizability.values import Numbering, Snapshot, raised, snapshot
from wheelproof.plain.execution import Execution
from wheelproof.plain.happens_before import Location
from wheelproof.plain.moves import SAME
from wheelproof.plain.operations import NEVER, PEEK
from wheelproof.plain.world import World

PENDING = object()
"""The result of an operation that has not returned."""

IGNORED = Snapshot("ignored", ())
"""The result of an operation whose results are not compared."""


class Boundary(Location):
    """The place of a thread in front of an operation, where operations run one by one."""

    __slots__ = ()


class Subject:
    """An object under test, as a program has it: how it is made, called and looked at.

    ``ignored``: the operations whose results are not compared. ``final``: the call that ends a
    history, or None.
    """

    ignored: frozenset[str] = frozenset()
    final: Call | None = None

    def make(self) -> Any:
        """A new object, in a run of the engine."""
        raise NotImplementedError

    def called(self, driver: Driver, instance: Any, number: int) -> Any:
        """The result of a call. Raises every exception of the operation."""
        raise NotImplementedError

    def end(self, instance: Any) -> None:
        """The run is over, perhaps before its last call."""

    def calls(self, program: Program) -> list[tuple[int, Call]]:
        """The calls of a program with their threads; the final one is the last."""
        calls = list(program.calls())
        if self.final is not None:
            calls.append((0, self.final))
        return calls


class OfClass(Subject):
    """An object of a class: its methods are the operations, its observation the final call.

    ``factory`` and ``observe`` are functions of the world of an exploration.
    """

    def __init__(
        self,
        factory: Callable[[], Any],
        observe: Callable[[Any], Any] | None = None,
        result_names: frozenset[str] = frozenset(),
    ) -> None:
        self.factory, self.observe, self.ignored = factory, observe, result_names
        self.final = None if observe is None else Call(FINAL)

    def make(self) -> Any:
        return self.factory()

    def called(self, driver: Driver, instance: Any, number: int) -> Any:
        call = driver.calls[number][1]
        if call is self.final and self.observe is not None:
            return snapshot(self.observe(instance))
        operation = driver.execution.judged(getattr(instance, call.name))
        return snapshot(operation(*call.arguments, **call.keywords))


class Run:
    """The progress of a program, by the numbers of its calls.

    ``begun`` and ``ended`` count the visible operations before a call and before its return.
    ``timed_out``: the calls in which a time-out is over.
    ``clocks`` are those of the threads at the returns. ``numbers``: thread -> that of the engine.
    ``under_way``: thread -> its present call.
    """

    def __init__(self, count: int) -> None:
        self.results: list[Any] = [PENDING] * count
        self.begun: list[int] = [-1] * count
        self.ended: list[int] = [-1] * count
        self.clocks: list[list[int]] = [[]] * count
        self.numbers: dict[int, int] = {}
        self.under_way: dict[int, int] = {}
        self.timed_out: set[int] = set()


class Driver:
    """The function that an exploration runs: it makes the subject, and calls its operations.

    ``stops``: a thread stops in front of each call, and makes the one that ``next`` names for it.
    ``is_lenient``: the result of a call that times out fits every order.
    """

    def __init__(self, world: World, subject: Subject, program: Program) -> None:
        self.world, self.subject, self.program = world, subject, program
        self.execution: Execution = world.execution
        self.calls = subject.calls(program)
        self.stops = self.is_lenient = False
        self.next: dict[int, int] = {}
        self.run = Run(len(self.calls))
        self._boundary = Boundary("operations")
        self._groups: dict[int, list[list[int]]] = {}
        self._before = len(program.prefix)
        kind = world.modules["threading"].Thread
        self._thread = type("Worker", (kind,), {"__module__": "threading", "run": _work})
        world.state.record([[call.arguments, dict(call.keywords)] for _, call in self.calls])

    def __call__(self) -> None:
        self.run = Run(len(self.calls))
        self._boundary = Boundary("operations")
        subject = self.subject.make()
        try:
            self._play(subject)
        finally:
            self.subject.end(subject)

    def _play(self, subject: Any) -> None:
        own_calls = [number for number, (thread, _) in enumerate(self.calls) if thread == 0]
        self.work(0, own_calls[: self._before], subject)
        workers = []
        for thread in range(1, len(self.program.threads) + 1):
            numbers = [n for n, (owner, _) in enumerate(self.calls) if owner == thread]
            worker = self._thread(name=f"T{thread}")
            worker.work = lambda thread=thread, numbers=numbers: self.work(thread, numbers, subject)
            workers.append(worker)
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.work(0, own_calls[self._before :], subject)

    def work(self, thread: int, numbers: Sequence[int], subject: Any) -> None:
        """Call operations, one after the other."""
        execution, run = self.execution, self.run
        running = execution.running
        assert running is not None
        run.numbers[thread] = running.number
        for number in numbers:
            if self.stops:
                execution.point(PEEK, self._boundary, None)
                number = self.next[thread]
            run.under_way[thread] = number
            run.begun[number] = execution.depth
            running.expires = NEVER
            result = self._call(number, subject)
            run.ended[number], run.clocks[number] = execution.depth, running.clock[:]
            run.results[number] = result
            if execution.now + SAME >= running.expires:
                run.timed_out.add(number)
            del run.under_way[thread]

    def _call(self, number: int, subject: Any) -> Any:
        """The result of a call. An exception is one."""
        try:
            result = self.subject.called(self, subject, number)
        except Exception as error:
            return raised(error)
        return IGNORED if self.calls[number][1].name in self.subject.ignored else result

    # -- histories

    def history(self, is_settled: bool = True) -> list[Operation]:
        """The operations of the present run that have been called.

        ``is_settled``: each racy access of the run is a visible operation.
        """
        run, number_of = self.run, Numbering()
        operations = []
        for number, (thread, call) in enumerate(self.calls):
            if run.begun[number] < 0:
                continue
            call_moment, return_moment = self._moments(number, thread, is_settled)
            pending = run.results[number] is PENDING
            result = None if pending else number_of(run.results[number])
            is_free = self.is_lenient and number in run.timed_out
            operations.append(
                Operation(number, thread, call, call_moment, return_moment, result, is_free)
            )
        return operations

    def _moments(self, number: int, thread: int, is_settled: bool) -> tuple[float, float]:
        """When an operation is called, as late as can be, and when it returns, as early as can be.

        Visible operations have even moments. One without any happens between two of them. In a run
        that is not settled it may have accesses beside them: it is called when it was, and returns
        when it did.
        """
        run, order = self.run, self.execution.order
        begin, end_position = run.begun[number], run.ended[number]
        if not is_settled:
            return 2 * begin - 1, LATER if end_position < 0 else 2 * end_position
        end = len(order) if end_position < 0 else end_position
        steps = [at for at in range(begin, end) if order[at] == run.numbers[thread]]
        call_moment = 2 * steps[0] if steps else 2 * (end if end_position < 0 else begin) - 1
        return_moment = LATER if end_position < 0 else 2 * steps[-1] if steps else call_moment
        return call_moment, return_moment


def _work(self: Any) -> None:
    self.work()
