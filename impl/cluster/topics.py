"""Topics and partitions that are new, changed or gone, and ISRs that their leaders have changed."""

from __future__ import annotations

from collections.abc import Iterable

from impl.broker.partition import TopicPartition
from impl.cluster.deletion import Deletion
from impl.cluster.desk import Desk
from impl.cluster.events import PartitionsModified
from impl.cluster.nodes import ISR_CHANGES, TOPICS, partitions_of, topic_path
from impl.cluster.requests import Duty
from impl.cluster.states import PartitionStateName, ReplicaState


class Topics:
    """Keeps the topics in memory as they are in ZooKeeper."""

    def __init__(self, desk: Desk, deletion: Deletion) -> None:
        self.desk, self.context, self.deletion = desk, desk.context, deletion

    def watch(self, topics: Iterable[str]) -> None:
        """Watch the nodes of topics for new partitions."""
        for topic in topics:
            self.desk.watches.nodes[topic_path(topic)] = PartitionsModified(topic)

    def changed(self) -> Duty:
        """Topics have come, or gone."""
        names = yield from self.desk.store.children(TOPICS)
        new = sorted(set(names) - self.context.topics)
        for topic in sorted(self.context.topics - set(names)):
            self.desk.watches.nodes.pop(topic_path(topic), None)
            self.context.forget(topic)
        self.context.topics |= set(new)
        self.watch(new)
        for topic in new:
            yield from self.take_in(topic)

    def modified(self, topic: str) -> Duty:
        """A topic may have new partitions. One that is to be deleted gets none."""
        if topic in self.context.topics:
            yield from self.take_in(topic)

    def take_in(self, topic: str) -> Duty:
        """Create the partitions of a topic that are not known yet."""
        every = yield from self.desk.store.assignments(topic)
        new = {each: every[each] for each in sorted(every) if each not in self.context.assignments}
        if topic in self.context.deleting:
            if new:
                yield from self.desk.store.assign_only(topic, self.context.of_topic(topic))
            return
        self.context.assignments |= new
        yield from self.create(list(new))

    def create(self, partitions: list[TopicPartition]) -> Duty:
        """New partitions: they, and their replicas, come to be, and then they are led.

        Kafka has a replica on a dead broker online until that broker comes and goes.
        """
        desk, replicas = self.desk, self.context.replicas_of(partitions)
        yield from desk.partitions.change(partitions, PartitionStateName.NEW)
        yield from desk.replicas.change(replicas, ReplicaState.NEW)
        yield from desk.partitions.change(partitions, PartitionStateName.ONLINE)
        there = [replica for replica in replicas if replica.broker in self.context.live]
        yield from desk.replicas.change(there, ReplicaState.ONLINE)
        absent = [replica for replica in replicas if replica.broker not in self.context.live]
        yield from desk.replicas.change(absent, ReplicaState.OFFLINE)

    # -- ISRs

    def clear_notifications(self) -> Duty:
        """At the failover: changed ISRs are read anyway."""
        names = yield from self.desk.store.children(ISR_CHANGES)
        yield from self.desk.store.delete(f"{ISR_CHANGES}/{name}" for name in names)

    def isrs_changed(self) -> Duty:
        """Leaders have changed their ISRs: read them, have all brokers know, delete the notices."""
        names = yield from self.desk.store.children(ISR_CHANGES)
        partitions: set[TopicPartition] = set()
        for name in names:
            reply = yield from self.desk.store.node(f"{ISR_CHANGES}/{name}")
            partitions |= set(partitions_of(reply.data)) if reply.ok else set()
        known = sorted(partitions & self.context.leadership.keys())
        for partition in known:
            state = yield from self.desk.store.state(partition)
            if state is not None:
                self.context.leadership[partition] = state
        if known:
            self.desk.inform(self.context.registered, known)
        yield from self.desk.store.delete(f"{ISR_CHANGES}/{name}" for name in names)
