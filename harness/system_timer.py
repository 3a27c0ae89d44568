"""How a scenario of SystemTimer runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from harness.outside import present
from harness.progress import Progress, Queue
from harness.result import raised
from impl import system_timer, task_executor
from impl.clock import VirtualClock
from impl.delay_queue import FOREVER_MS
from impl.runtime import Atomic, Gate
from impl.timer_task_list import TimerTask

SUBJECT = ("impl.system_timer", "impl.timing_wheel")
"""The modules whose steps are the mechanism's."""

HELPERS = ("impl.clock",)
"""Modules that are no mechanism: these scenarios have to run each of their branches, too."""

NOT_RUN = {
    "impl.clock: SystemClock.": (
        "the machine's clock; tests/impl/test_clock.py compares it with the system's"
    ),
    "impl.system_timer: SystemTimer.__init__: ": (
        "defaults for production; the harness hands in clock, queue, executor and start"
    ),
    "impl.system_timer: SystemTimer.__repr__ ": (
        "for people; tests/impl/test_system_timer_reaper.py reads it"
    ),
    "impl.system_timer: SystemTimer.wake ": (
        "an offer of a bucket without entries; tests/impl/test_system_timer_threads.py closes a "
        "reaper that sleeps"
    ),
    "impl.system_timer: SystemTimer.add: not 0 <= deadline <= self.max_deadline_ms is true": (
        "raises ValueError before anything is shared; tests/impl/test_system_timer.py gives such "
        "deadlines"
    ),
    "impl.timing_wheel: TimingWheel.levels": ("parted_timer's, whose scenarios run it"),
}
"""Branches that no scenario runs, and why."""

ATOMIC = {
    "impl.timer_task_list": ("F2",),
    "impl.delay_queue": (),
    "impl.overflow_wheel": (),
    "impl.clock": (),
    "impl.task_executor": (),
    "impl.one_thread": (),
    "impl.timing_wheel": ("W1", "W2", "W3", "W4", "V1", "V2", "V3"),
}
"""Modules whose operations are part of their caller's step, and the labels that stay steps."""

WAITS = ("X1", "A3", "W2")
"""Steps that link or unlink an entry, and wait while a flush holds the bucket's monitor."""

COMPOSED = {
    "impl.delay_queue": (),
    "impl.overflow_wheel": (),
    "impl.clock": (),
    "impl.task_executor": (),
    "impl.one_thread": (),
}
"""Modules that stay atomic in composed runs: they have one lock, or are another mechanism."""

HALFWAY = {
    "flushing": (
        "the bucket whose monitor is held: every operation on a list holds one, in the model a "
        "flush alone"
    ),
}
"""Variables that are not compared in a composed run while a thread is inside an operation."""

UNREAD = {
    **{
        f"TimerTaskEntry.{name}": (
            "a bucket's content is read along next; prev and list are timer_task_list's subject, "
            "which compares them at every step"
        )
        for name in ("list", "prev")
    },
    "TimerTaskList.monitor.depth": (
        "2 while a flush unlinks an entry, 1 before and after; how monitors nest is "
        "timer_task_list's subject"
    ),
    "TimerTask.delay_ms": (
        "the argument of an add, which the harness sets; the entry's deadline is made of it, and "
        "entries are distinguished by it"
    ),
}
"""Slots that change and are not compared, and why."""

POLL_MS = 1
"""How long a reaper waits at a time where time is real."""


class Pool(task_executor.TaskExecutor):
    """A thread pool's queue, first in first out. Scenario threads execute the tasks.

    ``refused``: the entries that came after :meth:`close`.
    """

    __slots__ = ("gate", "waiting", "shut", "refused", "nothing_comes")

    def __init__(self, nothing_comes: Callable[[], bool]) -> None:
        """``nothing_comes``: says, without a lock, that no task will be handed over any more."""
        self.gate = Gate()
        self.waiting: tuple[Any, ...] = ()
        self.refused: tuple[Any, ...] = ()
        self.shut = False
        self.nothing_comes = nothing_comes

    def submit(self, entry: Any) -> None:
        with self.gate:
            if self.shut:
                self.refused = (*self.refused, entry)
                raise RuntimeError("the pool was shut down: it takes no task")
            self.waiting = (*self.waiting, entry)
            self.gate.notify()

    def report(self, entry: Any, error: Exception) -> None:
        pass

    def close(self) -> None:
        with self.gate:
            self.shut = True
            self.gate.notify()

    def take(self) -> Any:
        """Take the first task, waiting for one; None if none comes within ``POLL_MS``."""
        self.gate.acquire_when(self.wait_ms, POLL_MS)
        try:
            first, self.waiting = self.waiting[:1], self.waiting[1:]
        finally:
            self.gate.release()
        return first[0] if first else None

    def wait_ms(self) -> float:
        return 0 if self.waiting or self.over() else FOREVER_MS

    def over(self) -> bool:
        """No task waits, and none will come."""
        # In this order: what comes before nothing can come waits by then.
        return (self.shut or self.nothing_comes()) and not self.waiting


class Task(TimerTask):
    """A task of the scenario; its work is of no account."""

    __slots__ = ()

    def run(self) -> None:
        pass


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = system_timer) -> None:
        """``impl`` has the implementation's classes; a mutant puts its own in their place."""
        self.wheel_size, self.levels = scenario["wheel_size"], scenario["levels"]
        self.clock = VirtualClock()
        self.queue = Queue()
        adds = [
            arguments[0]
            for program in scenario["threads"].values()
            for operation, *arguments in program
            if operation == "add"
        ]
        self.progress = Progress(len(adds))
        self.executor = Pool(self.nothing_comes)
        self.started: Any = Atomic(())
        self.timer = getattr(impl, scenario.get("timer", "SystemTimer"))(
            self.executor, 1, self.wheel_size, 0, self.clock, self.queue
        )
        # What the adders read is 0 at all times, so that an entry's deadline is its delay: a
        # scenario fixes it, whenever the adder comes.
        self.timer.clock = VirtualClock()
        self.queue.progress, self.queue.task_counter = self.progress, self.timer.task_counter
        wheel = self.timer.wheel
        for _ in range(
            1, self.levels
        ):  # the levels exist from the start: how they come to be is another mechanism's subject
            wheel = wheel.parent()
        self.tasks = {task: Task(0) for task in dict.fromkeys(scenario["task_of"].values())}
        # The adds of one task have different deadlines and are made by one thread: that is how a
        # real entry is known here.
        self.due = {
            entry: (self.tasks[task], scenario["deadline"][entry])
            for entry, task in scenario["task_of"].items()
        }
        self.names = {
            **self.tasks,
            "timer": self.timer,
            "executor": self.executor,
            "started": self.started,
            "progress": self.progress,
        }

    # -- the operations

    def add(self, entry: str) -> object:
        task, delay_ms = self.due[entry]
        task.delay_ms = delay_ms
        try:
            # whatever a changed implementation returns here is compared with the model
            return self.timer.add(task)
        except RuntimeError as refusal:  # the executor was shut down
            return raised(refusal)
        finally:
            self.progress.left -= 1

    def cancel(self, task: str) -> None:
        self.tasks[task].cancel()  # write X1

    def close(self) -> None:
        self.timer.close()

    def reap(self) -> tuple[str, str] | None:
        """An exception ends the thread, as it ends Kafka's ShutdownableThread."""
        try:
            while self.timer.advance_clock(POLL_MS) or not self.queue.over():
                pass
        except RuntimeError as refusal:
            return raised(refusal)
        return None

    def tick(self) -> None:
        self.clock.advance(1)  # update C1

    def execute(self) -> None:
        """The pool's thread takes one task and runs it, or ends."""
        while True:
            entry = self.executor.take()  # update E1
            if entry is not None or self.executor.over():
                break
        if entry is not None:
            self.started.add_and_get((entry,))  # update E2
            task_executor.run(entry)

    def nothing_comes(self) -> bool:
        """No add is to come, no entry is linked, and the reaper has none in its hand.

        Real threads go on between the two looks: a reaper that moves an entry down may hold it
        at the first. Hence both are made twice.
        """
        return all(
            self.queue.over() and getattr(self.timer.lock, "writer", None) is None for _ in range(2)
        )


def waits(label: str, names: Mapping[str, Any]) -> Any:
    """The monitor that a step of ``WAITS`` takes and that other threads may hold; else None.

    ``names``: the locals of the function that the step's line is in.
    """
    if label == "W2":
        return names["bucket"].monitor
    task = names["self"].tasks[names["task"]] if label == "X1" else names["task"]
    entry = task.timer_task_entry
    bucket = None if entry is None else entry.list
    return None if bucket is None else bucket.monitor


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, in the model's own form."""
    timer = harness.timer
    name = {(id(task), due): entry for entry, (task, due) in harness.due.items()}
    wheels, buckets = [], []
    wheel = timer.wheel
    while wheel is not None:
        wheels.append(wheel)
        buckets += wheel.buckets
        wheel = wheel.overflow_wheel
    number = {id(bucket): i for i, bucket in enumerate(buckets, 1)}

    def role(entry: Any) -> str | None:
        return None if entry is None else name[id(entry.timer_task), entry.expiration_ms]

    def content(bucket: Any) -> tuple[Any, ...]:
        out: list[str | None] = []
        node = bucket.root.next
        while node is not bucket.root and len(out) <= len(
            name
        ):  # a ring need not close halfway through a link
            out.append(role(node))
            node = node.next
        return tuple(out)

    return {
        "now": (present(harness.clock.time_ms),),
        "current": tuple(wheel.current_time for wheel in wheels),
        "content": tuple(content(bucket) for bucket in buckets),
        "key": tuple(present(bucket.expiration) for bucket in buckets),
        # 0: a bucket in no wheel
        "queue": (tuple(number.get(id(bucket), 0) for bucket in harness.queue.heap),),
        "timerTaskEntry": tuple(role(task.timer_task_entry) for task in harness.tasks.values()),
        "taskCounter": (timer.size(),),
        "readers": (frozenset(thread.name for thread in getattr(timer.lock, "readers", ())),),
        "writer": (getattr(timer.lock, "writer", None) and timer.lock.writer.name,),
        "flushing": (
            next(
                (
                    i
                    for i, bucket in enumerate(buckets, 1)
                    if getattr(bucket.monitor, "owner", None)
                ),
                0,
            ),
        ),
        "shut": (harness.executor.shut,),
        "waiting": (tuple(map(role, harness.executor.waiting)),),
        "started": (tuple(map(role, present(harness.started))),),
        "refused": (tuple(map(role, harness.executor.refused)),),
        "adding": (harness.progress.left,),
    }
