"""The executable model of ``spec/ReadWriteLock.tla``: one method per label."""

from __future__ import annotations

from model.conditions import notified_all, offered, taken
from model.pluscal import BLOCKED, DONE, Machine, Procedure, Process, Scalar, Scenario, Step, Values


class Model(Machine):
    """States of one scenario: ``threads`` as in the TOML."""

    PROCEDURES = {
        "read": Procedure("R1", ()),
        "read_on": Procedure("N0", ()),
        "write": Procedure("W1", ()),
    }
    WITNESSES = (
        "TwoRead",
        "ReaderWaitsForWaitingWriter",
        "TwoWritersWait",
        "WakesInVain",
        "WriterIsInterrupted",
    )

    AUXILIARY = LOCAL = frozenset({"raised"})
    """Whether a thread's operation has been interrupted: in code the exception is on its stack."""

    mutex, asleep, tickets = Scalar("mutex"), Scalar("asleep"), Scalar("tickets")
    interrupted = Scalar("interrupted")
    readers, writer, waiting = Scalar("readers"), Scalar("writer"), Scalar("waiting")
    page = Scalar("page")

    def __init__(self, scenario: Scenario) -> None:
        self.program = scenario["threads"]
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.users = tuple(
            name for name, ((first, *_), *_) in self.program.items() if first != "interrupt"
        )
        self._processes = tuple(
            values if name in self.users else ("I1", *values[1:])
            for name, values in zip(self.threads, self._processes)
        )
        self.scalar("mutex", None)
        self.scalar("asleep", frozenset())
        self.scalar("tickets", ())
        self.scalar("interrupted", frozenset())
        self.scalar("readers", frozenset())
        self.scalar("writer", None)
        self.scalar("waiting", 0)
        self.scalar("page", 0)
        self.raised = self.function("raised", dict.fromkeys(self.users, False))
        self.begin()

    def tla(self, variable: str, piece: Values) -> object:
        """As TLA+ has it: only the threads have a ``turn``."""
        if variable == "turn":
            return self.function_of(self.users, piece)
        return super().tla(variable, piece)

    def returned(self, process: Process) -> object:
        """Whether the operation was interrupted."""
        return ("raised", "Interrupted") if self.me in self.users and self.raised[self.me] else None

    # -- the condition

    def _lock(self) -> bool:
        if self.mutex is not None:
            return False
        self.mutex = self.me
        return True

    def _sleep(self) -> None:
        self.mutex = None
        self.asleep |= {self.me}

    def _wake(self) -> bool:
        if not offered(self.tickets, self.me) and self.me not in self.interrupted:
            return False
        self.tickets = taken(self.tickets, self.me)
        self.asleep -= {self.me}
        return True

    def _raises(self) -> bool:
        """Whether the wait whose lock is taken again raises."""
        if self.me not in self.interrupted:
            return False
        self.interrupted -= {self.me}
        self.raised[self.me] = True
        return True

    def _notify_all(self) -> None:
        self.tickets = notified_all(self.tickets, self.asleep)

    def _reader_waits(self) -> bool:
        return self.writer is not None or self.waiting > 0

    def _writer_waits(self) -> bool:
        return self.writer is not None or bool(self.readers)

    # -- ReadLock.__enter__

    def R1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if not self._reader_waits():
            t.pc = "R5"

    def R2(self, t: Process) -> None:
        self._sleep()

    def R3(self, t: Process) -> Step:
        if not self._wake():
            return BLOCKED

    def R4(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if self._raises():
            t.pc = "R6"
        elif self._reader_waits():
            t.pc = "R2"

    def R5(self, t: Process) -> None:
        self.readers |= {self.me}

    def R6(self, t: Process) -> None:
        self.mutex = None
        if self.raised[self.me]:
            self.leave(t)

    def D1(self, t: Process) -> None:
        pass

    # -- ReadLock.__exit__

    def U1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED

    def U2(self, t: Process) -> None:
        self.readers -= {self.me}
        if self.readers:
            t.pc = "U4"

    def U3(self, t: Process) -> None:
        self._notify_all()

    def U4(self, t: Process) -> None:
        self.mutex = None
        self.leave(t)

    # -- WriteLock.__enter__

    def W1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED

    def W2(self, t: Process) -> None:
        self.waiting += 1
        if not self._writer_waits():
            t.pc = "W6"

    def W3(self, t: Process) -> None:
        self._sleep()

    def W4(self, t: Process) -> Step:
        if not self._wake():
            return BLOCKED

    def W5(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if self._raises():
            t.pc = "W7"
        elif self._writer_waits():
            t.pc = "W3"

    def W6(self, t: Process) -> None:
        self.writer = self.me

    def W7(self, t: Process) -> None:
        self.waiting -= 1
        if not self.raised[self.me]:
            t.pc = "W8"

    def W9(self, t: Process) -> None:
        self._notify_all()

    def W8(self, t: Process) -> None:
        self.mutex = None
        if self.raised[self.me]:
            self.leave(t)

    def D2(self, t: Process) -> None:
        self.page += 1

    # -- WriteLock.__exit__

    def X1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED

    def X2(self, t: Process) -> None:
        self.writer = None

    def X3(self, t: Process) -> None:
        self._notify_all()

    def X4(self, t: Process) -> None:
        self.mutex = None
        self.leave(t)

    # -- a reader that comes again for ever

    def N0(self, t: Process) -> None:
        self.call(t, "read", back="N0")

    # -- the processes

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            self.raised[self.me] = False
            self.call(t, self.program[self.me][t.turn - 2][0], back="T0")

    def I1(self, t: Process) -> None:
        target = self.program[self.me][0][1]
        if target in self.asleep:
            self.interrupted |= {target}

    # -- properties

    def _at(self, *labels: str) -> frozenset[str]:
        return frozenset(
            name for name, process in zip(self.threads, self.processes) if process.pc in labels
        )

    def TypeOK(self) -> bool:
        names = frozenset(self.users)
        return (
            self.mutex in names | {None}
            and self.writer in names | {None}
            and self.asleep <= names
            and self.readers <= names
            and self.interrupted <= names
            and all(takers <= self.asleep for takers in self.tickets)
            and len(self.tickets) <= len(self.asleep)
            and 0 <= self.waiting <= len(names)
            and self.page >= 0
        )

    def MutualExclusion(self) -> bool:
        return not (writing := self._at("D2")) or len(writing) == 1 and not self._at("D1")

    def WriterGoesFirst(self) -> bool:
        return not self._at("R5") or self.waiting == 0 and self.writer is None

    def Registered(self) -> bool:
        writing = self._at("D2", "X1")
        return self.mutex is not None or (
            self._at("D1", "U1") == self.readers
            and writing == {self.writer} - {None}
            and self.waiting == len(self._at("W4", "W5"))
        )

    def WaitsForAThread(self) -> bool:
        if self.mutex is not None or self.tickets or self.writer is not None:
            return True
        reading = self._at("R3")
        return all(self.waiting > 0 if name in reading else self.readers for name in self.asleep)

    def Termination(self) -> bool:
        """What must come true in every fair run."""
        return len(self._at(DONE)) == len(self.threads)

    def WriterGetsIn(self) -> bool:
        """What must come true again and again in every fair run: no writer waits."""
        return not self._at("W3", "W4", "W5")

    # -- witnesses

    def TwoRead(self) -> bool:
        return len(self._at("D1")) > 1

    def ReaderWaitsForWaitingWriter(self) -> bool:
        """A reader sleeps although only readers are inside."""
        return self.writer is None and bool(self.readers) and bool(self._at("R3") & self.asleep)

    def TwoWritersWait(self) -> bool:
        return bool(self.waiting > 1)

    def WakesInVain(self) -> bool:
        """A writer has woken, and another thread has entered before it has the lock back."""
        return bool(self._at("W5")) and (self.writer is not None or bool(self.readers))

    def WriterIsInterrupted(self) -> bool:
        """A writer's wait is to raise while a reader sleeps that waits for this writer alone."""
        return (
            self.writer is None
            and self.waiting == 1
            and bool(self._at("W4") & self.interrupted)
            and bool(self._at("R3") & self.asleep)
        )
