"""The model of ``spec/SystemTimer.tla``: adders, cancellers and a reaper at a timing wheel.

``Timer`` has what every timer does. ``parted_timer`` is one with another reaper.
"""

from __future__ import annotations

from collections.abc import Mapping

from model.heap import offered, polled
from model.pluscal import BLOCKED, DONE, Procedure, Process, Scenario, Step
from model.system_timer_properties import REAPS, Properties, TimerProperties


class Timer(TimerProperties):
    """Adders, cancellers, the wheel, the executor, and threads' programs: all but a reaper's flush.

    ``reap``: the procedure of a reaper. ``BESIDE``: buckets in no wheel, each with its key.
    """

    PROCEDURES = {
        "addTimerTaskEntry": Procedure("W1", ("ke",), (("level", 1), ("bucket", 0))),
        "add": Procedure("A1", ("ae",)),
        "cancel": Procedure("X1", ("ct",)),
        "close": Procedure("B1", ()),
        "reap": Procedure("R1", ()),
    }
    AUXILIARY = frozenset(
        {"thrown", "raised", "rekeyed", "early", "submitted", "revoked", "slipped"}
    )
    BESIDE: Mapping[int, int] = {}
    reap = "reap"

    def __init__(self, scenario: Scenario, **own: object) -> None:
        """``own``: variables that a thread has besides."""
        self.program = scenario["threads"]
        self.task_of, self.deadline = scenario["task_of"], scenario["deadline"]
        self.wheel_size, self.levels = scenario["wheel_size"], scenario["levels"]
        own |= {"turn": 1, "task": None, "polled": 0, "expiration": 0, "head": None}
        super().__init__(self.program, own, start="T0")

        self.entries = tuple(self.task_of)
        self.tasks = tuple(dict.fromkeys(self.task_of.values()))
        self.buckets = range(1, self.wheel_size * self.levels + 1)
        self.tick = {level: self.wheel_size ** (level - 1) for level in range(1, self.levels + 1)}
        operations = [name for program in self.program.values() for name, *_ in program]
        self.scalar("now", 0)
        self.current = self.function("current", dict.fromkeys(self.tick, 0))
        key = {**self.BESIDE, **dict.fromkeys(self.buckets, -1)}
        self.content = self.function("content", dict.fromkeys(key, ()))
        self.key = self.function("key", key)
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
        self.scalar("adding", operations.count("add"))
        self.thrown = self.function("thrown", dict.fromkeys(self.threads, False))
        self.scalar("rekeyed", frozenset())
        self.scalar("early", frozenset())
        self.submitted = self.function("submitted", dict.fromkeys(self.entries, 0))
        self.revoked = self.function("revoked", dict.fromkeys(self.entries, False))
        self.scalar("slipped", frozenset())

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

    def held(self, entry: str | None) -> bool:
        """A flush holds the monitor of the bucket that the entry is in."""
        return self.flushing != 0 and entry in self.content[self.flushing]

    def remove(self, entry: str | None) -> None:
        """TimerTaskEntry.remove: without effect on an entry that a flush holds."""
        if entry is not None and entry in self.linked():
            for bucket in self.buckets:
                self.content[bucket] = tuple(e for e in self.content[bucket] if e != entry)
            self.task_counter -= 1

    # -- SystemTimer.addTimerTaskEntry with TimingWheel.add

    def W1(self, t: Process) -> None:
        if self.cancelled(t.ke) or self.expired(t.ke, t.level):
            t.pc = "K1"
        elif self.fits(t.ke, t.level):
            t.bucket = self.slot(t.ke, t.level)
            if self.revoked[t.ke]:
                self.slipped |= {t.ke}
        else:
            t.pc = "W0"

    def W2(self, t: Process) -> Step:
        if self.flushing == t.bucket and self.writer != self.me:
            return BLOCKED
        self.content[t.bucket] += (t.ke,)
        self.task_counter += 1

    def W3(self, t: Process) -> None:
        key = self.trim(self.deadline[t.ke], t.level)
        if self.key[t.bucket] != key:
            if t.bucket in self.queue:
                self.rekeyed |= {t.bucket}
            self.key[t.bucket] = key
        else:
            self.leave(t)

    def W4(self, t: Process) -> None:
        self.queue = offered(self.queue, t.bucket, self.key)
        self.leave(t)

    def W0(self, t: Process) -> None:
        t.level += 1
        t.pc = "W1"

    def K1(self, t: Process) -> None:
        if self.cancelled(t.ke):
            self.leave(t)
        elif self.revoked[t.ke]:
            self.slipped |= {t.ke}

    def K2(self, t: Process) -> None:
        if self.shut:
            self.refused += (t.ke,)
            self.thrown[self.me] = True
        else:
            self.waiting += (t.ke,)
            self.submitted[t.ke] += 1
            if self.now < self.deadline[t.ke]:
                self.early |= {t.ke}
        self.leave(t)

    # -- SystemTimer.add

    def A1(self, t: Process) -> Step:
        if self.writer is not None:
            return BLOCKED
        self.readers |= {self.me}

    def A2(self, t: Process) -> None:
        pass  # reads the clock: a scenario fixes the deadline of each entry

    def A3(self, t: Process) -> Step:
        task = self.task_of[t.ae]
        if self.held(self.timer_task_entry[task]):
            return BLOCKED
        self.remove(self.timer_task_entry[task])
        self.timer_task_entry[task] = t.ae
        self.call(t, "addTimerTaskEntry", t.ae, back="A4")

    def A4(self, t: Process) -> None:
        self.readers -= {self.me}
        self.adding -= 1
        if self.thrown[self.me]:
            self.raised |= {t.ae}
        self.thrown[self.me] = False
        self.leave(t)

    # -- TimerTask.cancel

    def X1(self, t: Process) -> Step:
        entry = self.timer_task_entry[t.ct]
        if self.held(entry):
            return BLOCKED
        self.remove(entry)
        if entry is not None:
            self.revoked[entry] = True
        self.timer_task_entry[t.ct] = None
        self.leave(t)

    # -- SystemTimer.close

    def B1(self, t: Process) -> None:
        self.shut = True
        self.leave(t)

    # -- advanceClock reads a bucket's key, and sets the clocks to it

    def R5(self, t: Process) -> None:
        t.expiration = self.key[t.polled]

    def R7(self, t: Process) -> None:
        for level, tick in self.tick.items():
            if t.expiration >= self.current[level] + tick:
                self.current[level] = self.trim(t.expiration, level)
        t.pc = "V1"

    # -- a thread runs its program

    def T0(self, t: Process) -> None:
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
            procedure = self.reap if operation == "reap" else operation
            self.call(t, procedure, *arguments, back="T1")

    def C1(self, t: Process) -> None:
        self.now += 1
        t.pc = "T0"

    def E1(self, t: Process) -> Step:
        if self.waiting:
            t.task = self.waiting[0]
            self.waiting = self.waiting[1:]
        elif self.shut or self.over() and self.writer is None:
            t.pc = "T0"
        else:
            return BLOCKED

    def E2(self, t: Process) -> None:
        self.started += (t.task,)
        t.task = None
        t.pc = "T0"

    def T1(self, t: Process) -> None:
        t.pc = "T0"

    def returned(self, t: Process) -> object:
        """``add`` raises what the executor's refusal raises."""
        operation, *arguments = self.program[self.me][t.turn - 2]
        refused = operation == "add" and arguments[0] in self.raised
        return ("raised", "RuntimeError") if refused else None


class Model(Timer, Properties):
    """States of one scenario, with the fields of the TOML.

    ``timer``: ``"KafkaTimer"`` or ``"SystemTimer"``, the default.
    """

    PROCEDURES = Timer.PROCEDURES | {
        "expire": Procedure("R5", ("callback",)),
        "kafkaReap": Procedure("Q1", ()),
    }
    AUXILIARY = Timer.AUXILIARY | {"reaperDied", "handed", "ran", "added"}

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario)
        self.reap = REAPS[scenario.get("timer", "SystemTimer")]
        self.scalar("reaperDied", False)
        self.scalar("handed", ())
        self.ran = self.function("ran", dict.fromkeys(self.tasks, 0))
        self.added = self.function("added", dict.fromkeys(self.tasks, 0))
        self.begin()

    def poll(self, t: Process) -> None:
        """DelayQueue.poll, where the first bucket is due."""
        t.polled = self.queue[0]
        self.queue = polled(self.queue, self.key)

    # -- TimerTaskList.flush

    def V1(self, t: Process) -> None:
        self.flushing = t.polled

    def F2(self, t: Process) -> None:
        entries = self.content[t.polled]
        if entries:
            t.head = entries[0]
            self.content[t.polled] = entries[1:]
            self.task_counter -= 1
            self.call(t, "addTimerTaskEntry", t.head, back="F3")
        else:
            t.pc = "V2"

    def F3(self, t: Process) -> None:
        if t.callback == "reinsert":  # which catches it
            self.thrown[self.me] = False
        t.pc = "V3" if self.thrown[self.me] else "F2"

    def V2(self, t: Process) -> None:
        self.key[t.polled] = -1

    def V3(self, t: Process) -> None:
        self.flushing = 0
        if self.thrown[self.me]:
            self.leave(t)

    def R4(self, t: Process) -> None:
        if self.due():
            self.poll(t)
            t.pc = "R5"
        else:
            t.polled = 0
            self.leave(t)

    # -- SystemTimer.advanceClock, again and again

    def R1(self, t: Process) -> Step:
        if self.due():
            self.poll(t)
        elif self.over():
            self.leave(t)
        else:
            return BLOCKED

    def R2(self, t: Process) -> Step:
        if self.readers or self.writer is not None:
            return BLOCKED
        self.writer = self.me

    def R3(self, t: Process) -> None:
        self.queue = offered(self.queue, t.polled, self.key)

    def R8(self, t: Process) -> None:
        if self.due():
            self.poll(t)
            self.call(t, "expire", "reinsert", back="R6")
        else:
            t.polled = 0

    def R6(self, t: Process) -> None:
        self.writer = None
        t.expiration, t.head = 0, None
        t.pc = "R1"

    # -- KafkaTimer.advanceClock, again and again

    def Q1(self, t: Process) -> Step:
        if self.due():
            self.poll(t)
        elif self.over():
            self.leave(t)
        else:
            return BLOCKED

    def Q2(self, t: Process) -> Step:
        if self.readers or self.writer is not None:
            return BLOCKED
        self.writer = self.me
        self.call(t, "expire", "addTimerTaskEntry", back="Q6")

    def Q6(self, t: Process) -> None:
        self.writer = None
        t.polled, t.expiration, t.head = 0, 0, None
        if self.thrown[self.me]:
            self.thrown[self.me] = False
            self.reaper_died = True
            self.leave(t)
        else:
            t.pc = "Q1"

    # -- history that is read here only

    def A3(self, t: Process) -> Step:
        if (step := super().A3(t)) is not BLOCKED:
            self.added[self.task_of[t.ae]] += 1
        return step

    def K2(self, t: Process) -> None:
        if not self.shut:
            self.handed += (t.ke,)
        super().K2(t)

    def E2(self, t: Process) -> None:
        self.ran[self.task_of[t.task]] += 1
        super().E2(t)

    def returned(self, t: Process) -> object:
        """``reap`` raises, too."""
        operation, *_ = self.program[self.me][t.turn - 2]
        if operation == "reap" and self.reaper_died:
            return ("raised", "RuntimeError")
        return super().returned(t)
