"""How a scenario runs on impl/task_executor.py, and which model state its objects are in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from harness.conditions import condition
from harness.result import raised
from impl import task_executor
from impl.runtime import Atomic

SUBJECT = ("impl.task_executor", "impl.one_thread")
"""The modules whose steps are the mechanism's."""

STAND_INS = {
    "logging": "harness.standard_logging",
}
"""Production's names from the standard library, and their stand-ins under control."""

NOT_RUN = {
    "impl.task_executor: TaskExecutor.__init__: ": (
        "another's executor; tests/impl/test_task_executor.py hands one in, and "
        "tests/impl/test_system_timer_defects.py what is none"
    ),
    "impl.one_thread: OneThread.submit: self.thread is None is true": (
        "the scenario's thread is there from the beginning; tests/impl/test_one_thread.py starts "
        "threads"
    ),
    "impl.one_thread: OneThread.shutdown: self.thread is not None is false": (
        "the same; tests/impl/test_one_thread.py shuts one down that was given no call"
    ),
    "impl.one_thread: OneThread.start": "the same",
    "impl.one_thread: OneThread.live": "the same",
    "impl.task_executor: TaskExecutor.close: self.own is false": (
        "another's executor is left alone; tests/impl/test_task_executor.py looks at it"
    ),
    "impl.task_executor: run: except (": (
        "an end of the program; tests/impl/test_task_executor.py has tasks that ask for it"
    ),
    "impl.task_executor: TaskExecutor.report": (
        "the timer calls it; tests/impl/test_task_executor.py looks at what is logged"
    ),
}
"""Branches that no scenario runs, and why."""


PRESENT = "a thread of the scenario"
"""The mark that the pool has in the place of its thread."""


class Failed(Exception):
    """The exception of a task."""


class Task:
    """A task, which is its own entry.

    ``does``: its steps when it runs: nothing, ["raise"], ["close"] or ["submit", another task].

    ``ran``: the names of the tasks that have run, in their order.
    """

    __slots__ = ("name", "does", "executor", "ran", "other", "timer_task", "expiration_ms")

    def __init__(
        self,
        name: str,
        does: Sequence[str],
        executor: Any,
        ran: Any,
        follower: Task | None,
    ) -> None:
        self.name, self.does, self.executor, self.ran, self.other = (
            name,
            tuple(does),
            executor,
            ran,
            follower,
        )
        self.timer_task = self
        self.expiration_ms = 0

    def run(self) -> None:
        self.ran.add_and_get((self.name,))  # update R1
        if self.does == ("raise",):
            raise Failed
        if self.does == ("close",):
            self.executor.close()
        elif self.other is not None:
            self.executor.submit(self.other)


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = task_executor) -> None:
        self.executor = impl.TaskExecutor()
        self.pool = self.executor.executor
        self.pool.thread = PRESENT
        self.ran: Any = Atomic(())
        self.tasks: dict[str, Task] = {}
        # A task hands over only tasks that stand behind it.
        for name, does in reversed(scenario["does"].items()):
            follower = self.tasks[does[1]] if does and does[0] == "submit" else None
            self.tasks[name] = Task(name, does, self.executor, self.ran, follower)
        self.threads = tuple(scenario["threads"])
        self.names = self.tasks  # on which all else hangs

    def submit(self, name: str) -> tuple[str, str] | None:
        try:
            self.executor.submit(self.tasks[name])
        except RuntimeError as refusal:
            return raised(refusal)
        return None

    def close(self) -> None:
        self.executor.close()

    def work(self) -> None:
        """What the pool's thread does."""
        self.pool.work()


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values."""
    mutex, asleep, tickets = condition(harness.pool.changed)
    return {
        "mutex": (mutex,),
        "asleep": (asleep,),
        "tickets": (tickets,),
        "calls": (tuple([task.name for _, (task,) in harness.pool.calls]),),
        "shut": (harness.pool.shut,),
        "ended": (harness.pool.ended,),
        "thread": (name_of(harness, harness.executor.thread),),
        "ran": (harness.ran.value,),
    }


def name_of(harness: Harness, ident: int | None) -> str | None:
    """The name of the scenario's thread with this get_ident()."""
    return None if ident is None else harness.threads[ident - 1]
