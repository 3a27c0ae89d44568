"""The whole timer with every list operation in its own steps, loaded in a harness's place.

Operations behind one lock of their own, or on one variable, stay one step: the delay queue, the
clock, the executor.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from impl import delay_queue, system_timer, task_executor
from impl.clock import VirtualClock
from impl.runtime import Atomic
from impl.timer_task_list import TimerTask

SUBJECT = ("impl.system_timer", "impl.timing_wheel", "impl.timer_task_list", "impl.overflow_wheel")
ATOMIC = {
    "impl.delay_queue": (),
    "impl.clock": (),
    "impl.task_executor": (),
    "impl.one_thread": (),
    # these with all of their labels: the others answer the delay queue, or make an unseen level
    "impl.timing_wheel": ("W1", "W2", "W3", "W4", "V1", "V2", "V3", "V4", "V5"),
    "impl.overflow_wheel": ("O1", "O2", "O3", "O4", "O5", "O6"),
}

MOST = 100
"""More entries than any program adds."""


class Queue(delay_queue.DelayQueue):
    """A delay queue at which no thread waits: a poll takes the due bucket."""

    __slots__ = ()

    def wait_ms(self) -> int:
        return 0


class Executor(task_executor.TaskExecutor):
    """Keeps what it is handed."""

    __slots__ = ("handed",)

    def __init__(self) -> None:
        self.handed = Atomic(())

    def submit(self, entry: Any) -> None:
        self.handed.add_and_get((entry,))


class Results:
    """Number of an operation -> what it returned; ``came``: whether a poll met a due bucket."""

    __slots__ = ("of", "came")

    def __init__(self) -> None:
        self.of: dict[int, Any] = {}
        self.came: dict[int, bool] = {}


def named(tasks: Mapping[str, TimerTask], entries: tuple) -> tuple[str, ...]:
    """The entries' tasks, sorted."""
    found = [name for each in entries for name, task in tasks.items() if task is each.timer_task]
    assert len(found) == len(entries), "each entry has a task of the scenario"
    return tuple(sorted(found))


class Harness:
    """A timer, its tasks, and one method per operation of a program, which is numbered first.

    ``scenario``: ``wheel_size``, ``delays`` (task -> milliseconds, at least 1) and ``threads``.
    """

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = system_timer) -> None:
        self.clock, self.executor, self.results = VirtualClock(), Executor(), Results()
        self.timer = impl.SystemTimer(
            self.executor, 1, scenario["wheel_size"], 0, self.clock, Queue()
        )
        self.tasks = {task: TimerTask(delay) for task, delay in scenario["delays"].items()}
        self.names = {
            **self.tasks,
            "timer": self.timer,
            "clock": self.clock,
            "executor": self.executor,
            "results": self.results,
        }

    # -- the operations

    def add(self, number: int, task: str) -> None:
        self.timer.add(self.tasks[task])
        self.results.of[number] = None

    def cancel(self, number: int, task: str) -> None:
        self.tasks[task].cancel()
        self.results.of[number] = None

    def size(self, number: int) -> None:
        self.results.of[number] = self.timer.size()

    def advance(self, number: int, ms: int) -> None:
        """Time passes, and the reaper polls once.

        There is one reaper, and no add is due at once: all that was handed over came from it.
        """
        before = len(self.executor.handed.value)
        self.clock.advance(ms)  # update C1
        self.results.came[number] = self.timer.advance_clock(0)
        self.results.of[number] = named(self.tasks, self.executor.handed.value[before:])

    def leap(self, number: int, ms: int) -> None:
        """Time passes beyond all deadlines: all that was handed over since the beginning."""
        self.clock.advance(ms)  # update C2
        self.results.came[number] = self.timer.advance_clock(0)
        self.results.of[number] = named(self.tasks, self.executor.handed.value)

    # -- at rest only

    def linked(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Tasks of the entries in the rings of the buckets: those that wait, and cancelled ones.

        Raises AssertionError for a ring that does not close.
        """
        waiting, left = [], []
        wheel = self.timer.wheel
        while wheel is not None:
            for bucket in wheel.buckets:
                entry = bucket.root.next
                while entry is not bucket.root:
                    assert entry is not None and len(waiting) + len(left) < MOST, (
                        "a ring does not close"
                    )
                    (waiting if entry.timer_task.timer_task_entry is entry else left).append(entry)
                    entry = entry.next
            wheel = wheel.overflow_wheel
        return named(self.tasks, tuple(waiting)), named(self.tasks, tuple(left))


def shared(harness: Harness) -> dict[str, tuple]:
    """Nothing is compared with a model here."""
    return {}
