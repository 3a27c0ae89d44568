"""The properties and witnesses of the model of ``spec/Purgatory.tla``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from model.pluscal import DONE, Function, Machine, Monitor, Process, Programs, Scalar

Item = tuple[int, str]
"""An operation in a watcher list, after its place there."""
NOWHERE: tuple[int, str | None] = (0, None)
"""What an iterator holds that has found nothing more."""


class Properties(Machine):
    """States of the model, by the variables that the properties read."""

    program: Programs
    protocol: str
    need: Mapping[str, str]
    keys_of: Mapping[str, Sequence[str]]
    adds: Mapping[str, Sequence[str]]
    raises: Sequence[str]
    locking: Sequence[str]
    number: Mapping[str, int]
    shards: int
    interval: int
    operations: tuple[str, ...]
    keys: tuple[str, ...]
    ready: Function[bool]
    completed: Function[bool]
    pending: Function[bool]
    lock: Function[Monitor]
    armed: Function[bool]
    entering: Function[bool]
    shard: Function[str | None]
    list: Function[int]
    used: Function[bool]
    content: Function[tuple[tuple[str | None, ...], ...]]
    completions: Function[int]
    expirations: Function[int]
    won: Function[bool]
    raised: Function[bool]
    count: Function[int]
    taken: Function[tuple[str, ...]]
    winner: Function[str | None]
    expired_by: Function[frozenset[str]]
    places: Function[frozenset[tuple[str, int]]]

    outer, estimated = Scalar("outer"), Scalar("estimated")
    dropped, revoked = Scalar("dropped"), Scalar("revoked")

    # -- what the steps and the properties ask

    def given(self, key: str, number: int, place: int) -> tuple[Item, ...]:
        """What is in a list behind a place."""
        return tuple(
            (at, operation)
            for at, operation in enumerate(self.content[key][number - 1], 1)
            if at > place and operation is not None
        )

    def first(self, key: str, number: int, place: int) -> tuple[int, str | None]:
        """The first operation in a list behind a place."""
        return next(iter(self.given(key, number, place)), NOWHERE)

    def empty(self, key: str, number: int) -> bool:
        """Whether a list has no operation."""
        return not self.given(key, number, 0)

    def delayed(self) -> int:
        """The number of operations in the timer."""
        return sum(self.armed[name] for name in self.operations)

    def current(self, key: str) -> tuple[str, ...]:
        """The operations in the list that a key has now."""
        number = self.list[key]
        return tuple(name for _, name in self.given(key, number, 0)) if number else ()

    def at_rest(self) -> bool:
        return all(t.pc == DONE for t in self.processes)

    def own(self) -> Iterator[tuple[str, Process]]:
        """Each thread's name, with its variables."""
        return zip(self.threads, self.processes)

    # -- properties, by the names of the spec

    def TypeOK(self) -> bool:
        owners = {*self.threads, None}
        return (
            all(
                self.lock[name].owner in owners
                and self.lock[name].depth >= 0
                and self.completions[name] in range(len(self.threads) + 1)
                and self.expirations[name] in (0, 1)
                and self.winner[name] in owners
                and self.expired_by[name] <= set(self.threads)
                for name in self.operations
            )
            and all(
                self.list[key] in range(len(self.content[key]) + 1)
                and (not self.list[key] or self.used[self.number[key] % self.shards + 1])
                and all(set(each) <= {*self.operations, None} for each in self.content[key])
                for key in self.keys
            )
            and all(self.shard[at + 1] in owners for at in range(self.shards))
            and self.outer in owners
            and self.estimated in range(len(self.operations) + 1)
        )

    def CompletedOnce(self) -> bool:
        return all(self.completions[name] <= 1 for name in self.operations)

    def NoLostCompletion(self) -> bool:
        if any(
            t.pc != DONE and all(operation[0] != "expire" for operation in self.program[name])
            for name, t in self.own()
        ):
            return True
        return all(
            self.completed[name]
            or not self.ready[self.need[name]]
            or self.entering[name]
            or name in self.revoked
            for name in self.operations
        )

    def WatcherReachable(self) -> bool:
        return all(
            self.completed[name]
            or name in self.revoked
            or place in self.dropped
            or (self.list[place[0]] == place[1] and name in self.current(place[0]))
            for name in self.operations
            for place in self.places[name]
        )

    def NoLeakedTimer(self) -> bool:
        return not self.at_rest() or not any(
            self.completed[name] and self.armed[name] for name in self.operations
        )

    def NumDelayedExact(self) -> bool:
        return not self.at_rest() or all(
            self.armed[name] != self.completed[name]
            for name in self.operations
            if not self.entering[name] and name not in self.revoked
        )

    def WatchedExact(self) -> bool:
        if not self.at_rest() or any(self.raised[name] for name in self.threads):
            return True
        return all(self.current(key) or not self.list[key] for key in self.keys) and all(
            self.current(key).count(name) == 1
            for name in self.operations
            if not self.entering[name] and not self.completed[name] and name not in self.revoked
            for key in self.keys_of[name]
        )

    def ExpiredByTimeoutOnly(self) -> bool:
        return all(
            self.winner[name] == thread
            for name in self.operations
            for thread in self.expired_by[name]
        )

    def TryExcludesComplete(self) -> bool:
        return self.protocol != "Blocking" or self.TryAlwaysExcludesComplete()

    def TryAlwaysExcludesComplete(self) -> bool:
        return not any(t.pc == "Y1" and self.completions[t.yo] > 0 for t in self.processes)

    def RemovedOnce(self) -> bool:
        """No thread is about to take out of a list what is out of it."""
        return not any(
            t.pc == "C7" and self.content[t.ck][t.mine - 1][t.here[0] - 1] is None
            for t in self.processes
        )

    def CancelledIsTimed(self) -> bool:
        """An operation whose key was cancelled is completed, or has its timeout."""
        return not self.at_rest() or all(
            self.completed[name] or self.armed[name] for name in self.revoked
        )

    def CancelledIsUntimed(self) -> bool:
        """The timer has no operation whose key was cancelled."""
        return not self.at_rest() or not any(self.armed[name] for name in self.revoked)

    def CompletesOnce(self) -> bool:
        """The state predicate that must come true."""
        return all(self.completions[name] == 1 for name in self.operations)

    def Termination(self) -> bool:
        """The state predicate that must come true: ``<>AllDone``."""
        return self.at_rest()

    # -- witnesses: states that some scenario must reach, or the properties say little

    def ExpiryWins(self) -> bool:
        """An operation ends by its timeout."""
        return any(self.expired_by[name] for name in self.operations)

    def ExpiryTooLate(self) -> bool:
        """The timer runs an operation that is completed."""
        return any(t.pc == "T1" and not self.won[name] for name, t in self.own())

    def SecondTryCompletes(self) -> bool:
        """An event comes between the first try and the second one, which completes."""
        return any(
            t.pc in ("A4", "A8") and self.won[name] and self.places[t.ao] for name, t in self.own()
        )

    def CompletedBeforeTimed(self) -> bool:
        """An event completes an operation before the timer has it."""
        return any(t.pc == "A7" and self.completed[t.ao] for t in self.processes)

    def ListGrowsMeanwhile(self) -> bool:
        """A list that was empty has an operation again, when it is to be removed."""
        return any(
            t.pc == "R3" and self.list[t.rk] == t.rw and not self.empty(t.rk, t.rw)
            for t in self.processes
        )

    def OtherListMeanwhile(self) -> bool:
        """The key has another list, when its old one is to be removed."""
        return any(t.pc == "R2" and self.list[t.rk] not in (0, t.rw) for t in self.processes)

    def SeenOnTheWay(self) -> bool:
        """A traversal meets a second operation."""
        return any(t.pc == "C0" and t.here[0] > 0 for t in self.processes)

    def CameTooLate(self) -> bool:
        """An operation has come into a list behind the last one that an iterator has found."""
        return any(
            t.pc == "C7" and t.ahead == NOWHERE and self.given(t.ck, t.mine, t.here[0])
            for t in self.processes
        )

    def Unwinding(self) -> bool:
        """A lock is held while what onComplete raised goes up the stack."""
        held = ("L7", "B3", "A4", "P3")
        return any(self.raised[name] and t.pc in held for name, t in self.own())

    def ReadsNote(self) -> bool:
        """A thread that has given a lock back finds the note of one that did not get it."""
        return any(t.pc == "P4" and self.pending[t.po] for t in self.processes)

    INVARIANTS = (
        "TypeOK",
        "CompletedOnce",
        "NoLostCompletion",
        "WatcherReachable",
        "NoLeakedTimer",
        "NumDelayedExact",
        "WatchedExact",
        "ExpiredByTimeoutOnly",
        "TryExcludesComplete",
    )
    OF_PROCESSES = frozenset(
        {
            "NoLostCompletion",
            "NoLeakedTimer",
            "NumDelayedExact",
            "WatchedExact",
            "TryExcludesComplete",
            "TryAlwaysExcludesComplete",
            "RemovedOnce",
            "CancelledIsTimed",
            "CancelledIsUntimed",
            "Termination",
        }
    )
    """Properties of the processes too; the others depend on the shared variables alone."""
    WITNESSES = (
        "ExpiryWins",
        "ExpiryTooLate",
        "SecondTryCompletes",
        "CompletedBeforeTimed",
        "ListGrowsMeanwhile",
        "OtherListMeanwhile",
        "SeenOnTheWay",
        "CameTooLate",
        "Unwinding",
        "ReadsNote",
    )
