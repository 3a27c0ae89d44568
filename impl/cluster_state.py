"""What a cluster's coordination service has of one partition and of the brokers.

Each request has its effect at one moment, as with ZooKeeper, under a lock that is held for no
longer. The node of the partition has a version: a write names the version that its writer has read,
and is refused where there has been another write.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from impl.runtime import Lock, Plain


class LeaderAndIsr(NamedTuple):
    """A partition's node. ``recovering``: the leader was not in sync when it was elected."""

    leader: int
    isr: tuple[int, ...]
    leader_epoch: int = 0
    recovering: bool = False
    version: int = 0

    def led_by(self, leader: int, isr: tuple[int, ...], unclean: bool) -> LeaderAndIsr:
        """The state after an election: a new leader epoch. A leader that recovers goes on."""
        return self._replace(
            leader=leader,
            isr=isr,
            leader_epoch=self.leader_epoch + 1,
            recovering=self.recovering or unclean,
        )

    def with_isr(self, isr: tuple[int, ...]) -> LeaderAndIsr:
        return self._replace(isr=isr)


class ClusterState:
    """The node of one partition, and which brokers are live and which of them shut down."""

    __slots__ = ("lock", "partition", "live", "shutting_down")

    partition: Plain[LeaderAndIsr]
    live: Plain[frozenset[int]]
    shutting_down: Plain[frozenset[int]]

    def __init__(self, leader: int, isr: Iterable[int], live: Iterable[int]) -> None:
        self.lock = Lock()
        self.partition = LeaderAndIsr(leader, tuple(isr))
        self.live = frozenset(live)
        self.shutting_down = frozenset()

    def read(self) -> LeaderAndIsr:
        with self.lock:
            return self.partition

    def write(self, new: LeaderAndIsr, version: int) -> bool:
        """Replace the node if its version is ``version``; for -1, as in ZooKeeper, whatever it is.

        The version goes up by one.
        """
        with self.lock:
            if version not in (-1, self.partition.version):
                return False
            self.partition = new._replace(version=self.partition.version + 1)
            return True

    def brokers(self) -> tuple[frozenset[int], frozenset[int]]:
        """The live brokers, and those that shut down."""
        with self.lock:
            return self.live, self.shutting_down

    def register(self, broker: int) -> None:
        with self.lock:
            self.live = self.live | {broker}
            self.shutting_down = self.shutting_down - {broker}

    def unregister(self, broker: int) -> None:
        with self.lock:
            self.live = self.live - {broker}

    def shut_down(self, broker: int) -> None:
        with self.lock:
            self.shutting_down = self.shutting_down | {broker}
