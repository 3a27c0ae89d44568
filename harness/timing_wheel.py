"""How a scenario of TimingWheel runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness.outside import present
from harness.progress import Progress, Queue
from impl import timing_wheel
from impl.clock import VirtualClock
from impl.runtime import Atomic, ReadWriteLock
from impl.timer_task_list import TimerTask, TimerTaskEntry

SUBJECT = ("impl.timing_wheel",)
"""The modules whose steps are the mechanism's."""

NOT_RUN = {
    "impl.timing_wheel: TimingWheel.levels": ("parted_timer's, whose scenarios run it"),
    "impl.timing_wheel: TimingWheel.add: entry.cancelled() is true": (
        "nothing is cancelled here; system_timer's scenarios run it"
    ),
}
"""Branches that no scenario runs, and why."""

ATOMIC = {
    "impl.timer_task_list": ("A1", "A11", "F2"),
    "impl.delay_queue": (),
    "impl.overflow_wheel": (),
    "impl.clock": (),
}
"""Modules whose operations are part of their caller's step, and the labels that stay steps.

A bucket's monitor stays: a flush has it from the first entry to the reset of the key.
"""

UNREAD = {
    f"TimerTaskEntry.{name}": (
        "a bucket's content is read along next; prev and list are timer_task_list's subject, which "
        "compares them at every step"
    )
    for name in ("list", "prev")
}
"""Slots that change and are not compared, and why."""

LATE_MS = 1 << 40
"""The time of the clock: every bucket is due, and the wheel's own clock is all the time there
is."""

POLL_MS = 1
"""For how long a thread waits at a time where time is real."""


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = timing_wheel) -> None:
        """``impl`` has the implementation's classes; a mutant puts its own in their place."""
        self.wheel_size, self.levels = scenario["wheel_size"], scenario["levels"]
        self.progress = Progress(
            sum(
                operation == "add"
                for program in scenario["threads"].values()
                for operation, *_ in program
            )
        )
        self.task_counter = Atomic(0)
        self.handed: Any = Atomic(())
        self.queue = Queue()
        self.queue.progress, self.queue.task_counter = self.progress, self.task_counter
        self.wheel = impl.TimingWheel(
            1,
            self.wheel_size,
            scenario["start"],
            self.task_counter,
            self.queue,
            VirtualClock(LATE_MS),
        )
        self.entries = {
            name: TimerTaskEntry(TimerTask(0), deadline)
            for name, deadline in scenario["deadline"].items()
        }
        self.contract = ReadWriteLock()
        self.names = {
            **self.entries,
            "wheel": self.wheel,
            "queue": self.queue,
            "contract": self.contract,
            "counter": self.task_counter,
            "handed": self.handed,
            "progress": self.progress,
        }

    # -- the operations

    def add(self, entry: str) -> None:
        with self.contract.read_lock:  # lock L1, unlock L2
            self.put(self.entries[entry])
        self.progress.left -= 1

    def put(self, entry: TimerTaskEntry) -> None:
        """Into the wheel, or over if the wheel does not take it."""
        if not self.wheel.add(entry):
            self.hand(entry)

    def hand(self, entry: TimerTaskEntry) -> None:
        """The thread that waits for the entry has it."""
        self.handed.add_and_get((entry,))  # update K2

    def expire(self) -> None:
        """Take the earliest bucket, advance the clocks to its key, flush it, until none is left."""
        while self.due():
            with self.contract.write_lock:  # lock R2, unlock R6
                bucket = self.queue.poll_now()  # update R4
                if bucket is not None:
                    expiration = bucket.expiration.get()  # read R5
                    self.wheel.advance_clock(expiration)
            if bucket is not None:
                bucket.flush(self.put)

    def due(self) -> bool:
        """Wait until there is a bucket to take; False if there will never be one."""
        due = self.queue.due(POLL_MS)  # read P1
        return due

    def withdraw(self) -> None:
        """Take everything out, bucket by bucket, while the clock stands still."""
        over = False
        while not over:
            bucket = self.queue.poll(POLL_MS)  # update Q1
            over = bucket is None
            if bucket is not None:
                bucket.flush(self.hand)


def proper(harness: Harness, level: int, wheel: Any) -> bool:
    """The wheel has the tick and the interval of its level, which counts from 0."""
    return bool(
        wheel.tick_ms == harness.wheel_size**level
        and wheel.interval == wheel.tick_ms * harness.wheel_size
    )


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, in the model's own form."""
    name = {id(entry): role for role, entry in harness.entries.items()}
    wheels = []
    wheel = harness.wheel
    while wheel is not None:
        wheels.append(wheel)
        wheel = wheel.overflow_wheel
    buckets = [bucket for wheel in wheels for bucket in wheel.buckets]
    number = {id(bucket): i for i, bucket in enumerate(buckets, 1)}
    unmade = harness.levels - len(wheels)
    empty = unmade * harness.wheel_size

    def content(bucket: Any) -> tuple[Any, ...]:
        out, node = [], bucket.root.next
        while node is not bucket.root:
            out.append(name[id(node)])
            node = node.next
        return tuple(out)

    def owner_of(monitor: Any) -> tuple[str | None, int]:
        """Owner and depth of a controlled monitor. A production monitor is read at rest only."""
        owner = getattr(monitor, "owner", None)
        return (owner and owner.name, getattr(monitor, "depth", 0))

    writer: Any = getattr(harness.contract, "writer", None)
    return {
        "made": (sum(proper(harness, level, wheel) for level, wheel in enumerate(wheels)),),
        "current": (*(wheel.current_time for wheel in wheels), *[-1] * unmade),
        "content": (*map(content, buckets), *[()] * empty),
        "monitor": (*(owner_of(bucket.monitor) for bucket in buckets), *[(None, 0)] * empty),
        "key": (*(present(bucket.expiration) for bucket in buckets), *[-1] * empty),
        "queue": (tuple(number[id(bucket)] for bucket in harness.queue.heap),),
        "taskCounter": (present(harness.task_counter),),
        "readers": (frozenset(thread.name for thread in getattr(harness.contract, "readers", ())),),
        "writer": (writer and writer.name,),
        "adding": (harness.progress.left,),
        "handed": (tuple(name[id(entry)] for entry in present(harness.handed)),),
    }
