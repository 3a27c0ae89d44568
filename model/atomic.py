"""The executable model of ``spec/Atomic.tla``: one method per label."""

from __future__ import annotations

from model.pluscal import (
    BLOCKED,
    DONE,
    Function,
    Machine,
    Procedure,
    Process,
    Scalar,
    Scenario,
    Step,
    Values,
)


class Model(Machine):
    """States of one scenario: ``initial``, ``kind`` and ``threads`` as in the TOML.

    ``kind`` is empty where the values are numbers.
    """

    AUXILIARY = frozenset({"ought", "exact"})
    WITNESSES = ("SeesHalf", "Refused")

    held, lock, ought, exact = Scalar("held"), Scalar("lock"), Scalar("ought"), Scalar("exact")

    got: Function[Values]

    def __init__(self, scenario: Scenario) -> None:
        self.program, self.kind = scenario["threads"], scenario["kind"]
        initial = scenario["initial"]
        self.PROCEDURES = {
            "get": Procedure("G1", ()),
            "set": Procedure("S1", ("set_value",), (), (("set_value", initial),)),
            "swap": Procedure(
                "E1", ("swap_value",), (("seen", initial),), (("swap_value", initial),)
            ),
            "cas": Procedure(
                "C1",
                ("expected", "cas_value"),
                (("done", False),),
                (("expected", initial), ("cas_value", initial)),
            ),
            "add": Procedure("A1", ("delta",), (("total", 0),), (("delta", 0),)),
        }
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.scalar("held", initial)
        self.scalar("lock", None)
        self.got = self.function("got", dict.fromkeys(self.threads, ()))
        self.scalar("ought", initial)
        self.scalar("exact", True)
        self.begin()

    def _take(self) -> bool:
        if self.lock is not None:
            return False
        self.lock = self.me
        return True

    def _give(self) -> None:
        self.lock = None

    def _return(self, t: Process, value: object) -> None:
        self.got[self.me] += (value,)
        self.leave(t)

    # -- get

    def G1(self, t: Process) -> None:
        self._return(t, self.held)

    # -- set

    def S1(self, t: Process) -> Step:
        if not self._take():
            return BLOCKED

    def S2(self, t: Process) -> None:
        self.held = self.ought = t.set_value

    def S3(self, t: Process) -> None:
        self._give()
        self.leave(t)

    # -- get_and_set

    def E1(self, t: Process) -> Step:
        if not self._take():
            return BLOCKED

    def E2(self, t: Process) -> None:
        t.seen = self.held

    def E3(self, t: Process) -> None:
        self.exact &= t.seen == self.ought
        self.held = self.ought = t.swap_value

    def E4(self, t: Process) -> None:
        self._give()
        self._return(t, t.seen)

    # -- compare_and_set

    def C1(self, t: Process) -> Step:
        if not self._take():
            return BLOCKED

    def C2(self, t: Process) -> None:
        t.done = self.held == t.expected
        if not t.done:
            self.exact &= self.ought != t.expected
            t.pc = "C4"

    def C3(self, t: Process) -> None:
        self.held = t.cas_value
        self.exact &= self.ought == t.expected
        if self.ought == t.expected:
            self.ought = t.cas_value

    def C4(self, t: Process) -> None:
        self._give()
        self._return(t, t.done)

    # -- add_and_get

    def A1(self, t: Process) -> Step:
        if not self._take():
            return BLOCKED

    def A2(self, t: Process) -> None:
        t.total = self.held + t.delta

    def A3(self, t: Process) -> None:
        self.held = t.total
        self.ought += t.delta
        self.exact &= t.total == self.ought

    def A4(self, t: Process) -> None:
        self._give()
        self._return(t, t.total)

    # -- the process

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            self.call(t, *self.program[self.me][t.turn - 2], back="T0")

    # -- properties

    def TypeOK(self) -> bool:
        at = dict(zip(self.threads, self.processes))
        return (
            (self.held in self.kind if self.kind else isinstance(self.held, int))
            and (self.lock is None or at[self.lock].pc != DONE)
            and all(len(self.got[name]) <= len(self.program[name]) for name in self.threads)
        )

    def AsIfAtomic(self) -> bool:
        return bool(self.exact and self.held == self.ought)

    def LockExcludes(self) -> bool:
        inside = ("S2", "S3", "E2", "E3", "E4", "C2", "C3", "C4", "A2", "A3", "A4")
        return all(
            self.lock == name
            for name, process in zip(self.threads, self.processes)
            if process.pc in inside
        )

    def Termination(self) -> bool:
        """What must come true in every fair run."""
        return all(process.pc == DONE for process in self.processes)

    # -- witnesses

    def SeesHalf(self) -> bool:
        """A thread is about to read, without the lock, what another one is about to change."""
        at = {process.pc for process in self.processes}
        return "G1" in at and bool(at & {"A3", "S2", "E3", "C3"})

    def Refused(self) -> bool:
        """A compare_and_set has found another value."""
        return any(process.pc == "C4" and not process.done for process in self.processes)
