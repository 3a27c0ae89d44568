"""TimerTaskList's faults, by the names of ``spec/TimerTaskList.toml``, with their scopes.

A trace ends where a property of the proof breaks, which may be earlier than the spec's property.
The mutated model takes the trace, and goes on to where that fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proofs.timer_task_list.mutants import (
    CountsEveryAttempt,
    FlushWithoutMonitor,
    RemoveInsideLock,
    SeveralReapers,
    SingleAttempt,
    WithoutCancelledTest,
    WithoutEntryMonitor,
    WithoutNullTest,
    WithoutOwnershipTest,
    WithoutSubmitTest,
    WithoutTaskMonitor,
)
from proofs.timer_task_list.system import TimerTaskList
from proofs.timer_task_list.view import View
from wheelproof.prove import variants
from wheelproof.prove.ts.faults import Fault, Scope
from wheelproof.prove.ts.search import Roles, Taken


@dataclass(frozen=True)
class Rings(Scope):
    """A scope with its rings: list -> entries, head first; ``current``: the tasks' own entries."""

    ring: Mapping[str, Sequence[str]] = field(default_factory=dict)
    task_of: Mapping[str, str] = field(default_factory=dict)
    current: Sequence[str] = ()


def rings(
    ring: Mapping[str, str], task_of: Mapping[str, str], unset: str = "", **begins: str
) -> Rings:
    """A scope: list -> its entries, entry -> task, thread -> the operations that it may begin once.

    The first thread is the reaper.

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
            unreached=(
                "equivalent where one thread adds an entry and only a flush moves it; "
                "the proof lets any thread add any entry, and has the trace of M2"
            ),
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
            "some_thread_moves",
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
            unreached=(
                "equivalent for every property here, and each is proved of it too: "
                "remove may miss an entry that another thread moves in any case"
            ),
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
            "some_thread_moves",
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
    scope = fault.scope
    assert isinstance(scope, Rings)
    programs: dict[Any, list[list[Any]]] = {thread: [] for thread in scope.elements["Thread"]}
    for step in trace:
        if step.action in BEGUN:
            thread, *arguments = step.arguments
            programs[thread].append([BEGUN[step.action], *arguments])
    return {
        "lists": list(scope.elements["TaskList"]),
        "task_of": dict(scope.task_of),
        "ring": {name: list(members) for name, members in scope.ring.items()},
        "current": list(scope.current),
        "threads": programs,
    }


def view_of(fault: Fault, trace: list[Taken]) -> View:
    """The mutated model of that scenario, seen as the mutated system."""
    assert issubclass(fault.system, TimerTaskList)
    model = variants.model("timer_task_list", scenario(fault, trace), fault.decision)
    return View(model, fault.system, fault.scope.rigid["reaper"])
