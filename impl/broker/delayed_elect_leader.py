"""A request to elect leaders: it waits until the broker has heard of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from impl.arguments import function
from impl.broker.partition import Error, TopicPartition
from impl.delayed_operation import DelayedOperation


class DelayedElectLeader(DelayedOperation):
    """Completes when the broker's metadata names every expected leader.

    At the timeout the rest is answered with REQUEST_TIMED_OUT. Kafka: ``DelayedElectLeader``.
    """

    __slots__ = ("waiting", "results", "leader_of", "callback")

    def __init__(
        self,
        delay_ms: int,
        expected: Mapping[TopicPartition, int],
        failed: Mapping[TopicPartition, Error],
        leader_of: Callable[[TopicPartition], int | None],
        callback: Callable[[dict[TopicPartition, Error]], object],
    ) -> None:
        """``expected``: the broker that is to lead. ``failed``: what cannot be elected at all.

        ``leader_of``: what the metadata say. ``callback``: gets the answer, once.
        """
        super().__init__(delay_ms)
        function("leader_of", leader_of)
        function("callback", callback)
        self.waiting, self.results = dict(expected), dict(failed)
        self.leader_of, self.callback = leader_of, callback

    def try_complete(self) -> bool:
        for name, broker in tuple(self.waiting.items()):
            if self.leader_of(name) == broker:
                del self.waiting[name]
                self.results[name] = Error.NONE
        return not self.waiting and self.force_complete()

    def on_complete(self) -> None:
        late = dict.fromkeys(self.waiting, Error.REQUEST_TIMED_OUT)
        self.callback({**self.results, **late})

    def on_expiration(self) -> None:
        """Nothing: the answer says which elections were not seen."""
