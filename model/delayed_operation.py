"""The model of ``spec/DelayedOperation.tla``: an operation, its completers, its expirer, and whoever else holds its lock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from model.pluscal import BLOCKED, DONE, FREE, Machine, Procedure, Process

OUTER = "outer"
ATTEMPTS = {
    "TryOnce": "tryOnce",
    "TryPending": "tryPending",
    "LockedTry": "lockedTry",
    "CheckedTry": "safeTryComplete",
    "Blocking": "safeTryComplete",
}
"""The procedure by which a thread tries an operation after an event, by the operation's protocol."""


class Model(Machine):
    """States of one scenario: ``protocol``, ``needs``, ``completes``, ``raises``, ``locking`` and ``threads`` as in the TOML."""

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

    def __init__(self, scenario: Mapping[str, Any]) -> None:
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
        super().__init__(self.program, {"turn": 1}, start="T0")

        self.operations = tuple(self.protocol)
        conditions = dict.fromkeys(
            condition for name in self.operations for condition in self.needs[name]
        )
        self.ready = self.function("ready", dict.fromkeys(conditions, False))
        self.completed = self.function("completed", dict.fromkeys(self.operations, False))
        self.pending = self.function("pending", dict.fromkeys(self.operations, False))
        self.lock = self.function("lock", dict.fromkeys(self.operations, FREE))
        self.outer = self.function("outer", {OUTER: FREE})
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
        return self.lock[operation].owner in (None, self.me)

    # -- onComplete of the worked operation

    def D1(self, t: Process):
        self.completions[t.co] += 1
        if t.co not in self.locking:
            t.pc = "D4"

    def D2(self, t: Process):
        if not self.acquire(self.outer, OUTER):
            return BLOCKED

    def D3(self, t: Process):
        self.release(self.outer, OUTER)

    def D4(self, t: Process):
        if t.co in self.raises:
            self.raised[self.me] = True
            self.leave(t)
        elif self.completes[t.co]:
            self.force(t, self.completes[t.co][0])
        else:
            self.leave(t)

    # -- forceComplete of all but Blocking

    def X1(self, t: Process):
        if self.completed[t.xo]:
            self.won[self.me] = False
            self.leave(t)
        else:
            self.completed[t.xo] = True
            self.winner[t.xo] = self.me

    def X3(self, t: Process):
        self.armed[t.xo] = False
        self.call(t, "onComplete", t.xo, back="X4")

    def X4(self, t: Process):
        self.won[self.me] = True
        self.leave(t)

    # -- forceComplete of Blocking

    def L1(self, t: Process):
        if self.completed[t.lo]:
            self.won[self.me] = False
            self.leave(t)

    def L2(self, t: Process):
        if not self.acquire(self.lock, t.lo):
            return BLOCKED

    def L3(self, t: Process):
        if self.completed[t.lo]:
            self.won[self.me] = False
            t.pc = "L7"

    def L4(self, t: Process):
        self.completed[t.lo] = True
        self.winner[t.lo] = self.me

    def L5(self, t: Process):
        self.armed[t.lo] = False
        self.call(t, "onComplete", t.lo, back="L6")

    def L6(self, t: Process):
        self.won[self.me] = True

    def L7(self, t: Process):
        self.release(self.lock, t.lo)
        self.leave(t)

    # -- tryComplete of the worked operation: one condition after the other

    def Y1(self, t: Process):
        needs = self.needs[t.yo]
        if not self.ready[needs[t.at - 1]]:
            self.leave(t)
        elif t.at == len(needs):
            self.force(t, t.yo)

    def Y2(self, t: Process):
        t.at += 1
        t.pc = "Y1"

    # -- maybeTryComplete of TryOnce

    def O1(self, t: Process):
        if self.admits(t.oo):
            self.acquire(self.lock, t.oo)
            self.call(t, "tryComplete", t.oo, back="O2")
        else:
            self.leave(t)

    def O2(self, t: Process):
        self.release(self.lock, t.oo)
        self.leave(t)

    # -- maybeTryComplete of TryPending: who does not get the lock leaves a note for who has it

    def P1(self, t: Process):
        if self.admits(t.po):
            self.acquire(self.lock, t.po)
        else:
            t.pc = "P5"

    def P2(self, t: Process):
        self.pending[t.po] = False
        self.call(t, "tryComplete", t.po, back="P3")

    def P3(self, t: Process):
        self.release(self.lock, t.po)
        if self.raised[self.me]:
            self.leave(t)

    def P4(self, t: Process):
        t.retry = self.pending[t.po]
        t.pc = "P6"

    def P5(self, t: Process):
        t.retry = not self.pending[t.po]
        self.gave_up[self.me] = not t.retry
        self.pending[t.po] = True

    def P6(self, t: Process):
        self.gave_up[self.me] = False
        if t.retry and not self.completed[t.po]:
            t.pc = "P1"
        else:
            self.leave(t)

    # -- safeTryComplete of LockedTry

    def S1(self, t: Process):
        if not self.acquire(self.lock, t.so):
            return BLOCKED
        self.call(t, "tryComplete", t.so, back="S2")

    def S2(self, t: Process):
        self.release(self.lock, t.so)
        self.leave(t)

    # -- safeTryComplete of CheckedTry and Blocking

    def B1(self, t: Process):
        if not self.acquire(self.lock, t.bo):
            return BLOCKED

    def B2(self, t: Process):
        if not self.completed[t.bo]:
            self.call(t, "tryComplete", t.bo, back="B3")

    def B3(self, t: Process):
        self.release(self.lock, t.bo)
        self.leave(t)

    # -- a thread runs its program

    def now(self, t: Process) -> list[str]:
        """The operation of the program that the thread is in."""
        return self.program[self.me][t.turn - 2]

    def T0(self, t: Process):
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
            t.pc = {"deliver": "E1", "hold": "H1", "deliver_holding": "G1"}[name]

    def T1(self, t: Process):
        if self.raised[self.me] or not self.won[self.me]:
            t.pc = "T0"

    def V1(self, t: Process):
        operation = self.now(t)[-1]
        self.expirations[operation] += 1
        self.expired_by[operation] |= {self.me}
        t.pc = "T0"

    def H1(self, t: Process):
        if not self.acquire(self.lock, self.now(t)[-1]):
            return BLOCKED

    def H2(self, t: Process):
        self.release(self.lock, self.now(t)[-1])
        t.pc = "T0"

    def E1(self, t: Process):
        _, condition, operation = self.now(t)
        self.ready[condition] = True
        self.attempt(t, operation, back="T0")

    def G1(self, t: Process):
        if not self.acquire(self.outer, OUTER):
            return BLOCKED

    def E2(self, t: Process):
        _, condition, operation = self.now(t)
        self.ready[condition] = True
        self.attempt(t, operation, back="G2")

    def G2(self, t: Process):
        self.release(self.outer, OUTER)
        t.pc = "T0"

    def returned(self, t: Process) -> Any:
        """An attempt returns whether it completed the operation; ``onComplete`` may raise through all of them."""
        name, *_ = self.now(t)
        if self.raised[self.me]:
            return ("raised", "Failed")
        return None if name in ("expire", "hold") else self.won[self.me]

    # -- properties, by the names of the spec

    def TypeOK(self) -> bool:
        owners = {*self.threads, None}
        locks = [self.outer[OUTER], *(self.lock[name] for name in self.operations)]
        return all(lock.owner in owners and lock.depth >= 0 for lock in locks) and all(
            self.completions[name] in range(len(self.threads) + 1)
            and self.expirations[name] in (0, 1)
            and self.winner[name] in owners
            and self.expired_by[name] <= set(self.threads)
            for name in self.operations
        )

    def CompletedOnce(self) -> bool:
        return all(self.completions[name] <= 1 for name in self.operations)

    def NoLostCompletion(self) -> bool:
        for name, t in zip(self.threads, self.processes):
            if t.pc != DONE and all(operation[0] != "expire" for operation in self.program[name]):
                return True
        return all(
            self.completed[name] or not all(self.ready[condition] for condition in self.needs[name])
            for name in self.operations
        )

    def ExpiredByTimeoutOnly(self) -> bool:
        return all(
            self.winner[name] == thread
            for name in self.operations
            for thread in self.expired_by[name]
        )

    def OneTries(self) -> bool:
        trying = [t.yo for t in self.processes if t.pc == "Y1"]
        return len(trying) == len(set(trying))

    def tried_beside(self, *protocols: str) -> bool:
        """Some tryComplete of these protocols runs although onComplete has begun."""
        return any(
            t.pc == "Y1" and self.protocol[t.yo] in protocols and self.completions[t.yo] > 0
            for t in self.processes
        )

    def TryExcludesComplete(self) -> bool:
        return not self.tried_beside("Blocking")

    def TryAlwaysExcludesComplete(self) -> bool:
        return not self.tried_beside(*ATTEMPTS)

    def EveryLoserRetries(self) -> bool:
        """No thread gives up while another one that did not get the lock either is about to try again."""
        again = [
            (name, t) for name, t in zip(self.threads, self.processes) if t.pc == "P6" and t.retry
        ]
        return not any(
            self.gave_up[loser]
            and loser != name
            and self.lock[t.po].owner not in (None, loser, name)
            for loser in self.threads
            for name, t in again
        )

    def CompletesOnce(self) -> bool:
        """The state predicate that must come true."""
        return all(self.completions[name] == 1 for name in self.operations)

    def Termination(self) -> bool:
        """The state predicate that must come true: ``<>AllDone``."""
        return all(t.pc == DONE for t in self.processes)

    # -- witnesses: states that some scenario must reach, or the properties say little

    def LockNotHad(self) -> bool:
        """A thread leaves a note, since another one is in tryComplete."""
        return any(t.pc == "P5" and self.lock[t.po].owner is not None for t in self.processes)

    def NoteSeen(self) -> bool:
        """A holder sees a note and tries once more."""
        return any(t.pc == "P4" and self.pending[t.po] for t in self.processes)

    def ExpiryWins(self) -> bool:
        """An operation ends by its timeout."""
        return any(self.expired_by[name] for name in self.operations)

    def ExpiryTooLate(self) -> bool:
        """An expirer finds the operation completed."""
        return any(
            t.pc == "T1" and not self.won[name] for name, t in zip(self.threads, self.processes)
        )

    def Unwinding(self) -> bool:
        """A lock is held while what onComplete raised goes up the stack."""
        return any(
            self.raised[name] and t.pc in ("O2", "P3", "L7", "S2", "B3")
            for name, t in zip(self.threads, self.processes)
        )

    INVARIANTS = (
        "TypeOK",
        "CompletedOnce",
        "NoLostCompletion",
        "ExpiredByTimeoutOnly",
        "OneTries",
        "TryExcludesComplete",
    )
    OF_PROCESSES = frozenset(
        {
            "NoLostCompletion",
            "OneTries",
            "TryExcludesComplete",
            "TryAlwaysExcludesComplete",
            "EveryLoserRetries",
            "Termination",
        }
    )
    """Properties that look at the processes too; the others depend on the shared variables alone."""
    WITNESSES = ("LockNotHad", "NoteSeen", "ExpiryWins", "ExpiryTooLate", "Unwinding")
