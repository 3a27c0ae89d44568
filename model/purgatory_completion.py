"""The model of ``spec/Purgatory.tla``: how threads try an operation and complete it.

These are the generations' tries and forceComplete, onComplete, and the cancel of the timer task.
"""

from __future__ import annotations

from model.pluscal import BLOCKED, Process, Step
from model.purgatory_sweeps import Sweeps


class Completion(Sweeps):
    """States of the model, with these steps."""

    def force(self, t: Process, operation: str, back: str | None = None) -> None:
        """Call the forceComplete of the operations' generation."""
        name = "forceUnlocked" if self.protocol == "TryPending" else "forceComplete"
        self.call(t, name, operation, back=back)

    def attempt(self, t: Process, operation: str, back: str) -> None:
        """Call the attempt of the operations' generation."""
        name = "tryPending" if self.protocol == "TryPending" else "safeTryComplete"
        self.call(t, name, operation, back=back)

    # -- the cancel of an operation's timer task

    def Q1(self, t: Process) -> None:
        self.armed[t.xo] = False
        self.leave(t)

    # -- onComplete of the worked operation

    def D1(self, t: Process) -> None:
        self.completions[t.co] += 1
        if t.co in self.locking:
            return
        if t.co in self.raises:
            self.raised[self.me] = True
            self.leave(t)
        elif self.adds[t.co]:
            self.call(t, "tryCompleteElseWatch", self.adds[t.co][0])
        else:
            self.leave(t)

    def D2(self, t: Process) -> Step:
        if self.outer is not None:
            return BLOCKED
        self.outer = self.me

    def D3(self, t: Process) -> None:
        self.outer = None
        self.leave(t)

    # -- forceComplete of TryPending: a compare-and-set, without the lock

    def X1(self, t: Process) -> None:
        if self.completed[t.uo]:
            self.won[self.me] = False
            self.leave(t)
        else:
            self.completed[t.uo] = True
            self.winner[t.uo] = self.me
            self.call(t, "cancelTask", t.uo, back="X3")

    def X3(self, t: Process) -> None:
        self.call(t, "onComplete", t.uo, back="X4")

    def X4(self, t: Process) -> None:
        self.won[self.me] = True
        self.leave(t)

    # -- forceComplete

    def L1(self, t: Process) -> None:
        if self.completed[t.lo]:
            self.won[self.me] = False
            self.leave(t)

    def L2(self, t: Process) -> Step:
        if not self.acquire(self.lock, t.lo):
            return BLOCKED

    def L3(self, t: Process) -> None:
        if self.completed[t.lo]:
            self.won[self.me] = False
            t.pc = "L7"

    def L4(self, t: Process) -> None:
        self.completed[t.lo] = True
        self.winner[t.lo] = self.me
        self.call(t, "cancelTask", t.lo, back="L5")

    def L5(self, t: Process) -> None:
        self.call(t, "onComplete", t.lo, back="L6")

    def L6(self, t: Process) -> None:
        self.won[self.me] = True

    def L7(self, t: Process) -> None:
        self.release(self.lock, t.lo)
        self.leave(t)

    # -- tryComplete of the worked operation

    def Y1(self, t: Process) -> None:
        if self.ready[self.need[t.yo]]:
            self.force(t, t.yo)
        else:
            self.won[self.me] = False
            self.leave(t)

    # -- maybeTryComplete of TryPending: a thread that does not get the lock leaves a note

    def P1(self, t: Process) -> None:
        if not self.acquire(self.lock, t.po):
            t.pc = "P5"

    def P2(self, t: Process) -> None:
        self.pending[t.po] = False
        self.call(t, "tryComplete", t.po, back="P3")

    def P3(self, t: Process) -> None:
        self.release(self.lock, t.po)
        if self.raised[self.me]:
            self.leave(t)

    def P4(self, t: Process) -> None:
        t.retry = self.pending[t.po]
        t.pc = "P6"

    def P5(self, t: Process) -> None:
        t.retry = not self.pending[t.po]
        self.pending[t.po] = True
        self.won[self.me] = False

    def P6(self, t: Process) -> None:
        if t.retry and not self.completed[t.po]:
            t.pc = "P1"
        else:
            self.leave(t)

    # -- safeTryComplete

    def B1(self, t: Process) -> Step:
        if not self.acquire(self.lock, t.bo):
            return BLOCKED

    def B2(self, t: Process) -> None:
        if self.completed[t.bo]:
            self.won[self.me] = False
        else:
            self.call(t, "tryComplete", t.bo, back="B3")

    def B3(self, t: Process) -> None:
        self.release(self.lock, t.bo)
        self.leave(t)
