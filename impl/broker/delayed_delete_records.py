"""A request to delete records: it waits until the replicas have deleted them too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from impl.arguments import function
from impl.broker.delayed_produce import Partitions
from impl.broker.partition import Error, TopicPartition
from impl.delayed_operation import DelayedOperation


class Deleted(NamedTuple):
    """What the answer says of one partition."""

    error: Error
    low_watermark: int


class DeleteStatus:
    """How far one partition of a request is. ``required_offset``: the low watermark to reach."""

    __slots__ = ("required_offset", "acks_pending", "answer")

    def __init__(self, error: Error, required_offset: int) -> None:
        """``error``: how the deletion in the leader's own log went."""
        self.required_offset = required_offset
        self.acks_pending = error is Error.NONE
        self.answer = Deleted(Error.REQUEST_TIMED_OUT if self.acks_pending else error, -1)


class DelayedDeleteRecords(DelayedOperation):
    """Completes when each low watermark is high enough. Kafka: ``DelayedDeleteRecords``."""

    __slots__ = ("statuses", "partitions", "callback")

    def __init__(
        self,
        delay_ms: int,
        deleted: Mapping[TopicPartition, tuple[Error, int]],
        partitions: Partitions,
        callback: Callable[[dict[TopicPartition, Deleted]], object],
    ) -> None:
        """``deleted``: error and offset of each deletion. ``callback``: gets the answer, once."""
        super().__init__(delay_ms)
        function("callback", callback)
        self.statuses = {name: DeleteStatus(*each) for name, each in deleted.items()}
        self.partitions, self.callback = partitions, callback

    def try_complete(self) -> bool:
        for name, status in self.statuses.items():
            if not status.acks_pending:
                continue
            view = self.partitions.view(name)
            if view is None:
                answer = Deleted(Error.UNKNOWN_TOPIC_OR_PARTITION, -1)
            elif not view.leads:
                answer = Deleted(Error.NOT_LEADER_OR_FOLLOWER, -1)
            elif view.low_watermark >= status.required_offset:
                answer = Deleted(Error.NONE, view.low_watermark)
            else:
                continue
            status.acks_pending, status.answer = False, answer
        if any(status.acks_pending for status in self.statuses.values()):
            return False
        return self.force_complete()

    def on_complete(self) -> None:
        self.callback({name: status.answer for name, status in self.statuses.items()})

    def on_expiration(self) -> None:
        """Nothing: the answer says which partitions were not done."""
