"""The state machine of partitions, which elects their leaders. Kafka: ``ZkPartitionStateMachine``.

The elections are those of ``impl/partition_leader.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from impl.broker.partition import TopicPartition
from impl.cluster.batch import Batch
from impl.cluster.context import Context
from impl.cluster.requests import Duty
from impl.cluster.states import PARTITIONS, NotRunning, PartitionStateName, check
from impl.cluster.store import Store
from impl.cluster_state import LeaderAndIsr
from impl.partition_leader import (
    Elected,
    controlled_shutdown_partition_leader_election,
    offline_partition_leader_election,
    preferred_replica_partition_leader_election,
    reassign_partition_leader_election,
)


class PartitionMachine:
    """Moves partitions from state to state. ``unclean``: a replica that is not in sync may lead."""

    def __init__(
        self, context: Context, store: Store, batch: Callable[[], Batch], unclean: bool
    ) -> None:
        self.context, self.store, self.batch, self.unclean = context, store, batch, unclean
        self.running = False

    def start(self) -> Duty:
        """Give each partition its state by its leader, and elect where there is none."""
        self.running = True
        for partition in sorted(self.context.assignments):
            self.context.partitions[partition] = self.found(partition)
        yield from self.elect_where_none()

    def found(self, partition: TopicPartition) -> PartitionStateName:
        """The state of a partition at the start."""
        if partition not in self.context.leadership:
            return PartitionStateName.NEW
        lives = self.context.leads(partition) in self.context.live
        return PartitionStateName.ONLINE if lives else PartitionStateName.OFFLINE

    def stop(self) -> None:
        self.running = False
        self.context.partitions.clear()

    def elect_where_none(self) -> Duty:
        """Elect leaders of the new partitions, and of those whose leaders are dead."""
        yield from self.change(self.context.to_elect(), PartitionStateName.ONLINE)

    def change(
        self,
        partitions: Iterable[TopicPartition],
        to: PartitionStateName,
        election: str = "offline",
    ) -> Duty:
        """Move partitions to a state. One that is to be online stays as it is if no replica may
        lead. Nothing is done if one of them may not go there.

        Raises IllegalTransition; NotRunning.
        """
        every = list(partitions)
        if not self.running:
            raise NotRunning(f"partitions were to become {to.value} without their state machine")
        for partition in every:
            check(f"partition {partition}", PARTITIONS, self.context.state(partition), to)
        batch = self.batch()
        for partition in every:
            if to is PartitionStateName.NON_EXISTENT:
                self.context.partitions.pop(partition, None)
            elif to is not PartitionStateName.ONLINE:
                self.context.partitions[partition] = to
            elif self.context.state(partition) is PartitionStateName.NEW:
                yield from self.begin(partition, batch)
            else:
                yield from self.elect(partition, election, batch)
        batch.send()

    def begin(self, partition: TopicPartition, batch: Batch) -> Duty:
        """The first leader of a partition: its first live replica. All live ones are in sync."""
        live = [each for each in self.context.replicas_in(partition) if each in self.context.live]
        if not live:
            return
        created = yield from self.store.create(partition, LeaderAndIsr(live[0], tuple(live)))
        if created:
            self.context.partitions[partition] = PartitionStateName.ONLINE
            batch.lead(live, partition, self.context.leadership[partition], new=True)
        else:
            yield from self.elect(partition, "offline", batch)

    def elect(self, partition: TopicPartition, election: str, batch: Batch) -> Duty:
        """Elect a leader by an election: offline, reassign, preferred or shutdown."""

        def change(seen: LeaderAndIsr) -> LeaderAndIsr | None:
            elected = self.choose(partition, election, seen.isr)
            return None if elected is None else seen.led_by(*elected)

        accepted = yield from self.store.update(partition, change)
        if accepted:
            self.context.partitions[partition] = PartitionStateName.ONLINE
            state = self.context.leadership[partition]
            batch.lead(self.recipients(partition, election), partition, state, new=False)

    def choose(
        self, partition: TopicPartition, election: str, isr: tuple[int, ...]
    ) -> Elected | None:
        """What an election gives. Raises ValueError if there is no such election."""
        assignment, live = self.context.assignments[partition], self.context.live
        if election == "offline":
            return offline_partition_leader_election(assignment.replicas, isr, live, self.unclean)
        if election == "reassign":
            return reassign_partition_leader_election(assignment.target, isr, live)
        if election == "preferred":
            return preferred_replica_partition_leader_election(assignment.replicas, isr, live)
        if election == "shutdown":
            return controlled_shutdown_partition_leader_election(
                assignment.replicas,
                isr,
                frozenset(self.context.registered),
                self.context.shutting_down,
            )
        raise ValueError(f"no such election: {election!r}")

    def recipients(self, partition: TopicPartition, election: str) -> list[int]:
        """The brokers that hear of an election themselves: the others get metadata alone."""
        assignment = self.context.assignments[partition]
        replicas = assignment.target if election == "reassign" else assignment.replicas
        known = self.context.live if election == "offline" else frozenset(self.context.registered)
        return [replica for replica in replicas if replica in known]
