"""The model of ``spec/SystemTimer.tla``: adders, cancellers and a reaper around a hierarchical timing wheel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from model.pluscal import BLOCKED, DONE, Function, Machine, Procedure, Process, Scalar


def offered(heap: tuple[int, ...], bucket: int, key: Function) -> tuple[int, ...]:
    """A binary heap with one more bucket, ordered by the keys of now."""
    out = [*heap, bucket]
    index = len(out) - 1
    while index > 0:
        above = (index - 1) // 2
        if key[out[index]] >= key[out[above]]:
            break
        out[index], out[above] = out[above], out[index]
        index = above
    return tuple(out)


def polled(heap: tuple[int, ...], key: Function) -> tuple[int, ...]:
    """A binary heap without its first bucket."""
    if len(heap) == 1:
        return ()
    out = [heap[-1], *heap[1:-1]]
    index = 0
    while (below := 2 * index + 1) < len(out):
        if below + 1 < len(out) and key[out[below]] > key[out[below + 1]]:
            below += 1
        if key[out[index]] <= key[out[below]]:
            break
        out[index], out[below] = out[below], out[index]
        index = below
    return tuple(out)


class Model(Machine):
    """States of one scenario: ``wheel_size``, ``levels``, ``task_of``, ``deadline`` and ``threads`` as in the TOML.

    ``timer``: ``"KafkaTimer"`` or ``"SystemTimer"``, the default.
    """

    PROCEDURES = {
        "addTimerTaskEntry": Procedure("W1", ("ke",), (("level", 1), ("bucket", 0))),
        "add": Procedure("A1", ("ae",)),
        "cancel": Procedure("X1", ("ct",)),
        "close": Procedure("B1", ()),
        "reap": Procedure("R1", (), (("polled", 0), ("expiration", 0), ("head", None))),
    }
    AUXILIARY = frozenset(
        {
            "thrown",
            "raised",
            "reaperDied",
            "rekeyed",
            "early",
            "submitted",
            "handed",
            "revoked",
            "slipped",
            "ran",
            "added",
        }
    )

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
    reaper_died = Scalar("reaperDied")
    handed = Scalar("handed")
    adding = Scalar("adding")
    rekeyed = Scalar("rekeyed")
    early = Scalar("early")
    slipped = Scalar("slipped")

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        self.program, self.task_of, self.deadline = (
            scenario["threads"],
            scenario["task_of"],
            scenario["deadline"],
        )
        self.wheel_size, self.levels = scenario["wheel_size"], scenario["levels"]
        self.kafka = {"KafkaTimer": True, "SystemTimer": False}[
            scenario.get("timer", "SystemTimer")
        ]
        super().__init__(self.program, {"turn": 1, "task": None}, start="T0")

        self.entries = tuple(self.task_of)
        self.tasks = tuple(dict.fromkeys(self.task_of.values()))
        self.buckets = range(1, self.wheel_size * self.levels + 1)
        self.tick = {level: self.wheel_size ** (level - 1) for level in range(1, self.levels + 1)}
        self.scalar("now", 0)
        self.current = self.function("current", dict.fromkeys(self.tick, 0))
        self.content = self.function("content", dict.fromkeys(self.buckets, ()))
        self.key = self.function("key", dict.fromkeys(self.buckets, -1))
        self.scalar("queue", ())
        self.timer_task_entry = self.function("timerTaskEntry", dict.fromkeys(self.tasks))
        self.scalar("taskCounter", 0)
        self.scalar("readers", frozenset())
        self.scalar("writer", None)
        self.scalar("flushing", 0)
        self.scalar("shut", False)
        self.scalar("waiting", ())
        self.scalar("started", ())
        self.scalar("refused", ())
        self.scalar("raised", frozenset())
        self.scalar("reaperDied", False)
        self.scalar(
            "adding",
            sum(
                operation == "add" for program in self.program.values() for operation, *_ in program
            ),
        )
        self.thrown = self.function("thrown", dict.fromkeys(self.threads, False))
        self.scalar("rekeyed", frozenset())
        self.scalar("early", frozenset())
        self.submitted = self.function("submitted", dict.fromkeys(self.entries, 0))
        self.scalar("handed", ())
        self.revoked = self.function("revoked", dict.fromkeys(self.entries, False))
        self.scalar("slipped", frozenset())
        self.ran = self.function("ran", dict.fromkeys(self.tasks, 0))
        self.added = self.function("added", dict.fromkeys(self.tasks, 0))
        self.begin()

    # -- the wheel's arithmetic

    def trim(self, time: int, level: int) -> int:
        """``time`` rounded down to a level's tick."""
        return time - time % self.tick[level]

    def slot(self, entry: str, level: int) -> int:
        """The number of an entry's bucket on a level."""
        return (
            (level - 1) * self.wheel_size
            + self.deadline[entry] // self.tick[level] % self.wheel_size
            + 1
        )

    def cancelled(self, entry: str) -> bool:
        """The entry's task was cancelled, or has another entry."""
        return self.timer_task_entry[self.task_of[entry]] != entry

    def expired(self, entry: str, level: int) -> bool:
        """A deadline within the tick of a level's clock, or before it."""
        return self.deadline[entry] < self.current[level] + self.tick[level]

    def fits(self, entry: str, level: int) -> bool:
        """A deadline less than one turn from a level's clock."""
        return self.deadline[entry] < self.current[level] + self.wheel_size * self.tick[level]

    def due(self) -> bool:
        """The queue's first bucket is due."""
        return bool(self.queue) and self.key[self.queue[0]] <= self.now

    def over(self) -> bool:
        """No entry is linked, and none will be."""
        return self.task_counter == 0 and self.adding == 0

    def linked(self) -> list[str]:
        """The entries in the buckets; one that is in two is met twice."""
        return [entry for bucket in self.buckets for entry in self.content[bucket]]

    def held(self, entry: str | None) -> bool:
        """A flush holds the monitor of the bucket that the entry is in."""
        return self.flushing != 0 and entry in self.content[self.flushing]

    def remove(self, entry: str | None) -> None:
        """TimerTaskEntry.remove: without effect on an entry that a flush holds."""
        if entry is not None and entry in self.linked():
            for bucket in self.buckets:
                self.content[bucket] = tuple(e for e in self.content[bucket] if e != entry)
            self.task_counter -= 1

    def poll(self, t: Process) -> None:
        """DelayQueue.poll, where the first bucket is due."""
        t.polled = self.queue[0]
        self.queue = polled(self.queue, self.key)

    # -- SystemTimer.addTimerTaskEntry with TimingWheel.add

    def W1(self, t: Process):
        if self.cancelled(t.ke) or self.expired(t.ke, t.level):
            t.pc = "K1"
        elif self.fits(t.ke, t.level):
            t.bucket = self.slot(t.ke, t.level)
            if self.revoked[t.ke]:
                self.slipped |= {t.ke}
        else:
            t.pc = "W0"

    def W2(self, t: Process):
        if self.flushing == t.bucket and self.writer != self.me:
            return BLOCKED
        self.content[t.bucket] += (t.ke,)
        self.task_counter += 1

    def W3(self, t: Process):
        key = self.trim(self.deadline[t.ke], t.level)
        if self.key[t.bucket] != key:
            if t.bucket in self.queue:
                self.rekeyed |= {t.bucket}
            self.key[t.bucket] = key
        else:
            self.leave(t)

    def W4(self, t: Process):
        self.queue = offered(self.queue, t.bucket, self.key)
        self.leave(t)

    def W0(self, t: Process):
        t.level += 1
        t.pc = "W1"

    def K1(self, t: Process):
        if self.cancelled(t.ke):
            self.leave(t)
        elif self.revoked[t.ke]:
            self.slipped |= {t.ke}

    def K2(self, t: Process):
        if self.shut:
            self.refused += (t.ke,)
            self.thrown[self.me] = True
        else:
            self.waiting += (t.ke,)
            self.handed += (t.ke,)
            self.submitted[t.ke] += 1
            if self.now < self.deadline[t.ke]:
                self.early |= {t.ke}
        self.leave(t)

    # -- SystemTimer.add

    def A1(self, t: Process):
        if self.writer is not None:
            return BLOCKED
        self.readers |= {self.me}

    def A2(self, t: Process):
        pass  # reads the clock: a scenario fixes the deadline of each entry

    def A3(self, t: Process):
        task = self.task_of[t.ae]
        if self.held(self.timer_task_entry[task]):
            return BLOCKED
        self.remove(self.timer_task_entry[task])
        self.timer_task_entry[task] = t.ae
        self.added[task] += 1
        self.call(t, "addTimerTaskEntry", t.ae, back="A4")

    def A4(self, t: Process):
        self.readers -= {self.me}
        self.adding -= 1
        if self.thrown[self.me]:
            self.raised |= {t.ae}
        self.thrown[self.me] = False
        self.leave(t)

    # -- TimerTask.cancel

    def X1(self, t: Process):
        entry = self.timer_task_entry[t.ct]
        if self.held(entry):
            return BLOCKED
        self.remove(entry)
        if entry is not None:
            self.revoked[entry] = True
        self.timer_task_entry[t.ct] = None
        self.leave(t)

    # -- SystemTimer.close

    def B1(self, t: Process):
        self.shut = True
        self.leave(t)

    # -- SystemTimer.advanceClock, again and again

    def R1(self, t: Process):
        if self.due():
            self.poll(t)
        elif self.over():
            self.leave(t)
        else:
            return BLOCKED

    def R2(self, t: Process):
        if self.readers or self.writer is not None:
            return BLOCKED
        self.writer = self.me
        if self.kafka:
            t.pc = "R5"

    def R3(self, t: Process):
        self.queue = offered(self.queue, t.polled, self.key)

    def R4(self, t: Process):
        if self.due():
            self.poll(t)
        else:
            t.polled = 0
            t.pc = "R6"

    def R5(self, t: Process):
        t.expiration = self.key[t.polled]

    def R7(self, t: Process):
        for level, tick in self.tick.items():
            if t.expiration >= self.current[level] + tick:
                self.current[level] = self.trim(t.expiration, level)

    # -- TimerTaskList.flush

    def V1(self, t: Process):
        self.flushing = t.polled

    def F2(self, t: Process):
        entries = self.content[t.polled]
        if entries:
            t.head = entries[0]
            self.content[t.polled] = entries[1:]
            self.task_counter -= 1
            self.call(t, "addTimerTaskEntry", t.head, back="F3")
        else:
            t.pc = "V2"

    def F3(self, t: Process):
        if not self.kafka:
            self.thrown[self.me] = False
        t.pc = "V3" if self.thrown[self.me] else "F2"

    def V2(self, t: Process):
        self.key[t.polled] = -1

    def V3(self, t: Process):
        self.flushing = 0
        if not self.thrown[self.me]:
            t.pc = "R4"

    def R6(self, t: Process):
        self.writer = None
        if self.thrown[self.me]:
            self.thrown[self.me] = False
            self.reaper_died = True
            self.leave(t)
        else:
            t.expiration, t.head = 0, None
            t.pc = "R1"

    # -- a thread runs its program

    def T0(self, t: Process):
        program = self.program[self.me]
        if t.turn > len(program):
            t.pc = DONE
            return
        operation, *arguments = program[t.turn - 1]
        t.turn += 1
        if operation == "tick":
            t.pc = "C1"
        elif operation == "execute":
            t.pc = "E1"
        else:
            self.call(t, operation, *arguments, back="T1")

    def C1(self, t: Process):
        self.now += 1
        t.pc = "T0"

    def E1(self, t: Process):
        if self.waiting:
            t.task = self.waiting[0]
            self.waiting = self.waiting[1:]
        elif self.shut or self.over() and self.writer is None:
            t.pc = "T0"
        else:
            return BLOCKED

    def E2(self, t: Process):
        self.started += (t.task,)
        self.ran[self.task_of[t.task]] += 1
        t.task = None
        t.pc = "T0"

    def T1(self, t: Process):
        t.pc = "T0"

    def returned(self, t: Process) -> Any:
        """``add`` and ``reap`` raise what the executor's refusal raises."""
        operation, *arguments = self.program[self.me][t.turn - 2]
        refused = (
            operation == "add"
            and arguments[0] in self.raised
            or operation == "reap"
            and self.reaper_died
        )
        return ("raised", "RuntimeError") if refused else None

    # -- properties, by the names of the spec

    def halfway(self, bucket: int) -> bool:
        """A thread has linked an entry into the bucket and is about to key and to queue it."""
        return any(t.pc in ("W3", "W4") and t.bucket == bucket for t in self.processes)

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

    def QueuedOnceWithItsKey(self) -> bool:
        if self.rekeyed or len(set(self.queue)) < len(self.queue):
            return False
        if self.writer is not None:
            return True
        held = [t.polled for t in self.processes if t.pc == "R2"]
        return all(
            self.queue.count(bucket) + held.count(bucket) == 1
            for bucket in self.buckets
            if self.content[bucket] and not self.halfway(bucket)
        )

    def KeyBeforeDeadline(self) -> bool:
        return all(
            self.key[bucket] <= self.deadline[entry]
            for bucket in self.buckets
            if bucket in self.queue and not self.halfway(bucket)
            for entry in self.content[bucket]
        )

    def idle(self) -> bool:
        """No thread is inside, none is about to be, and nothing is due."""
        return (
            self.writer is None
            and not self.readers
            and not self.due()
            and all(t.pc != "R2" for t in self.processes)
        )

    def LatenessBound(self) -> bool:
        return not self.idle() or all(
            self.now <= self.deadline[entry] + 1 for entry in self.linked()
        )

    def BystandersInTime(self) -> bool:
        return not self.idle() or all(
            self.now <= self.deadline[entry] + 1
            for bucket in self.buckets
            if bucket not in self.rekeyed
            for entry in self.content[bucket]
        )

    def NotEarly(self) -> bool:
        return not self.early

    def FiredOnce(self) -> bool:
        return all(self.submitted[entry] <= 1 for entry in self.entries)

    def StartsInOrder(self) -> bool:
        return self.started == self.handed[: len(self.started)]

    def RunsOncePerAdd(self) -> bool:
        return all(self.ran[task] <= self.added[task] for task in self.tasks)

    def CancelWins(self) -> bool:
        return not self.slipped

    def CounterExact(self) -> bool:
        return self.task_counter == len(set(self.linked()))

    def CancelledUnlinked(self) -> bool:
        return all(self.timer_task_entry[self.task_of[entry]] == entry for entry in self.linked())

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

    def EarlierBucketAfterPoll(self) -> bool:
        """The reaper waits for the write lock with a bucket that is no longer the earliest: D1's situation."""
        return any(
            t.pc == "R2" and self.queue and self.key[self.queue[0]] < self.key[t.polled]
            for t in self.processes
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
