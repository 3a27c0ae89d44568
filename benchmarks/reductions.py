"""`python -m benchmarks.reductions`: how many runs source-DPOR and optimal DPOR make.

Each program has three threads beside the main one. Both searches make all runs at the same racy
places. `in vain`: runs that were ended because all threads slept.
"""

from __future__ import annotations

import argparse
import queue
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from wheelproof.errors import UsageError
from wheelproof.plain.exploration import Explorer
from wheelproof.plain.operations import Ending
from wheelproof.plain.schedulers.optimal_dpor import OptimalDPOR
from wheelproof.plain.schedulers.source_dpor import SourceDPOR

MOST = 60_000
"""Runs of a search, at most."""


def _run(*bodies: Callable[[], object]) -> None:
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Shared:
    """Variables of several threads."""

    def __init__(self) -> None:
        self.x, self.y, self.z = 0, 0, 0
        self.items = [0, 0, 0, 0]


def three_counts() -> None:
    memory = Shared()

    def add() -> None:
        memory.x += 1
        memory.y += 1

    _run(add, add, add)


def last_zero() -> None:
    memory = Shared()

    def search() -> None:
        index = 2
        while memory.items[index]:
            index -= 1

    def put(index: int) -> None:
        memory.items[index] = memory.items[index - 1] + 1

    _run(search, lambda: put(1), lambda: put(2))


def readers_of_a_flag() -> None:
    memory = Shared()

    def write() -> None:
        memory.y = 1
        memory.x = 1
        memory.z = 1

    def read() -> None:
        if memory.x:
            memory.z = memory.y

    _run(write, read, read)


def two_locks_each() -> None:
    forks = [threading.Lock() for _ in range(3)]

    def eat(first: int, second: int) -> None:
        for _ in range(2):
            with forks[first], forks[second]:
                pass

    _run(lambda: eat(0, 1), lambda: eat(1, 2), lambda: eat(0, 2))


def pool_of_two() -> None:
    condition, free = threading.Condition(), [1, 2]

    def use() -> None:
        with condition:
            while not free:
                condition.wait()
            item = free.pop()
        with condition:
            free.append(item)
            condition.notify()

    _run(use, use, use)


def queue_of_one() -> None:
    channel: queue.Queue[int] = queue.Queue(1)

    def put() -> None:
        channel.put(1)
        channel.put(2)

    _run(put, channel.get, channel.get)


def attempts() -> None:
    memory, lock = Shared(), threading.Lock()

    def work() -> None:
        if lock.acquire(blocking=False):
            memory.x += 1
            lock.release()
        memory.y = memory.x

    _run(work, work, work)


PROGRAMS = (
    three_counts, last_zero, readers_of_a_flag, two_locks_each, pool_of_two, queue_of_one, attempts,
)  # fmt: skip


def search(explorer: Explorer, scheduler: Any) -> tuple[int, float]:
    """The runs of a search, and its CPU seconds. One that is not over has too many."""
    start, before = time.process_time(), explorer.execution.executions
    while not scheduler.over and explorer.execution.executions - before < MOST:
        explorer.run(scheduler)
        explorer.failing = None
    if not scheduler.over:
        raise UsageError(f"a search makes more than {MOST:,} runs.", "Name smaller programs.")
    return explorer.execution.executions - before, time.process_time() - start


def places(explorer: Explorer) -> None:
    """Make the racy places visible: those that a search finds."""
    grown = True
    while grown:
        grown, scheduler = False, SourceDPOR()
        for _ in range(MOST):
            ending = explorer.run(scheduler)
            explorer.failing = None
            grown = explorer.grew() or ending is Ending.CUT
            if grown or scheduler.over:
                break


def row(program: Callable[[], None]) -> tuple[str, int, int, float, int, int, float]:
    """Name; of source-DPOR and of optimal DPOR: runs, runs in vain, CPU seconds."""
    explorer = Explorer(program)
    places(explorer)
    source, optimal = SourceDPOR(), OptimalDPOR()
    runs, seconds = search(explorer, source)
    fewer, cpu = search(explorer, optimal)
    return program.__name__, runs, source.redundant, seconds, fewer, optimal.redundant, cpu


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.reductions", description=__doc__)
    parser.add_argument("program", nargs="*", help="programs (all)")
    names = parser.parse_args(arguments).program
    unknown = set(names) - {program.__name__ for program in PROGRAMS}
    if unknown:
        print(UsageError(f"no program {', '.join(sorted(unknown))}."), file=sys.stderr)
        return 2
    print("| program | source: runs | in vain | CPU s | optimal: runs | in vain | CPU s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for program in PROGRAMS:
        if not names or program.__name__ in names:
            try:
                name, *figures = row(program)
            except UsageError as error:
                print(error, file=sys.stderr)
                return error.exit_code
            cells = [f"{value:,.2f}" if type(value) is float else f"{value:,}" for value in figures]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
