"""The properties and witnesses of the model of ``spec/DelayQueue.tla``."""

from __future__ import annotations

from collections.abc import Callable

from model.conditions import offered
from model.pluscal import DONE, Function, Machine, Process, Scalar, Values

NEVER = 1000000
"""Later than all that happens; the alarm of a thread that has none."""
INSIDE = ("Q1", "A3", "A4", "A7", "A8", "A11", "K1", "K2", "L1", "L2", "P1", "N1", "N2", "G2")


class Properties(Machine):
    """States of the model, by the variables that the properties read."""

    users: tuple[str, ...]
    mutex: Scalar
    asleep: Scalar
    tickets: Scalar
    interrupted: Scalar
    alarm: Function[int]
    leader: Scalar
    leading: Scalar
    items: Scalar
    queued: Scalar
    now: Scalar
    _late: Callable[[str], bool]
    _operation: Callable[[str, Process], Values]

    WITNESSES = (
        "LeadIsTaken",
        "TimesOutEmptyHanded",
        "FollowerBecomesLeader",
        "LateNotification",
        "LeaderIsInterrupted",
        "InterruptedWithTicket",
    )

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
        return bool(len(self.items) == self.queued)

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
        """A leader sleeps on while another thread has the lead, or no thread."""
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
