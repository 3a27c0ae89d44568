"""The executable model of ``spec/Atomic.tla``: one method per label."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from model.pluscal import BLOCKED, DONE, Machine, Procedure, Process, Scalar

SWITCHES = dict.fromkeys(("AddLocks", "SwapLocks", "CasLocks", "SetLocks", "ByIdentity", "NumbersByValue", "GivesBack"), True)


class Model(Machine):
    """States of one scenario: ``initial``, ``kind`` (empty where values are numbers) and ``threads`` as in the TOML."""

    AUXILIARY = frozenset({"ought", "exact"})
    WITNESSES = ("SeesHalf", "Refused")

    held, lock, ought, exact = Scalar("held"), Scalar("lock"), Scalar("ought"), Scalar("exact")

    def __init__(self, scenario: Mapping[str, Any], switches: Mapping[str, bool] = {}) -> None:
        """Raises KeyError on a switch that the spec does not have."""
        if unknown := set(switches) - set(SWITCHES):
            raise KeyError(f"no such switch: {', '.join(sorted(unknown))}")
        self.on = SWITCHES | dict(switches)
        self.program, self.kind = scenario["threads"], scenario["kind"]
        initial = scenario["initial"]
        self.PROCEDURES = {
            "get": Procedure("G1", ()),
            "set": Procedure("S1", ("set_value",), (), (("set_value", initial),)),
            "swap": Procedure("E1", ("swap_value",), (("seen", initial),), (("swap_value", initial),)),
            "cas": Procedure("C1", ("expected", "cas_value"), (("done", False),), (("expected", initial), ("cas_value", initial))),
            "add": Procedure("A1", ("delta",), (("total", 0),), (("delta", 0),)),
        }
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.scalar("held", initial)
        self.scalar("lock", None)
        self.got = self.function("got", dict.fromkeys(self.threads, ()))
        self.scalar("ought", initial)
        self.scalar("exact", True)
        self.begin()

    def _take(self, switch: str) -> bool:
        if self.on[switch]:
            if self.lock is not None:
                return False
            self.lock = self.me
        return True

    def _give(self, t: Process, switch: str, *returned: Any, kept: bool = False) -> None:
        if self.on[switch] and not kept:
            self.lock = None
        self.got[self.me] += returned
        self.leave(t)

    def _same(self, one: Any, other: Any) -> bool:
        if not self.kind:
            return self.on["NumbersByValue"] and one == other
        return one == other if self.on["ByIdentity"] else self.kind[one] == self.kind[other]

    def G1(self, t: Process) -> None:
        self.got[self.me] += (self.held,)
        self.leave(t)

    def S1(self, t: Process) -> Any:
        if not self._take("SetLocks"):
            return BLOCKED
        t.pc = "S2"

    def S2(self, t: Process) -> None:
        self.held = self.ought = t.set_value
        t.pc = "S3"

    def S3(self, t: Process) -> None:
        self._give(t, "SetLocks")

    def E1(self, t: Process) -> Any:
        if not self._take("SwapLocks"):
            return BLOCKED
        t.pc = "E2"

    def E2(self, t: Process) -> None:
        t.seen = self.held
        t.pc = "E3"

    def E3(self, t: Process) -> None:
        self.exact = self.exact and t.seen == self.ought
        self.held = self.ought = t.swap_value
        t.pc = "E4"

    def E4(self, t: Process) -> None:
        self._give(t, "SwapLocks", t.seen)

    def C1(self, t: Process) -> Any:
        if not self._take("CasLocks"):
            return BLOCKED
        t.pc = "C2"

    def C2(self, t: Process) -> None:
        t.done = self._same(self.held, t.expected)
        if t.done:
            t.pc = "C3"
        else:
            self.exact = self.exact and self.ought != t.expected
            t.pc = "C4"

    def C3(self, t: Process) -> None:
        self.held = t.cas_value
        self.exact = self.exact and self.ought == t.expected
        if self.ought == t.expected:
            self.ought = t.cas_value
        t.pc = "C4"

    def C4(self, t: Process) -> None:
        self._give(t, "CasLocks", t.done, kept=not t.done and not self.on["GivesBack"])

    def A1(self, t: Process) -> Any:
        if not self._take("AddLocks"):
            return BLOCKED
        t.pc = "A2"

    def A2(self, t: Process) -> None:
        t.total = self.held + t.delta
        t.pc = "A3"

    def A3(self, t: Process) -> None:
        self.held = t.total
        self.ought += t.delta
        self.exact = self.exact and t.total == self.ought
        t.pc = "A4"

    def A4(self, t: Process) -> None:
        self._give(t, "AddLocks", t.total)

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            self.call(t, *self.program[self.me][t.turn - 2], back="T0")

    # -- properties

    def TypeOK(self) -> bool:
        at = dict(zip(self.threads, self.processes))
        return (self.lock is None or at[self.lock].pc != DONE) and all(len(self.got[name]) <= len(self.program[name]) for name in self.threads)

    def AsIfAtomic(self) -> bool:
        return self.exact and self.held == self.ought

    def LockExcludes(self) -> bool:
        return all(self.lock == name for name, process in zip(self.threads, self.processes) if process.pc in
                   ("S2", "S3", "E2", "E3", "E4", "C2", "C3", "C4", "A2", "A3", "A4"))

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
