"""The executable model of ``spec/TaskExecutor.tla``: one method per label."""

from __future__ import annotations

from model.conditions import notified_all, offered, taken
from model.pluscal import (
    BLOCKED,
    DONE,
    Machine,
    Procedure,
    Process,
    Scalar,
    Scenario,
    State,
    Step,
    Values,
)


class Model(Machine):
    """States of one scenario: ``threads`` and ``does`` as in the TOML.

    The process whose program is ``work`` is the pool's thread.
    """

    PROCEDURES = {
        "submit": Procedure("S1", ("task",)),
        "run": Procedure("R1", ("job",)),
        "close": Procedure("C1", (), (("own", None),)),
    }
    AUXILIARY = frozenset({"accepted", "refused", "closed"})
    WITNESSES = ("IsRefused", "ClosesBeforeItIsKnown", "ClosesInside", "RunsWhenShut")

    mutex, asleep, tickets = Scalar("mutex"), Scalar("asleep"), Scalar("tickets")
    calls, shut, ended, thread, ran = (
        Scalar("calls"),
        Scalar("shut"),
        Scalar("ended"),
        Scalar("thread"),
        Scalar("ran"),
    )
    accepted, refused, closed = Scalar("accepted"), Scalar("refused"), Scalar("closed")

    def __init__(self, scenario: Scenario) -> None:
        self.program = scenario["threads"]
        self.does = {name: tuple(does) for name, does in dict(scenario["does"]).items()}
        super().__init__(self.program, {"turn": 1, "taken": None}, start="T0")
        self.users = tuple(
            name for name, program in self.program.items() if program[0][0] != "work"
        )
        self._processes = tuple(
            values if name in self.users else ("B1", *values[1:])
            for name, values in zip(self.threads, self._processes)
        )
        self.scalar("mutex", None)
        self.scalar("asleep", frozenset())
        self.scalar("tickets", ())
        self.scalar("calls", ())
        self.scalar("shut", False)
        self.scalar("ended", False)
        self.scalar("thread", None)
        self.scalar("ran", ())
        self.scalar("accepted", ())
        self.scalar("refused", frozenset())
        self.scalar("closed", frozenset())
        self.begin()

    def tla(self, variable: str, piece: Values) -> object:
        """As TLA+ has it: only the users have a ``turn``, only the pool's thread has ``taken``."""
        if variable == "turn":
            return self.function_of(self.users, piece)
        if variable == "taken":
            return self.function_of({*self.threads} - {*self.users}, piece)
        return super().tla(variable, piece)

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
        if not offered(self.tickets, self.me):
            return False
        self.tickets = taken(self.tickets, self.me)
        self.asleep -= {self.me}
        return True

    def _notify(self) -> None:
        self.tickets = notified_all(self.tickets, self.asleep)

    # -- submit

    def S1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if self.shut:
            self.refused |= {t.task}
            t.pc = "S4"

    def S2(self, t: Process) -> None:
        self.calls += (t.task,)
        self.accepted += (t.task,)

    def S3(self, t: Process) -> None:
        self._notify()

    def S4(self, t: Process) -> None:
        self.mutex = None
        self.leave(t)

    # -- run

    def R1(self, t: Process) -> None:
        self.ran += (t.job,)
        does = self.does[t.job]
        if does == ("close",):
            self.call(t, "close")
        elif does not in ((), ("raise",)):
            self.call(t, "submit", does[1])
        else:
            self.leave(t)

    # -- close

    def C1(self, t: Process) -> None:
        t.own = self.thread

    def D1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED

    def D2(self, t: Process) -> None:
        self.shut = True

    def D3(self, t: Process) -> None:
        self._notify()
        if t.own == self.me or self.ended:
            t.pc = "D7"

    def D4(self, t: Process) -> None:
        self._sleep()

    def D5(self, t: Process) -> Step:
        if not self._wake():
            return BLOCKED

    def D6(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if not self.ended:
            t.pc = "D4"

    def D7(self, t: Process) -> None:
        self.mutex = None
        self.closed |= {self.me}
        self.leave(t)

    # -- the users

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
            return
        t.turn += 1
        name, *arguments = self.program[self.me][t.turn - 2]
        self.call(t, name, *arguments, back="T0")

    # -- the pool's thread

    def B1(self, t: Process) -> None:
        self.thread = self.me

    def Y1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        self._look(t)

    def _look(self, t: Process) -> None:
        t.pc = "Y5" if self.calls else "Y6" if self.shut else "Y2"

    def Y2(self, t: Process) -> None:
        self._sleep()

    def Y3(self, t: Process) -> Step:
        if not self._wake():
            return BLOCKED

    def Y4(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        self._look(t)

    def Y5(self, t: Process) -> None:
        t.taken, self.calls = self.calls[0], self.calls[1:]
        t.pc = "Y8"

    def Y6(self, t: Process) -> None:
        self.ended = True

    def Y7(self, t: Process) -> None:
        self._notify()

    def Y8(self, t: Process) -> None:
        self.mutex = None
        if t.taken is None:
            t.pc = DONE
        else:
            self.call(t, "run", t.taken, back="T1")

    def T1(self, t: Process) -> None:
        t.taken = None
        t.pc = "Y1"

    # -- what operations return

    def outcomes(self, index: int, before: State, after: State) -> Values:
        """The pool's thread has one operation, which ends where the process does."""
        if self.threads[index] in self.users:
            return super().outcomes(index, before, after)
        return (None,) if after[1][index][0] == DONE else ()

    def returned(self, process: Process) -> object:
        name, *task = self.program[self.me][process.turn - 2]
        return ("raised", "RuntimeError") if name == "submit" and task[0] in self.refused else None

    # -- properties

    def _counters(self) -> dict[str, str]:
        return {name: process.pc for name, process in zip(self.threads, self.processes)}

    def RunsOnce(self) -> bool:
        return len(set(self.ran)) == len(self.ran)

    def RunsInOrder(self) -> bool:
        return bool(self.ran == self.accepted[: len(self.ran)])

    def NothingLost(self) -> bool:
        counters = self._counters()
        for name, process in zip(self.threads, self.processes):
            if name in self.users and process.pc in ("T0", DONE):
                handed = {
                    task
                    for operation, *task in self.program[name][: process.turn - 1]
                    if operation == "submit"
                    for task in task
                }
                if not handed <= {*self.accepted, *self.refused}:
                    return False
        return any(label != DONE for label in counters.values()) or len(self.ran) == len(
            self.accepted
        )

    def CloseWaits(self) -> bool:
        return self.ended or not self.closed & set(self.users)

    def Termination(self) -> bool:
        """What must come true in every fair run."""
        return all(label == DONE for label in self._counters().values())

    # -- witnesses

    def IsRefused(self) -> bool:
        """A task was refused."""
        return bool(self.refused)

    def ClosesBeforeItIsKnown(self) -> bool:
        """A thread closes before it has seen the pool's thread, which runs a task by now."""
        return bool(self.ran) and any(
            name in self.users and process.pc == "D1" and process.own is None
            for name, process in zip(self.threads, self.processes)
        )

    def ClosesInside(self) -> bool:
        """A task closes its executor while others wait."""
        return bool(self.calls) and any(
            name not in self.users and process.pc == "D3"
            for name, process in zip(self.threads, self.processes)
        )

    def RunsWhenShut(self) -> bool:
        """A task starts that was taken before the pool was shut."""
        return self.shut and any(process.pc == "R1" for process in self.processes)
