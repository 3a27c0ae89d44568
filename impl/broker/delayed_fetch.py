"""A fetch request that waits for bytes, and ends at once when waiting makes no more sense."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from impl.arguments import function, whole
from impl.broker.delayed_produce import Partitions
from impl.broker.partition import Error, TopicPartition, View
from impl.delayed_operation import DelayedOperation


class FetchPartition(NamedTuple):
    """What a request asks of one partition.

    ``epoch``: the leader's, as the fetcher knows it, or None. ``last_epoch``: that of the record
    before ``offset`` in the fetcher's log, or None. ``most``: bytes.
    """

    offset: int
    epoch: int | None = None
    last_epoch: int | None = None
    most: int = 1 << 20


class Fetched(NamedTuple):
    """What the answer says of one partition: records as their sizes.

    ``diverges``: the offset at which the fetcher's log and the leader's part, or None.
    """

    error: Error
    high_watermark: int
    sizes: tuple[int, ...] = ()
    diverges: int | None = None


class DelayedFetch(DelayedOperation):
    """Completes when ``min_bytes`` have come, or a partition has changed under the fetcher.

    ``follower``: the replica that fetches up to the log's end; None: a consumer, which fetches up
    to the high watermark. Kafka: ``DelayedFetch``.
    """

    __slots__ = ("min_bytes", "follower", "wanted", "partitions", "answer", "expired")

    def __init__(
        self,
        delay_ms: int,
        min_bytes: int,
        follower: int | None,
        wanted: Mapping[TopicPartition, FetchPartition],
        partitions: Partitions,
        answer: Callable[[], object],
    ) -> None:
        """``answer``: reads the log again and sends what it finds, once."""
        super().__init__(delay_ms)
        whole("min_bytes", min_bytes)
        if follower is not None:
            whole("follower", follower)
        function("answer", answer)
        self.min_bytes, self.follower = min_bytes, follower
        self.wanted, self.partitions, self.answer = dict(wanted), partitions, answer
        self.expired = False

    def try_complete(self) -> bool:
        total = 0
        for name, wanted in self.wanted.items():
            view = self.partitions.view(name)
            if view is None or view.error(wanted.epoch) is not Error.NONE:
                return self.force_complete()
            if self.truncated(view, wanted) or diverges(view, wanted) is not None:
                return self.force_complete()
            total += self.available(name, view, wanted)
        return total >= self.min_bytes and self.force_complete()

    def end(self, view: View) -> int:
        """Up to where this fetcher may read."""
        return view.high_watermark if self.follower is None else view.end

    def truncated(self, view: View, partition: FetchPartition) -> bool:
        """Whether the log ends before the offset by now."""
        return partition.offset > self.end(view)

    def available(self, name: TopicPartition, view: View, partition: FetchPartition) -> int:
        """Bytes that an answer would have of a partition."""
        return min(
            self.partitions.bytes_between(name, partition.offset, self.end(view)), partition.most
        )

    def on_complete(self) -> None:
        self.answer()

    def on_expiration(self) -> None:
        self.expired = True


def diverges(view: View, partition: FetchPartition) -> int | None:
    """The offset at which a fetcher's log parts from the leader's; None: it does not."""
    if partition.last_epoch is None:
        return None
    end = view.end_of(partition.last_epoch)
    return end if end < partition.offset else None
