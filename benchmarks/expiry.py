"""The cost of expiry, and how long other threads wait to add: ``python -m benchmarks.expiry``.

All rows are measured in one process, in turns. Read ratios: the machine may be busy.

* Expiry: CPU time per task of all threads together, from the first due task to the last task's run.
  The tasks are added before, and do nothing but count.
* The slowest add: 100,000 tasks are due within half a second. Meanwhile another thread adds one
  task every two milliseconds, far in the future. Its slowest add in wall time is the row's figure.
* Adders that never pause: eight threads add tasks that are due within 100 ms, one after the other,
  for four seconds. A task's lateness is the time from its deadline to its run. ``fixed parts`` is a
  ``PartedTimer`` whose parts take no account of the tasks that were added between them.

``SystemTimer`` and ``PartedTimer`` are driven by ``SystemTimerReaper``. ``SystemTimer, pool`` runs
its tasks on the library's ``ThreadPoolExecutor`` of one thread, as the timer did before it had a
thread of its own.
``asyncio`` runs a loop in a thread of its own, to which the other thread adds by
``call_soon_threadsafe`` and waits for the handle, as it must if it may cancel. ``sched`` runs in a
thread and is polled each millisecond, because it cannot be woken.
"""

from __future__ import annotations

import asyncio
import gc
import random
import sched
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from impl.clock import VirtualClock
from impl.parted_timer import PartedTimer
from impl.system_timer import SystemTimer
from impl.system_timer_reaper import SystemTimerReaper
from impl.timer_task_list import TimerTask

WINDOW_MS = 500
"""Within how many milliseconds all tasks are due."""

FAR_MS = 600_000
"""The delay of the tasks that the other thread adds, in milliseconds: none is due in a run."""

PAUSE_S = 0.002
"""How long the other thread pauses between two adds, in seconds."""

ADDERS = 8
"""How many threads add without a pause."""

STEADY_S = 4
"""For how many seconds they add."""

STEADY_MS = 100
"""The longest delay of the tasks that they add, in milliseconds."""

ROUNDS = 3
"""How often each row is measured; the least is shown."""


class Count:
    """Counts the tasks that have run, on one thread, and says when all have."""

    __slots__ = ("left", "done")

    def __init__(self, tasks: int) -> None:
        self.left = tasks
        self.done = threading.Event()

    def __call__(self) -> None:
        self.left -= 1
        if not self.left:
            self.done.set()


class Task(TimerTask):
    """Counts its run."""

    __slots__ = ("count",)

    def __init__(self, delay_ms: int, count: Callable[[], None]) -> None:
        super().__init__(delay_ms)
        self.count = count

    def run(self) -> None:
        self.count()


class Dated(TimerTask):
    """Notes by how many seconds its run is late."""

    __slots__ = ("due", "lateness")

    def __init__(self, delay_ms: int, lateness: list[float]) -> None:
        super().__init__(delay_ms)
        self.due, self.lateness = time.monotonic() + delay_ms / 1000, lateness

    def run(self) -> None:
        self.lateness.append(time.monotonic() - self.due)


class FixedParts(PartedTimer):
    """Its parts are of one size, however many tasks were added between them."""

    __slots__ = ()

    def expire_part(self, linked: int) -> int | None:
        return super().expire_part(sys.maxsize)


class Subject(Protocol):
    """A timer that runs: ``fill`` adds tasks before it starts, ``add`` comes from any thread."""

    def fill(self, delays_ms: list[int], count: Count) -> None: ...

    def start(self) -> None: ...

    def add(self, delay_ms: int) -> None: ...

    def stop(self) -> None: ...


class Wheel:
    """A timer. Its clock stands until ``start``, so that nothing is due while it is filled."""

    def __init__(
        self, pool: Executor | None = None, timer: type[SystemTimer] = SystemTimer
    ) -> None:
        self.pool = pool
        self.timer = timer(pool, start_ms=0, clock=VirtualClock())

    def fill(self, delays_ms: list[int], count: Count) -> None:
        for delay in delays_ms:
            self.timer.add(Task(delay, count))

    def start(self) -> None:
        clock = Since()
        self.timer.clock = clock
        wheel: Any = self.timer.wheel
        while wheel is not None:
            wheel.clock = clock
            for bucket in wheel.buckets:
                bucket.clock = clock
            wheel = wheel.overflow_wheel
        self.reaper = SystemTimerReaper("reaper", self.timer)

    def add(self, delay_ms: int) -> None:
        self.timer.add(Task(delay_ms, print))

    def stop(self) -> None:
        self.reaper.close()
        if self.pool is not None:
            self.pool.shutdown()


class Since:
    """Milliseconds since it was made."""

    __slots__ = ("start",)

    def __init__(self) -> None:
        self.start = time.monotonic()

    def hi_res_clock_ms(self) -> int:
        return int((time.monotonic() - self.start) * 1000)


class Asyncio:
    """asyncio's loop, in a thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def fill(self, delays_ms: list[int], count: Count) -> None:
        self.begin = self.loop.time()
        for delay in delays_ms:
            self.loop.call_later(delay / 1000, count)

    def start(self) -> None:
        # what was added is due as long after the start as the wheel's is
        late = self.loop.time() - self.begin
        real = self.loop.time
        self.loop.time = lambda: real() - late  # type: ignore[method-assign]
        self.thread.start()

    def add(self, delay_ms: int) -> None:
        event = threading.Event()

        def call() -> None:
            self.loop.call_later(delay_ms / 1000, print)
            event.set()

        self.loop.call_soon_threadsafe(call)
        event.wait()

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


class Sched:
    """The library's ``sched``, polled by a thread."""

    def __init__(self) -> None:
        self.now: Callable[[], float] = lambda: 0.0
        self.sched = sched.scheduler(lambda: self.now(), time.sleep)
        self.stopping = False
        self.thread = threading.Thread(target=self._poll, daemon=True)

    def _poll(self) -> None:
        while not self.stopping:
            self.sched.run(blocking=False)
            time.sleep(0.001)

    def fill(self, delays_ms: list[int], count: Count) -> None:
        for delay in delays_ms:
            self.sched.enter(delay / 1000, 0, count)

    def start(self) -> None:
        begin = time.monotonic()
        self.now = lambda: time.monotonic() - begin
        self.thread.start()

    def add(self, delay_ms: int) -> None:
        self.sched.enter(delay_ms / 1000, 0, print)

    def stop(self) -> None:
        self.stopping = True
        self.thread.join()


SUBJECTS: dict[str, Callable[[], Subject]] = {
    "SystemTimer": Wheel,
    "PartedTimer": lambda: Wheel(timer=PartedTimer),
    "SystemTimer, pool": lambda: Wheel(ThreadPoolExecutor(1)),
    "asyncio": Asyncio,
    "sched": Sched,
}


STEADY: dict[str, type[SystemTimer]] = {
    "SystemTimer": SystemTimer,
    "PartedTimer": PartedTimer,
    "fixed parts": FixedParts,
}


@contextmanager
def collecting(on: bool) -> Iterator[None]:
    """The garbage collector on with its default thresholds, or off."""
    gc.collect()
    (gc.enable if on else gc.disable)()
    try:
        yield
    finally:
        gc.enable()


def expiry_us(make: Callable[[], Subject], tasks: int) -> float:
    """CPU microseconds per task, all threads together."""
    subject, count = make(), Count(tasks)
    subject.fill([1 + i * WINDOW_MS // tasks for i in range(tasks)], count)
    start = time.process_time()
    subject.start()
    count.done.wait()
    cost = time.process_time() - start
    subject.stop()
    return cost / tasks * 1e6


def slowest_add_ms(make: Callable[[], Subject], tasks: int) -> float:
    """Wall milliseconds of another thread's slowest add while all tasks expire."""
    subject, count = make(), Count(tasks)
    subject.fill([1 + i * WINDOW_MS // tasks for i in range(tasks)], count)
    slowest = 0.0
    subject.start()
    while not count.done.is_set():
        start = time.perf_counter()
        subject.add(FAR_MS)
        slowest = max(slowest, time.perf_counter() - start)
        time.sleep(PAUSE_S)
    subject.stop()
    return slowest * 1000


@dataclass(frozen=True)
class Steady:
    """A timer under adders that never pause: lateness and slowest add in seconds."""

    added: int
    ran: int
    median: float
    latest: float
    slowest: float


def steady(kind: type[SystemTimer]) -> Steady:
    """``ran``: how many of the added tasks had run when the adders stopped. All run in the end."""
    lateness: list[float] = []
    stop, counts, slowest = threading.Event(), [0] * ADDERS, [0.0] * ADDERS
    timer = kind()

    def body(number: int) -> None:
        draw = random.Random(number)
        while not stop.is_set():
            start = time.perf_counter()
            timer.add(Dated(draw.randint(1, STEADY_MS), lateness))
            slowest[number] = max(slowest[number], time.perf_counter() - start)
            counts[number] += 1

    threads = [threading.Thread(target=body, args=(number,)) for number in range(ADDERS)]
    with SystemTimerReaper("reaper", timer):
        for thread in threads:
            thread.start()
        time.sleep(STEADY_S)
        stop.set()
        ran = len(lateness)
        for thread in threads:
            thread.join()
        while len(lateness) < sum(counts):
            time.sleep(PAUSE_S)
    return Steady(sum(counts), ran, statistics.median(lateness), max(lateness), max(slowest))


def steady_rows() -> Iterator[tuple[str, Steady]]:
    """Each timer's round with the least median lateness, of ``ROUNDS`` in turns."""
    rounds = [{name: steady(kind) for name, kind in STEADY.items()} for _ in range(ROUNDS)]
    for name in STEADY:
        yield name, min((by_name[name] for by_name in rounds), key=lambda row: row.median)


def rows(tasks: int) -> Iterator[tuple[str, str, float, float]]:
    """(timer, state of the collector, expiry in us per task, slowest add in ms)."""
    table: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for _ in range(ROUNDS):
        for state in "on", "off":
            for name, make in SUBJECTS.items():
                with collecting(state == "on"):
                    per_task = expiry_us(make, tasks)
                with collecting(state == "on"):
                    table.setdefault((name, state), []).append(
                        (per_task, slowest_add_ms(make, tasks))
                    )
    for (name, state), pairs in table.items():
        yield name, state, min(cost for cost, _ in pairs), min(slow for _, slow in pairs)


def main(arguments: list[str]) -> int:
    tasks = int(arguments[0]) if arguments else 100_000
    table = list(rows(tasks))
    base = {state: cost for name, state, cost, _ in table if name == "asyncio"}
    print(f"{tasks:,} tasks due within {WINDOW_MS} ms, the least of {ROUNDS} rounds\n")
    print("| timer | collector | expiry / asyncio | us of CPU per task | slowest add, ms |")
    print("|---|---|---|---|---|")
    for name, state, cost, slow in table:
        print(f"| {name} | {state} | {cost / base[state]:.1f} | {cost:.1f} | {slow:,.0f} |")
    print(f"\n{ADDERS} threads add for {STEADY_S} s without a pause, the best of {ROUNDS} rounds\n")
    print(
        "| timer | ran while adding | median lateness / SystemTimer | ms | latest | slowest add |"
    )
    print("|---|---|---|---|---|---|")
    pairs = list(steady_rows())
    first = pairs[0][1].median
    for name, row in pairs:
        print(
            f"| {name} | {row.ran / row.added:.0%} | {row.median / first:.1f} "
            f"| {row.median * 1000:,.0f} | {row.latest * 1000:,.0f} | {row.slowest * 1000:,.0f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
