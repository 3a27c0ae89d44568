"""The executable model of ``spec/DelayQueue.tla``: one method per label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from model.conditions import notified, offered, taken
from model.pluscal import BLOCKED, DONE, Machine, Process, Scalar

NEVER = 1000000
"""Later than all that happens; the alarm of a thread that has none."""

INSIDE = ("Q1", "A3", "A4", "A7", "A8", "A11", "K1", "K2", "L1", "L2", "P1", "N1", "N2", "G2")

OWN = {
    "turn": 1,
    "deadline": 0,
    "wait": 0,
    "left": 0,
    "found": False,
    "head": NEVER,
    "raised": False,
    "got": (),
}
"""The variables of a thread, with their first values."""

FIRST = {"clock": "C1", "interrupt": "I1"}
"""First label of a process that is no thread, by the operation that is its program."""


def put(heap: tuple[int, ...], at: int) -> tuple[int, ...]:
    """A binary heap with one more element, which rises to its place."""
    out = [*heap, at]
    index = len(out) - 1
    while index > 0 and out[index] < out[above := (index - 1) // 2]:
        out[index], out[above] = out[above], out[index]
        index = above
    return tuple(out)


def rest(heap: tuple[int, ...]) -> tuple[int, ...]:
    """A binary heap without its first element, in whose place the last one sinks."""
    if len(heap) <= 1:
        return ()
    out = [heap[-1], *heap[1:-1]]
    index = 0
    while (below := 2 * index + 1) < len(out):
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
    WITNESSES = (
        "LeadIsTaken",
        "TimesOutEmptyHanded",
        "FollowerBecomesLeader",
        "LateNotification",
        "LeaderIsInterrupted",
        "InterruptedWithTicket",
    )

    mutex, asleep, tickets = Scalar("mutex"), Scalar("asleep"), Scalar("tickets")
    interrupted, now, leader = Scalar("interrupted"), Scalar("now"), Scalar("leader")
    items, queued, leading = Scalar("items"), Scalar("queued"), Scalar("leading")

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        self.program = scenario["threads"]
        super().__init__(self.program, OWN, start="T0")
        first = {name: program[0][0] for name, program in self.program.items()}
        self.users = tuple(name for name in first if first[name] not in FIRST)
        self.clocks = tuple(name for name in first if first[name] == "clock")
        self._processes = tuple(
            (FIRST.get(first[name], "T0"), *values[1:])
            for name, values in zip(self.threads, self._processes)
        )
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

    def _relock(self, t: Process) -> bool:
        """A wait has the lock again, and raises if the thread was interrupted."""
        if not self._lock():
            return False
        if self.me in self.interrupted:
            self.interrupted -= {self.me}
            t.raised = True
        return True

    # -- where a thread goes on

    def _operation(self, name: str, t: Process) -> tuple:
        return self.program[name][t.turn - 2]

    def _release(self, t: Process) -> None:
        """Gate.release"""
        t.pc = "L1" if self.leader is None else "L2"

    def _leave(self, t: Process) -> None:
        """What poll and poll_now do after they have called _take."""
        if self._operation(self.me, t)[0] == "poll":
            self._release(t)
        else:
            t.pc = "G2"

    def _take(self, t: Process) -> None:
        """DelayQueue._take"""
        if self.items:
            t.head, t.pc = self.items[0], "K1"
        else:
            self._leave(t)

    def _wait_ms(self, t: Process) -> None:
        """DelayQueue.wait_ms: without a first element there is nothing to read the clock for."""
        if self.items:
            t.head, t.pc = self.items[0], "Q1"
        else:
            t.head, t.wait, t.pc = NEVER, NEVER, "A3"

    def _go_on(self, t: Process) -> None:
        """The loop of Gate.acquire_when goes on, unless the exception leaves it."""
        if t.raised:
            self._release(t)
        else:
            self._wait_ms(t)

    # -- the threads

    def T0(self, t: Process) -> None:
        vars(t).update(OWN | {"turn": t.turn})
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            if self._operation(self.me, t)[0] == "poll":
                t.pc = "A1"

    # -- offer and poll_now

    def G1(self, t: Process) -> Any:
        if not self._lock():
            return BLOCKED
        if self._operation(self.me, t)[0] == "poll_now":
            self._take(t)

    def P1(self, t: Process) -> None:
        before = self.items
        self.items = put(before, self._operation(self.me, t)[1])
        self.queued += 1
        if before and self.items[0] == before[0]:  # not the first
            t.pc = "G2"

    def N1(self, t: Process) -> None:
        self.leader = None
        self.leading = frozenset()

    def N2(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, 1)

    def G2(self, t: Process) -> None:
        self.mutex = None
        t.pc = "T0"

    # -- poll: Gate.acquire_when

    def A1(self, t: Process) -> None:
        t.deadline = self.now + self._operation(self.me, t)[1]

    def A2(self, t: Process) -> Any:
        if not self._lock():
            return BLOCKED
        self._wait_ms(t)

    def Q1(self, t: Process) -> None:
        t.wait = t.head - self.now
        if t.wait <= 0:
            self._take(t)

    def A3(self, t: Process) -> None:
        t.left = t.deadline - self.now
        if t.left <= 0:
            self._take(t)
        elif self.leader is not None or t.left < t.wait:
            t.pc = "A4"
        else:
            t.pc = "A7"

    def A4(self, t: Process) -> None:
        self._sleep(self.now + t.left)

    def A5(self, t: Process) -> Any:
        if not self._wake():
            return BLOCKED

    def A6(self, t: Process) -> Any:
        if not self._relock(t):
            return BLOCKED
        self._go_on(t)

    def A7(self, t: Process) -> None:
        self.leader = self.me
        self.leading |= {self.me}

    def A8(self, t: Process) -> None:
        self._sleep(self.now + t.wait)

    def A9(self, t: Process) -> Any:
        if not self._wake():
            return BLOCKED
        self.leading -= {self.me}

    def A10(self, t: Process) -> Any:
        if not self._relock(t):
            return BLOCKED
        if self.leader != self.me:
            self._go_on(t)

    def A11(self, t: Process) -> None:
        self.leader = None
        self._go_on(t)

    # -- poll and poll_now: _take

    def K1(self, t: Process) -> None:
        t.found = t.head <= self.now
        if not t.found:
            self._leave(t)

    def K2(self, t: Process) -> None:
        t.got = (self.items[0],)
        self.queued -= 1
        self.items = rest(self.items)
        self._leave(t)

    # -- poll: Gate.release

    def L1(self, t: Process) -> None:
        self.tickets = notified(self.tickets, self.asleep, 1)

    def L2(self, t: Process) -> None:
        self.mutex = None
        t.pc = "T0"

    # -- the other processes

    def I1(self, t: Process) -> None:
        target = self.program[self.me][0][1]
        if target in self.asleep:
            self.interrupted |= {target}
        t.pc = DONE

    def C1(self, t: Process) -> Any:
        alarms = [self.alarm[name] for name in self.users]
        ahead = [moment for moment in alarms if self.now < moment < NEVER]
        others = [
            counter
            for name, counter in zip(self.threads, self._counters)
            if name not in self.clocks
        ]
        if ahead:
            self.now = min(ahead)
        elif all(counter == DONE for counter in others):
            t.pc = DONE
        else:
            return BLOCKED

    def C2(self, t: Process) -> None:
        t.pc = "C1"

    # -- properties

    def _users(self) -> list[tuple[str, Process]]:
        return [
            (name, process)
            for name, process in zip(self.threads, self.processes)
            if name in self.users
        ]

    def _due(self) -> bool:
        return bool(self.items) and self.items[0] <= self.now

    def TypeOK(self) -> bool:
        names, items = frozenset(self.users), self.items
        return (
            self.mutex in names | {None}
            and self.leader in names | {None}
            and self.asleep <= names
            and self.leading <= names
            and self.interrupted <= names
            and all(takers <= self.asleep for takers in self.tickets)
            and len(self.tickets) <= len(self.asleep)
            and self.now >= 0
            and all(self.alarm[name] == NEVER or name in self.asleep for name in names)
            and all(items[(i - 1) // 2] <= items[i] for i in range(1, len(items)))
        )

    def Exclusive(self) -> bool:
        return all(self.mutex == name for name, process in self._users() if process.pc in INSIDE)

    def EachOnce(self) -> bool:
        return len(self.items) == self.queued

    def TakesDue(self) -> bool:
        return all(process.pc != "K2" or process.head <= self.now for _, process in self._users())

    def NotifiesForFirst(self) -> bool:
        return all(
            self.items[0] == self._operation(name, process)[1]
            for name, process in self._users()
            if process.pc == "N1"
        )

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
        return any(
            self.leader == name and users[name].head <= first or self.alarm[name] <= first
            for name in self.asleep
        )

    def NotEarly(self) -> bool:
        return all(
            self._due() or process.deadline <= self.now
            for name, process in self._users()
            if process.pc == "K1"
            and self._operation(name, process)[0] == "poll"
            or process.pc in ("L1", "L2")
            and not process.found
            and not process.raised
        )

    def Termination(self) -> bool:
        """What must come true in every fair run."""
        return all(process.pc == DONE for process in self.processes)

    # -- witnesses

    def LeadIsTaken(self) -> bool:
        """A leader sleeps on while another thread has the lead or nobody."""
        return any(
            process.pc == "A9" and name in self.asleep and self.leader != name
            for name, process in self._users()
        )

    def TimesOutEmptyHanded(self) -> bool:
        return any(
            process.pc in ("L1", "L2") and not process.found and not process.raised
            for _, process in self._users()
        )

    def FollowerBecomesLeader(self) -> bool:
        """A thread that has slept as follower leads: it was notified by one that left."""
        return any(
            process.pc == "A8" and process.left < self._operation(name, process)[1]
            for name, process in self._users()
        )

    def LateNotification(self) -> bool:
        """A notification may be taken by a thread whose time is up."""
        return any(self._late(name) and offered(self.tickets, name) for name in self.users)

    def LeaderIsInterrupted(self) -> bool:
        """The leader is to raise while another thread sleeps."""
        return self.leader in self.interrupted and len(self.asleep) > 1

    def InterruptedWithTicket(self) -> bool:
        """A notification may be taken by a thread whose wait is to raise."""
        return any(offered(self.tickets, name) for name in self.interrupted & self.asleep)
