"""The executable model of ``spec/Gate.tla``: one method per label."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from model.conditions import notified, offered, taken
from model.pluscal import BLOCKED, DONE, Machine, Procedure, Process, Scalar

SWITCHES = dict.fromkeys(("NotifyTakesLead", "HandsOn", "StepsDown", "OwnLeadOnly", "OneSleepsLong", "TimesOut", "LooksAgain", "TakesInside", "KeepsOrder"), True)
NEVER = 1000
"""Later than all that happens; the alarm of a thread that has none."""

INSIDE = ("Q1", "A3", "A4", "A7", "A8", "A11", "K1", "K2", "L1", "L2", "P1", "N1", "N2", "G2")


class Model(Machine):
    """States of one scenario: ``threads`` and ``items`` as in the TOML. A process whose program is ``clock`` lets time pass."""

    PROCEDURES = {
        "take": Procedure("A1", ("timeout",), (("deadline", 0), ("wait", 0), ("left", 0), ("found", False)), (("timeout", 0),)),
        "offer": Procedure("G1", ("at",), (), (("at", 0),)),
    }
    AUXILIARY = frozenset({"leading", "aim"})
    WITNESSES = ("LeadIsTaken", "TimesOutEmptyHanded", "FollowerBecomesLeader", "LateNotification")

    mutex, asleep, tickets = Scalar("mutex"), Scalar("asleep"), Scalar("tickets")
    now, leader, items, leading = Scalar("now"), Scalar("leader"), Scalar("items"), Scalar("leading")

    def __init__(self, scenario: Mapping[str, Any], switches: Mapping[str, bool] = {}) -> None:
        """Raises KeyError on a switch that the spec does not have."""
        if unknown := set(switches) - set(SWITCHES):
            raise KeyError(f"no such switch: {', '.join(sorted(unknown))}")
        self.on = SWITCHES | dict(switches)
        self.program = scenario["threads"]
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.users = tuple(name for name, program in self.program.items() if program[0][0] != "clock")
        self._processes = tuple(values if name in self.users else ("C1", *values[1:]) for name, values in zip(self.threads, self._processes))
        self._counters: list[str] | None = None
        self.scalar("mutex", None)
        self.scalar("asleep", frozenset())
        self.scalar("tickets", ())
        self.scalar("now", 0)
        self.alarm = self.function("alarm", dict.fromkeys(self.users, NEVER))
        self.scalar("leader", None)
        self.scalar("items", tuple(scenario["items"]))
        self.scalar("leading", frozenset())
        self.aim = self.function("aim", dict.fromkeys(self.users, NEVER))
        self.begin()

    def tla(self, variable: str, piece: tuple) -> Any:
        """As TLA+ has it: only the threads have a ``turn``, the clock has none."""
        value = super().tla(variable, piece)
        return {name: value[name] for name in self.users} if variable == "turn" else value

    def successors(self, state: Any) -> list:
        """The clock looks at the threads' program counters, in the state before the step."""
        self._counters = [values[0] for values in state[1]]
        try:
            return super().successors(state)
        finally:
            self._counters = None

    # -- the condition

    def _lock(self) -> bool:
        if self.mutex is not None:
            return False
        self.mutex = self.me
        return True

    def _sleep(self, until: int) -> None:
        self.mutex = None
        self.asleep |= {self.me}
        self.alarm[self.me] = until

    def _late(self, name: str) -> bool:
        return self.alarm[name] <= self.now

    def _wake(self) -> bool:
        if not offered(self.tickets, self.me) and not self._late(self.me):
            return False
        self.tickets = taken(self.tickets, self.me)
        self.asleep -= {self.me}
        self.alarm[self.me] = NEVER
        return True

    def _due(self) -> bool:
        return bool(self.items) and self.items[0] <= self.now

    # -- take

    def A1(self, t: Process) -> None:
        t.deadline = self.now + t.timeout
        t.pc = "A2"

    def A2(self, t: Process) -> Any:
        if not self._lock():
            return BLOCKED
        t.pc = "Q1"

    def Q1(self, t: Process) -> None:
        t.wait = self.items[0] - self.now if self.items else NEVER
        self.aim[self.me] = self.items[0] if self.items else NEVER
        t.pc = "K1" if t.wait <= 0 else "A3"

    def A3(self, t: Process) -> None:
        t.left = t.deadline - self.now
        if t.left <= 0:
            t.pc = "K1"
        else:
            t.pc = "A4" if self.on["OneSleepsLong"] and self.leader is not None or t.left < t.wait else "A7"

    def A4(self, t: Process) -> None:
        self._sleep(self.now + t.left if self.on["TimesOut"] else NEVER)
        t.pc = "A5"

    def A5(self, t: Process) -> Any:
        if not self._wake():
            return BLOCKED
        t.pc = "A6"

    def _again(self, t: Process) -> None:
        t.pc = "Q1" if self.on["LooksAgain"] else "K1"

    def A6(self, t: Process) -> Any:
        if not self._lock():
            return BLOCKED
        self._again(t)

    def A7(self, t: Process) -> None:
        self.leader = self.me
        self.leading |= {self.me}
        t.pc = "A8"

    def A8(self, t: Process) -> None:
        self._sleep(self.now + t.wait)
        t.pc = "A9"

    def A9(self, t: Process) -> Any:
        if not self._wake():
            return BLOCKED
        self.leading -= {self.me}
        t.pc = "A10"

    def A10(self, t: Process) -> Any:
        if not self._lock():
            return BLOCKED
        if self.on["OwnLeadOnly"] and self.leader != self.me:
            self._again(t)
        else:
            t.pc = "A11"

    def A11(self, t: Process) -> None:
        if self.on["StepsDown"]:
            self.leader = None
        self._again(t)

    def K1(self, t: Process) -> None:
        t.found = self._due()
        if t.found and self.on["TakesInside"]:
            t.pc = "K2"
        else:
            t.pc = "L1" if self.leader is None and self.on["HandsOn"] else "L2"

    def K2(self, t: Process) -> None:
        self.items = self.items[1:]
        if not self.on["TakesInside"]:
            self.leave(t)
        else:
            t.pc = "L1" if self.leader is None and self.on["HandsOn"] else "L2"

    def L1(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, 1)
        t.pc = "L2"

    def L2(self, t: Process) -> None:
        self.mutex = None
        if t.found and not self.on["TakesInside"]:
            t.pc = "K2"
        else:
            self.leave(t)

    # -- offer

    def G1(self, t: Process) -> Any:
        if not self._lock():
            return BLOCKED
        t.pc = "P1"

    def P1(self, t: Process) -> None:
        ordered = self.on["KeepsOrder"]
        first = not self.items or ordered and t.at < self.items[0]
        place = next((i for i, item in enumerate(self.items) if ordered and t.at < item), len(self.items))
        self.items = (*self.items[:place], t.at, *self.items[place:])
        t.pc = "N1" if first else "G2"

    def N1(self, t: Process) -> None:
        if self.on["NotifyTakesLead"]:
            self.leader, self.leading = None, frozenset()
        t.pc = "N2"

    def N2(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, 1)
        t.pc = "G2"

    def G2(self, t: Process) -> None:
        self.mutex = None
        self.leave(t)

    # -- the processes

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            self.call(t, *self.program[self.me][t.turn - 2], back="T0")

    def C1(self, t: Process) -> Any:
        ahead = [moment for moment in map(self.alarm.__getitem__, self.users) if self.now < moment < NEVER]
        if ahead:
            self.now = min(ahead)
            t.pc = "C2"
        elif all(counter == DONE for name, counter in zip(self.threads, self._counters) if name in self.users):
            t.pc = DONE
        else:
            return BLOCKED

    def C2(self, t: Process) -> None:
        t.pc = "C1"

    # -- properties

    def _users(self) -> list[tuple[str, Process]]:
        return [(name, process) for name, process in zip(self.threads, self.processes) if name in self.users]

    def TypeOK(self) -> bool:
        names = frozenset(self.users)
        return (self.mutex in names | {None} and self.leader in names | {None} and self.asleep <= names and self.leading <= names
                and all(takers <= self.asleep for takers in self.tickets) and len(self.tickets) <= len(self.asleep)
                and self.now >= 0 and all(self.alarm[name] == NEVER or name in self.asleep for name in names)
                and list(self.items) == sorted(self.items))

    def Exclusive(self) -> bool:
        return all(self.mutex == name for name, process in self._users() if process.pc in INSIDE)

    def LeaderLeads(self) -> bool:
        return self.leader is None or dict(self._users())[self.leader].pc in ("A8", "A9", "A10", "A11")

    def OneLeads(self) -> bool:
        return len(self.leading) <= 1

    def Watched(self) -> bool:
        if not self.items or not self.asleep or self.tickets:
            return True
        if any(process.pc not in ("T0", DONE, "A5", "A9") or self._late(name) for name, process in self._users()):
            return True
        first = self.items[0]
        return any(self.leader == name and self.aim[name] <= first or self.alarm[name] <= first for name in self.asleep)

    def NotEarly(self) -> bool:
        return all(process.pc != "K1" or self._due() or process.deadline <= self.now for _, process in self._users())

    def Termination(self) -> bool:
        """What must come true in every fair run."""
        return all(process.pc == DONE for process in self.processes)

    # -- witnesses

    def LeadIsTaken(self) -> bool:
        """A leader sleeps on while another thread has the lead or nobody."""
        return any(process.pc == "A9" and name in self.asleep and self.leader != name for name, process in self._users())

    def TimesOutEmptyHanded(self) -> bool:
        return any(process.pc == "K1" and not self._due() for _, process in self._users())

    def FollowerBecomesLeader(self) -> bool:
        """A thread that has slept as follower leads: it was notified by one that left."""
        return any(process.pc == "A8" and process.left < process.timeout for _, process in self._users())

    def LateNotification(self) -> bool:
        """A notification may be taken by a thread whose time is up."""
        return any(self._late(name) and offered(self.tickets, name) for name in self.users)
