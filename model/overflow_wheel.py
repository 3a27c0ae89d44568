"""The model of ``spec/OverflowWheel.tla``: fields read without a lock, and delayed stores."""

from __future__ import annotations

from model.overflow_wheel_properties import LIST, POINTER, START, TIME, WHEEL, Properties
from model.pluscal import (
    BLOCKED,
    DONE,
    FREE,
    Procedure,
    Process,
    Scalar,
    Scenario,
    State,
    Step,
    Steps,
    Values,
)

OBJECT = {WHEEL: "w0", LIST: "e", POINTER: "x"}
"""The object that a field is of; every wheel has a TIME."""
MONITORS = ("wheel", "bucket", "entry", "task")

Store = tuple[str, str, str, str | None, frozenset[str]]
"""A buffered store: (thread, field, object, value, what its thread has released since)."""


class Model(Properties):
    """States of one scenario: ``wheels``, ``linked`` and ``threads`` as in the TOML."""

    PROCEDURES = {
        "parent": Procedure("O1", (), (("new", None),)),
        "unlink": Procedure("U1", ()),
        "remove": Procedure("R1", ()),
        "add": Procedure("A0", (), (("done", False),)),
        "cancel": Procedure("C1", ()),
    }
    AUXILIARY = frozenset({"wheel", "time", "settled", "late", "unlinked", "revoked", "slipped"})
    """``wheel`` and ``time`` are in code on the thread's stack, until they are written down."""

    VOLATILE = frozenset({WHEEL, LIST, POINTER})
    """The fields that are declared volatile."""

    buffer, overflow_wheel, list, timer_task_entry = (
        Scalar("buffer"),
        Scalar("overflowWheel"),
        Scalar("list"),
        Scalar("timerTaskEntry"),
    )
    made, task_counter, submitted = Scalar("made"), Scalar("taskCounter"), Scalar("submitted")
    settled, late, unlinked = Scalar("settled"), Scalar("late"), Scalar("unlinked")
    revoked, slipped = Scalar("revoked"), Scalar("slipped")

    def __init__(self, scenario: Scenario) -> None:
        self.program, self.wheels = scenario["threads"], tuple(scenario["wheels"])
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.memories = {
            name: program[0][1:]
            for name, program in self.program.items()
            if program[:1] and program[0][0] == "memory"
        }
        self.users = tuple(name for name in self.threads if name not in self.memories)
        self._counters: list[str] | None = None
        # a memory process has one label, and no loop around it
        self._processes = tuple(
            ("W1", *values[1:]) if name in self.memories else values
            for name, values in zip(self.threads, self._processes)
        )

        linked = scenario["linked"]
        self.scalar("buffer", ())
        self.scalar("overflowWheel", None)
        self.current_time = self.function("currentTime", dict.fromkeys(self.wheels))
        self.scalar("list", "l" if linked else None)
        self.scalar("timerTaskEntry", "e")
        self.monitor = self.function("monitor", dict.fromkeys(MONITORS, FREE))
        self.scalar("made", 0)
        self.scalar("taskCounter", int(linked))
        self.scalar("submitted", 0)
        self.found_wheel, self.found_time = (
            self.function(name, dict.fromkeys(self.users)) for name in ("foundWheel", "foundTime")
        )
        self.wheel, self.time = (
            self.function(name, dict.fromkeys(self.users)) for name in ("wheel", "time")
        )
        self.scalar("settled", linked)
        self.scalar("late", frozenset())
        for name in ("unlinked", "revoked", "slipped"):
            self.scalar(name, False)
        self.begin()

    def successors(self, state: State) -> Steps:
        """A memory process looks at its thread's program counter, in the state before the step."""
        self._counters = [values[0] for values in state[1]]
        try:
            return super().successors(state)
        finally:
            self._counters = None

    def ended(self, thread: str) -> bool:
        """Whether a thread has run its program."""
        index = self.threads.index(thread)
        return (
            self.processes[index].pc if self._counters is None else self._counters[index]
        ) == DONE

    def tla(self, variable: str, piece: Values) -> object:
        """Only threads have a turn."""
        if variable == "turn":
            return self.function_of(self.users, piece)
        return super().tla(variable, piece)

    # -- memory

    def bring(self, stores: tuple[Store, ...]) -> None:
        """Perform these stores in memory."""
        for _, field, where, value, _ in stores:
            if field == WHEEL:
                self.overflow_wheel = value
            elif field == TIME:
                self.current_time[where] = value
            elif field == LIST:
                self.list = value
            else:
                self.timer_task_entry = value

    def observe(self, what: str) -> None:
        """Acquire: whatever others have released with ``what`` is in memory now."""
        due = tuple(s for s in self.buffer if s[0] != self.me and what in s[4])
        if due:
            self.bring(due)
            self.buffer = tuple(s for s in self.buffer if s[0] == self.me or what not in s[4])

    def publish(self, what: str) -> None:
        """Release: the process's buffered stores reach memory when a thread acquires ``what``."""
        if self.buffer:
            self.buffer = tuple(
                (*s[:4], s[4] | {what}) if s[0] == self.me else s for s in self.buffer
            )

    def exchange(self, what: str) -> None:
        """An atomic variable's read and write."""
        self.observe(what)
        self.publish(what)

    def seen(self, field: str, where: str, memory: str | None) -> str | None:
        """A field's value as the process sees it: its own newest store, or what is in memory."""
        stores: tuple[Store, ...] = self.buffer
        for thread, name, instance, value, _ in reversed(stores):
            if thread == self.me and name == field and instance == where:
                return value
        return memory

    def look(self, field: str, where: str | None = "") -> str | None:
        """Read a field, of its one object where no other is named."""
        if field in self.VOLATILE:
            self.observe(field)
        memory = self.current_time[where] if field == TIME else getattr(self, field)
        return self.seen(field, where or OBJECT[field], memory)

    def store(self, field: str, value: str | None, where: str = "") -> None:
        """Write a field, of its one object where no other is named."""
        written: Store = self.me, field, where or OBJECT[field], value, frozenset()
        if field in self.VOLATILE:
            self.bring((written,))
            self.publish(field)
        else:
            self.delay(written)

    def delay(self, written: Store) -> None:
        """A plain store."""
        self.buffer = (*self.buffer, written)

    def lock(self, monitor: str) -> bool:
        """Enter a monitor; False, with nothing changed, if another thread is in it."""
        if not self.acquire(self.monitor, monitor):
            return False
        self.observe(monitor)
        return True

    def unlock(self, monitor: str) -> None:
        self.release(self.monitor, monitor)
        self.publish(monitor)

    # -- the overflow wheel

    def O1(self, t: Process) -> None:
        if self.look(WHEEL) is not None:
            t.pc = "O6"

    def O2(self, t: Process) -> Step:
        if not self.lock("wheel"):
            return BLOCKED

    def O3(self, t: Process) -> None:
        if self.look(WHEEL) is not None:
            t.pc = "O5"

    def B1(self, t: Process) -> None:
        self.made += 1
        t.new = self.wheels[self.made - 1]

    def B2(self, t: Process) -> None:
        self.store(TIME, START, t.new)

    def O4(self, t: Process) -> None:
        self.store(WHEEL, t.new)

    def O5(self, t: Process) -> None:
        self.unlock("wheel")

    def O6(self, t: Process) -> None:
        self.wheel[self.me] = self.look(WHEEL)
        self.leave(t)

    # -- TimerTaskList.remove

    def U1(self, t: Process) -> Step:
        if not self.lock("bucket"):
            return BLOCKED

    def U2(self, t: Process) -> Step:
        if not self.lock("entry"):
            return BLOCKED

    def U3(self, t: Process) -> None:
        if self.look(LIST) != "l":
            t.pc = "U10"

    def U4(self, t: Process) -> None:
        pass

    def U5(self, t: Process) -> None:
        pass

    def U6(self, t: Process) -> None:
        pass

    def U7(self, t: Process) -> None:
        pass

    def U8(self, t: Process) -> None:
        self.store(LIST, None)

    def U9(self, t: Process) -> None:
        self.task_counter -= 1
        self.exchange("counter")

    def U10(self, t: Process) -> None:
        self.unlock("entry")

    def U11(self, t: Process) -> None:
        self.unlock("bucket")
        self.leave(t)

    # -- TimerTaskEntry.remove

    def R1(self, t: Process) -> None:
        if self.look(LIST) is not None:
            self.call(t, "unlink", back="R1")
        else:
            self.leave(t)

    # -- TimerTaskList.add

    def A0(self, t: Process) -> None:
        if t.done:
            t.pc = "A12"
        else:
            self.call(t, "remove", back="A1")

    def A1(self, t: Process) -> Step:
        if not self.lock("bucket"):
            return BLOCKED

    def A2(self, t: Process) -> Step:
        if not self.lock("entry"):
            return BLOCKED

    def A3(self, t: Process) -> None:
        if self.look(LIST) is not None:
            t.pc = "A10"

    def A4(self, t: Process) -> None:
        pass

    def A5(self, t: Process) -> None:
        pass

    def A6(self, t: Process) -> None:
        self.store(LIST, "l")

    def A7(self, t: Process) -> None:
        pass

    def A8(self, t: Process) -> None:
        pass

    def A9(self, t: Process) -> None:
        self.task_counter += 1
        self.exchange("counter")
        t.done = True

    def A10(self, t: Process) -> None:
        self.unlock("entry")

    def A11(self, t: Process) -> None:
        self.unlock("bucket")
        self.settled = t.done
        t.pc = "A0"

    def A12(self, t: Process) -> None:
        self.leave(t)

    # -- TimerTask.cancel

    def C1(self, t: Process) -> Step:
        if not self.lock("task"):
            return BLOCKED
        if self.settled:
            self.late |= {self.me}

    def C2(self, t: Process) -> None:
        if self.look(POINTER) is not None:
            self.call(t, "remove", back="C3")

    def C3(self, t: Process) -> None:
        self.store(POINTER, None)

    def C4(self, t: Process) -> None:
        self.unlock("task")
        self.revoked = True
        if self.me in self.late:
            self.unlinked = True
        self.leave(t)

    # -- threads and memory

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
            return
        t.turn += 1
        operation = self.program[self.me][t.turn - 2][0]
        if operation == "place":
            self.call(t, "parent", back="N1")
        elif operation == "check":
            t.pc = "K1"
        else:
            self.call(t, operation, back="T0")

    def N1(self, t: Process) -> None:
        self.time[self.me] = self.look(TIME, self.wheel[self.me])

    def N2(self, t: Process) -> None:
        self.found_wheel[self.me], self.found_time[self.me] = (
            self.wheel[self.me],
            self.time[self.me],
        )
        t.pc = "T0"

    def K1(self, t: Process) -> None:
        if self.look(POINTER) == "e":
            self.slipped = self.slipped or self.revoked
        else:
            t.pc = "T0"

    def K2(self, t: Process) -> None:
        self.submitted += 1
        self.exchange("submitted")
        t.pc = "T0"

    def W1(self, t: Process) -> Step:
        thread, field = self.memories[self.me]
        waiting = [i for i, store in enumerate(self.buffer) if store[:2] == (thread, field)]
        if waiting:
            first = waiting[0]
            self.bring(self.buffer[first : first + 1])
            self.buffer = self.buffer[:first] + self.buffer[first + 1 :]
        elif self.ended(thread):
            t.pc = DONE
        else:
            return BLOCKED

    def W2(self, t: Process) -> None:
        t.pc = "W1"
