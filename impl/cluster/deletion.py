"""Deletion of topics. Kafka: ``TopicDeletionManager``.

A topic goes when all of its replicas are deleted. Until then it waits in ``/admin/delete_topics``,
and a later controller goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from impl.broker.partition import TopicPartition
from impl.cluster.context import Replica
from impl.cluster.desk import Desk
from impl.cluster.messages import Error
from impl.cluster.nodes import DELETIONS, partition_paths, topic_path
from impl.cluster.replica_machine import moved
from impl.cluster.requests import Duty
from impl.cluster.states import PartitionStateName, ReplicaState

FINISHED = (ReplicaState.DELETION_STARTED, ReplicaState.DELETION_SUCCESSFUL)


class Deletion:
    """Has replicas deleted, and then their topic."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.context = desk, desk.context

    def read(self) -> Duty:
        """At the failover: the topics to be deleted. Those with a dead replica have to wait."""
        wanted = yield from self.desk.store.children(DELETIONS)
        self.context.deleting |= set(wanted)
        for topic in self.context.deleting:
            replicas = self.context.replicas_of(self.context.of_topic(topic))
            if self.moving(topic) or any(
                replica.broker not in self.context.live for replica in replicas
            ):
                self.context.ineligible.add(topic)

    def wanted(self) -> Duty:
        """Topics are to be deleted. Unknown ones are taken off the list."""
        names = yield from self.desk.store.children(DELETIONS)
        unknown = [name for name in names if name not in self.context.topics]
        yield from self.desk.store.delete(f"{DELETIONS}/{each}" for each in unknown)
        new = set(names) & self.context.topics - self.context.deleting
        self.context.deleting |= new
        self.context.ineligible |= {topic for topic in new if self.moving(topic)}
        if new:
            yield from self.resume()

    def moving(self, topic: str) -> bool:
        """Whether a partition of a topic moves: then the topic is deleted later."""
        return any(
            self.context.assignments[partition].moving for partition in self.context.of_topic(topic)
        )

    def allow(self, topics: Iterable[str]) -> Duty:
        """What topics had to wait for has come: a broker, or the end of a reassignment."""
        allowed = {topic for topic in topics if not self.moving(topic)} & self.context.deleting
        if allowed:
            self.context.ineligible -= allowed
            yield from self.resume()

    def fail(self, replicas: Iterable[Replica]) -> Duty:
        """Replicas of these topics cannot be deleted now. Deleted ones stay deleted."""
        failed = [replica for replica in replicas if self.may_fail(replica)]
        if failed:
            self.context.ineligible |= {each.partition.topic for each in failed}
            yield from self.desk.replicas.change(failed, ReplicaState.INELIGIBLE)
            yield from self.resume()

    def may_fail(self, replica: Replica) -> bool:
        state = self.context.replica_state(replica)
        return state in (ReplicaState.OFFLINE, ReplicaState.DELETION_STARTED)

    def responded(self, broker: int, results: Mapping[TopicPartition, Error]) -> Duty:
        """A broker has deleted its replicas, or failed to."""
        replicas = [
            (Replica(each, broker), error)
            for each, error in results.items()
            if self.context.being_deleted(each)
            and self.context.replica_state(Replica(each, broker)) is ReplicaState.DELETION_STARTED
        ]
        yield from self.fail(each for each, error in replicas if error is not Error.NONE)
        done = [each for each, error in replicas if error is Error.NONE]
        if done:
            yield from self.desk.replicas.change(done, ReplicaState.DELETION_SUCCESSFUL)
            yield from self.resume()

    def resume(self) -> Duty:
        """Finish the topics whose replicas are all deleted, and begin those that need not wait."""
        for topic in sorted(self.context.deleting):
            replicas = self.context.replicas_of(self.context.of_topic(topic))
            states = {self.context.replica_state(replica) for replica in replicas}
            if states <= {ReplicaState.DELETION_SUCCESSFUL}:
                yield from self.finish(topic)
            elif (
                ReplicaState.DELETION_STARTED not in states and topic not in self.context.ineligible
            ):
                yield from self.begin(topic)

    def begin(self, topic: str) -> Duty:
        """Stop the partitions of a topic, and have the replicas on live brokers deleted."""
        desk, partitions = self.desk, self.context.of_topic(topic)
        existing = [
            partition
            for partition in partitions
            if self.context.state(partition) is not PartitionStateName.NON_EXISTENT
        ]
        yield from desk.partitions.change(existing, PartitionStateName.OFFLINE)
        yield from desk.partitions.change(existing, PartitionStateName.NON_EXISTENT)
        desk.inform(self.context.registered, partitions)
        replicas = self.context.replicas_of(partitions)
        waiting = [
            replica for replica in replicas if self.context.replica_state(replica) not in FINISHED
        ]
        there = [each for each in waiting if each.broker in self.context.live]
        absent = [each for each in waiting if each.broker not in self.context.live]
        yield from moved(desk.replicas, there, ReplicaState.OFFLINE, ReplicaState.DELETION_STARTED)
        if absent:
            self.context.ineligible.add(topic)
            yield from moved(desk.replicas, absent, ReplicaState.OFFLINE, ReplicaState.INELIGIBLE)

    def finish(self, topic: str) -> Duty:
        """All replicas are deleted: delete the nodes of the topic, and forget it."""
        desk, partitions = self.desk, self.context.of_topic(topic)
        desk.watches.nodes.pop(topic_path(topic), None)
        replicas = self.context.in_state(topic, ReplicaState.DELETION_SUCCESSFUL)
        yield from desk.replicas.change(replicas, ReplicaState.NON_EXISTENT)
        paths = [
            path for partition in partitions for path in reversed(partition_paths(partition)[1:])
        ]
        above = [f"{topic_path(topic)}/partitions", topic_path(topic), f"{DELETIONS}/{topic}"]
        yield from desk.store.delete((*paths, *above))
        self.context.forget(topic)
