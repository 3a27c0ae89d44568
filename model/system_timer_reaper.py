"""The executable model of ``spec/SystemTimerReaper.tla``: one method per label."""

from __future__ import annotations

from model.conditions import notified, offered, taken
from model.pluscal import BLOCKED, DONE, Machine, Procedure, Process, Scalar, Scenario, Step, Values


class Model(Machine):
    """States of one scenario: ``threads`` and ``due`` as in the TOML.

    The process whose program is ``reap`` is the reaper's thread.
    """

    PROCEDURES = {"close": Procedure("T1", ())}
    AUXILIARY = frozenset({"early", "late"})
    WITNESSES = ("IsClosedDuringAPoll", "WaitsForTheReaper", "ReaperClosesWhileAnotherWaits")

    mutex, asleep, tickets = Scalar("mutex"), Scalar("asleep"), Scalar("tickets")
    stopping, ended, due, closed = (
        Scalar("stopping"),
        Scalar("ended"),
        Scalar("due"),
        Scalar("closed"),
    )
    early, late = Scalar("early"), Scalar("late")

    def __init__(self, scenario: Scenario) -> None:
        self.program = scenario["threads"]
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.closers = tuple(
            name for name, program in self.program.items() if program[0][0] != "reap"
        )
        self._processes = tuple(
            values if name in self.closers else ("E1", *values[1:])
            for name, values in zip(self.threads, self._processes)
        )
        self.scalar("mutex", None)
        self.scalar("asleep", frozenset())
        self.scalar("tickets", ())
        self.scalar("stopping", False)
        self.scalar("ended", False)
        self.scalar("due", scenario["due"])
        self.scalar("closed", 0)
        self.scalar("early", False)
        self.scalar("late", False)
        self.begin()

    def tla(self, variable: str, piece: Values) -> object:
        """As TLA+ has it: the reaper has no ``turn``."""
        if variable == "turn":
            return self.function_of(self.closers, piece)
        return super().tla(variable, piece)

    # -- the condition

    def _lock(self) -> bool:
        if self.mutex is not None:
            return False
        self.mutex = self.me
        return True

    # -- close

    def T1(self, t: Process) -> None:
        pass

    def E2(self, t: Process) -> None:
        self.stopping = True
        if self.me not in self.closers:
            t.pc = "S1"

    def J1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if self.ended:
            t.pc = "J5"

    def J2(self, t: Process) -> None:
        self.mutex = None
        self.asleep |= {self.me}

    def J3(self, t: Process) -> Step:
        if not offered(self.tickets, self.me):
            return BLOCKED
        self.tickets = taken(self.tickets, self.me)
        self.asleep -= {self.me}

    def J4(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if not self.ended:
            t.pc = "J2"

    def J5(self, t: Process) -> None:
        self.mutex = None

    def S1(self, t: Process) -> None:
        self.closed += 1
        self.early |= self.me in self.closers and not self.ended
        self.leave(t)

    # -- the threads that close

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            self.call(t, "close", back="T0")

    # -- the reaper's thread

    def E1(self, t: Process) -> None:
        if self.stopping:
            t.pc = "H1"

    def P1(self, t: Process) -> None:
        self.late |= self.closed > 0
        if self.due:
            self.due = False
            self.call(t, "close", back="T2")

    def T2(self, t: Process) -> None:
        t.pc = "E1"

    def H1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED

    def H2(self, t: Process) -> None:
        self.ended = True

    def H3(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, len(self.asleep))

    def H4(self, t: Process) -> None:
        self.mutex = None

    # -- properties

    def _pairs(self) -> list[tuple[str, Process]]:
        return list(zip(self.threads, self.processes))

    def ReaperEndsFirst(self) -> bool:
        return not self.early

    def PollsNoMore(self) -> bool:
        return not self.late

    def ReapsUntilClosed(self) -> bool:
        return self.stopping or not self.ended

    def ClosesItsTimer(self) -> bool:
        return self.closed > 0 or all(
            process.pc != DONE for name, process in self._pairs() if name in self.closers
        )

    def Termination(self) -> bool:
        """What must come true in every fair run."""
        return all(process.pc == DONE for process in self.processes)

    # -- witnesses

    def IsClosedDuringAPoll(self) -> bool:
        """A last poll begins: the stop event was set after the reaper had read it."""
        return self.stopping and any(process.pc == "P1" for process in self.processes)

    def WaitsForTheReaper(self) -> bool:
        """A thread sleeps until the reaper has ended."""
        return bool(self.asleep)

    def ReaperClosesWhileAnotherWaits(self) -> bool:
        """What a poll runs closes the timer while another thread waits for the reaper's end."""
        return bool(self.asleep) and any(
            name not in self.closers and process.pc == "S1" for name, process in self._pairs()
        )
