"""Reassignment of partitions: new replicas come in, catch up, and the old ones go.

Kafka: ``onPartitionReassignment``, since 2.4. The topic's node has the replicas that come and those
that go, so a later controller goes on.
"""

from __future__ import annotations

from collections.abc import Iterable

from impl.broker.partition import TopicPartition
from impl.cluster.context import Replica
from impl.cluster.deletion import Deletion
from impl.cluster.desk import Desk
from impl.cluster.events import MovingIsrChanged
from impl.cluster.nodes import REASSIGNMENT, Assignment, moves_of, moves_text, state_path
from impl.cluster.replica_machine import moved
from impl.cluster.requests import Duty, Giving
from impl.cluster.states import PartitionStateName, ReplicaState
from impl.cluster_state import LeaderAndIsr
from impl.partition_leader import reassign_partition_leader_election


class Reassignment:
    """Moves partitions to other replicas."""

    def __init__(self, desk: Desk, deletion: Deletion) -> None:
        self.desk, self.context, self.deletion = desk, desk.context, deletion

    def moving(self) -> list[TopicPartition]:
        """The partitions that move, sorted."""
        return sorted(each for each, found in self.context.assignments.items() if found.moving)

    def resume_all(self) -> Duty:
        """At the failover: go on with those under way, and begin those that are wanted."""
        yield from self.resume(self.moving())
        yield from self.wanted()

    def resume_on(self, brokers: Iterable[int]) -> Duty:
        """New replicas may be on brokers that have come."""
        come = set(brokers)
        yield from self.resume(
            each for each in self.moving() if come & set(self.context.assignments[each].target)
        )

    def resume(self, partitions: Iterable[TopicPartition]) -> Duty:
        for partition in partitions:
            self.watch(partition)
            yield from self.go_on(partition)

    def watch(self, partition: TopicPartition) -> None:
        """The ISR of a partition that moves is watched: it says how far the move is."""
        self.desk.watches.nodes[state_path(partition)] = MovingIsrChanged(partition)

    def unwatch(self, partition: TopicPartition) -> None:
        self.desk.watches.nodes.pop(state_path(partition), None)

    def wanted(self) -> Duty:
        """Begin what ``/admin/reassign_partitions`` has. What cannot be is taken off it."""
        reply = yield from self.desk.store.node(REASSIGNMENT)
        if not reply.ok:
            return
        for partition, target in sorted(moves_of(reply.data).items()):
            if self.possible(partition, target):
                yield from self.begin(partition, target)
        yield from self.take_off()

    def possible(self, partition: TopicPartition, target: tuple[int, ...]) -> bool:
        """Whether there is such a partition, and its new replicas are distinct and live."""
        assignment = self.context.assignments.get(partition)
        if assignment is None or self.context.being_deleted(partition):
            return False
        new = set(target) - set(assignment.replicas)
        return 0 < len(set(target)) == len(target) and new <= self.context.live

    def begin(self, partition: TopicPartition, target: tuple[int, ...]) -> Duty:
        """Write that the partition moves, and go on. A move under way gets another target.

        It is refused if that would leave the partition without a leader.
        """
        old = self.context.assignments[partition]
        new = old.moved_to(target)
        if new != old:
            dropped = [replica for replica in old.replicas if replica not in new.replicas]
            if self.context.leads(partition) in dropped and not self.can_lead(partition, new):
                return
            self.context.assignments[partition] = new
            yield from self.desk.store.assign(partition.topic)
            if self.context.leads(partition) in dropped:
                yield from self.desk.partitions.change(
                    [partition], PartitionStateName.ONLINE, "reassign"
                )
            yield from self.remove(partition, dropped)
        if new.moving:
            yield from self.resume([partition])
            yield from self.desk.partitions.elect_where_none()
        else:
            self.unwatch(partition)

    def can_lead(self, partition: TopicPartition, assignment: Assignment) -> bool:
        """Whether a replica that a partition moves to may lead it, as far as is known."""
        state = self.context.leadership.get(partition)
        isr = () if state is None else state.partition.isr
        return bool(reassign_partition_leader_election(assignment.target, isr, self.context.live))

    def go_on(self, partition: TopicPartition) -> Duty:
        """Have the new replicas follow; when they are all in sync, end the move."""
        self.context.ineligible |= {partition.topic} & self.context.deleting
        if (yield from self.reached(partition)):
            yield from self.end(partition)
            return
        yield from self.raise_epoch(partition)
        adding = self.context.assignments[partition].adding
        replicas = [Replica(partition, each) for each in adding]
        unborn = [
            replica
            for replica in replicas
            if self.context.replica_state(replica) is ReplicaState.NON_EXISTENT
        ]
        yield from self.desk.replicas.change(unborn, ReplicaState.NEW)

    def reached(self, partition: TopicPartition) -> Giving[bool]:
        """Whether all replicas that a partition moves to are in sync, and one of them may lead."""
        state = yield from self.desk.store.state(partition)
        if state is None:
            return False
        self.context.leadership[partition] = state
        assignment = self.context.assignments[partition]
        in_sync = set(assignment.target) <= set(state.partition.isr)
        return in_sync and self.can_lead(partition, assignment)

    def raise_epoch(self, partition: TopicPartition) -> Duty:
        """Begin a new leader epoch, so that the leader takes the changed replicas."""

        def change(seen: LeaderAndIsr) -> LeaderAndIsr:
            return seen.led_by(seen.leader, seen.isr, unclean=False)

        written = yield from self.desk.store.update(partition, change)
        if written:
            batch = self.desk.batch()
            state = self.context.leadership[partition]
            batch.lead(self.context.replicas_in(partition), partition, state, new=False)
            batch.send()

    def end(self, partition: TopicPartition) -> Duty:
        """The new replicas are in sync: one of them leads, and the old ones are deleted."""
        desk, moving = self.desk, self.context.assignments[partition]
        comes = [
            Replica(partition, each)
            for each in moving.adding
            if self.context.replica_state(Replica(partition, each)) is not ReplicaState.OFFLINE
        ]
        yield from desk.replicas.change(comes, ReplicaState.ONLINE)
        self.context.assignments[partition] = Assignment(moving.target)
        leader = self.context.leads(partition)
        if leader in moving.target and leader in self.context.live:
            yield from self.raise_epoch(partition)
        else:
            yield from desk.partitions.change([partition], PartitionStateName.ONLINE, "reassign")
        yield from self.remove(partition, moving.removing)
        yield from desk.store.assign(partition.topic)
        self.unwatch(partition)
        yield from self.take_off()
        desk.inform(self.context.registered, [partition])
        yield from self.deletion.allow([partition.topic])

    def remove(self, partition: TopicPartition, brokers: Iterable[int]) -> Duty:
        """Delete replicas that are not wanted any more. Their brokers' responses do not count."""
        yield from moved(
            self.desk.replicas,
            [Replica(partition, broker) for broker in brokers],
            ReplicaState.OFFLINE,
            ReplicaState.DELETION_STARTED,
            ReplicaState.DELETION_SUCCESSFUL,
            ReplicaState.NON_EXISTENT,
        )

    def take_off(self) -> Duty:
        """Leave the partitions that move, and no other, in ``/admin/reassign_partitions``."""
        done = False
        while not done:
            reply = yield from self.desk.store.node(REASSIGNMENT)
            if not reply.ok:
                return
            moves, moving = moves_of(reply.data), set(self.moving())
            left = {each: target for each, target in moves.items() if each in moving}
            if left == moves:
                return
            text = moves_text(left) if left else ""
            done = yield from self.desk.store.replace(REASSIGNMENT, text, reply.version)

    def isr_changed(self, partition: TopicPartition) -> Duty:
        """The state of a partition that moves has changed."""
        assignment = self.context.assignments.get(partition)
        if assignment is not None and assignment.moving and (yield from self.reached(partition)):
            yield from self.end(partition)
