"""The requests of one change of states, collected by broker and sent together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from impl.broker.partition import TopicPartition
from impl.cluster.context import Context
from impl.cluster.messages import (
    Channels,
    LeaderAndIsrRequest,
    Led,
    Sender,
    StopReplicaRequest,
    UpdateMetadataRequest,
)
from impl.cluster.nodes import DELETED, PartitionState


class Batch:
    """Collects requests, and sends them in Kafka's order: leaders, metadata, stopped replicas."""

    def __init__(self, me: int, context: Context, channels: Channels) -> None:
        self.me, self.context, self.channels = me, context, channels
        self.led: defaultdict[int, dict[TopicPartition, Led]] = defaultdict(dict)
        self.stopped: defaultdict[int, dict[TopicPartition, bool]] = defaultdict(dict)
        self.informed: set[int] = set()
        self.metadata: dict[TopicPartition, PartitionState] = {}

    def lead(
        self, brokers: Iterable[int], partition: TopicPartition, state: PartitionState, new: bool
    ) -> None:
        """Have brokers lead or follow, and all brokers learn of it.

        ``new``: the partition, or this replica of it, is a new one.
        """
        replicas = self.context.replicas_in(partition)
        for broker in brokers:
            self.led[broker][partition] = Led(state, replicas, new)
        self.inform(self.context.registered, [partition])

    def inform(self, brokers: Iterable[int], partitions: Iterable[TopicPartition]) -> None:
        """Have brokers know which brokers live, and the states of partitions."""
        self.informed.update(brokers)
        for partition in partitions:
            state = self.context.leadership.get(partition)
            if state is not None:
                if self.context.being_deleted(partition):
                    state = state._replace(partition=state.partition._replace(leader=DELETED))
                self.metadata[partition] = state

    def stop(self, broker: int, partition: TopicPartition, delete: bool) -> None:
        """Have a broker stop a replica, or delete it."""
        self.stopped[broker][partition] = delete

    def send(self) -> None:
        """Queue everything for the brokers that are registered."""
        registered = self.context.registered
        for broker in sorted(self.led.keys() & registered.keys()):
            led = dict(sorted(self.led[broker].items()))
            self.channels.send(broker, LeaderAndIsrRequest(self.sender(broker), led))
        for broker in sorted(self.informed & registered.keys()):
            states, live = dict(sorted(self.metadata.items())), self.context.endpoints()
            self.channels.send(broker, UpdateMetadataRequest(self.sender(broker), states, live))
        for broker in sorted(self.stopped.keys() & registered.keys()):
            stopped = dict(sorted(self.stopped[broker].items()))
            self.channels.send(broker, StopReplicaRequest(self.sender(broker), stopped))

    def sender(self, broker: int) -> Sender:
        return Sender(self.me, self.context.epoch.value, self.context.registered[broker].epoch)
