"""TimerTaskList's system with one decision taken away, by the names of ``spec/TimerTaskList.toml``.

An override says what the mutated step does to the ring as it is seen here. A trace ends where a
property of the proof breaks, which may be earlier than the spec's property: the mutated model takes
the trace, and goes on to where that fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from z3 import And, Exists, ForAll, If, Not, Or, Store

from proofs.protocols import mutated
from proofs.protocols.faults import Fault, Scope
from proofs.protocols.timer_task_list import OneReaper, TimerTaskList
from proofs.protocols.timer_task_list_steps import (
    NO_ENTRY,
    NO_LIST,
    NO_TASK,
    PLACE,
    THREAD,
    D,
    T,
    go,
    is_at,
)
from proofs.protocols.timer_task_list_view import View
from proofs.ts import Everywhere, Step, action, safety, when
from proofs.ts_search import Roles, Taken


class WithoutOwnershipTest(TimerTaskList):
    """remove asks only whether the entry is linked somewhere, and unlinks it there."""

    @action(t=THREAD)
    def is_its_list(self, s, t) -> Step:
        return when(is_at(s, t, "U3"), s.list[s.ue[t]] != NO_LIST, at=go(s, t, "U4"))

    @action(t=THREAD)
    def is_not_its_list(self, s, t) -> Step:
        return when(is_at(s, t, "U3"), s.list[s.ue[t]] == NO_LIST, at=go(s, t, "U10"))

    @action(t=THREAD)
    def closes_next(self, s, t) -> Step:
        e = s.ue[t]
        return when(
            is_at(s, t, "U5"),
            at=go(s, t, "U6"),
            linked=Store(s.linked, e, Store(s.linked[e], s.list[e], False)),
            size=s.size - 1,
            overcounted=s.overcounted + 1,
        )


class WithoutEntryMonitor(TimerTaskList):
    """An entry's monitor excludes no thread."""

    @action(t=THREAD)
    def locks_entry_to_unlink(self, s, t) -> Step:
        return when(is_at(s, t, "U2"), at=go(s, t, "U3"))

    @action(t=THREAD)
    def unlocks_entry_after_unlink(self, s, t) -> Step:
        return when(is_at(s, t, "U10"), at=go(s, t, "U11"))

    @action(t=THREAD)
    def locks_entry_to_add(self, s, t) -> Step:
        return when(is_at(s, t, "A2"), at=go(s, t, "A3"))

    @action(t=THREAD)
    def unlocks_entry_after_add(self, s, t) -> Step:
        return when(is_at(s, t, "A10"), at=go(s, t, "A11"))


class WithoutNullTest(TimerTaskList):
    """add links the entry wherever it is by then."""

    @action(t=THREAD)
    def is_in_no_list(self, s, t) -> Step:
        return when(is_at(s, t, "A3"), at=go(s, t, "A4"))

    is_linked_again = None


class Stuck(OneReaper):
    """Asks of every state that somebody can move: what the ranks of P12 give, stated outright for a search."""

    @safety("P12")
    def somebody_moves(self, s):
        """All threads are idle, or one that is not can take a step."""
        return Or(
            ForAll([T], is_at(s, T, "Idle")),
            Exists([T], And(T != THREAD.null, Not(is_at(s, T, "Idle")), self.can_move(s, T))),
        )


class RemoveInsideLock(Stuck):
    """add removes the entry after it has taken the list's monitor."""

    @action(t=THREAD)
    def removes_first(self, s, t) -> Step:
        return when(is_at(s, t, "A0"), Not(s.done[t]), at=go(s, t, "A1"))

    @action(t=THREAD)
    def locks_list_to_add(self, s, t) -> Step:
        return when(
            is_at(s, t, "A1"),
            self.free(s, t, s.al[t]),
            at=go(s, t, "R1"),
            re=Store(s.re, t, s.ae[t]),
            **self.entered(s, t, s.al[t]),
        )

    def remove_returns(self, s, t):
        back = If(
            s.ct[t] != NO_TASK,
            PLACE.C3,
            If(s.se[t] != NO_ENTRY, PLACE.S3, If(s.ae[t] != NO_ENTRY, PLACE.A2, PLACE.Idle)),
        )
        return Store(s.at, t, back)

    def holds_by_add(self, s, t, l):
        return And(s.al[t] == l, Not(is_at(s, t, "A0", "A1", "A12")))


class SingleAttempt(OneReaper):
    """entry.remove does not look again after its attempt."""

    @action(t=THREAD)
    def unlocks_list_after_unlink(self, s, t) -> Step:
        back = If(s.re[t] == NO_ENTRY, PLACE.F3, self.remove_returns(s, t)[t])
        return when(
            is_at(s, t, "U11"),
            at=Store(s.at, t, back),
            ul=Store(s.ul, t, NO_LIST),
            ue=Store(s.ue, t, NO_ENTRY),
            re=Store(s.re, t, NO_ENTRY),
            **self.left(s, s.ul[t]),
        )


class WithoutCancelledTest(TimerTaskList):
    """A cancelled entry is put into another bucket."""

    @action(t=THREAD)
    def is_cancelled(self, s, t) -> Step:
        return when(
            is_at(s, t, "K1"),
            Not(self.is_current(s, t)),
            s.kl[t] == NO_LIST,
            at=self.entry_done(s, t),
            ke=Store(s.ke, t, NO_ENTRY),
        )

    @action(t=THREAD)
    def is_to_be_linked(self, s, t) -> Step:
        return when(
            is_at(s, t, "K1"),
            s.kl[t] != NO_LIST,
            at=go(s, t, "A0"),
            slipped=self.passed(s, t),
            al=Store(s.al, t, s.kl[t]),
            ae=Store(s.ae, t, s.ke[t]),
            kl=Store(s.kl, t, NO_LIST),
            ke=Store(s.ke, t, NO_ENTRY),
        )


class WithoutSubmitTest(TimerTaskList):
    """A cancelled entry is handed to the executor."""

    @action(t=THREAD)
    def is_cancelled(self, s, t) -> Step:
        return when(
            is_at(s, t, "K1"),
            Not(self.is_current(s, t)),
            s.kl[t] != NO_LIST,
            at=self.entry_done(s, t),
            kl=Store(s.kl, t, NO_LIST),
            ke=Store(s.ke, t, NO_ENTRY),
        )

    @action(t=THREAD)
    def is_to_be_run(self, s, t) -> Step:
        return when(
            is_at(s, t, "K1"), s.kl[t] == NO_LIST, at=go(s, t, "K2"), slipped=self.passed(s, t)
        )


class CountsEveryAttempt(TimerTaskList):
    """A remove that finds the entry gone still decrements the counter."""

    @action(t=THREAD)
    def is_not_its_list(self, s, t) -> Step:
        return when(
            is_at(s, t, "U3"),
            s.list[s.ue[t]] != s.ul[t],
            at=go(s, t, "U9"),
            overcounted=s.overcounted + 1,
        )


class FlushWithoutMonitor(TimerTaskList):
    """flush does not hold the list's monitor while it walks."""

    @action(t=THREAD)
    def locks_list_to_flush(self, s, t) -> Step:
        return when(is_at(s, t, "F1"), at=go(s, t, "F2"))

    @action(t=THREAD)
    def flush_returns(self, s, t) -> Step:
        return when(
            is_at(s, t, "F4"),
            at=go(s, t, "Idle"),
            fl=Store(s.fl, t, NO_LIST),
            fd=Store(s.fd, t, NO_LIST),
        )


class WithoutTaskMonitor(TimerTaskList):
    """A task's monitor excludes no thread."""

    @action(t=THREAD)
    def locks_task_to_cancel(self, s, t) -> Step:
        return when(is_at(s, t, "C1"), at=go(s, t, "C2"))

    @action(t=THREAD)
    def cancel_returns(self, s, t) -> Step:
        revoked = Everywhere(D, Or(s.revoked[D], s.task_of[D] == s.ct[t]))
        return when(
            is_at(s, t, "C4"), at=go(s, t, "Idle"), ct=Store(s.ct, t, NO_TASK), revoked=revoked
        )

    @action(t=THREAD)
    def locks_task_to_set(self, s, t) -> Step:
        return when(is_at(s, t, "S1"), at=go(s, t, "S2"))

    @action(t=THREAD)
    def unlocks_task_after_set(self, s, t) -> Step:
        return when(is_at(s, t, "S4"), at=go(s, t, "T1"))


class SeveralReapers(Stuck):
    """Any thread may flush into other lists."""

    flushes = TimerTaskList.flushes
    reaper_alone_flushes_into = None


@dataclass(frozen=True)
class Rings(Scope):
    """A scope with its rings: list -> entries, head first; ``current``: the entries that their tasks point at."""

    ring: Mapping[str, Sequence[str]] = field(default_factory=dict)
    task_of: Mapping[str, str] = field(default_factory=dict)
    current: Sequence[str] = ()


def rings(
    ring: Mapping[str, str], task_of: Mapping[str, str], unset: str = "", **begins: str
) -> Rings:
    """A scope: list -> its entries, entry -> task, thread -> what it may begin, once. The first thread is the reaper.

    Every task but ``unset`` points at its first entry that is linked, or its first one.
    """
    threads, entries = tuple(begins), tuple(task_of)
    full = {name: tuple(members.split()) for name, members in ring.items()}
    where = {entry: name for name, members in full.items() for entry in members}
    pointer = {
        task: next(
            (e for e in entries if task_of[e] == task and e in where),
            next(e for e in entries if task_of[e] == task),
        )
        for task in dict.fromkeys(task_of.values())
        if task != unset
    }
    start = {name: {} for name in TimerTaskList.VARIABLES} | {
        "at": dict.fromkeys(threads, "Idle"),
        "list": where,
        "linked": {entry: {name: True} for entry, name in where.items()},
        "pointer": pointer,
        "counter": len(where),
        "size": len(where),
        "uncounted": 0,
        "overcounted": 0,
    }
    return Rings(
        {
            "Thread": threads,
            "TaskList": tuple(full),
            "Entry": entries,
            "Task": tuple(dict.fromkeys(task_of.values())),
        },
        start,
        Roles({t: names.split() for t, names in begins.items()}),
        {"task_of": task_of, "reaper": threads[0]},
        ring=full,
        task_of=task_of,
        current=tuple(pointer.values()),
    )


ONE, TWO = {"e1": "t1"}, {"e1": "t1", "e2": "t2"}
EVERYTHING = rings(
    {"l1": "e1", "l2": ""},
    {"e1": "t1", "e2": "t1", "e3": "t2"},
    "t2",
    a="flushes adds expires",
    b="adds cancels schedules removes",
)
TWO_ADDERS = rings({"l1": "", "l2": ""}, ONE, a="adds", b="adds")

FAULTS = {
    fault.name: fault
    for fault in (
        Fault(
            "M1",
            "remove unlinks from whatever list has the entry",
            WithoutOwnershipTest,
            rings({"l1": "e1", "l2": ""}, ONE, a="adds", c="cancels"),
            "ring_written_under_its_monitor",
            "P3",
            "M1",
            "RingWellFormed",
        ),
        Fault(
            "M2",
            "an entry's monitor excludes no thread",
            WithoutEntryMonitor,
            TWO_ADDERS,
            "at_most_one_list",
            "P1",
            "M2",
            "AtMostOneList",
        ),
        Fault(
            "M2_masked",
            "the same as SystemTimer calls it",
            WithoutEntryMonitor,
            TWO_ADDERS,
            decision="M2",
            unreached="equivalent where one thread adds an entry and only a flush moves it; the proof lets any thread add any entry, and has the trace of M2",
        ),
        Fault(
            "M3",
            "add links an entry that is linked",
            WithoutNullTest,
            TWO_ADDERS,
            "at_most_one_list",
            "P1",
            "M3",
            "RingWellFormed",
        ),
        Fault(
            "M3_stale_list",
            "the same, seen from the ring that was left",
            WithoutNullTest,
            TWO_ADDERS,
            "exactly_its_list",
            "P2",
            "M3",
            "ExactlyItsList",
        ),
        Fault(
            "M4",
            "add removes the entry inside the list's monitor",
            RemoveInsideLock,
            rings({"l1": "e1", "l2": ""}, ONE, f="flushes", a="adds"),
            "somebody_moves",
            "P12.OneReaper",
            "M4",
            "NoDeadlock",
        ),
        Fault(
            "M5",
            "remove tries once",
            SingleAttempt,
            TWO_ADDERS,
            decision="M5",
            unreached="equivalent for every property here, and each is proved of it too: remove may miss an entry that another thread moves in any case",
        ),
        Fault(
            "M8",
            "a cancelled entry is put into another bucket",
            WithoutCancelledTest,
            rings({"l1": "e1", "l2": ""}, ONE, f="flushes", c="cancels"),
            "cancel_wins",
            "P5",
            "M8",
            "CancelWins",
        ),
        Fault(
            "M9",
            "a cancelled entry is handed over",
            WithoutSubmitTest,
            rings({"l1": "e1"}, ONE, f="expires", c="cancels"),
            "cancel_wins",
            "P5",
            "M9",
            "CancelWins",
        ),
        Fault(
            "M19",
            "an unlink that finds the entry gone is counted",
            CountsEveryAttempt,
            rings({"l1": "e1", "l2": ""}, ONE, f="flushes", c="cancels"),
            "counter_exact",
            "P4",
            "M19",
            "CounterExact",
        ),
        Fault(
            "M19_underflow",
            "the same takes the counter below zero",
            CountsEveryAttempt,
            rings({"l1": "e1"}, ONE, r="removes", c="cancels"),
            "counter_exact",
            "P4",
            "M19",
            "TypeOK",
        ),
        Fault(
            "FlushWithoutMonitor",
            "two threads flush one list",
            FlushWithoutMonitor,
            rings({"l1": "e1"}, ONE, f="expires", g="expires"),
            "flush_unlinks_its_head",
            "P3",
            "FlushWithoutMonitor",
            "RunsOncePerAdd",
        ),
        Fault(
            "UnguardedTask",
            "a task's monitor excludes no thread",
            WithoutTaskMonitor,
            rings({"l1": ""}, ONE, "t1", s="schedules", c="cancels"),
            "cancel_wins",
            "P5",
            "UnguardedTask",
            "CancelWins",
        ),
        Fault(
            "opposite_flushes",
            "two threads flush in opposite directions",
            SeveralReapers,
            rings({"l1": "e1", "l2": "e2"}, TWO, f="flushes", g="flushes"),
            "somebody_moves",
            "P12.OneReaper",
            property="NoDeadlock",
        ),
    )
}

BEGUN = {
    "adds": "add",
    "removes": "remove",
    "cancels": "cancel",
    "schedules": "schedule",
    "flushes": "flush",
    "expires": "expire",
}
"""A beginning action's operation in a scenario's program."""


def scenario(fault: Fault, trace: list[Taken]) -> dict[str, Any]:
    """The scenario whose program the trace is a run of."""
    of = fault.scope
    programs: dict[str, list] = {thread: [] for thread in of.elements["Thread"]}
    for taken in trace:
        if taken.action in BEGUN:
            thread, *arguments = taken.arguments
            programs[thread].append([BEGUN[taken.action], *arguments])
    return {
        "lists": list(of.elements["TaskList"]),
        "task_of": dict(of.task_of),
        "ring": {name: list(members) for name, members in of.ring.items()},
        "current": list(of.current),
        "threads": programs,
    }


def view_of(fault: Fault, trace: list[Taken]) -> View:
    """The mutated model of that scenario, seen as the mutated system."""
    model = mutated.model("timer_task_list", scenario(fault, trace), fault.decision)
    return View(model, fault.system, fault.scope.rigid["reaper"])
