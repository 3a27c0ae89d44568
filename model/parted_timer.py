"""The model of ``spec/PartedTimer.tla``: a timer whose flush gives the lock back."""

from __future__ import annotations

from model.heap import offered, polled
from model.parted_timer_properties import Properties
from model.pluscal import BLOCKED, Procedure, Process, Scenario, Step
from model.system_timer import Timer


class Model(Timer, Properties):
    """States of one scenario, with the fields of the TOML."""

    PROCEDURES = Timer.PROCEDURES | {"wake": Procedure("N1", ())}
    AUXILIARY = Timer.AUXILIARY | {"moved", "came", "behind", "credit"}
    BESIDE = {0: 0}

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario, left=0, linked=0)
        self.part = scenario["part"]
        self.scalar("expiring", None)
        self.scalar("moved", 0)
        self.scalar("came", 0)
        self.scalar("behind", False)
        self.scalar("credit", 0)
        self.begin()

    # -- history that is read here only

    def remove(self, entry: str | None) -> None:
        counted = self.task_counter
        super().remove(entry)
        if self.behind:
            self.credit += (counted - self.task_counter) * (self.levels - 1)

    def W2(self, t: Process) -> Step:
        if (step := super().W2(t)) is not BLOCKED:
            self.came += self.expiring is not None and self.writer != self.me
        return step

    # -- SystemTimer.wake

    def N1(self, t: Process) -> None:
        self.queue = offered(self.queue, 0, self.key)
        self.leave(t)

    # -- PartedTimer.advanceClock, again and again

    def R1(self, t: Process) -> Step:
        if not self.due():
            if not self.over():
                return BLOCKED
            self.leave(t)

    def P1(self, t: Process) -> Step:
        if self.expiring is not None:
            return BLOCKED
        self.expiring = self.me

    def P3(self, t: Process) -> None:
        t.linked = self.task_counter
        self.came = 0
        if not self.behind:
            self.credit = self.levels * self.task_counter
        self.behind = True

    def R2(self, t: Process) -> Step:
        if self.readers or self.writer is not None:
            return BLOCKED
        self.writer = self.me

    def R9(self, t: Process) -> None:
        pass  # reads how many levels there are: they are there from the start

    def R3(self, t: Process) -> None:
        t.left = self.part + self.levels * max(self.task_counter - t.linked, 0)

    def R4(self, t: Process) -> None:
        if self.due():
            t.polled = self.queue[0]  # which stays in the queue
            t.pc = "R5"
        else:
            self.behind, self.credit = False, 0
            t.pc = "R6"

    def V1(self, t: Process) -> None:
        self.flushing = t.polled

    def F2(self, t: Process) -> None:
        entries = self.content[t.polled]
        if entries and t.left > 0:
            t.head = entries[0]
        else:
            t.pc = "V3" if entries else "R8"

    def F4(self, t: Process) -> None:
        self.content[t.polled] = tuple(e for e in self.content[t.polled] if e != t.head)
        self.task_counter -= 1
        t.left -= 1
        self.moved += 1
        self.call(t, "addTimerTaskEntry", t.head, back="F3")

    def F3(self, t: Process) -> None:
        self.thrown[self.me] = False  # reinsert catches it
        t.pc = "F2"

    def R8(self, t: Process) -> None:
        if self.queue[0] == t.polled:
            self.queue = polled(self.queue, self.key)
        else:  # another one, of wake, is the first now
            t.pc = "V3"

    def V2(self, t: Process) -> None:
        self.key[t.polled] = -1 if t.polled else 0

    def V3(self, t: Process) -> None:
        self.flushing = 0
        t.polled = 0
        if t.left > 0:
            t.pc = "R4"

    def P4(self, t: Process) -> None:
        t.linked = self.task_counter
        self.credit = max(self.credit, 0) - self.part

    def R6(self, t: Process) -> None:
        self.writer = None
        self.moved = self.came = 0
        t.head, t.expiration = None, 0
        if t.left == 0:
            t.pc = "R2"
        else:
            t.left = 0

    def P2(self, t: Process) -> None:
        self.expiring = None
        t.linked = 0
        t.pc = "R1"
