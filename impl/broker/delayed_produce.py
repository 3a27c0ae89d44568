"""A produce request with acks=all: it waits until all in-sync replicas have its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from impl.arguments import function
from impl.broker.partition import Error, TopicPartition, View
from impl.delayed_operation import DelayedOperation


class Partitions(Protocol):
    """What a delayed operation reads of its broker."""

    def view(self, name: TopicPartition) -> View | None:
        """A partition as it is now, or None if the broker has none of this name."""

    def min_isr(self, name: TopicPartition) -> int: ...

    def bytes_between(self, name: TopicPartition, offset: int, end: int) -> int: ...


class Appended(NamedTuple):
    """What the answer says of one partition. ``end``: behind the last record of the request."""

    error: Error
    end: int


class ProduceStatus:
    """How far one partition of a request is.

    ``acks_pending``: its replicas do not have the records yet; from True to False once, and never
    back. ``error``: what the answer would say now.
    """

    __slots__ = ("required_offset", "acks_pending", "error")

    def __init__(self, appended: Appended) -> None:
        """``appended``: how the append to the leader's own log went."""
        self.required_offset = appended.end
        self.acks_pending = appended.error is Error.NONE
        # The answer if the timeout comes first.
        self.error = Error.REQUEST_TIMED_OUT if self.acks_pending else appended.error


class DelayedProduce(DelayedOperation):
    """Completes when no partition's acks are pending. Kafka: ``DelayedProduce``.

    ``expired``: the partitions whose acks the timeout found pending.
    """

    __slots__ = ("statuses", "partitions", "callback", "expired")

    def __init__(
        self,
        delay_ms: int,
        appended: Mapping[TopicPartition, Appended],
        partitions: Partitions,
        callback: Callable[[dict[TopicPartition, Appended]], object],
    ) -> None:
        """``callback``: gets the answer, once."""
        super().__init__(delay_ms)
        function("callback", callback)
        self.statuses = {name: ProduceStatus(each) for name, each in appended.items()}
        self.partitions, self.callback = partitions, callback
        self.expired: tuple[TopicPartition, ...] = ()

    def try_complete(self) -> bool:
        for name, status in self.statuses.items():
            if status.acks_pending:
                enough, error = self.enough_replicas(name, status.required_offset)
                if enough or error is not Error.NONE:
                    status.acks_pending, status.error = False, error
        if any(status.acks_pending for status in self.statuses.values()):
            return False
        return self.force_complete()

    def enough_replicas(self, name: TopicPartition, required: int) -> tuple[bool, Error]:
        """Whether the in-sync replicas have the records before an offset, and what is wrong."""
        view = self.partitions.view(name)
        if view is None:
            return False, Error.UNKNOWN_TOPIC_OR_PARTITION
        if not view.leads:
            return False, Error.NOT_LEADER_OR_FOLLOWER
        if view.high_watermark < required:
            return False, Error.NONE
        if view.isr < self.partitions.min_isr(name):
            return True, Error.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        return True, Error.NONE

    def on_complete(self) -> None:
        self.callback(
            {
                name: Appended(status.error, status.required_offset)
                for name, status in self.statuses.items()
            }
        )

    def on_expiration(self) -> None:
        self.expired = tuple(name for name, each in self.statuses.items() if each.acks_pending)
