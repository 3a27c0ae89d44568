"""``python -m benchmarks.timers``: timers against the contract, each broken clause with a program.

``late by at most a tick`` is judged with the tick of each timer. A timer whose package this
interpreter cannot have is named with the reason. The exit code is 0 where the broken clauses are
those that are listed, 1 where they are not, and 4 where a tool is missing.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from benchmarks.races import environments
from wheelproof.errors import WheelproofError
from wheelproof.plain.answers import Answer, Exploration
from wheelproof.timers.campaign import Check
from wheelproof.timers.options import options
from wheelproof.timers.programs import WAYS, Way
from wheelproof.timers.telling import calls


@dataclass(frozen=True)
class Timer:
    """A timer of the table.

    ``quirks``: clauses that it is known to break, and exceptions of its threads. ``share``: so many
    times more programs are drawn as the user says, with fewer executions of each. ``python``: the
    one version that has it.
    """

    name: str
    factory: str
    quirks: Set[str] = frozenset()
    tick: int = 1
    share: int = 1
    pins: tuple[str, ...] = ()
    python: tuple[int, int] | None = None


TIMERS = (
    Timer("`SystemTimer`", "of_project:OfSystemTimer", {"cancel wins"}),
    Timer("`PartedTimer`", "of_project:OfPartedTimer", {"cancel wins"}),
    Timer("the purgatory", "of_project:OfPurgatory", {"cancel wins"}),
    Timer("`threading.Timer`", "of_python:OfThreading", {"cancel wins"}),
    Timer("`sched`", "of_python:OfSched", {"cancel wins"}),
    Timer("asyncio's loop", "of_python:OfAsyncio"),
    Timer(
        "APScheduler 3.11.3", "of_apscheduler:OfAPScheduler", {"cancel wins"},
        pins=("apscheduler==3.11.3", "tzlocal==5.4.5"),
    ),
    Timer(
        "hazelcast-python-client 3.12.3", "of_hazelcast:OfHazelcast", {"IndexError"}, 10, 4,
        ("hazelcast-python-client==3.12.3",), (3, 11),
    ),
)  # fmt: skip

HEAD = ["timer", "clause", "where", "program", "executions", "CPU s"]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.timers", description=__doc__)
    parser.add_argument("--timers", default="", help="words of names, with commas; default: all")
    parser.add_argument("--programs", type=int, default=10, help="drawn under threads; default: 10")
    parser.add_argument("--executions", type=int, default=150, help="of a program; default: 150")
    choices = parser.parse_args(arguments)
    words = [word for word in choices.timers.split(",") if word]
    timers = [t for t in TIMERS if not words or any(word in t.name for word in words)]
    print(f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|", flush=True)
    try:
        wrong = [
            timer.name
            for timer in timers
            if not table_of(timer, choices.programs, choices.executions)
        ]
    except WheelproofError as error:
        print(f"timers: {error}", file=sys.stderr)
        return error.exit_code
    if wrong:
        print(f"timers: not as listed: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


def table_of(timer: Timer, programs: int, executions: int) -> bool:
    """Print the lines of a timer. Whether it breaks the clauses that it is known to break."""
    if timer.python not in (None, sys.version_info[:2]):
        assert timer.python is not None
        print(f"| {timer.name} | | | needs Python {'.'.join(map(str, timer.python))} | | |")
        return True
    if timer.pins:
        sys.path.append(str(environments.packages(timer.factory.partition(":")[0], timer.pins)))
    module, _, name = timer.factory.partition(":")
    factory = getattr(importlib.import_module(f"benchmarks.timers.{module}"), name)
    share = timer.share
    executions = max(1, executions * 2 // (share + 1))
    run_options = options(tick=timer.tick, programs=share * programs, executions=executions)
    quirks: set[str] = set()
    is_passed = True
    for way in WAYS:
        for quirk, line, passes in lines(timer.name, Check(factory, run_options), way):
            print(f"| {' | '.join(line)} |", flush=True)
            quirks |= {quirk} - {""}
            is_passed = is_passed and passes
    return is_passed and quirks == timer.quirks


def lines(name: str, check: Check, way: Way) -> Iterator[tuple[str, list[str], bool]]:
    """For each answer: the broken part, the line, and whether it is a program or a pass."""
    start = time.process_time()
    for exploration in check.breaches(way):
        now = time.process_time()
        seconds, start = f"{now - start:.1f}", now
        rest = "the others" if check.excused else "all"
        quirk, title, text = "", f"{rest}: {exploration.answer}", exploration.reason
        failing = exploration.answer is Answer.BUG and check.failing is not None
        if failing and check.failing is not None:
            quirk = title = broken_by(exploration, check)
            text = "; ".join(f"`{part}`" for part in calls(check.failing))
        line = [name, title, way.name, text, f"{exploration.executions:,}", seconds]
        yield quirk, line, failing or exploration.answer in (Answer.BOUNDED, Answer.BUDGET)


def broken_by(exploration: Exploration, check: Check) -> str:
    """The clause that a failure breaks, or its exception, or its kind."""
    if check.judge.breach is not None:
        return str(check.judge.breach.clause)
    failure = exploration.failure
    assert failure is not None
    return type(failure.exception).__name__ if failure.exception else str(failure.kind)


if __name__ == "__main__":
    sys.exit(main())
