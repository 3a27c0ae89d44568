"""The properties and witnesses of the model of ``spec/PartedTimer.tla``."""

from __future__ import annotations

from model.pluscal import Process, Scalar
from model.system_timer_properties import TimerProperties


class Properties(TimerProperties):
    """States of the model, by the variables that the properties read."""

    part: int
    levels: int
    expiring = Scalar("expiring")
    moved = Scalar("moved")
    came = Scalar("came")
    behind = Scalar("behind")
    credit = Scalar("credit")

    # -- properties, by the names of the spec

    def polling(self) -> list[Process]:
        """None: a thread that waits for the write lock has left the bucket in the queue."""
        return []

    def PartBounded(self) -> bool:
        return bool(self.moved <= self.part + self.levels * self.came)

    def NotOutpaced(self) -> bool:
        return bool(self.credit >= 0)

    def OpenGap(self) -> bool:
        inside = (
            name == self.writer or t.pc == "R2"
            for name, t in zip(self.threads, self.processes, strict=True)
        )
        return bool(sum(inside) <= 1)

    def KeyNotPassed(self) -> bool:
        return all(
            self.key[bucket] >= self.current[1] for bucket in self.buckets if bucket in self.queue
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
        """A reaper is between two parts, and another one waits for its turn."""
        between = self.writer is None and self.expiring is not None
        return between and any(
            name != self.expiring and t.pc == "P1"
            for name, t in zip(self.threads, self.processes, strict=True)
        )

    def WokenInFlush(self) -> bool:
        """A flush has emptied its bucket, which is the first in the queue no more."""
        return self.due() and any(
            t.pc == "R8" and self.queue[0] != t.polled for t in self.processes
        )

    INVARIANTS = (
        "PartBounded",
        "NotOutpaced",
        "OpenGap",
        "QueuedOnceWithItsKey",
        "KeyNotPassed",
        "LatenessBound",
        "NotEarly",
        "FiredOnce",
        "CancelWins",
        "CounterExact",
    )
    WITNESSES = ("AddsBetween", "CancelsBetween", "ClosedBetween", "TwoReap", "WokenInFlush")
