"""The properties and witnesses of the model of ``spec/PartedTimer.tla``."""

from __future__ import annotations

from collections.abc import Mapping

from model.pluscal import Function, Machine, Scalar


class Properties(Machine):
    """States of the model, by the variables that the properties read."""

    part: int
    wheel_size: int
    entries: tuple[str, ...]
    tasks: tuple[str, ...]
    buckets: range
    tick: Mapping[int, int]
    task_of: Mapping[str, str]
    deadline: Mapping[str, int]
    now: Scalar
    current: Function[int]
    content: Function[tuple[str, ...]]
    key: Function[int]
    queue: Scalar
    timer_task_entry: Function[str | None]
    task_counter: Scalar
    readers: Scalar
    writer: Scalar
    flushing: Scalar
    shut: Scalar
    waiting: Scalar
    started: Scalar
    refused: Scalar
    raised: Scalar
    adding: Scalar
    thrown: Function[bool]
    rekeyed: Scalar
    early: Scalar
    submitted: Function[int]
    slipped: Scalar
    moved: Scalar

    # -- what steps and properties ask

    def due(self) -> bool:
        """The queue's first bucket is due."""
        return bool(self.queue) and self.key[self.queue[0]] <= self.now

    def over(self) -> bool:
        """No entry is linked, and none will be."""
        return bool(self.task_counter == 0 and self.adding == 0)

    def linked(self) -> list[str]:
        """The entries in the buckets; one that is in two is met twice."""
        return [entry for bucket in self.buckets for entry in self.content[bucket]]

    # -- properties, by the names of the spec

    def halfway(self, bucket: int) -> bool:
        """A thread has linked an entry into the bucket and is about to key and to queue it."""
        return any(t.pc in ("W3", "W4") and t.bucket == bucket for t in self.processes)

    def PartBounded(self) -> bool:
        return bool(self.moved <= self.part)

    def QueuedOnceWithItsKey(self) -> bool:
        if self.rekeyed or len(set(self.queue)) < len(self.queue):
            return False
        if self.writer is not None:
            return True
        return all(
            self.queue.count(bucket) == 1
            for bucket in self.buckets
            if self.content[bucket] and not self.halfway(bucket)
        )

    def KeyNotPassed(self) -> bool:
        return all(self.key[bucket] >= self.current[1] for bucket in self.queue)

    def LatenessBound(self) -> bool:
        idle = self.writer is None and not self.readers and not self.due()
        return not idle or all(self.now <= self.deadline[entry] + 1 for entry in self.linked())

    def NotEarly(self) -> bool:
        return not self.early

    def FiredOnce(self) -> bool:
        return all(self.submitted[entry] <= 1 for entry in self.entries)

    def CancelWins(self) -> bool:
        return not self.slipped

    def CounterExact(self) -> bool:
        return bool(self.task_counter == len(set(self.linked())))

    def EveryTimerFires(self) -> bool:
        """The state predicate that must come true: ``<>AllFired``."""
        return self.adding == 0 and all(
            self.submitted[entry] > 0 or self.timer_task_entry[self.task_of[entry]] != entry
            for entry in self.entries
        )

    def EveryTimerIsTried(self) -> bool:
        """The state predicate that must come true: ``<>AllTried``."""
        return self.adding == 0 and all(
            self.submitted[entry] > 0
            or entry in self.refused
            or self.timer_task_entry[self.task_of[entry]] != entry
            for entry in self.entries
        )

    # -- witnesses: states that some scenario must reach, or the properties say little

    def half_flushed(self) -> list[int]:
        """The buckets with entries whose keys the clock has reached, while the lock is free."""
        return [
            bucket
            for bucket in self.queue
            if self.writer is None and self.content[bucket] and self.key[bucket] <= self.current[1]
        ]

    def AddsBetween(self) -> bool:
        """An adder links its entry while a bucket is half flushed."""
        return bool(self.half_flushed()) and any(
            name in self.readers and t.pc == "W3"
            for name, t in zip(self.threads, self.processes, strict=True)
        )

    def CancelsBetween(self) -> bool:
        """A thread is about to cancel the task of an entry in a bucket that is half flushed."""
        return any(
            t.pc == "X1" and self.timer_task_entry[t.ct] in self.content[bucket]
            for bucket in self.half_flushed()
            for t in self.processes
        )

    def ClosedBetween(self) -> bool:
        """The executor was shut down while a bucket is half flushed."""
        return bool(self.half_flushed()) and self.shut and not self.refused

    def TwoReap(self) -> bool:
        """A reaper has the lock, and another one waits for it."""
        return self.writer is not None and any(
            name != self.writer and t.pc == "R2"
            for name, t in zip(self.threads, self.processes, strict=True)
        )

    INVARIANTS = (
        "PartBounded",
        "QueuedOnceWithItsKey",
        "KeyNotPassed",
        "LatenessBound",
        "NotEarly",
        "FiredOnce",
        "CancelWins",
        "CounterExact",
    )
    WITNESSES = ("AddsBetween", "CancelsBetween", "ClosedBetween", "TwoReap")
