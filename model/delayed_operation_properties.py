"""The properties and witnesses of the model of ``spec/DelayedOperation.tla``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from model.pluscal import DONE, Function, Machine, Monitor, Programs

OUTER = "outer"
ATTEMPTS = {
    "TryOnce": "tryOnce",
    "TryPending": "tryPending",
    "LockedTry": "lockedTry",
    "CheckedTry": "safeTryComplete",
    "Blocking": "safeTryComplete",
}
"""Protocol -> the procedure by which a thread tries an operation after an event."""


class Properties(Machine):
    """States of the model, by the variables that the properties read."""

    program: Programs
    protocol: Mapping[str, str]
    needs: Mapping[str, Sequence[str]]
    operations: tuple[str, ...]
    locks: tuple[str, ...]
    outer_of: Mapping[str, str]
    guard: Mapping[str, str]
    lock: Function[Monitor]
    outer: Function[Monitor]
    pending: Function[bool]
    completed: Function[bool]
    ready: Function[bool]
    completions: Function[int]
    expirations: Function[int]
    expired_by: Function[frozenset[str]]
    gave_up: Function[bool]
    raised: Function[bool]
    winner: Function[str | None]
    won: Function[bool]

    def lock_of(self, operation: str) -> tuple[Function[Monitor], str]:
        """The lock of an operation: the callers', or its own."""
        if operation in self.guard:
            return self.outer, self.guard[operation]
        return self.lock, operation

    def holder(self, operation: str) -> str | None:
        """The thread that has an operation's lock."""
        locks, name = self.lock_of(operation)
        return locks[name].owner

    # -- properties, by the names of the spec

    def TypeOK(self) -> bool:
        owners = {*self.threads, None}
        locks = [
            *(self.outer[name] for name in self.locks),
            *(self.lock[name] for name in self.operations),
        ]
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
        """No thread gives up while another thread without the lock is about to try again."""
        again = [
            (name, t) for name, t in zip(self.threads, self.processes) if t.pc == "P6" and t.retry
        ]
        return not any(
            self.gave_up[loser] and loser != name and self.holder(t.po) not in (None, loser, name)
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
    """Properties of the processes too; the others depend on the shared variables alone."""
    WITNESSES = ("LockNotHad", "NoteSeen", "ExpiryWins", "ExpiryTooLate", "Unwinding")
