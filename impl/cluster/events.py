"""What a broker's controller has to handle: its events, what brings them, and their queue.

One thread reads and writes this. Queues for several threads are ``impl/controller_events.py`` and
``impl/event_queue.py``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from impl.broker.partition import TopicPartition
from impl.cluster.messages import Error
from impl.controller import CONTROLLER

ShutdownAnswer: TypeAlias = "Callable[[Error, tuple[TopicPartition, ...]], None]"


class ElectionEvent(NamedTuple):
    """An event of the election: register, reelect, change, expire or move."""

    kind: str


class BrokersChanged(NamedTuple):
    """A broker has come, or gone, or has come again."""


class BrokerModified(NamedTuple):
    """A broker listens somewhere else."""

    broker: int


class TopicsChanged(NamedTuple):
    """A topic has come, or gone."""


class PartitionsModified(NamedTuple):
    """A topic may have new partitions."""

    topic: str


class DeletionWanted(NamedTuple):
    """A topic is to be deleted."""


class IsrsChanged(NamedTuple):
    """Leaders have changed their ISRs."""


class ReassignmentWanted(NamedTuple):
    """Partitions are to move."""


class MovingIsrChanged(NamedTuple):
    """The state of a partition that moves has changed."""

    partition: TopicPartition


class PreferredWanted(NamedTuple):
    """Partitions are to be led by their preferred replicas."""


class RebalanceDue(NamedTuple):
    """It is time to look how many partitions their preferred replicas lead."""


class ReplicasDeleted(NamedTuple):
    """A broker has responded to the request to delete its replicas."""

    broker: int
    partitions: Mapping[TopicPartition, Error]


class ShutdownWanted(NamedTuple):
    """A broker wants to stop. ``answer`` gets an error, and the partitions that it still leads."""

    broker: int
    epoch: int
    answer: ShutdownAnswer


Event: TypeAlias = (
    "ElectionEvent | BrokersChanged | BrokerModified | TopicsChanged | PartitionsModified"
    " | DeletionWanted | IsrsChanged | ReassignmentWanted | MovingIsrChanged | PreferredWanted"
    " | RebalanceDue | ReplicasDeleted | ShutdownWanted"
)

REGISTER, REELECT, CHANGE = map(ElectionEvent, ("register", "reelect", "change"))
EXPIRE, MOVE = map(ElectionEvent, ("expire", "move"))


class Watches:
    """Which changes in ZooKeeper are events. Kafka: the handlers of ``ZooKeeperClient``.

    A read of a path that is here sets a watch. So it has to be here before the first read.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, Event] = {}
        self.children: dict[str, Event] = {}

    def event(self, path: str, change: str) -> Event | None:
        """What a change of a node, or of its children, means."""
        if path == CONTROLLER:
            return REELECT if change == "deleted" else CHANGE
        if change == "children":
            return self.children.get(path.rstrip("/"))
        return self.nodes.get(path)

    def clear(self) -> None:
        self.nodes.clear()
        self.children.clear()


class Inbox:
    """The events of one broker, first in, first out. ``watched`` is what its session calls."""

    def __init__(self, watches: Watches) -> None:
        self.watches = watches
        self.waiting: deque[Event] = deque()

    def watched(self, path: str, change: str) -> None:
        event = self.watches.event(path, change)
        if event is not None:
            self.put(event)

    def put(self, event: Event) -> None:
        self.waiting.append(event)

    def take(self) -> Event | None:
        return self.waiting.popleft() if self.waiting else None

    def clear_and_put(self, event: Event) -> None:
        """Preempt all that wait: those who wait for an answer get one. Then put the event."""
        preempted = tuple(self.waiting)
        self.waiting.clear()
        for each in preempted:
            preempt(each)
        self.put(event)


def preempt(event: Event) -> None:
    """An event is not handled here."""
    if isinstance(event, ShutdownWanted):
        event.answer(Error.NOT_CONTROLLER, ())
