"""The properties and witnesses of the model of ``spec/SystemTimer.tla``."""

from __future__ import annotations

from collections.abc import Mapping

from model.pluscal import Function, Machine, Process, Scalar

REAPS = {"SystemTimer": "reap", "KafkaTimer": "kafkaReap"}
"""Timer -> the procedure in which its reaper advances the clock."""


class TimerProperties(Machine):
    """States of a timer of either model, by the variables that both have."""

    wheel_size: int
    entries: tuple[str, ...]
    tasks: tuple[str, ...]
    buckets: range
    tick: Mapping[int, int]
    task_of: Mapping[str, str]
    deadline: Mapping[str, int]
    current: Function[int]
    content: Function[tuple[str, ...]]
    key: Function[int]
    timer_task_entry: Function[str | None]
    thrown: Function[bool]
    submitted: Function[int]
    revoked: Function[bool]
    now = Scalar("now")
    queue = Scalar("queue")
    task_counter = Scalar("taskCounter")
    readers = Scalar("readers")
    writer = Scalar("writer")
    flushing = Scalar("flushing")
    shut = Scalar("shut")
    waiting = Scalar("waiting")
    started = Scalar("started")
    refused = Scalar("refused")
    raised = Scalar("raised")
    adding = Scalar("adding")
    rekeyed = Scalar("rekeyed")
    early = Scalar("early")
    slipped = Scalar("slipped")

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

    def polling(self) -> list[Process]:
        """The threads that have polled a bucket, and wait for the write lock."""
        return [t for t in self.processes if t.pc in ("R2", "Q2")]

    def halfway(self, bucket: int) -> bool:
        """A thread has linked an entry into the bucket and is about to key and to queue it."""
        return any(t.pc in ("W3", "W4") and t.bucket == bucket for t in self.processes)

    def QueuedOnceWithItsKey(self) -> bool:
        if self.rekeyed or max(map(self.queue.count, self.buckets)) > 1:
            return False
        if self.writer is not None:
            return True
        held = [t.polled for t in self.polling()]
        return all(
            self.queue.count(bucket) + held.count(bucket) == 1
            for bucket in self.buckets
            if self.content[bucket] and not self.halfway(bucket)
        )

    def idle(self) -> bool:
        """No thread is inside, none is about to be, and nothing is due."""
        return self.writer is None and not self.readers and not self.due() and not self.polling()

    def LatenessBound(self) -> bool:
        return not self.idle() or all(
            self.now <= self.deadline[entry] + 1 for entry in self.linked()
        )

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


class Properties(TimerProperties):
    """States of the model, by the variables that its own properties read."""

    reaper_died = Scalar("reaperDied")
    handed = Scalar("handed")
    ran: Function[int]
    added: Function[int]

    def TypeOK(self) -> bool:
        entries = {*self.entries, None}
        return (
            self.now >= 0
            and all(time >= 0 for time in map(self.current.__getitem__, self.tick))
            and all(
                self.key[bucket] >= -1 and set(self.content[bucket]) <= entries
                for bucket in self.buckets
            )
            and set(self.queue) <= set(self.buckets)
            and all(self.timer_task_entry[task] in entries for task in self.tasks)
            and self.flushing in {0, *self.buckets}
            and self.readers <= set(self.threads)
            and self.writer in {*self.threads, None}
            and {self.shut, self.reaper_died, *map(self.thrown.__getitem__, self.threads)}
            <= {True, False}
            and self.raised | {*self.refused, *self.started} <= set(self.entries)
            and self.adding >= 0
            and self.task_counter >= 0
            and len(self.waiting) <= len(self.entries)
            and all(
                t.level in self.tick
                and 0 <= t.bucket <= len(self.buckets)
                and 0 <= t.polled <= len(self.buckets)
                and t.task in entries
                for t in self.processes
            )
        )

    def KeyBeforeDeadline(self) -> bool:
        return all(
            self.key[bucket] <= self.deadline[entry]
            for bucket in self.buckets
            if bucket in self.queue and not self.halfway(bucket)
            for entry in self.content[bucket]
        )

    def BystandersInTime(self) -> bool:
        return not self.idle() or all(
            self.now <= self.deadline[entry] + 1
            for bucket in self.buckets
            if bucket not in self.rekeyed
            for entry in self.content[bucket]
        )

    def StartsInOrder(self) -> bool:
        return bool(self.started == self.handed[: len(self.started)])

    def RunsOncePerAdd(self) -> bool:
        return all(self.ran[task] <= self.added[task] for task in self.tasks)

    def CancelledUnlinked(self) -> bool:
        return all(self.timer_task_entry[self.task_of[entry]] == entry for entry in self.linked())

    # -- witnesses: states that some scenario must reach, or the properties say little

    def EarlierBucketAfterPoll(self) -> bool:
        """The reaper waits for the write lock, and its bucket is no longer the earliest (D1)."""
        return any(
            self.queue and self.key[self.queue[0]] < self.key[t.polled] for t in self.polling()
        )

    def GoesDown(self) -> bool:
        """A flush links an entry into a lower level."""
        return any(t.pc == "W3" and t.head is not None for t in self.processes)

    def CancelledInTheHand(self) -> bool:
        """A flush holds an entry whose task was cancelled meanwhile."""
        return any(
            t.pc == "K1"
            and t.head is not None
            and self.timer_task_entry[self.task_of[t.ke]] != t.ke
            for t in self.processes
        )

    INVARIANTS = (
        "TypeOK",
        "QueuedOnceWithItsKey",
        "KeyBeforeDeadline",
        "LatenessBound",
        "BystandersInTime",
        "NotEarly",
        "FiredOnce",
        "StartsInOrder",
        "RunsOncePerAdd",
        "CancelWins",
        "CounterExact",
    )
    WITNESSES = ("EarlierBucketAfterPoll", "GoesDown", "CancelledInTheHand")
