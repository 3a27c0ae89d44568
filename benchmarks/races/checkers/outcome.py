"""The outcome of a checker on one program. Standard library alone: each environment has that."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from types import ModuleType

BUG = "bug"
HOLDS = "holds"
"""The checker claims that no schedule fails, or none with at most `bound` preemptions."""
NOTHING = "nothing"
"""Some schedules were run, none failed, and nothing is claimed of the others."""
CANNOT = "cannot"
"""The checker cannot run the program, or broke; `reason` says why."""

DEADLOCK = "deadlock"
"""The failure of threads that wait for ever. Each other failure is the name of an exception."""


@dataclass(frozen=True)
class Outcome:
    answer: str
    executions: int
    failure: str = ""
    reason: str = ""
    bound: int | None = None
    preemptions: int | None = None
    cpu: float = 0.0
    """Seconds of this process, from the call of the checker to its answer."""
    rate: int | None = None
    """Executions per CPU second, from the first one to the last one: nothing is loaded there."""


MOMENTS: list[float] = []
"""CPU seconds of this process at the same point of each execution."""


def executed() -> None:
    """A checker is at that point of an execution."""
    MOMENTS.append(time.process_time())


def named(error: BaseException) -> str:
    """The name of a failure; an assertion that is not of the program has its file."""
    name = type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    if name != "AssertionError" or not frames or "programs" in frames[-1].filename:
        return name
    return f"{name} in {os.path.basename(frames[-1].filename)}"


def report(check: Callable[[ModuleType, float], Outcome]) -> None:
    """Check the program that the command line names, print the outcome, and end the process."""
    name, seconds = sys.argv[1], float(sys.argv[2])
    begin = time.process_time()
    try:
        outcome = check(importlib.import_module(f"benchmarks.races.programs.{name}"), seconds)
    except Exception as error:
        traceback.print_exc()
        outcome = Outcome(CANNOT, 0, reason=f"{type(error).__name__}: {error}"[:300])
    leave(outcome, begin)


def leave(outcome: Outcome, begin: float) -> None:
    """Print an outcome and end the process, even while its threads wait."""
    values = asdict(outcome) | {"cpu": round(time.process_time() - begin, 3)}
    if MOMENTS and MOMENTS[-1] > MOMENTS[0]:
        values["rate"] = round((len(MOMENTS) - 1) / (MOMENTS[-1] - MOMENTS[0]))
    print("\n" + json.dumps(values), flush=True)
    os._exit(0)
