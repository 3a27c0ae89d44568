"""What a controller keeps in memory of its cluster. Kafka: ``ControllerContext``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from impl.broker.partition import TopicPartition
from impl.cluster.nodes import NO_LEADER, Assignment, PartitionState
from impl.cluster.states import PartitionStateName, ReplicaState
from impl.controller import Epoch


class Replica(NamedTuple):
    """A replica of a partition, on a broker."""

    partition: TopicPartition
    broker: int

    def __str__(self) -> str:
        return f"replica {self.broker} of {self.partition}"


class Broker(NamedTuple):
    """A broker that is registered: the transaction that registered it, and where it listens."""

    epoch: int
    endpoint: str


class Context:
    """The controller's memory. It is read from ZooKeeper at the failover, and then kept.

    ``registered``: broker -> its registration. ``shutting_down``: those that are about to stop.
    ``deleting``: topics to be deleted; ``ineligible``: those of them that have to wait.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.epoch = Epoch()
        self.registered: dict[int, Broker] = {}
        self.shutting_down: set[int] = set()
        self.topics: set[str] = set()
        self.assignments: dict[TopicPartition, Assignment] = {}
        self.leadership: dict[TopicPartition, PartitionState] = {}
        self.partitions: dict[TopicPartition, PartitionStateName] = {}
        self.replicas: dict[Replica, ReplicaState] = {}
        self.deleting: set[str] = set()
        self.ineligible: set[str] = set()

    # -- brokers

    @property
    def live(self) -> frozenset[int]:
        """The brokers that live and are not about to stop."""
        return frozenset(self.registered) - self.shutting_down

    def endpoints(self) -> dict[int, str]:
        return {broker: found.endpoint for broker, found in sorted(self.registered.items())}

    # -- topics

    def of_topic(self, topic: str) -> list[TopicPartition]:
        """A topic's partitions, sorted."""
        return sorted(assignment for assignment in self.assignments if assignment.topic == topic)

    def replicas_of(self, partitions: Iterable[TopicPartition]) -> list[Replica]:
        """The replicas of partitions, those that come or go included."""
        return [
            Replica(partition, broker)
            for partition in partitions
            for broker in self.replicas_in(partition)
        ]

    def replicas_in(self, partition: TopicPartition) -> tuple[int, ...]:
        assignment = self.assignments.get(partition)
        return () if assignment is None else assignment.replicas

    def replicas_on(self, brokers: Iterable[int]) -> list[Replica]:
        """The replicas on some brokers, sorted."""
        wanted = set(brokers)
        every = self.replicas_of(sorted(self.assignments))
        return [replica for replica in every if replica.broker in wanted]

    def leads(self, partition: TopicPartition) -> int:
        """The leader of a partition, or NO_LEADER."""
        found = self.leadership.get(partition)
        return NO_LEADER if found is None else found.partition.leader

    def being_deleted(self, partition: TopicPartition) -> bool:
        return partition.topic in self.deleting

    def forget(self, topic: str) -> None:
        """A topic that is no more."""
        self.topics.discard(topic)
        self.deleting.discard(topic)
        self.ineligible.discard(topic)
        for partition in self.of_topic(topic):
            del self.assignments[partition]
            self.leadership.pop(partition, None)
            self.partitions.pop(partition, None)
        for replica in [replica for replica in self.replicas if replica.partition.topic == topic]:
            del self.replicas[replica]

    # -- states

    def state(self, partition: TopicPartition) -> PartitionStateName:
        return self.partitions.get(partition, PartitionStateName.NON_EXISTENT)

    def replica_state(self, replica: Replica) -> ReplicaState:
        return self.replicas.get(replica, ReplicaState.NON_EXISTENT)

    def in_state(self, topic: str, state: ReplicaState) -> list[Replica]:
        """The replicas of a topic in a state, sorted."""
        return sorted(
            each
            for each, now in self.replicas.items()
            if each.partition.topic == topic and now is state
        )

    def to_elect(self) -> list[TopicPartition]:
        """The partitions without a leader that are to have one, sorted."""
        waiting = (PartitionStateName.NEW, PartitionStateName.OFFLINE)
        return sorted(
            each
            for each, now in self.partitions.items()
            if now in waiting and not self.being_deleted(each)
        )
