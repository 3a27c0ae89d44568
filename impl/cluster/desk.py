"""What all duties of a controller share: its memory, its machines, and the way to the brokers."""

from __future__ import annotations

from collections.abc import Iterable

from impl.broker.partition import TopicPartition
from impl.cluster.batch import Batch
from impl.cluster.context import Context
from impl.cluster.events import Watches
from impl.cluster.messages import Channels
from impl.cluster.partition_machine import PartitionMachine
from impl.cluster.replica_machine import ReplicaMachine
from impl.cluster.settings import Settings
from impl.cluster.store import Store


class Desk:
    """``me``: the broker that the controller is."""

    def __init__(self, me: int, watches: Watches, settings: Settings) -> None:
        self.me, self.watches, self.settings = me, watches, settings
        self.context = Context()
        self.channels = Channels()
        self.store = Store(self.context, watches)
        self.replicas = ReplicaMachine(self.context, self.store, self.batch)
        self.partitions = PartitionMachine(self.context, self.store, self.batch, settings.unclean)

    def batch(self) -> Batch:
        return Batch(self.me, self.context, self.channels)

    def inform(self, brokers: Iterable[int], partitions: Iterable[TopicPartition] = ()) -> None:
        """Send brokers which brokers live, and the states of some partitions."""
        batch = self.batch()
        batch.inform(brokers, partitions)
        batch.send()
