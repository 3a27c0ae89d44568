"""The properties and witnesses of the model of ``spec/TimerTaskList.tla``."""

from __future__ import annotations

from collections.abc import Mapping

from model.pluscal import DONE, FREE, Function, Machine, Monitor, Programs, Scalar


class Properties(Machine):
    """States of the model, by the variables that the properties read."""

    program: Programs
    lists: tuple[str, ...]
    entries: tuple[str, ...]
    tasks: tuple[str, ...]
    task_of: Mapping[str, str]
    next: Function[str | None]
    prev: Function[str | None]
    list: Function[str | None]
    list_monitor: Function[Monitor]
    entry_monitor: Function[Monitor]
    task_monitor: Function[Monitor]
    timer_task_entry: Function[str | None]
    task_counter: Scalar
    slipped: Scalar
    owed: Function[int]

    # -- the ring

    def members(self, name: str) -> tuple[str, ...]:
        """The entries linked into a list: those that follow it along next."""
        out: tuple[str, ...] = ()
        node = self.next[name]
        while node is not None and node != name and len(out) < len(self.lists) + len(self.entries):
            out += (node,)
            node = self.next[node]
        return out

    def linked(self) -> set[str]:
        """The entries that are in some list. In a corrupted state next may lead to a sentinel."""
        return {entry for name in self.lists for entry in self.members(name)} & set(self.entries)

    def guarded(self, entry: str) -> bool:
        """A thread holds the entry's monitor, or that of a list that it is linked in or names."""
        return self.entry_monitor[entry] != FREE or any(
            self.list_monitor[name] != FREE
            and (self.list[entry] == name or entry in self.members(name))
            for name in self.lists
        )

    # -- properties, by the names of the spec; each is total, on corrupted states too

    def TypeOK(self) -> bool:
        lists, entries, tasks = ({*names, None} for names in (self.lists, self.entries, self.tasks))
        nodes, owners = lists | entries, {*self.threads, None}
        return (
            all(
                self.next[node] in nodes and self.prev[node] in nodes
                for node in (*self.lists, *self.entries)
            )
            and all(self.list[entry] in lists for entry in self.entries)
            and all(
                owner in owners and depth >= 0
                for monitors, names in (
                    (self.list_monitor, self.lists),
                    (self.entry_monitor, self.entries),
                    (self.task_monitor, self.tasks),
                )
                for owner, depth in map(monitors.__getitem__, names)
            )
            and all(self.timer_task_entry[task] in entries for task in self.tasks)
            and self.task_counter >= 0
            and self.slipped <= set(self.entries)
            and all(
                {t.ul, t.al, t.kl, t.fl, t.fd} <= lists
                and {t.ue, t.re, t.ae, t.ke, t.se} <= entries
                and {t.tail, t.head} <= nodes
                and {t.ct, t.st} <= tasks
                and t.done in (True, False)
                and 1 <= t.turn <= len(self.program[name]) + 1
                for name, t in zip(self.threads, self.processes)
            )
        )

    def AtMostOneList(self) -> bool:
        members = [set(self.members(name)) for name in self.lists]
        return all(sum(entry in ring for ring in members) <= 1 for entry in self.entries)

    def ExactlyItsList(self) -> bool:
        return all(
            self.guarded(entry)
            or all(
                (entry in self.members(name)) == (self.list[entry] == name) for name in self.lists
            )
            for entry in self.entries
        )

    def RingWellFormed(self) -> bool:
        for name in self.lists:
            if self.list_monitor[name] != FREE:
                continue
            ring = {name, *self.members(name)}
            for node in ring:
                after, before = self.next[node], self.prev[node]
                if not (
                    after in ring
                    and before in ring
                    and self.prev[after] == node
                    and self.next[before] == node
                ):
                    return False
        return True

    def CounterExact(self) -> bool:
        if any(self.list_monitor[name] != FREE for name in self.lists):
            return True
        return bool(self.task_counter == len(self.linked()))

    def CancelWins(self) -> bool:
        return not self.slipped

    def RunsOncePerAdd(self) -> bool:
        return all(self.owed[task] >= 0 for task in self.tasks)

    def CancelledUnlinked(self) -> bool:
        if any(thread.pc != DONE for thread in self.processes):
            return True
        return all(self.timer_task_entry[self.task_of[entry]] == entry for entry in self.linked())

    def Termination(self) -> bool:
        """The state predicate that must come true: ``<>AllDone``."""
        return all(thread.pc == DONE for thread in self.processes)

    # -- witnesses: states that some scenario must reach, or the properties say little

    def AddMustRetry(self) -> bool:
        """add finds the entry linked again, after its own remove."""
        return any(t.pc == "A3" and self.list[t.ae] is not None for t in self.processes)

    def RemoveComesTooLate(self) -> bool:
        """remove holds the monitor of a list that the entry has left."""
        return any(t.pc == "U3" and self.list[t.ue] != t.ul for t in self.processes)

    def CancelledInTheHand(self) -> bool:
        """A flush holds an entry whose task was cancelled meanwhile."""
        return any(
            t.pc == "K1" and self.timer_task_entry[self.task_of[t.ke]] != t.ke
            for t in self.processes
        )

    def HandedOver(self) -> bool:
        """An entry goes to the executor."""
        return any(t.pc == "K2" for t in self.processes)

    def MonitorEnteredTwice(self) -> bool:
        """A list's monitor is held re-entrantly."""
        return any(self.list_monitor[name].depth > 1 for name in self.lists)

    def CancelledStaysLinked(self) -> bool:
        """What ``CancelledUnlinked`` denies (Kafka's documented window)."""
        return not self.CancelledUnlinked()

    INVARIANTS = (
        "TypeOK",
        "AtMostOneList",
        "ExactlyItsList",
        "RingWellFormed",
        "CounterExact",
        "CancelWins",
        "RunsOncePerAdd",
    )
    OF_PROCESSES = frozenset({"TypeOK", "CancelledUnlinked", "Termination"})
    """Properties of the processes too; the others depend on the shared variables alone."""
    WITNESSES = (
        "AddMustRetry",
        "RemoveComesTooLate",
        "CancelledInTheHand",
        "HandedOver",
        "MonitorEnteredTwice",
        "CancelledStaysLinked",
    )
