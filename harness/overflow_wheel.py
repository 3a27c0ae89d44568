"""How a scenario of OverflowWheel runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType, SimpleNamespace
from typing import Any

from impl import overflow_wheel, timer_task_list
from impl.runtime import Atomic, Memory, Plain

SUBJECT = ("impl.overflow_wheel", "impl.timer_task_list")
"""The modules whose steps are the mechanism's."""

NOT_RUN = {
    f"impl.timer_task_list: {name}": (
        "lists are timer_task_list's subject, whose scenarios run it; here one entry is added and "
        "cancelled"
    )
    for name in (
        "TimerTask.cancel",
        "TimerTask.set_timer_task_entry",
        "TimerTaskEntry.__init__",
        "TimerTaskList.add",
        "TimerTaskList.flush",
        "TimerTaskList.remove",
    )
}
"""Branches that no scenario runs, and why."""

ATOMIC = {
    "impl.timer_task_list": (
        "A1",
        "A2",
        "A3",
        "A4",
        "A5",
        "A6",
        "A7",
        "A8",
        "A9",
        "A10",
        "A11",
        "R1",
        "U1",
        "U2",
        "U3",
        "U4",
        "U5",
        "U6",
        "U7",
        "U8",
        "U9",
        "U10",
        "U11",
        "C1",
        "C2",
        "C3",
        "C4",
        "K1",
    )
}
"""The steps of lists that are taken here: no thread flushes, and none makes an entry."""

UNREAD = {
    f"TimerTaskEntry.{name}": (
        "the ring is timer_task_list's subject, which compares it at every step; here one entry is "
        "in it or not"
    )
    for name in ("next", "prev")
}
"""Slots that change and are not compared, and why."""

MEMORY = ("overflow_wheel", "current_time", "list", "timer_task_entry")
"""Fields whose stores may reach memory late: read without a lock, or after such a read.

Three of them are volatile and never delayed; they are named for the mutants that make them plain.
"""

START = 20
"""Milliseconds on the clock of a wheel that has been built."""


class Clock:
    """A wheel's current time, the one field of a wheel that is neither final nor volatile."""

    __slots__ = ("current_time",)

    current_time: Plain[int | None]

    def __init__(self) -> None:
        self.current_time = None


class Heap:
    """The wheels that are made.

    ``made``: their number. ``clocks``: the clock of each wheel, there before the wheel is, so that
    the harness can read it.
    """

    __slots__ = ("made", "clocks")

    made: Plain[int]

    def __init__(self, wheels: int) -> None:
        self.made = 0
        self.clocks = tuple([Clock() for _ in range(wheels + 1)])


class Work:
    """A wheel with a number, 0 for the lowest, then as they are made."""

    __slots__ = ()

    heap: Heap
    number: int
    clock: Clock

    def __init__(self, heap: Heap, number: int) -> None:
        super().__init__()
        me: Any = self
        me.heap, me.number, me.clock = heap, number, heap.clocks[number]
        self.clock.current_time = START  # write B2

    def new_parent(self) -> Any:
        number = self.heap.made + 1
        self.heap.made = number  # write B1
        return type(self)(self.heap, number)


class Found:
    """The wheel that a thread was given and that wheel's time, as the thread saw them."""

    __slots__ = ("wheel_and_time",)

    wheel_and_time: Plain[tuple[Any, ...]]

    def __init__(self) -> None:
        self.wheel_and_time = (None, None)


class Harness:
    """The objects of one scenario, and one method per operation of a thread program.

    The lowest wheel is w0; entry e of task x is in the list l or in none; ``found`` has a place for
    each thread.
    """

    def __init__(
        self, scenario: Mapping[str, Any], impl: ModuleType | SimpleNamespace | None = None
    ) -> None:
        """``impl`` has the implementation's classes; a mutant puts its own in their place."""
        impl = impl or SimpleNamespace(**{**vars(timer_task_list), **vars(overflow_wheel)})
        self.buffers = Memory()
        self.wheels = tuple(scenario["wheels"])
        self.heap = Heap(len(self.wheels))
        self.counter, self.submitted = Atomic(int(scenario["linked"])), Atomic(0)
        wheel = type("Wheel", (Work, impl.Overflowing), {"__slots__": ("heap", "number", "clock")})
        self.wheel = wheel(self.heap, 0)
        self.bucket, self.task, self.entry = (
            impl.TimerTaskList(self.counter),
            impl.TimerTask(1),
            impl.TimerTaskEntry(None, 1),
        )
        self.entry.timer_task, self.task.timer_task_entry = self.task, self.entry
        if scenario["linked"]:
            root = self.bucket.root
            root.next = root.prev = self.entry
            self.entry.next = self.entry.prev = root
            self.entry.list = self.bucket
        self.found = {
            name: Found()
            for name, program in scenario["threads"].items()
            if not program or program[0][0] != "memory"
        }
        self.names = {
            "w0": self.wheel,
            "heap": self.heap,
            "l": self.bucket,
            "x": self.task,
            "e": self.entry,
            "buffers": self.buffers,
            "counter": self.counter,
            "executor": self.submitted,
            **{f"found by {name}": finding for name, finding in self.found.items()},
        }

    def place(self, thread: str) -> None:
        """Add an entry that is due too late for the lowest wheel: the one above reads its time."""
        parent = self.wheel.parent()
        time = parent.clock.current_time  # read N1
        self.found[thread].wheel_and_time = (parent, time)  # write N2

    def add(self) -> None:
        self.bucket.add(self.entry)

    def cancel(self) -> None:
        self.task.cancel()

    def check(self) -> None:
        """To the executor, unless cancelled: the timer's step for an entry that is due."""
        if not self.entry.cancelled():
            self.submitted.add_and_get(1)  # update K2

    def memory(self, thread: str, field: str) -> None:
        """The stores of a thread into a field, on their way to memory."""
        more = True
        while more:
            more = self.buffers.write_back(thread, field)  # write W1


def held(monitor: Any) -> tuple[str | None, int]:
    """Owner and depth of a controlled monitor. A production monitor is read at rest only."""
    owner = getattr(monitor, "owner", None)
    return (owner and owner.name, getattr(monitor, "depth", 0))


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, in the model's own form."""
    heap, wheel, entry, task, bucket = (
        harness.heap,
        harness.wheel,
        harness.entry,
        harness.task,
        harness.bucket,
    )
    monitors = {
        "wheel": wheel.monitor,
        "bucket": bucket.monitor,
        "entry": entry.monitor,
        "task": task.monitor,
    }
    role: dict[Any, str | None] = {
        None: None,
        START: "start",
        wheel: "w0",
        entry: "e",
        task: "x",
        bucket: "l",
        harness.counter: "counter",
        harness.submitted: "submitted",
    }
    role |= {monitor: name for name, monitor in monitors.items()}
    role |= dict(zip(heap.clocks, ("w0", *harness.wheels)))

    def name(value: Any) -> Any:
        """A created wheel goes by its number, a volatile field by its own name."""
        if isinstance(value, tuple):
            return value[1]
        return role[value] if value in role else harness.wheels[value.number - 1]

    stores = getattr(harness.buffers, "stores", ())  # production delays nothing
    findings = [finding.wheel_and_time for finding in harness.found.values()]
    return {
        "buffer": (
            tuple(
                (thread.name, field, name(instance), name(value), frozenset(map(name, marks)))
                for thread, field, instance, value, marks in stores
            ),
        ),
        "overflowWheel": (name(wheel.overflow_wheel),),
        "currentTime": tuple(role[clock.current_time] for clock in heap.clocks[1:]),
        "list": (name(entry.list),),
        "timerTaskEntry": (name(task.timer_task_entry),),
        "monitor": tuple(held(monitor) for monitor in monitors.values()),
        "made": (heap.made,),
        "taskCounter": (harness.counter.get(),),
        "submitted": (harness.submitted.get(),),
        "foundWheel": tuple(name(wheel_found) for wheel_found, _ in findings),
        "foundTime": tuple(role[time] for _, time in findings),
    }
