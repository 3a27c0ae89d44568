"""The model of ``spec/DelayedOperation.tla``: an operation, its completers and its expirer."""

from __future__ import annotations

from model.delayed_operation_properties import ATTEMPTS, OUTER, Properties
from model.pluscal import BLOCKED, DONE, FREE, Procedure, Process, Scenario, Step


class Model(Properties):
    """States of one scenario, with the fields of the TOML."""

    PROCEDURES = {
        "onComplete": Procedure("D1", ("co",)),
        "forceComplete": Procedure("X1", ("xo",)),
        "forceCompleteLocked": Procedure("L1", ("lo",)),
        "tryComplete": Procedure("Y1", ("yo",), (("at", 1),)),
        "tryOnce": Procedure("O1", ("oo",)),
        "tryPending": Procedure("P1", ("po",), (("retry", False),)),
        "lockedTry": Procedure("S1", ("so",)),
        "safeTryComplete": Procedure("B1", ("bo",)),
    }
    AUXILIARY = frozenset({"won", "raised", "winner", "expiredBy", "gaveUp"})
    LOCAL = frozenset({"won", "raised"})
    """What a call returned or raised: in code it is on the thread's stack."""

    def __init__(self, scenario: Scenario) -> None:
        self.program, self.protocol, self.needs = (
            scenario["threads"],
            scenario["protocol"],
            scenario["needs"],
        )
        self.completes, self.raises, self.locking = (
            scenario["completes"],
            scenario["raises"],
            scenario["locking"],
        )
        self.locks = tuple(scenario["locks"])
        self.outer_of, self.guard = scenario["outer_of"], scenario["guard"]
        super().__init__(self.program, {"turn": 1}, start="T0")

        self.operations = tuple(self.protocol)
        conditions = dict.fromkeys(
            condition for name in self.operations for condition in self.needs[name]
        )
        self.ready = self.function("ready", dict.fromkeys(conditions, False))
        self.completed = self.function("completed", dict.fromkeys(self.operations, False))
        self.pending = self.function("pending", dict.fromkeys(self.operations, False))
        self.lock = self.function("lock", dict.fromkeys(self.operations, FREE))
        self.outer = self.function("outer", dict.fromkeys(self.locks, FREE))
        self.armed = self.function("armed", dict.fromkeys(self.operations, True))
        self.completions = self.function("completions", dict.fromkeys(self.operations, 0))
        self.expirations = self.function("expirations", dict.fromkeys(self.operations, 0))
        self.won = self.function("won", dict.fromkeys(self.threads, False))
        self.raised = self.function("raised", dict.fromkeys(self.threads, False))
        self.winner = self.function("winner", dict.fromkeys(self.operations))
        self.expired_by = self.function("expiredBy", dict.fromkeys(self.operations, frozenset()))
        self.gave_up = self.function("gaveUp", dict.fromkeys(self.threads, False))
        self.begin()

    def force(self, t: Process, operation: str, back: str | None = None) -> None:
        """Call the forceComplete of the operation's protocol."""
        self.call(
            t,
            "forceCompleteLocked" if self.protocol[operation] == "Blocking" else "forceComplete",
            operation,
            back=back,
        )

    def attempt(self, t: Process, operation: str, back: str) -> None:
        """Call the attempt of the operation's protocol."""
        self.call(t, ATTEMPTS[self.protocol[operation]], operation, back=back)

    def admits(self, operation: str) -> bool:
        """Whether a tryLock of the operation's lock would succeed now."""
        return self.holder(operation) in (None, self.me)

    def take(self, operation: str) -> bool:
        """Take the operation's lock; False, with nothing changed, if another thread has it."""
        return self.acquire(*self.lock_of(operation))

    def give(self, operation: str) -> None:
        """Give the operation's lock back."""
        self.release(*self.lock_of(operation))

    def outer_lock(self, operation: str) -> str:
        """The callers' lock that an operation's onComplete takes."""
        return str(self.outer_of.get(operation, OUTER))

    def held(self, t: Process) -> str:
        """The callers' lock of the program's step that the thread is in."""
        now = self.now(t)
        return now[2] if len(now) == 4 else OUTER

    # -- onComplete of the worked operation

    def D1(self, t: Process) -> None:
        self.completions[t.co] += 1
        if t.co not in self.locking:
            t.pc = "D4"

    def D2(self, t: Process) -> Step:
        if not self.acquire(self.outer, self.outer_lock(t.co)):
            return BLOCKED

    def D3(self, t: Process) -> None:
        self.release(self.outer, self.outer_lock(t.co))

    def D4(self, t: Process) -> None:
        if t.co in self.raises:
            self.raised[self.me] = True
            self.leave(t)
        elif self.completes[t.co]:
            self.force(t, self.completes[t.co][0])
        else:
            self.leave(t)

    # -- forceComplete of all but Blocking

    def X1(self, t: Process) -> None:
        if self.completed[t.xo]:
            self.won[self.me] = False
            self.leave(t)
        else:
            self.completed[t.xo] = True
            self.winner[t.xo] = self.me

    def X3(self, t: Process) -> None:
        self.armed[t.xo] = False
        self.call(t, "onComplete", t.xo, back="X4")

    def X4(self, t: Process) -> None:
        self.won[self.me] = True
        self.leave(t)

    # -- forceComplete of Blocking

    def L1(self, t: Process) -> None:
        if self.completed[t.lo]:
            self.won[self.me] = False
            self.leave(t)

    def L2(self, t: Process) -> Step:
        if not self.take(t.lo):
            return BLOCKED

    def L3(self, t: Process) -> None:
        if self.completed[t.lo]:
            self.won[self.me] = False
            t.pc = "L7"

    def L4(self, t: Process) -> None:
        self.completed[t.lo] = True
        self.winner[t.lo] = self.me

    def L5(self, t: Process) -> None:
        self.armed[t.lo] = False
        self.call(t, "onComplete", t.lo, back="L6")

    def L6(self, t: Process) -> None:
        self.won[self.me] = True

    def L7(self, t: Process) -> None:
        self.give(t.lo)
        self.leave(t)

    # -- tryComplete of the worked operation: one condition after the other

    def Y1(self, t: Process) -> None:
        needs = self.needs[t.yo]
        if not self.ready[needs[t.at - 1]]:
            self.leave(t)
        elif t.at == len(needs):
            self.force(t, t.yo)

    def Y2(self, t: Process) -> None:
        t.at += 1
        t.pc = "Y1"

    # -- maybeTryComplete of TryOnce

    def O1(self, t: Process) -> None:
        if self.admits(t.oo):
            self.take(t.oo)
            self.call(t, "tryComplete", t.oo, back="O2")
        else:
            self.leave(t)

    def O2(self, t: Process) -> None:
        self.give(t.oo)
        self.leave(t)

    # -- maybeTryComplete of TryPending: a thread that does not get the lock sets a flag

    def P1(self, t: Process) -> None:
        if self.admits(t.po):
            self.take(t.po)
        else:
            t.pc = "P5"

    def P2(self, t: Process) -> None:
        self.pending[t.po] = False
        self.call(t, "tryComplete", t.po, back="P3")

    def P3(self, t: Process) -> None:
        self.give(t.po)
        if self.raised[self.me]:
            self.leave(t)

    def P4(self, t: Process) -> None:
        t.retry = self.pending[t.po]
        t.pc = "P6"

    def P5(self, t: Process) -> None:
        t.retry = not self.pending[t.po]
        self.gave_up[self.me] = not t.retry
        self.pending[t.po] = True

    def P6(self, t: Process) -> None:
        self.gave_up[self.me] = False
        if t.retry and not self.completed[t.po]:
            t.pc = "P1"
        else:
            self.leave(t)

    # -- safeTryComplete of LockedTry

    def S1(self, t: Process) -> Step:
        if not self.take(t.so):
            return BLOCKED
        self.call(t, "tryComplete", t.so, back="S2")

    def S2(self, t: Process) -> None:
        self.give(t.so)
        self.leave(t)

    # -- safeTryComplete of CheckedTry and Blocking

    def B1(self, t: Process) -> Step:
        if not self.take(t.bo):
            return BLOCKED

    def B2(self, t: Process) -> None:
        if not self.completed[t.bo]:
            self.call(t, "tryComplete", t.bo, back="B3")

    def B3(self, t: Process) -> None:
        self.give(t.bo)
        self.leave(t)

    # -- a thread runs its program

    def now(self, t: Process) -> list[str]:
        """The operation of the program that the thread is in."""
        operation: list[str] = self.program[self.me][t.turn - 2]
        return operation

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
            return
        t.turn += 1
        self.won[self.me] = self.raised[self.me] = False
        name, *_, operation = self.now(t)
        if name == "expire":
            self.force(t, operation, back="T1")
        elif name == "attempt":
            self.attempt(t, operation, back="T0")
        else:
            t.pc = NEXT[name]

    def T1(self, t: Process) -> None:
        if self.raised[self.me] or not self.won[self.me]:
            t.pc = "T0"

    def V1(self, t: Process) -> None:
        operation = self.now(t)[-1]
        self.expirations[operation] += 1
        self.expired_by[operation] |= {self.me}
        t.pc = "T0"

    def H1(self, t: Process) -> Step:
        if not self.take(self.now(t)[-1]):
            return BLOCKED

    def H2(self, t: Process) -> None:
        self.give(self.now(t)[-1])
        t.pc = "T0"

    def E1(self, t: Process) -> None:
        _, condition, operation = self.now(t)
        self.ready[condition] = True
        self.attempt(t, operation, back="T0")

    def G3(self, t: Process) -> Step:
        if not self.acquire(self.outer, self.held(t)):
            return BLOCKED

    def E3(self, t: Process) -> None:
        self.ready[self.now(t)[1]] = True

    def G4(self, t: Process) -> None:
        self.release(self.outer, self.held(t))
        self.attempt(t, self.now(t)[-1], back="T0")

    def G1(self, t: Process) -> Step:
        if not self.acquire(self.outer, self.held(t)):
            return BLOCKED

    def E2(self, t: Process) -> None:
        _, condition, *_, operation = self.now(t)
        self.ready[condition] = True
        self.attempt(t, operation, back="G2")

    def G2(self, t: Process) -> None:
        self.release(self.outer, self.held(t))
        t.pc = "T0"

    def returned(self, t: Process) -> object:
        """An attempt returns whether it completed the operation; ``onComplete`` may raise."""
        name, *_ = self.now(t)
        if self.raised[self.me]:
            return ("raised", "Failed")
        return None if name in ("expire", "hold") else self.won[self.me]


NEXT = {"deliver": "E1", "hold": "H1", "deliver_holding": "G1", "deliver_after": "G3"}
"""Operation of a program that calls no procedure at once -> its first step."""
