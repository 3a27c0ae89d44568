"""The partitions of a broker, and the requests that wait for them in purgatories.

Every change of a partition is made first, and the purgatories are checked after it, with no lock
held. Kafka: ``ReplicaManager``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from impl.arguments import flag
from impl.broker.delayed_delete_records import DelayedDeleteRecords, Deleted
from impl.broker.delayed_elect_leader import DelayedElectLeader
from impl.broker.delayed_fetch import DelayedFetch, Fetched, FetchPartition, diverges
from impl.broker.delayed_produce import Appended, DelayedProduce
from impl.broker.partition import Error, Partition, TopicPartition, View
from impl.delayed_operation import DelayedOperation
from impl.delayed_operation_purgatory import DelayedOperationPurgatory, Timer

Produced = Callable[[dict[TopicPartition, Appended]], object]
FetchedAll = Callable[[dict[TopicPartition, Fetched]], object]
DeletedAll = Callable[[dict[TopicPartition, Deleted]], object]
Elected = Callable[[dict[TopicPartition, Error]], object]


class ReplicaManager:
    """Partitions by name, and a purgatory for each kind of request.

    ``leaders``: partition -> broker that leads it, as the broker's metadata say. The classes of the
    operations are attributes, so that a test can put faulty ones in their place.
    """

    produce_class = DelayedProduce
    fetch_class = DelayedFetch
    delete_class = DelayedDeleteRecords
    elect_class = DelayedElectLeader

    def __init__(
        self, partitions: Sequence[Partition], timer: Timer | None = None, reaper: bool = True
    ) -> None:
        """``timer``: for all purgatories; None: each has its own. ``reaper``: they have threads."""
        flag("reaper", reaper)
        self.partitions = {partition.name: partition for partition in partitions}
        self.leaders: dict[TopicPartition, int] = {}
        names = ("Produce", "Fetch", "DeleteRecords", "ElectLeader")
        self.purgatories = {
            name: DelayedOperationPurgatory(name, timer, reaper_enabled=reaper) for name in names
        }

    # -- what operations read

    def view(self, name: TopicPartition) -> View | None:
        partition = self.partitions.get(name)
        return None if partition is None else partition.view()

    def min_isr(self, name: TopicPartition) -> int:
        return self.partitions[name].min_isr

    def bytes_between(self, name: TopicPartition, offset: int, end: int) -> int:
        """The bytes of a partition's records from an offset up to ``end``."""
        return sum(self.partitions[name].read(offset, end, 1 << 62))

    # -- requests

    def append(
        self,
        delay_ms: int,
        acks: int,
        records: Mapping[TopicPartition, Sequence[int]],
        callback: Produced,
    ) -> None:
        """Append records, given as their sizes, and answer: with acks=-1 when all replicas have
        them, otherwise at once."""
        appended = {
            name: self._append(name, sizes, every=acks == -1) for name, sizes in records.items()
        }
        written = [name for name, each in appended.items() if each.error is Error.NONE]
        if acks == -1 and written:
            self._enter("Produce", self.produce_class(delay_ms, appended, self, callback), records)
        else:
            callback(appended)
        for name in written:
            self._check(name, "Produce", "Fetch")

    def fetch(
        self,
        delay_ms: int,
        min_bytes: int,
        wanted: Mapping[TopicPartition, FetchPartition],
        callback: FetchedAll,
        follower: int | None = None,
    ) -> None:
        """Answer with records when there are ``min_bytes`` of them, or at the timeout.

        ``follower``: the replica that fetches: it has the records before the offsets.
        """
        if follower is not None:
            for name, each in wanted.items():
                self.follower_fetched(name, follower, each.offset)
        operation = self.fetch_class(
            delay_ms,
            min_bytes,
            follower,
            wanted,
            self,
            lambda: callback(
                {name: self.read(name, each, follower) for name, each in wanted.items()}
            ),
        )
        self._enter("Fetch", operation, wanted)

    def delete_records(
        self, delay_ms: int, before: Mapping[TopicPartition, int], callback: DeletedAll
    ) -> None:
        """Delete the records before offsets, and answer when all replicas have."""
        deleted = {
            name: (
                self.partitions[name].delete_before(offset)
                if name in self.partitions
                else Error.UNKNOWN_TOPIC_OR_PARTITION,
                offset,
            )
            for name, offset in before.items()
        }
        operation = self.delete_class(delay_ms, deleted, self, callback)
        self._enter("DeleteRecords", operation, before)

    def elect_leaders(
        self,
        delay_ms: int,
        expected: Mapping[TopicPartition, int],
        callback: Elected,
    ) -> None:
        """Answer when the metadata name the expected leaders."""
        known = {name: each for name, each in expected.items() if name in self.partitions}
        failed = {name: Error.UNKNOWN_TOPIC_OR_PARTITION for name in expected if name not in known}
        operation = self.elect_class(delay_ms, known, failed, self.leaders.get, callback)
        self._enter("ElectLeader", operation, expected)

    # -- events

    def follower_fetched(
        self, name: TopicPartition, follower: int, offset: int, start: int = 0
    ) -> None:
        """A follower has the records from ``start`` up to ``offset``."""
        self.partitions[name].fetched(follower, offset, start)
        self._check(name, "Produce", "Fetch", "DeleteRecords")

    def shrink_isr(self, name: TopicPartition, follower: int) -> None:
        """A follower is no longer in sync."""
        self.partitions[name].shrink(follower)
        self._check(name, "Produce", "Fetch", "DeleteRecords")

    def become_leader(self, name: TopicPartition, epoch: int) -> None:
        """This broker leads a partition in a new epoch."""
        self.partitions[name].lead(epoch)
        self._check(name, "Produce", "Fetch", "DeleteRecords")

    def become_follower(self, name: TopicPartition, epoch: int, end: int) -> None:
        """Another broker leads a partition, whose log is equal to this broker's up to ``end``."""
        self.partitions[name].follow(epoch, end)
        self._check(name, "Produce", "Fetch", "DeleteRecords")

    def metadata(self, name: TopicPartition, leader: int) -> None:
        """The broker hears who leads a partition."""
        self.leaders[name] = leader
        self._check(name, "ElectLeader")

    def read(
        self, name: TopicPartition, partition: FetchPartition, follower: int | None
    ) -> Fetched:
        """What a partition answers to a fetch now."""
        view = self.view(name)
        if view is None:
            return Fetched(Error.UNKNOWN_TOPIC_OR_PARTITION, -1)
        error = view.error(partition.epoch)
        if error is not Error.NONE:
            return Fetched(error, -1)
        at = diverges(view, partition)
        if at is not None:
            return Fetched(Error.NONE, view.high_watermark, (), at)
        end = view.high_watermark if follower is None else view.end
        if not view.start <= partition.offset <= view.end:
            return Fetched(Error.OFFSET_OUT_OF_RANGE, view.high_watermark)
        sizes = self.partitions[name].read(partition.offset, end, partition.most)
        return Fetched(Error.NONE, view.high_watermark, sizes)

    def shutdown(self) -> None:
        """Shut all purgatories down."""
        for purgatory in self.purgatories.values():
            purgatory.shutdown()

    def _append(self, name: TopicPartition, sizes: Sequence[int], every: bool) -> Appended:
        if name not in self.partitions:
            return Appended(Error.UNKNOWN_TOPIC_OR_PARTITION, -1)
        partition = self.partitions[name]
        return Appended(*partition.append(sizes, partition.min_isr if every else 1))

    def _enter(
        self, kind: str, operation: DelayedOperation, names: Mapping[TopicPartition, object]
    ) -> None:
        self.purgatories[kind].try_complete_else_watch(operation, tuple(names))

    def _check(self, name: TopicPartition, *kinds: str) -> None:
        for kind in kinds:
            self.purgatories[kind].check_and_complete(name)
