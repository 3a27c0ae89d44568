"""How a scenario of TimerTaskList runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from types import ModuleType
from typing import Any

from impl import timer_task_list
from impl.runtime import Atomic

SUBJECT = ("impl.timer_task_list",)
"""The modules whose steps are the mechanism's."""

NOT_RUN = {
    "impl.timer_task_list: TimerTaskEntry.__init__: timer_task is not None is true": (
        "entries are there before a scenario begins; system_timer's adders make theirs with their "
        "tasks"
    ),
}
"""Branches that no scenario runs, and why."""

UNREAD = {
    "executor.value": (
        "a counter of the harness, in which K2 stands for the executor; the specification counts "
        "in owed, which is history"
    ),
}
"""Slots that change and are not compared, and why."""


class Harness:
    """The objects of one scenario, and one method per operation of a thread program.

    ``names`` gives the roots by role; everything else is named by its path from them.
    """

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = timer_task_list) -> None:
        """``impl`` has the implementation's classes; a mutant puts its own in their place."""
        entry_count = sum(map(len, scenario["ring"].values()))
        self.counter = Atomic(entry_count)
        self.submitted = Atomic(0)
        self.lists = {name: impl.TimerTaskList(self.counter) for name in scenario["lists"]}
        self.tasks = {
            task: impl.TimerTask(1) for task in dict.fromkeys(scenario["task_of"].values())
        }
        self.entries = {name: impl.TimerTaskEntry(None, 1) for name in scenario["task_of"]}
        for name, task in scenario["task_of"].items():
            self.entries[name].timer_task = self.tasks[task]
        for name in scenario["current"]:
            self.entries[name].timer_task.timer_task_entry = self.entries[name]
        for name, ring in scenario["ring"].items():
            bucket = self.lists[name]
            nodes = [bucket.root, *(self.entries[entry] for entry in ring), bucket.root]
            for before, after in pairwise(nodes):
                before.next, after.prev = after, before
            for entry in nodes[1:-1]:
                entry.list = bucket
        self.names = {
            **self.lists,
            **self.tasks,
            **self.entries,
            "counter": self.counter,
            "executor": self.submitted,
        }

    # -- the operations

    def add(self, bucket: str, entry: str) -> None:
        self.lists[bucket].add(self.entries[entry])

    def remove(self, entry: str) -> None:
        self.entries[entry].remove()

    def cancel(self, task: str) -> None:
        self.tasks[task].cancel()

    def schedule(self, bucket: str, entry: str) -> None:
        """The steps of SystemTimer.add: the entry's constructor, then addTimerTaskEntry."""
        link = self.entries[entry]
        link.timer_task.set_timer_task_entry(link)
        self.requeue(link, self.lists[bucket])

    def flush(self, bucket: str, destination: str) -> None:
        target = self.lists[destination]
        self.lists[bucket].flush(lambda entry: self.requeue(entry, target))

    def expire(self, bucket: str) -> None:
        self.lists[bucket].flush(self.submit)

    # -- SystemTimer.addTimerTaskEntry, its two halves

    def requeue(
        self, entry: timer_task_list.TimerTaskEntry, bucket: timer_task_list.TimerTaskList
    ) -> None:
        """Into another bucket, unless cancelled."""
        if not entry.cancelled():
            bucket.add(entry)

    def submit(self, entry: timer_task_list.TimerTaskEntry) -> None:
        """To the executor, unless cancelled."""
        if not entry.cancelled():
            self.submitted.add_and_get(1)  # update K2


def held(monitor: Any) -> tuple[str | None, int]:
    """Owner and depth of a controlled monitor. A production monitor is read at rest only."""
    owner = getattr(monitor, "owner", None)
    return (owner and owner.name, getattr(monitor, "depth", 0))


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, in the model's own form."""
    role: dict[Any, str | None] = {None: None}
    for name, bucket in harness.lists.items():
        role[bucket] = role[bucket.root] = name
    for name, link in harness.entries.items():
        role[link] = name
    buckets, links, tasks = harness.lists.values(), harness.entries.values(), harness.tasks.values()
    nodes = [*(bucket.root for bucket in buckets), *links]

    return {
        "next": tuple(role[node.next] for node in nodes),
        "prev": tuple(role[node.prev] for node in nodes),
        "list": tuple(role[link.list] for link in links),
        "listMonitor": tuple(held(bucket.monitor) for bucket in buckets),
        "entryMonitor": tuple(held(link.monitor) for link in links),
        "taskMonitor": tuple(held(task.monitor) for task in tasks),
        "timerTaskEntry": tuple(role[task.timer_task_entry] for task in tasks),
        "taskCounter": (harness.counter.get(),),
    }
