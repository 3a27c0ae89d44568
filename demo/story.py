"""The story of a broker's delayed requests, on its own classes, in virtual time.

Every number is read from the broker: nothing is written down beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping

from demo.timeline import Timeline
from impl.broker.delayed_fetch import Fetched, FetchPartition
from impl.broker.delayed_produce import Appended
from impl.broker.group import Coordinator, DelayedJoin, Group
from impl.broker.partition import Error, Partition, TopicPartition
from impl.broker.replica_manager import ReplicaManager
from impl.broker.virtual_time import VirtualTime
from impl.delayed_operation_purgatory import DelayedOperationPurgatory

ORDERS = TopicPartition("orders", 0)
REQUEST_TIMEOUT_MS = 300


def shown(error: Error) -> str:
    """An error code in the timeline."""
    return "no error" if error is Error.NONE else error.name


class ShownJoins(Coordinator):
    """A coordinator whose joins are seen in the timeline."""

    line: Timeline

    def enter(self, join: DelayedJoin) -> None:
        """Let the join wait, and say so."""
        super().enter(join)
        self.line.note(
            "broker", f"a join of {join.group.name} waits in the purgatory for {join.delay_ms} ms"
        )


class Story:
    """The broker that leads orders-0, its followers 2 and 3, and those who send requests."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.line = Timeline(self.time.now_ms)
        partition = Partition(ORDERS, [2, 3], min_isr=2)
        self.broker = ReplicaManager([partition], self.time.timer, reaper=False)
        self.joins = DelayedOperationPurgatory("Rebalance", self.time.timer, reaper_enabled=False)

    # -- who does what

    def produce(self, request: str, sizes: list[int]) -> None:
        """A producer sends records with acks=all."""
        self.line.begin(request)
        self.line.note(
            "producer", f"{request}: {sum(sizes)} bytes, up to offset {self.end() + len(sizes)}"
        )

        def answered(result: Mapping[TopicPartition, Appended]) -> None:
            error = result[ORDERS].error
            how = "the high watermark" if error is Error.NONE else "the timeout"
            self.line.note("broker", f"{request} is answered: {shown(error)}")
            self.line.end(request, how)

        self.broker.append(REQUEST_TIMEOUT_MS, -1, {ORDERS: sizes}, answered)
        self.waits("Produce", f"{request} waits for the followers")

    def follow(self, follower: int, offset: int) -> None:
        """A follower fetches from an offset: it has what is before it."""
        before = self.high_watermark()
        self.line.note(f"replica{follower}", f"fetches from offset {offset}")
        self.broker.partitions[ORDERS].fetched(follower, offset, 0)
        after = self.high_watermark()
        if after != before:
            self.line.note("broker", f"the high watermark goes from {before} to {after}")
        self.broker.follower_fetched(ORDERS, follower, offset)

    def consume(self, request: str, offset: int, min_bytes: int, max_wait_ms: int) -> None:
        """A consumer fetches, and waits for bytes."""
        self.line.begin(request)
        self.line.note("consumer", f"{request}: from offset {offset}, at least {min_bytes} bytes")

        def answered(result: Mapping[TopicPartition, Fetched]) -> None:
            found = result[ORDERS]
            if found.error is not Error.NONE:
                self.line.note("broker", f"{request} is answered: {shown(found.error)}")
                self.line.end(request, "the change of leader")
                return
            total = sum(found.sizes)
            self.line.note("broker", f"{request} is answered: {total} bytes")
            self.line.end(request, "its bytes" if total >= min_bytes else "the timeout")

        wanted = {ORDERS: FetchPartition(offset, self.broker.partitions[ORDERS].epoch)}
        self.broker.fetch(max_wait_ms, min_bytes, wanted, answered)
        self.waits("Fetch", f"{request} waits for the high watermark")

    def waits(self, kind: str, what: str) -> None:
        """Say what a purgatory has now."""
        watched = self.broker.purgatories[kind].watched()
        if watched:
            self.line.note("broker", f"{what} ({watched} watched)")

    def high_watermark(self) -> int:
        return self.broker.partitions[ORDERS].view().high_watermark

    def end(self) -> int:
        return self.broker.partitions[ORDERS].view().end

    # -- the acts

    def acknowledged(self) -> None:
        self.line.act("1. A produce request with acks=all waits for the replicas")
        self.produce("produce A", [100, 150])
        self.time.advance(40)
        self.follow(2, 2)
        self.time.advance(30)
        self.follow(3, 2)

    def timed_out(self) -> None:
        self.line.act("2. A follower stops, and the next request times out")
        self.time.advance(30)
        self.produce("produce B", [200])
        self.time.advance(60)
        self.follow(2, 3)
        self.time.advance(240)

    def fetched(self) -> None:
        self.line.act("3. A fetch waits for bytes that consumers may see")
        self.time.advance(40)
        self.consume("fetch C", 2, 400, 500)
        self.time.advance(40)
        self.follow(3, 3)
        self.time.advance(20)
        self.produce("produce D", [250])
        self.time.advance(30)
        self.follow(2, 4)
        self.follow(3, 4)

    def demoted(self) -> None:
        self.line.act("4. Another broker becomes the leader: a fetch does not wait for it")
        self.time.advance(50)
        self.consume("fetch E", 4, 1, 500)
        self.line.begin("elect F")
        self.line.note("admin", "elect F: broker 2 is to lead orders-0")

        def elected(result: Mapping[TopicPartition, Error]) -> None:
            self.line.note("broker", f"elect F is answered: {shown(result[ORDERS])}")
            self.line.end("elect F", "the metadata")

        self.broker.elect_leaders(REQUEST_TIMEOUT_MS, {ORDERS: 2}, elected)
        self.waits("ElectLeader", "elect F waits for the metadata")
        self.time.advance(60)
        self.line.note("broker", "follows broker 2, in epoch 1")
        self.broker.become_follower(ORDERS, epoch=1, end=4)
        self.time.advance(10)
        self.line.note("broker", "hears who leads orders-0")
        self.broker.metadata(ORDERS, 2)

    def joined(self) -> None:
        self.line.act("5. A group's first join waits for members, and again for more")
        self.time.advance(30)
        group = Group("shop")

        def complete(generation: int, members: tuple[str, ...]) -> None:
            self.line.note("broker", f"generation {generation} of shop: {', '.join(members)}")
            self.line.end("join shop", "its second timeout")

        coordinator = ShownJoins(self.joins, 100, 1000, complete)
        coordinator.line = self.line
        self.line.begin("join shop")
        for member in ("m1", "m2"):
            self.line.note(f"member {member}", "joins shop")
            coordinator.join(group, member)
            self.time.advance(60)
        self.time.advance(100)

    def tell(self) -> str:
        """The whole story as text."""
        for act in (self.acknowledged, self.timed_out, self.fetched, self.demoted, self.joined):
            act()
        return self.line.text()
