"""frontrun: its default search, DPOR with at most two preemptions.

It takes a function that makes the state, one function for each thread, and one that looks at the
state afterwards. So the program runs in a greenlet up to its first `join`, frontrun runs the
threads that it has started, and then the program goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import frontrun as peer
import greenlet

from benchmarks.races.checkers.outcome import (
    BUG,
    CANNOT,
    DEADLOCK,
    HOLDS,
    NOTHING,
    Outcome,
    executed,
    named,
    report,
)

WALL = 3
"""Seconds of its limit for each CPU second of the others: it knows no limit of CPU time."""


class Threading(ModuleType):
    """The module `threading` for a program, whose threads are collected and not started."""

    def __init__(self, bodies: list[Callable[[], object]]) -> None:
        super().__init__("threading")
        driver = greenlet.getcurrent()

        class Thread:
            def __init__(
                self, *, target: Any, args: tuple[Any, ...] = (), kwargs: Any = None
            ) -> None:
                self.run = lambda: target(*args, **(kwargs or {}))

            def start(self) -> None:
                bodies.append(self.run)

            def join(self) -> None:
                driver.switch()

        self.Thread = Thread

    def __getattr__(self, name: str) -> Any:
        return getattr(threading, name)


class State:
    """One execution of a program: its threads, and the failures of it and of them."""

    def __init__(self, module: ModuleType) -> None:
        self.threads: list[Callable[[], object]] = []
        self.failures: list[str] = []
        module.threading = Threading(self.threads)  # type: ignore[attr-defined]
        self.program = greenlet.greenlet(lambda: self.attempt(module.program))
        self.program.switch()

    def attempt(self, part: Callable[[], object]) -> None:
        try:
            part()
        except Exception as error:
            self.failures.append(named(error))

    def goes_well(self) -> bool:
        while self.program:
            self.program.switch()
        return not self.failures


def check(module: ModuleType, seconds: float) -> Outcome:
    last: list[State] = []

    def setup() -> State:
        executed()
        last[:] = [State(module)]
        return last[0]

    count = len(State(module).threads)
    if not count:
        return Outcome(CANNOT, 0, reason="the program starts no thread itself")
    result = peer.explore(
        setup,
        [lambda state, turn=turn: state.attempt(state.threads[turn]) for turn in range(count)],
        State.goes_well,
        total_timeout=WALL * seconds,
        reproduce_on_failure=0,
    )
    executions, why = result.num_explored, str(result.explanation or "")
    if result.property_holds is None:
        return Outcome(NOTHING, executions, reason=str(result.inconclusive_reason)[:200])
    if result.property_holds:
        return Outcome(HOLDS, executions, bound=2)
    if why.startswith("Deadlock"):
        return Outcome(BUG, executions, DEADLOCK)
    failures = last[0].failures
    return Outcome(BUG, executions, failures[0] if failures else why.split("\n")[0][:100])


if __name__ == "__main__":
    report(check)
