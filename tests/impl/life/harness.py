"""The executor and the reaper from their start to their end: loaded in a mapping's place, under
the controlled runtime."""
from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from impl import system_timer_reaper, task_executor
from impl.runtime import Atomic
from impl.stand_ins import THREADS

SUBJECT = ("impl.task_executor", "impl.system_timer_reaper")


class Failed(Exception):
    """What a task raises."""


class Task:
    """A task, and its entry as well. ``does``: the operations of the harness that it calls when
    it runs; ``raises``: it fails then."""

    __slots__ = ("life", "does", "raises", "ran", "expiration_ms")

    def __init__(self, life: Any, does: tuple, raises: bool) -> None:
        self.life, self.does, self.raises = life, does, raises
        self.ran = Atomic(0)
        self.expiration_ms = 0

    @property
    def timer_task(self) -> Task:
        return self

    def run(self) -> None:
        self.ran.add_and_get(1)  # update R1
        for operation, *arguments in self.does:
            method = getattr(self.life, operation)
            method(*arguments)
        if self.raises:
            raise Failed

class Timer:
    """What the reaper needs of a timer: each call is a step. ``noted``: what was called, in
    order."""

    __slots__ = ("noted", "left", "life", "closes")

    def __init__(self, life: Any, closes: bool) -> None:
        """``closes``: what is due closes the reaper."""
        self.noted = Atomic(())
        self.left = Atomic(1)
        self.life, self.closes = life, closes

    def advance_clock(self, timeout_ms: int) -> bool:
        """One call is noted. Later ones are not, or the states would have no end."""
        if self.left.get_and_set(0):  # swap T1
            self.noted.add_and_get(("poll",))  # update T2
            if self.closes:
                self.life.close_reaper()
        return False

    def close(self) -> None:
        self.noted.add_and_get(("close",))  # update T3


class World:
    """The objects of one scenario, and one method per operation of a thread program.

    ``scenario``: ``tasks`` (name -> {does, raises}), ``closes`` (what the reaper runs closes it)
    and ``threads``, of which ``worker`` and ``reaper`` play the parts of the pool's thread and
    the reaper's. ``closed``: the closes that have returned.
    """

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType | None = None) -> None:
        executors, reapers = impl or task_executor, impl or system_timer_reaper
        self.executor, self.closed = executors.TaskExecutor(), Atomic(())
        self.asked, self.refused = Atomic(0), Atomic(0)
        self.tasks = {name: Task(self, tuple(map(tuple, task.get("does", ()))), task.get("raises", False))
                      for name, task in scenario.get("tasks", {}).items()}
        self.timer = Timer(self, scenario.get("closes", False))
        self.reaper = reapers.SystemTimerReaper(self.timer)
        self.pool, self.stopping = self.executor.executor, self.reaper.stopping
        self.worker = self.pool.worker
        programs = scenario["threads"]
        for name, thread in ("worker", self.worker), ("reaper", self.reaper.thread):
            thread.number = list(programs).index(name) + 1 if name in programs else 0
        THREADS.known = (self.worker, self.reaper.thread)
        does = [*(step for program in programs.values() for step in program), *(step for task in self.tasks.values() for step in task.does)]
        self.closes = sum(step[0].startswith("close") for step in does)
        self.names = {**self.tasks, "executor": self.executor, "timer": self.timer, "reaper": self.reaper, "closed": self.closed,
                      "asked": self.asked, "refused": self.refused}

    # -- the operations

    def submit(self, name: str) -> None:
        self.asked.add_and_get(1)  # update S1
        try:
            self.executor.submit(self.tasks[name])
        except RuntimeError:  # the pool is shut down
            self.refused.add_and_get(1)  # update S2

    def close(self) -> None:
        """The executor's."""
        self.executor.close()
        self.closed.add_and_get(("executor",))  # update C1

    def close_reaper(self) -> None:
        self.reaper.close()
        self.closed.add_and_get(("reaper",))  # update C2

    def work(self) -> None:
        self.worker.run()

    def reap(self) -> None:
        self.reaper.thread.run()


def shared(world: World) -> dict[str, tuple]:
    """Nothing is compared with a model here."""
    return {}
