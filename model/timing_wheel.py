"""The model of ``spec/TimingWheel.tla``: threads add to a timing wheel and expire it."""

from __future__ import annotations

from collections.abc import Mapping

from model.heap import offered, polled
from model.pluscal import (
    BLOCKED,
    DONE,
    FREE,
    Function,
    Machine,
    Procedure,
    Process,
    Scalar,
    Scenario,
    Step,
)


class Model(Machine):
    """States of one scenario, with the fields of the TOML."""

    PROCEDURES = {
        "hand": Procedure("K2", ("he", "withdrawn"), defaults=(("withdrawn", False),)),
        "put": Procedure("W1", ("ke",), (("level", 1), ("bucket", 0))),
        "add": Procedure("L1", ("ae",)),
        "flush": Procedure("V1", ("fb", "away"), (("head", None),), (("fb", 0), ("away", False))),
        "expire": Procedure("P1", (), (("polled", 0), ("expiration", 0), ("up", 1))),
        "withdraw": Procedure("Q1", (), (("taken", 0),)),
    }
    AUXILIARY = frozenset({"rekeyed", "early"})

    wheel_size: int
    deadline: Mapping[str, int]
    tick: Mapping[int, int]
    content: Function[tuple[str, ...]]

    made, queue = Scalar("made"), Scalar("queue")
    task_counter = Scalar("taskCounter")
    readers, writer = Scalar("readers"), Scalar("writer")
    adding = Scalar("adding")
    handed = Scalar("handed")
    rekeyed, early = Scalar("rekeyed"), Scalar("early")

    def __init__(self, scenario: Scenario) -> None:
        self.program, self.deadline = scenario["threads"], scenario["deadline"]
        self.wheel_size, self.levels = scenario["wheel_size"], scenario["levels"]
        super().__init__(self.program, {"turn": 1}, start="T0")

        self.entries = tuple(self.deadline)
        self.buckets = range(1, self.wheel_size * self.levels + 1)
        self.tick = {level: self.wheel_size ** (level - 1) for level in range(1, self.levels + 1)}
        self.scalar("made", 1)
        self.current = self.function(
            "current", {level: scenario["start"] if level == 1 else -1 for level in self.tick}
        )
        self.content = self.function("content", dict.fromkeys(self.buckets, ()))
        self.monitor = self.function("monitor", dict.fromkeys(self.buckets, FREE))
        self.key = self.function("key", dict.fromkeys(self.buckets, -1))
        self.scalar("queue", ())
        self.scalar("taskCounter", 0)
        self.scalar("readers", frozenset())
        self.scalar("writer", None)
        self.scalar(
            "adding",
            sum(
                operation == "add" for program in self.program.values() for operation, *_ in program
            ),
        )
        self.scalar("handed", ())
        self.scalar("rekeyed", frozenset())
        self.scalar("early", frozenset())
        self.begin()

    # -- the wheel's arithmetic

    def trim(self, time: int, level: int) -> int:
        """``time`` rounded down to a level's tick."""
        return time - time % self.tick[level]

    def level_of(self, bucket: int) -> int:
        return (bucket - 1) // self.wheel_size + 1

    def slot_of(self, time: int, level: int) -> int:
        """The number of the bucket that has a time on a level."""
        return (level - 1) * self.wheel_size + time // self.tick[level] % self.wheel_size + 1

    def slot(self, entry: str, level: int) -> int:
        return self.slot_of(self.deadline[entry], level)

    def key_for(self, entry: str, level: int) -> int:
        return self.trim(self.deadline[entry], level)

    def expired(self, entry: str, level: int) -> bool:
        return self.deadline[entry] < self.current[level] + self.tick[level]

    def fits(self, entry: str, level: int) -> bool:
        return self.deadline[entry] < self.current[level] + self.wheel_size * self.tick[level]

    def over(self) -> bool:
        """No entry is linked, and none will be."""
        return bool(self.task_counter == 0 and self.adding == 0)

    # -- the thread that waits for the entry has it

    def K2(self, t: Process) -> None:
        self.handed += (t.he,)
        if not t.withdrawn and self.current[1] < self.deadline[t.he]:
            self.early |= {t.he}
        self.leave(t)

    # -- TimingWheel.add, and over it goes if the wheel does not take it

    def W1(self, t: Process) -> None:
        if self.expired(t.ke, t.level):
            self.call(t, "hand", t.ke, False)
        elif self.fits(t.ke, t.level):
            t.bucket = self.slot(t.ke, t.level)
        else:
            t.pc = "W5"

    def W2(self, t: Process) -> None:
        pass

    def A1(self, t: Process) -> Step:
        if not self.acquire(self.monitor, t.bucket):
            return BLOCKED
        self.content[t.bucket] += (t.ke,)
        self.task_counter += 1

    def A11(self, t: Process) -> None:
        self.release(self.monitor, t.bucket)

    def W3(self, t: Process) -> None:
        key = self.key_for(t.ke, t.level)
        if self.key[t.bucket] != key:
            if t.bucket in self.queue:
                self.rekeyed |= {t.bucket}
            self.key[t.bucket] = key
        else:
            self.leave(t)

    def W4(self, t: Process) -> None:
        self.queue = offered(self.queue, t.bucket, self.key)
        self.leave(t)

    def W5(self, t: Process) -> None:
        above = t.level + 1
        if self.made == t.level:
            self.made = above
            self.current[above] = self.trim(self.current[t.level], above)
        t.level = above
        t.pc = "W1"

    # -- an entry is added while the clock stands still

    def L1(self, t: Process) -> Step:
        if self.writer is not None:
            return BLOCKED
        self.readers |= {self.me}
        self.call(t, "put", t.ae, back="L2")

    def L2(self, t: Process) -> None:
        self.readers -= {self.me}
        self.adding -= 1
        self.leave(t)

    # -- TimerTaskList.flush

    def V1(self, t: Process) -> Step:
        if not self.acquire(self.monitor, t.fb):
            return BLOCKED

    def F2(self, t: Process) -> None:
        if entries := self.content[t.fb]:
            t.head = entries[0]
            self.content[t.fb] = entries[1:]
            self.task_counter -= 1
            if t.away:
                self.call(t, "hand", t.head, True, back="F2")
            else:
                self.call(t, "put", t.head, back="F2")

    def V2(self, t: Process) -> None:
        self.key[t.fb] = -1

    def V3(self, t: Process) -> None:
        self.release(self.monitor, t.fb)
        self.leave(t)

    # -- the earliest bucket is taken, the clocks reach its key, it is flushed

    def P1(self, t: Process) -> Step:
        if self.queue:
            t.polled = 0
        elif self.over():
            self.leave(t)
        else:
            return BLOCKED

    def R2(self, t: Process) -> Step:
        if self.readers or self.writer is not None:
            return BLOCKED
        self.writer = self.me

    def R4(self, t: Process) -> None:
        if self.queue:
            t.polled = self.queue[0]
            self.queue = polled(self.queue, self.key)
        else:
            t.pc = "R6"

    def R5(self, t: Process) -> None:
        t.expiration = self.key[t.polled]
        if t.expiration < self.current[1] + self.tick[1]:
            t.pc = "R6"

    def V4(self, t: Process) -> None:
        self.current[t.up] = self.trim(t.expiration, t.up)

    def V5(self, t: Process) -> None:
        if t.up < self.made and t.expiration >= self.current[t.up + 1] + self.tick[t.up + 1]:
            t.up += 1
            t.pc = "V4"

    def R6(self, t: Process) -> None:
        self.writer = None
        t.expiration, t.up = 0, 1
        if t.polled:
            self.call(t, "flush", t.polled, False, back="P1")
        else:
            t.pc = "P1"

    # -- everything is taken out, and the clock stands still

    def Q1(self, t: Process) -> Step:
        if self.queue:
            t.taken = self.queue[0]
            self.queue = polled(self.queue, self.key)
            self.call(t, "flush", t.taken, True, back="Q1")
        elif self.over():
            self.leave(t)
        else:
            return BLOCKED

    # -- a thread runs its program

    def T0(self, t: Process) -> None:
        program = self.program[self.me]
        if t.turn > len(program):
            t.pc = DONE
            return
        operation, *arguments = program[t.turn - 1]
        t.turn += 1
        self.call(t, operation, *arguments, back="T1")

    def T1(self, t: Process) -> None:
        t.pc = "T0"

    # -- properties, by the names of the spec

    def in_hand(self, bucket: int) -> int:
        """How many threads have taken the bucket from the queue, and not flushed it to the end."""
        return sum(
            (t.polled == bucket and t.pc != "P1") or (t.taken == bucket and t.pc != "Q1")
            for t in self.processes
        )

    def halfway(self, bucket: int) -> bool:
        """A thread has linked an entry into the bucket, or queued it, and has not done the rest."""
        return any(t.pc in ("A11", "W3", "W4") and t.bucket == bucket for t in self.processes)

    def linking(self) -> list[Process]:
        """The threads that have chosen a bucket, and are about to link."""
        return [t for t in self.processes if t.pc in ("W2", "A1")]

    def TypeOK(self) -> bool:
        entries, levels = set(self.entries), range(1, self.levels + 1)
        return (
            self.made in levels
            and all(
                self.current[level] >= 0 if level <= self.made else self.current[level] == -1
                for level in levels
            )
            and all(
                self.key[bucket] >= -1 and set(self.content[bucket]) <= entries
                for bucket in self.buckets
            )
            and all(
                owner in {*self.threads, None} and (depth == 0) == (owner is None)
                for owner, depth in map(self.monitor.__getitem__, self.buckets)
            )
            and set(self.queue) <= set(self.buckets)
            and self.readers <= set(self.threads)
            and self.writer in {*self.threads, None}
            and self.adding >= 0
            and self.task_counter >= 0
            and len(self.handed) <= len(entries)
            and all(
                t.level in levels
                and 0 <= t.bucket <= len(self.buckets)
                and 0 <= t.polled <= len(self.buckets)
                for t in self.processes
            )
        )

    def SlotInRange(self) -> bool:
        return all(
            t.level <= self.made and t.bucket == self.slot_of(self.deadline[t.ke], t.level)
            for t in self.linking()
        )

    def NotCurrentSlot(self) -> bool:
        return all(t.bucket != self.slot_of(self.current[t.level], t.level) for t in self.linking())

    def OneKeyPerSlot(self) -> bool:
        return all(
            len({self.key_for(entry, self.level_of(bucket)) for entry in self.content[bucket]}) <= 1
            for bucket in self.buckets
        )

    def KeyWindow(self) -> bool:
        return all(
            0
            < self.key_for(t.ke, t.level) - self.current[t.level]
            <= self.tick[t.level] * (self.wheel_size - 1)
            for t in self.linking()
        )

    def DemotionDescends(self) -> bool:
        return all(t.level < self.level_of(t.polled) for t in self.linking() if t.polled)

    def LevelBound(self) -> bool:
        for t in self.linking():
            ticks, level = self.deadline[t.ke] - self.current[1], t.level
            if ticks >= self.wheel_size**level or level > 1 and ticks < self.tick[level - 1]:
                return False
        return True

    def QueuedOnceWithItsKey(self) -> bool:
        if self.rekeyed or len(set(self.queue)) < len(self.queue):
            return False
        return all(
            bucket in self.queue or self.in_hand(bucket)
            for bucket in self.buckets
            if self.content[bucket] and not self.halfway(bucket)
        )

    def KeyBeforeDeadline(self) -> bool:
        return all(
            self.key[bucket] <= self.deadline[entry]
            for bucket in set(self.queue)
            if not self.halfway(bucket)
            for entry in self.content[bucket]
        )

    def NotEarly(self) -> bool:
        return not self.early

    def FiredOnce(self) -> bool:
        return len(set(self.handed)) == len(self.handed)

    def EveryTimerFires(self) -> bool:
        """The state predicate that must come true: ``<>AllHanded``."""
        return self.adding == 0 and set(self.handed) == set(self.entries)

    # -- witnesses: states that some scenario must reach, or the properties say little

    def GoesDownTwice(self) -> bool:
        """A flush puts an entry on the lowest level that has been on the third."""
        return any(
            t.polled and self.level_of(t.polled) == 2 and self.deadline[t.ke] >= self.wheel_size**2
            for t in self.linking()
        )

    def AddsBesideFlush(self) -> bool:
        """An adder is about to link while a flush is under way."""
        flushing = [t for t in self.processes if t.pc == "F2"]
        return any(t.ae for t in self.linking()) and bool(flushing)

    def TwoWantTheLevel(self) -> bool:
        """Two threads are about to ask for the same level, which is not there."""
        return [t.level for t in self.processes if t.pc == "W5"].count(self.made) > 1

    INVARIANTS = (
        "TypeOK",
        "SlotInRange",
        "NotCurrentSlot",
        "OneKeyPerSlot",
        "KeyWindow",
        "DemotionDescends",
        "LevelBound",
        "QueuedOnceWithItsKey",
        "KeyBeforeDeadline",
        "NotEarly",
        "FiredOnce",
    )
    WITNESSES = ("GoesDownTwice", "AddsBesideFlush", "TwoWantTheLevel")
