"""The properties and witnesses of ``model/coordinator_load.py``."""

from __future__ import annotations

from collections.abc import Iterator

from model.pluscal import DONE, Function, Machine, Process, Programs, Scalar

ABSENT = 0
"""No context."""


class Properties(Machine):
    """The properties of each state, and the states that some scenario must reach."""

    WITNESSES = (
        "StaleCompletion",
        "StaleFailure",
        "RisesWhileLoading",
        "RisesTooLate",
        "DeferredAtUnload",
        "RaisedWhileLoading",
    )

    program: Programs
    end: int
    contexts: list[int]
    writes: list[str]
    highWatermark: Scalar
    current: Scalar
    epoch: Function[int]
    state: Function[str]
    applied: Function[int]
    committed: Function[int]
    deferred: Function[tuple[str, ...]]
    result: Function[str | None]

    def _at(self, label: str) -> Iterator[Process]:
        """The threads at a label."""
        return (process for process in self.processes if process.pc == label)

    def epochs(self, *operations: str) -> list[int]:
        """The epochs of these operations in all programs, from the lowest on."""
        steps = (step for program in self.program.values() for step in program)
        return sorted({step[1] for step in steps if step[0] in operations})

    def _all_done(self) -> bool:
        return all(process.pc == DONE for process in self.processes)

    def _is(self, state: str) -> bool:
        """The partition has a context in this state."""
        return self.current != ABSENT and self.state[self.current] == state

    # -- properties

    def ServesWhatIsLoaded(self) -> bool:
        return not self._is("active") or self.applied[self.current] == self.end

    def NewestLoadWins(self) -> bool:
        newest = self.epochs("lead", "follow", "resign")[-1]
        if not self._all_done() or newest not in self.epochs("lead"):
            return True
        return (
            self.current != ABSENT
            and self.epoch[self.current] == newest
            and (self.applied[self.current] != self.end or self._is("active"))
        )

    def NothingUncommitted(self) -> bool:
        return all(self.committed[name] <= self.highWatermark for name in self.contexts)

    def HighWatermarkSeen(self) -> bool:
        if not self._all_done() or not self._is("active"):
            return True
        return bool(self.committed[self.current] == self.highWatermark)

    def Termination(self) -> bool:
        """Comes true in every fair run."""
        return self._all_done()

    # -- witnesses

    def StaleCompletion(self) -> bool:
        """A load of an earlier leadership completes while that of a later one waits."""
        return self._is("loading") and any(t.ended != self.current for t in self._at("C0"))

    def StaleFailure(self) -> bool:
        """The same, where the load of the earlier leadership has failed."""
        return self._is("loading") and any(
            t.ended != self.current and not t.loaded for t in self._at("C0")
        )

    def RisesWhileLoading(self) -> bool:
        """The high watermark rises when the load has read it, and its context is not active yet."""
        return any(self._at("H2"))

    def RisesTooLate(self) -> bool:
        """A context of an earlier leadership learns a high watermark."""
        return any(t.target != self.current for t in self._at("H1"))

    def DeferredAtUnload(self) -> bool:
        """A write waits when its context is unloaded."""
        return any(self.deferred[self.current] for _ in self._at("B1"))

    def RaisedWhileLoading(self) -> bool:
        """The broker leads in a later epoch, without an unload, while its context loads."""
        return any(self.state[self.current] == "loading" for _ in self._at("A2"))
