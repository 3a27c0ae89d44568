"""How a scenario of SystemTimer runs on the implementation, and which model state its objects are in."""
from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from impl import system_timer, task_executor
from impl.clock import VirtualClock
from impl.runtime import Atomic
from impl.timer_task_list import TimerTask
from mapping.progress import Progress, Queue, present

SUBJECT = ("impl.system_timer", "impl.timing_wheel")
"""The modules whose steps are the mechanism's."""

ATOMIC = {
    "impl.timer_task_list": ("F2",),
    "impl.delay_queue": (),
    "impl.overflow_wheel": (),
    "impl.clock": (),
    "impl.task_executor": (),
    "impl.timing_wheel": ("W1", "W2", "W3", "W4", "V2"),
}
"""Modules whose operations are one step of their caller's, and the labels in them that remain steps of their own."""

COMPOSED = {
    "impl.delay_queue": (),
    "impl.overflow_wheel": (),
    "impl.clock": (),
    "impl.task_executor": (),
}
"""What is atomic even when every step of the wheel's and the lists' is on: what has one lock, or is another mechanism's subject."""

POLL_MS = 1
"""How long a reaper waits at a time where time is real."""


class Executor(task_executor.TaskExecutor):
    """Keeps what it is handed until it is told to run it."""

    __slots__ = ("waiting",)

    def __init__(self) -> None:
        self.waiting = Atomic(())

    def submit(self, entry: Any) -> None:
        self.waiting.add_and_get((entry,))

    def close(self) -> None:
        pass


class World:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = system_timer) -> None:
        """``impl`` has the implementation's classes; a mutant puts its own in their place."""
        self.wheel_size, self.levels = scenario["wheel_size"], scenario["levels"]
        self.clock = VirtualClock()
        self.executor = Executor()
        self.queue = Queue()
        adds = [arguments[0] for program in scenario["threads"].values() for operation, *arguments in program if operation == "add"]
        self.progress = Progress(len(adds))
        self.timer = impl.SystemTimer(self.executor, 1, self.wheel_size, 0, self.clock, self.queue)
        # What the adders read is 0 at all times, so that an entry's deadline is its delay: a scenario fixes it, whenever the adder comes.
        self.timer.clock = VirtualClock()
        self.queue.progress, self.queue.task_counter = self.progress, self.timer.task_counter
        wheel = self.timer.wheel
        for _ in range(1, self.levels):  # the levels exist from the start: how they come to be is another mechanism's subject
            wheel = wheel.parent()
        self.tasks = {task: TimerTask(0) for task in dict.fromkeys(scenario["task_of"].values())}
        # The adds of one task have different deadlines and are made by one thread: that is how a real entry is known here.
        self.due = {entry: (self.tasks[task], scenario["deadline"][entry]) for entry, task in scenario["task_of"].items()}
        self.names = {**self.tasks, "timer": self.timer, "clock": self.clock, "executor": self.executor, "progress": self.progress}

    # -- the operations

    def add(self, entry: str) -> None:
        task, task.delay_ms = self.due[entry]
        try:
            self.timer.add(task)
        except RuntimeError:  # the timer is closed
            pass
        self.progress.left -= 1

    def cancel(self, task: str) -> None:
        self.tasks[task].cancel()  # write X1

    def close(self) -> None:
        self.timer.close()

    def reap(self) -> None:
        while self.timer.advance_clock(POLL_MS) or not self.queue.over():
            pass

    def tick(self) -> None:
        self.clock.advance(1)  # update C1

    def execute(self) -> None:
        self.executor.waiting.get_and_set(())  # swap E1


def shared(world: World) -> dict[str, tuple]:
    """The model's shared variables, in the model's own form."""
    timer = world.timer
    name = {(id(task), due): entry for entry, (task, due) in world.due.items()}
    wheels, buckets = [], []
    wheel = timer.wheel
    while wheel is not None:
        wheels.append(wheel)
        buckets += wheel.buckets
        wheel = wheel.overflow_wheel
    number = {id(bucket): i for i, bucket in enumerate(buckets, 1)}

    def role(entry: Any) -> str | None:
        return entry and name[id(entry.timer_task), entry.expiration_ms]

    def content(bucket: Any) -> tuple:
        out, node = [], bucket.root.next
        while node is not bucket.root and len(out) <= len(name):  # a ring need not close halfway through a link
            out.append(role(node))
            node = node.next
        return tuple(out)

    return {
        "now": (present(world.clock.time_ms),),
        "current": tuple(wheel.current_time for wheel in wheels),
        "content": tuple(content(bucket) for bucket in buckets),
        "key": tuple(present(bucket.expiration) for bucket in buckets),
        "queue": (tuple(number[id(bucket)] for bucket in world.queue.heap),),
        "timerTaskEntry": tuple(role(task.timer_task_entry) for task in world.tasks.values()),
        "taskCounter": (present(timer.task_counter),),
        "readers": (frozenset(thread.name for thread in getattr(timer.lock, "readers", ())),),
        "writer": (getattr(timer.lock, "writer", None) and timer.lock.writer.name,),
        "closed": (timer.closed,),
        "waiting": (tuple(role(entry) for entry in present(world.executor.waiting)),),
        "adding": (world.progress.left,),
    }
