"""The executable model of ``spec/DelayQueue.tla``: one method per label."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from model.conditions import notified, offered, taken
from model.pluscal import BLOCKED, DONE, Machine, Process, Scalar

SWITCHES = dict.fromkeys((
    "NotifyTakesLead", "HandsOn", "StepsDown", "OwnLeadOnly", "OneSleepsLong", "TimesOut",
    "LooksAgain", "TakesInside", "NowTakesInside", "TakesDueOnly", "Removes", "ReleasesEmptyHanded",
    "KeepsOrder", "SinksLast", "NotifiesFirst", "NotifiesFirstOnly", "NotifiesEveryFirst",
    "InterruptStepsDown", "InterruptHandsOn", "InterruptReleases"), True)
NEVER = 1000000
"""Later than all that happens; the alarm of a thread that has none."""

INSIDE = ("Q1", "A3", "A4", "A7", "A8", "A11", "K1", "K2", "L1", "L2", "P1", "N1", "N2", "G2")

OWN = {"turn": 1, "deadline": 0, "wait": 0, "left": 0, "found": False, "head": NEVER,
       "raised": False, "got": ()}
"""The variables of a thread, with their first values."""

FIRST = {"clock": "C1", "interrupt": "I1"}
"""First label of a process that is no thread, by the operation that is its program."""


def put(heap: tuple[int, ...], at: int, rises: bool) -> tuple[int, ...]:
    """A binary heap with one more element, which rises to its place."""
    out = [*heap, at]
    index = len(out) - 1
    while rises and index > 0 and out[index] < out[above := (index - 1) // 2]:
        out[index], out[above] = out[above], out[index]
        index = above
    return tuple(out)


def rest(heap: tuple[int, ...], sinks: bool) -> tuple[int, ...]:
    """A binary heap without its first element, in whose place the last one sinks."""
    if len(heap) <= 1:
        return ()
    out = [heap[-1], *heap[1:-1]]
    index = 0
    while sinks and (below := 2 * index + 1) < len(out):
        if below + 1 < len(out) and out[below] > out[below + 1]:
            below += 1
        if out[index] <= out[below]:
            break
        out[index], out[below] = out[below], out[index]
        index = below
    return tuple(out)


class Model(Machine):
    """States of one scenario: ``threads`` and ``items`` as in the TOML.

    A process whose program is ``clock`` lets time pass; one whose program is ``interrupt`` lets the
    present wait of a thread raise.
    """

    AUXILIARY = frozenset({"leading", "queued"})
    WITNESSES = ("LeadIsTaken", "TimesOutEmptyHanded", "FollowerBecomesLeader", "LateNotification",
                 "LeaderIsInterrupted", "InterruptedWithTicket")

    mutex, asleep, tickets = Scalar("mutex"), Scalar("asleep"), Scalar("tickets")
    interrupted, now, leader = Scalar("interrupted"), Scalar("now"), Scalar("leader")
    items, queued, leading = Scalar("items"), Scalar("queued"), Scalar("leading")

    def __init__(self, scenario: Mapping[str, Any], switches: Mapping[str, bool] = {}) -> None:
        """Raises KeyError on a switch that the spec does not have."""
        if unknown := set(switches) - set(SWITCHES):
            raise KeyError(f"no such switch: {', '.join(sorted(unknown))}")
        self.on = SWITCHES | dict(switches)
        self.program = scenario["threads"]
        super().__init__(self.program, OWN, start="T0")
        first = {name: program[0][0] for name, program in self.program.items()}
        self.users = tuple(name for name in first if first[name] not in FIRST)
        self.clocks = tuple(name for name in first if first[name] == "clock")
        self._processes = tuple((FIRST.get(first[name], "T0"), *values[1:])
                                for name, values in zip(self.threads, self._processes))
        self._counters: list[str] | None = None
        self.scalar("mutex", None)
        self.scalar("asleep", frozenset())
        self.scalar("tickets", ())
        self.scalar("interrupted", frozenset())
        self.scalar("now", 0)
        self.alarm = self.function("alarm", dict.fromkeys(self.users, NEVER))
        self.scalar("leader", None)
        self.scalar("items", tuple(scenario["items"]))
        self.scalar("queued", len(scenario["items"]))
        self.scalar("leading", frozenset())
        self.begin()

    def tla(self, variable: str, piece: tuple) -> Any:
        """As TLA+ has it: only the threads have variables of their own."""
        value = super().tla(variable, piece)
        return {name: value[name] for name in self.users} if variable in OWN else value

    def successors(self, state: Any) -> list:
        """The clock looks at the program counters, in the state before the step."""
        self._counters = [values[0] for values in state[1]]
        try:
            return super().successors(state)
        finally:
            self._counters = None

    def returned(self, process: Process) -> Any:
        """What a poll has taken, or None; that it was interrupted."""
        if process.raised:
            return ("raised", "Interrupted")
        return process.got[0] if process.got else None

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
        called = offered(self.tickets, self.me) or self.me in self.interrupted
        if not called and not self._late(self.me):
            return False
        self.tickets = taken(self.tickets, self.me)
        self.asleep -= {self.me}
        self.alarm[self.me] = NEVER
        return True

    def _raises(self, t: Process) -> bool:
        """Whether the wait whose lock is taken again raises."""
        if self.me in self.interrupted:
            self.interrupted -= {self.me}
            t.raised = True
        return t.raised

    # -- where a thread goes on

    def _operation(self, name: str, t: Process) -> tuple:
        return self.program[name][t.turn - 2]

    def _waits(self, t: Process) -> bool:
        return self._operation(self.me, t)[0] == "poll"

    def _leave(self, t: Process) -> None:
        t.pc = "L1" if self.leader is None and self.on["HandsOn"] else "L2"

    def _quit(self, t: Process) -> None:
        if self.leader is None and self.on["HandsOn"] and self.on["InterruptHandsOn"]:
            t.pc = "L1"
        else:
            t.pc = "L2" if self.on["InterruptReleases"] else "T0"

    def _look(self, t: Process) -> None:
        if self.items:
            t.head, t.pc = self.items[0], "Q1"
        else:
            t.head, t.wait, t.pc = NEVER, NEVER, "A3"

    def _take(self, t: Process) -> None:
        if self.items:
            t.head, t.pc = self.items[0], "K1"
        elif not self._waits(t):
            t.pc = "G2"
        elif self.on["ReleasesEmptyHanded"]:
            self._leave(t)
        else:
            t.pc = "T0"

    def _again(self, t: Process) -> None:
        if self.on["LooksAgain"]:
            self._look(t)
        else:
            self._take(t)

    # -- poll

    def A1(self, t: Process) -> None:
        t.deadline = self.now + self._operation(self.me, t)[1]
        t.pc = "A2"

    def A2(self, t: Process) -> Any:
        if not self._lock():
            return BLOCKED
        self._look(t)

    def Q1(self, t: Process) -> None:
        t.wait = t.head - self.now
        if t.wait <= 0:
            self._take(t)
        else:
            t.pc = "A3"

    def A3(self, t: Process) -> None:
        t.left = t.deadline - self.now
        if t.left <= 0:
            self._take(t)
        else:
            follows = self.on["OneSleepsLong"] and self.leader is not None or t.left < t.wait
            t.pc = "A4" if follows else "A7"

    def A4(self, t: Process) -> None:
        self._sleep(self.now + t.left if self.on["TimesOut"] else NEVER)
        t.pc = "A5"

    def A5(self, t: Process) -> Any:
        if not self._wake():
            return BLOCKED
        t.pc = "A6"

    def A6(self, t: Process) -> Any:
        if not self._lock():
            return BLOCKED
        if self._raises(t):
            self._quit(t)
        else:
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
        if self._raises(t):
            if self.leader == self.me and self.on["InterruptStepsDown"]:
                t.pc = "A11"
            else:
                self._quit(t)
        elif self.on["OwnLeadOnly"] and self.leader != self.me:
            self._again(t)
        else:
            t.pc = "A11"

    def A11(self, t: Process) -> None:
        if self.on["StepsDown"]:
            self.leader = None
        if t.raised:
            self._quit(t)
        else:
            self._again(t)

    # -- poll and poll_now

    def K1(self, t: Process) -> None:
        t.found = t.head <= self.now or not self.on["TakesDueOnly"]
        if not self._waits(t):
            t.pc = "K2" if t.found else "G2"
        elif t.found and self.on["TakesInside"]:
            t.pc = "K2"
        elif not t.found and not self.on["ReleasesEmptyHanded"]:
            t.pc = "T0"
        else:
            self._leave(t)

    def K2(self, t: Process) -> None:
        if self.items:
            t.got = (self.items[0],)
            self.queued -= 1
        if self.on["Removes"]:
            self.items = rest(self.items, self.on["SinksLast"])
        if not self._waits(t):
            t.pc = "G2"
        elif self.on["TakesInside"]:
            self._leave(t)
        else:
            t.pc = "T0"

    def L1(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, 1)
        t.pc = "T0" if t.raised and not self.on["InterruptReleases"] else "L2"

    def L2(self, t: Process) -> None:
        self.mutex = None
        t.pc = "K2" if t.found and not self.on["TakesInside"] else "T0"

    # -- offer and poll_now

    def G1(self, t: Process) -> Any:
        offers = self._operation(self.me, t)[0] == "offer"
        if (offers or self.on["NowTakesInside"]) and not self._lock():
            return BLOCKED
        if offers:
            t.pc = "P1"
        else:
            self._take(t)

    def P1(self, t: Process) -> None:
        at, before = self._operation(self.me, t)[1], self.items
        self.items = put(before, at, self.on["KeepsOrder"])
        self.queued += 1
        sooner = self.on["KeepsOrder"] and before and at < before[0]
        first = not before or self.on["NotifiesEveryFirst"] and sooner
        tells = self.on["NotifiesFirst"] and (first or not self.on["NotifiesFirstOnly"])
        t.pc = "N1" if tells else "G2"

    def N1(self, t: Process) -> None:
        if self.on["NotifyTakesLead"]:
            self.leader, self.leading = None, frozenset()
        t.pc = "N2"

    def N2(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, 1)
        t.pc = "G2"

    def G2(self, t: Process) -> None:
        if self._operation(self.me, t)[0] == "offer" or self.on["NowTakesInside"]:
            self.mutex = None
        t.pc = "T0"

    # -- the processes

    def T0(self, t: Process) -> None:
        turn = t.turn
        vars(t).update(OWN)
        t.turn = turn
        if turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            t.pc = "A1" if self._waits(t) else "G1"

    def I1(self, t: Process) -> None:
        target = self.program[self.me][0][1]
        if target in self.asleep:
            self.interrupted |= {target}
        t.pc = DONE

    def C1(self, t: Process) -> Any:
        alarms = [self.alarm[name] for name in self.users]
        ahead = [moment for moment in alarms if self.now < moment < NEVER]
        others = [counter for name, counter in zip(self.threads, self._counters)
                  if name not in self.clocks]
        if ahead:
            self.now = min(ahead)
            t.pc = "C2"
        elif all(counter == DONE for counter in others):
            t.pc = DONE
        else:
            return BLOCKED

    def C2(self, t: Process) -> None:
        t.pc = "C1"

    # -- properties

    def _users(self) -> list[tuple[str, Process]]:
        return [(name, process) for name, process in zip(self.threads, self.processes)
                if name in self.users]

    def _due(self) -> bool:
        return bool(self.items) and self.items[0] <= self.now

    def TypeOK(self) -> bool:
        names, items = frozenset(self.users), self.items
        return (self.mutex in names | {None} and self.leader in names | {None}
                and self.asleep <= names and self.leading <= names and self.interrupted <= names
                and all(takers <= self.asleep for takers in self.tickets)
                and len(self.tickets) <= len(self.asleep) and self.now >= 0
                and all(self.alarm[name] == NEVER or name in self.asleep for name in names)
                and all(items[(i - 1) // 2] <= items[i] for i in range(1, len(items))))

    def Exclusive(self) -> bool:
        return all(self.mutex == name for name, process in self._users() if process.pc in INSIDE)

    def EachOnce(self) -> bool:
        return len(self.items) == self.queued

    def TakesDue(self) -> bool:
        return all(process.pc != "K2" or process.head <= self.now for _, process in self._users())

    def NotifiesForFirst(self) -> bool:
        return all(self.items[0] == self._operation(name, process)[1]
                   for name, process in self._users() if process.pc == "N1")

    def LeaderLeads(self) -> bool:
        users = dict(self._users())
        return self.leader is None or users[self.leader].pc in ("A8", "A9", "A10", "A11")

    def OneLeads(self) -> bool:
        return len(self.leading) <= 1

    def Watched(self) -> bool:
        if not self.items or not self.asleep or self.tickets or self.interrupted:
            return True
        users = dict(self._users())
        down = ("T0", "A1", "G1", DONE, "A5", "A9")
        if any(process.pc not in down or self._late(name) for name, process in users.items()):
            return True
        first = self.items[0]
        return any(self.leader == name and users[name].head <= first or self.alarm[name] <= first
                   for name in self.asleep)

    def NotEarly(self) -> bool:
        return all(self._due() or process.deadline <= self.now for name, process in self._users()
                   if process.pc == "K1" and self._operation(name, process)[0] == "poll"
                   or process.pc in ("L1", "L2") and not process.found and not process.raised)

    def Termination(self) -> bool:
        """What must come true in every fair run."""
        return all(process.pc == DONE for process in self.processes)

    # -- witnesses

    def LeadIsTaken(self) -> bool:
        """A leader sleeps on while another thread has the lead or nobody."""
        return any(process.pc == "A9" and name in self.asleep and self.leader != name
                   for name, process in self._users())

    def TimesOutEmptyHanded(self) -> bool:
        return any(process.pc in ("L1", "L2") and not process.found and not process.raised
                   for _, process in self._users())

    def FollowerBecomesLeader(self) -> bool:
        """A thread that has slept as follower leads: it was notified by one that left."""
        return any(process.pc == "A8" and process.left < self._operation(name, process)[1]
                   for name, process in self._users())

    def LateNotification(self) -> bool:
        """A notification may be taken by a thread whose time is up."""
        return any(self._late(name) and offered(self.tickets, name) for name in self.users)

    def LeaderIsInterrupted(self) -> bool:
        """The leader is to raise while another thread sleeps."""
        return self.leader in self.interrupted and len(self.asleep) > 1

    def InterruptedWithTicket(self) -> bool:
        """A notification may be taken by a thread whose wait is to raise."""
        return any(offered(self.tickets, name) for name in self.interrupted & self.asleep)
