"""A partition in memory: the leader's log, what the followers have of it, and the high watermark.

Offsets count records. A record is its size in bytes. Kafka: ``Partition``, and what a broker knows
of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from impl.arguments import whole
from impl.runtime import Lock


class TopicPartition(NamedTuple):
    """A partition's name. It is the key of the operations that wait for it."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class Error(Enum):
    """Kafka's error codes, as far as they occur here."""

    NONE = 0
    OFFSET_OUT_OF_RANGE = 1
    UNKNOWN_TOPIC_OR_PARTITION = 3
    NOT_LEADER_OR_FOLLOWER = 6
    REQUEST_TIMED_OUT = 7
    NOT_ENOUGH_REPLICAS = 19
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 76


class Follower:
    """What the leader knows of a follower: the ends of its log."""

    __slots__ = ("end", "start")

    def __init__(self) -> None:
        self.start, self.end = 0, 0


class View(NamedTuple):
    """A partition at one moment. ``epochs``: the leaders' epochs, each with its first offset."""

    leads: bool
    epoch: int
    start: int
    high_watermark: int
    end: int
    low_watermark: int
    isr: int
    epochs: tuple[tuple[int, int], ...]

    def error(self, epoch: int | None) -> Error:
        """What a request that knows the leader's epoch gets; None: it knows none."""
        if not self.leads:
            return Error.NOT_LEADER_OR_FOLLOWER
        if epoch is None or epoch == self.epoch:
            return Error.NONE
        return Error.FENCED_LEADER_EPOCH if epoch < self.epoch else Error.UNKNOWN_LEADER_EPOCH

    def end_of(self, epoch: int) -> int:
        """The offset behind the last record of an epoch, and of those before it."""
        return next((first for number, first in self.epochs if number > epoch), self.end)


class Partition:
    """A partition on its broker, which leads it until it is demoted.

    ``min_isr``: as many in-sync replicas must have a record. Each method takes effect at one
    moment, under the partition's lock. The caller checks the purgatories after it.
    """

    def __init__(self, name: TopicPartition, followers: Sequence[int], min_isr: int = 1) -> None:
        whole("min_isr", min_isr, least=1)
        self.name, self.min_isr = name, min_isr
        self.followers = {number: Follower() for number in followers}
        self.isr = set(followers)
        self.leads, self.epoch = True, 0
        self.sizes: list[int] = []
        self.start = self.high_watermark = 0
        self.epochs: list[tuple[int, int]] = [(0, 0)]
        self.lock = Lock()

    def view(self) -> View:
        """The partition as it is now."""
        with self.lock:
            low = min([self.start, *(self.followers[each].start for each in self.isr)])
            return View(
                self.leads,
                self.epoch,
                self.start,
                self.high_watermark,
                len(self.sizes),
                low,
                1 + len(self.isr),
                tuple(self.epochs),
            )

    def append(self, sizes: Sequence[int], min_isr: int) -> tuple[Error, int]:
        """Append records, and return their end: the offset that all replicas have to reach."""
        with self.lock:
            if not self.leads:
                return Error.NOT_LEADER_OR_FOLLOWER, -1
            if 1 + len(self.isr) < min_isr:
                return Error.NOT_ENOUGH_REPLICAS, -1
            self.sizes.extend(sizes)
            self._raise_high_watermark()
            return Error.NONE, len(self.sizes)

    def fetched(self, follower: int, offset: int, start: int) -> None:
        """A follower has wanted for ``offset``: it has the records before it.

        ``start``: the first offset of its own log.
        """
        with self.lock:
            known = self.followers[follower]
            known.end, known.start = offset, start
            self._raise_high_watermark()

    def shrink(self, follower: int) -> None:
        """Take a follower that is behind out of the in-sync replicas."""
        with self.lock:
            self.isr.discard(follower)
            self._raise_high_watermark()

    def lead(self, epoch: int) -> None:
        """Lead the partition in a new epoch."""
        with self.lock:
            self.leads, self.epoch = True, epoch
            self.epochs.append((epoch, len(self.sizes)))

    def follow(self, epoch: int, end: int) -> None:
        """Follow another leader, whose log and this one's are equal up to ``end``."""
        with self.lock:
            self.leads, self.epoch = False, epoch
            del self.sizes[end:]
            self.high_watermark = min(self.high_watermark, end)
            self.epochs = [epoch for epoch in self.epochs if epoch[1] <= end]

    def delete_before(self, offset: int) -> Error:
        """Delete the records before an offset, on the leader alone."""
        with self.lock:
            if not self.leads:
                return Error.NOT_LEADER_OR_FOLLOWER
            if not self.start <= offset <= self.high_watermark:
                return Error.OFFSET_OUT_OF_RANGE
            self.start = offset
            return Error.NONE

    def read(self, offset: int, end: int, most: int) -> tuple[int, ...]:
        """The sizes of records from an offset up to ``end``.

        They are ``most`` bytes at most, and one record in any case.
        """
        with self.lock:
            found: list[int] = []
            total = 0
            for size in self.sizes[offset:end]:
                if found and total + size > most:
                    break
                found.append(size)
                total += size
            return tuple(found)

    def _raise_high_watermark(self) -> None:
        reached = min([len(self.sizes), *(self.followers[each].end for each in self.isr)])
        self.high_watermark = max(self.high_watermark, reached)
