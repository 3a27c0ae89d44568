"""The executable model of ``spec/EventQueue.tla``: one method per label."""

from __future__ import annotations

from model.conditions import notified, offered, taken
from model.event_queue_properties import Properties
from model.pluscal import BLOCKED, DONE, Procedure, Process, Scalar, Scenario, State, Step, Values


class Model(Properties):
    """States of one scenario: its fields as in the TOML.

    The process whose program is ``work`` is the event thread.
    """

    PROCEDURES = {
        "enqueue": Procedure("Q1", ("item",)),
        "preempt": Procedure("Z1", ("old",)),
        "replace": Procedure("D1", ("new",), (("left", ()), ("at", 1))),
        "look": Procedure("K1", ("newest",), (("seen", ()), ("place", 1))),
        "put": Procedure("P1", ("event",)),
        "expire": Procedure("L1", ("expiry",)),
        "close": Procedure("C1", ()),
    }
    AUXILIARY = frozenset({"entered"})

    putLock, mutex, asleep, tickets = (
        Scalar("putLock"),
        Scalar("mutex"),
        Scalar("asleep"),
        Scalar("tickets"),
    )
    queue, running, ended = Scalar("queue"), Scalar("running"), Scalar("ended")
    reader, writer, session = Scalar("reader"), Scalar("writer"), Scalar("session")
    log, requests, entered = Scalar("log"), Scalar("requests"), Scalar("entered")

    def __init__(self, scenario: Scenario) -> None:
        self.program = scenario["threads"]
        self.does = {event: tuple(does) for event, does in dict(scenario["does"]).items()}
        self.waiting, self.clear = tuple(scenario["waiting"]), scenario["clear"]
        super().__init__(self.program, {"turn": 1, "taken": None}, start="T0")
        self.users = tuple(
            name for name, program in self.program.items() if program[0][0] != "work"
        )
        self._processes = tuple(
            values if name in self.users else ("E1", *values[1:])
            for name, values in zip(self.threads, self._processes)
        )
        self.scalar("putLock", None)
        self.scalar("mutex", None)
        self.scalar("asleep", frozenset())
        self.scalar("tickets", ())
        self.scalar("queue", self.waiting)
        self.spent = self.function("spent", dict.fromkeys(self.does, False))
        self.started = self.function("started", dict.fromkeys(self.does, False))
        self.scalar("running", True)
        self.scalar("ended", False)
        self.scalar("reader", None)
        self.scalar("writer", None)
        self.scalar("session", 1)
        self.scalar("log", ())
        self.scalar("requests", ())
        self.scalar("entered", self.waiting)
        self.begin()

    def tla(self, variable: str, piece: Values) -> object:
        """As TLA+ has it: users alone have a ``turn``, the event thread alone has ``taken``."""
        if variable == "turn":
            return self.function_of(self.users, piece)
        if variable == "taken":
            return self.function_of({*self.threads} - {*self.users}, piece)
        return super().tla(variable, piece)

    # -- the locks

    def _lock(self) -> bool:
        if self.mutex is not None:
            return False
        self.mutex = self.me
        return True

    def _lock_puts(self) -> bool:
        if self.putLock is not None:
            return False
        self.putLock = self.me
        return True

    # -- BlockingQueue.put

    def Q1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        return None

    def Q2(self, t: Process) -> None:
        self.queue += (t.item,)
        if t.item is not None:
            self.entered += (t.item,)

    def Q3(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, 1)

    def Q4(self, t: Process) -> None:
        self.mutex = None
        self.leave(t)

    # -- QueuedEvent.preempt

    def Z1(self, t: Process) -> None:
        if self.spent[t.old]:
            self.leave(t)
        else:
            self.spent[t.old] = True

    def Z2(self, t: Process) -> None:
        self.started[t.old] = True

    def Z3(self, t: Process) -> None:
        self.log += (("preempted", t.old),)
        self.leave(t)

    # -- EventManager.replace

    def D1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        return None

    def D2(self, t: Process) -> None:
        t.left, self.queue = self.queue, ()

    def D3(self, t: Process) -> None:
        self.mutex = None

    def R1(self, t: Process) -> None:
        if t.at > len(t.left):
            self.call(t, "enqueue", t.new)
            return
        t.at += 1
        t.pc = "R1"
        if t.left[t.at - 2] is not None:
            self.call(t, "preempt", t.left[t.at - 2], back="R1")

    # -- LookingManager.replace

    def K1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        t.seen = self.queue
        return None

    def K2(self, t: Process) -> None:
        self.mutex = None

    def R2(self, t: Process) -> None:
        if t.place > len(t.seen):
            return
        t.place += 1
        t.pc = "R2"
        if t.seen[t.place - 2] is not None:
            self.call(t, "preempt", t.seen[t.place - 2], back="R2")

    def K3(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        return None

    def K4(self, t: Process) -> None:
        self.queue = ()

    def K5(self, t: Process) -> None:
        self.mutex = None
        self.call(t, "enqueue", t.newest)

    # -- EventManager.put

    def P1(self, t: Process) -> Step:
        if not self._lock_puts():
            return BLOCKED
        return None

    def P2(self, t: Process) -> None:
        self.call(t, "enqueue" if self.running else "preempt", t.event, back="P3")

    def P3(self, t: Process) -> None:
        self.putLock = None
        self.leave(t)

    # -- SessionClient.renew, with EventManager.expire

    def L1(self, t: Process) -> Step:
        if not self._lock_puts():
            return BLOCKED
        return None

    def _replace(self) -> str:
        return "look" if self.clear == "look" else "replace"

    def L2(self, t: Process) -> None:
        self.call(t, self._replace() if self.running else "preempt", t.expiry, back="L3")

    def L3(self, t: Process) -> None:
        self.putLock = None

    def W1(self, t: Process) -> None:
        if self.started[t.expiry]:
            t.pc = "W3"

    def W2(self, t: Process) -> Step:
        if not self.started[t.expiry]:
            return BLOCKED
        return None

    def W3(self, t: Process) -> None:
        if self.running:
            t.pc = "I1"

    def W4(self, t: Process) -> None:
        if self.ended:
            t.pc = "I1"

    def W5(self, t: Process) -> Step:
        if not self.ended:
            return BLOCKED
        return None

    def I1(self, t: Process) -> Step:
        if self.reader is not None or self.writer is not None:
            return BLOCKED
        self.writer = self.me
        return None

    def I2(self, t: Process) -> None:
        self.session += 1

    def I3(self, t: Process) -> None:
        self.writer = None
        self.leave(t)

    # -- EventManager.close

    def C1(self, t: Process) -> None:
        self.running = False

    def C2(self, t: Process) -> Step:
        if not self._lock_puts():
            return BLOCKED
        self.call(t, self._replace(), None, back="C3")
        return None

    def C3(self, t: Process) -> None:
        self.putLock = None

    def C4(self, t: Process) -> None:
        if self.ended:
            self.leave(t)

    def C5(self, t: Process) -> Step:
        if not self.ended:
            return BLOCKED
        self.leave(t)
        return None

    # -- the users

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
            return
        t.turn += 1
        name, *arguments = self.program[self.me][t.turn - 2]
        self.call(t, name, *arguments, back="T0")

    # -- the event thread

    def E1(self, t: Process) -> None:
        if not self.running:
            t.pc = "E2"

    def Y1(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if self.queue:
            t.pc = "Y5"
        return None

    def Y2(self, t: Process) -> None:
        self.mutex = None
        self.asleep |= {self.me}

    def Y3(self, t: Process) -> Step:
        if not offered(self.tickets, self.me):
            return BLOCKED
        self.tickets = taken(self.tickets, self.me)
        self.asleep -= {self.me}
        return None

    def Y4(self, t: Process) -> Step:
        if not self._lock():
            return BLOCKED
        if not self.queue:
            t.pc = "Y2"
        return None

    def Y5(self, t: Process) -> None:
        t.taken, self.queue = self.queue[0], self.queue[1:]

    def Y6(self, t: Process) -> None:
        self.mutex = None
        if t.taken is None:
            t.pc = "E1"

    def X1(self, t: Process) -> None:
        if self.spent[t.taken]:
            t.pc = "E1"
        else:
            self.spent[t.taken] = True

    def X2(self, t: Process) -> None:
        self.started[t.taken] = True

    def V1(self, t: Process) -> None:
        self.log += (("processed", t.taken),)
        does = self.does[t.taken]
        if does in ((), ("raise",)):
            t.pc = "E1"
        elif does != ("request",):
            self.call(t, "put", does[1], back="E1")

    def H1(self, t: Process) -> Step:
        if self.writer is not None:
            return BLOCKED
        self.reader = self.me
        return None

    def H2(self, t: Process) -> None:
        self.requests += ((t.taken, self.session),)

    def H3(self, t: Process) -> None:
        self.reader = None
        t.pc = "E1"

    def E2(self, t: Process) -> None:
        self.ended = True
        t.pc = DONE

    # -- what operations return

    def outcomes(self, index: int, before: State, after: State) -> Values:
        """The event thread has one operation, which ends where the process does."""
        if self.threads[index] in self.users:
            return super().outcomes(index, before, after)
        return (None,) if after[1][index][0] == DONE else ()
