"""Stress: the program again and again on real threads, with a short switch interval."""

from __future__ import annotations

import sys
import threading
import time
from types import ModuleType

from benchmarks.races.checkers.outcome import BUG, DEADLOCK, NOTHING, Outcome, leave, named, report

SWITCH = 1e-6
"""Seconds after which the interpreter lets another thread run."""

STILL = 10
"""Seconds without the end of an execution after which its threads count as waiting for ever."""


def check(module: ModuleType, seconds: float) -> Outcome:
    failures: list[str] = []
    threading.excepthook = lambda args: failures.append(
        named(args.exc_value) if args.exc_value else args.exc_type.__name__
    )
    executions, begin, last = 0, time.process_time(), time.monotonic()

    def watch() -> None:
        while time.monotonic() < last + STILL:
            time.sleep(0.2)
        leave(Outcome(BUG, executions + 1, DEADLOCK), begin)

    threading.Thread(target=watch, daemon=True).start()
    sys.setswitchinterval(SWITCH)
    while time.process_time() < begin + seconds:
        try:
            module.program()
        except Exception as error:
            failures.append(named(error))
        executions += 1
        last = time.monotonic()
        if failures:
            return Outcome(BUG, executions, failures[0])
    return Outcome(NOTHING, executions, reason=f"no failure in {seconds:g} CPU s")


if __name__ == "__main__":
    report(check)
