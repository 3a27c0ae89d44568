"""The properties and witnesses of ``model/share_fetch.py``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from model.pluscal import DONE, Function, Machine, Process, Programs, Scalar

AVAILABLE, ACQUIRED, ACCEPTED = "available", "acquired", "accepted"
"""The states of a batch."""


class Batch(NamedTuple):
    """Records of one state, in the spec a record."""

    first: int
    last: int
    state: str = AVAILABLE
    owner: str | None = None
    moving: bool = False

    def is_free(self) -> bool:
        """Whether a fetch may acquire it."""
        return self.state == AVAILABLE and not self.moving

    def is_held(self, fetch: str) -> bool:
        """Whether the member of a fetch has it."""
        return self.state == ACQUIRED and self.owner == fetch


class Properties(Machine):
    """The properties of each state, and the states that some scenario must reach."""

    WITNESSES = (
        "LosesTheFetchLock",
        "SeesNothingInTime",
        "ExpiresInTransition",
        "TrimsInTransition",
        "AcquiresNothing",
        "MeetsWhatHasLeft",
    )

    program: Programs
    fetches: list[str]
    cache: Scalar
    start: Scalar
    fetching: Scalar
    watched: Scalar
    completed: Function[bool]
    result: Function[tuple[int, ...]]
    reply: Function[str | None]
    expired: Function[bool]
    won: Function[bool]
    answers: Function[int]

    def _at(self, *labels: str) -> Iterator[tuple[str, Process]]:
        """The threads at these labels, with their names."""
        pairs = zip(self.threads, self.processes, strict=True)
        return ((name, process) for name, process in pairs if process.pc in labels)

    def _all_done(self) -> bool:
        return all(process.pc == DONE for process in self.processes)

    def _free(self) -> bool:
        """Some batch can be acquired."""
        return any(batch.is_free() for batch in self.cache)

    def _has(self, fetch: str) -> bool:
        """The fetch's member has its records: it has not acknowledged them, and has time."""
        return (
            self.result[fetch] != ()
            and not self.expired[fetch]
            and self.reply[fetch] in (None, "failed")
        )

    # -- properties

    def OneMember(self) -> bool:
        owners = [fetch for fetch in self.fetches if self._has(fetch)]
        answers = [self.result[fetch] for fetch in owners]
        return all(a[1] < b[0] or b[1] < a[0] for a, b in combinations(answers, 2))

    def MembersHold(self) -> bool:
        return all(
            any(batch[:2] == self.result[fetch] for batch in self.cache if batch.is_held(fetch))
            for fetch in self.fetches
            if self._has(fetch)
        )

    def LockedAsAcquired(self) -> bool:
        return all(
            (batch.owner is not None) == (batch.state == ACQUIRED or batch.moving)
            for batch in self.cache
        )

    def OneFetches(self) -> bool:
        return all(self.fetching == t.taker for _, t in self._at("G1", "G2", "G3", "K2"))

    def FetchLockFree(self) -> bool:
        return not self._all_done() or self.fetching is None

    def FreedInTime(self) -> bool:
        return not self._all_done() or not any(
            batch.state == ACQUIRED and self.expired[batch.owner] for batch in self.cache
        )

    def AnsweredOnce(self) -> bool:
        return all(self.answers[fetch] <= 1 for fetch in self.fetches)

    def NoLostWakeUp(self) -> bool:
        if not self._all_done() or self.fetching is not None or not self._free():
            return True
        return all(self.completed[fetch] for fetch in self.fetches)

    def Termination(self) -> bool:
        """Comes true in every fair run."""
        return self._all_done()

    # -- witnesses

    def LosesTheFetchLock(self) -> bool:
        """A fetch does not get the fetch lock, and there are records."""
        return self._free() and any(self.fetching not in (None, t.tried) for _, t in self._at("F1"))

    def SeesNothingInTime(self) -> bool:
        """A fetch that has the fetch lock sees no records, and there are some by now."""
        return self._free() and any(not self.won[name] for name, _ in self._at("F2"))

    def ExpiresInTransition(self) -> bool:
        """The time of an acquisition lock is up while the member's release is being written."""
        return any(batch.moving and self.expired[batch.owner] for batch in self.cache)

    def TrimsInTransition(self) -> bool:
        """The log's start moves into a batch whose release is being written."""
        return any(
            batch.moving and batch.first < self.start
            for _ in self._at("M3")
            for batch in self.cache
        )

    def AcquiresNothing(self) -> bool:
        """A fetch acquires, and the records that it saw are no longer there."""
        return any(t.offsets == () for _, t in self._at("G3"))

    def MeetsWhatHasLeft(self) -> bool:
        """A check meets a fetch that another thread has taken out of the list."""
        return any(self.watched[t.met[0] - 1] is None for _, t in self._at("B1"))
