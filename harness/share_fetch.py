"""How a scenario of ShareFetch runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

from harness.conditions import owner
from harness.outside import present
from impl import share_fetch

SUBJECT = ("impl.share_fetch",)
"""The modules whose steps are the mechanism's."""

ATOMIC: Mapping[str, tuple[str, ...]] = {"impl.watcher_queue": ()}
"""Modules whose operations are part of their caller's step, and the labels that stay steps."""

UNREAD = {
    f"WatcherQueue.{field}": "the fetches and their places are read; purgatory reads the neighbours"
    for field in ("before", "following")
}
"""Slots that change and are not compared, and why."""


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = share_fetch) -> None:
        self.partition = impl.SharePartition(
            tuple([impl.Batch(first, last) for first, last in scenario["batches"]])
        )
        steps = [step for program in scenario["threads"].values() for step in program]
        self.fetches = {
            name: impl.ShareFetch(self.partition)
            for name in sorted({step[1] for step in steps if step[0] == "fetch"})
        }
        self.names = {
            "partition": self.partition,
            **{f"fetch {name}": fetch for name, fetch in self.fetches.items()},
        }

    def fetch(self, name: str) -> None:
        self.fetches[name].enter()

    def expire(self, name: str) -> None:
        self.fetches[name].expire()

    def release(self, name: str) -> None:
        self.partition.release(self.fetches[name])

    def accept(self, name: str) -> None:
        self.partition.accept(self.fetches[name])

    def write(self) -> None:
        self.partition.end_write(False)

    def fail(self) -> None:
        self.partition.end_write(True)

    def time_out(self, name: str) -> None:
        self.partition.time_out(self.fetches[name])

    def append(self, first: int, last: int) -> None:
        self.partition.append(first, last)

    def trim(self, offset: int) -> None:
        self.partition.trim(offset)


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values."""
    partition, fetches = harness.partition, harness.fetches.values()

    def name_of(fetch: Any) -> str | None:
        return next((name for name, other in harness.fetches.items() if other is fetch), None)

    places = range(1, partition.watched.added + 1)
    waiting = partition.watched.operations
    return {
        "lock": (owner(partition.lock),),
        "cache": (
            tuple([batch._replace(owner=name_of(batch.owner)) for batch in partition.cache]),
        ),
        "start": (partition.start,),
        "fetching": (name_of(present(partition.fetching)),),
        "watched": (tuple([name_of(waiting.get(place)) for place in places]),),
        "writes": (tuple([name_of(fetch) for fetch in items(partition.writes)]),),
        "held": tuple(owner(fetch.lock) for fetch in fetches),
        "completed": tuple(fetch.completed for fetch in fetches),
        "result": tuple(fetch.result for fetch in fetches),
        "reply": tuple(fetch.reply for fetch in fetches),
        "expired": tuple(fetch.expired for fetch in fetches),
    }


def items(queue: Any) -> Any:
    """The items of a queue. One of the interpreter's own is read at rest alone: its items are taken
    out and put back.
    """
    if hasattr(queue, "items"):
        return queue.items
    content = [queue.get_nowait() for _ in range(queue.qsize())]
    for item in content:
        queue.put_nowait(item)
    return content
