"""A broker as far as the controller's requests go: whom it follows, what it leads, what it knows.

It has no log. That a replica has caught up is what its caller says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from impl.broker.partition import TopicPartition
from impl.cluster.messages import (
    BrokerRequest,
    Error,
    LeaderAndIsrRequest,
    Led,
    Response,
    StopReplicaRequest,
    UpdateMetadataRequest,
)
from impl.cluster.nodes import (
    DELETED,
    ISR_CHANGES,
    PartitionState,
    partitions_text,
    state_of,
    state_path,
)
from impl.cluster.requests import Duty, performed
from impl.cluster_state import LeaderAndIsr
from impl.zookeeper_requests import Create, Get, Multi, Put

Change: TypeAlias = "Callable[[LeaderAndIsr], LeaderAndIsr | None]"


class ClusterBroker:
    """``epoch``: of its registration; ``controller_epoch``: the highest that it has heard of.

    ``roles``: partition -> what it last heard as its replica. ``metadata``: partition -> its state,
    and ``live``: broker -> its endpoint, as all brokers know them. ``stranded``: partitions whose
    leader it cannot follow, since it does not know that broker.
    """

    def __init__(self, broker: int) -> None:
        self.id, self.epoch, self.controller_epoch = broker, -1, 0
        self.roles: dict[TopicPartition, Led] = {}
        self.metadata: dict[TopicPartition, PartitionState] = {}
        self.live: dict[int, str] = {}
        self.stranded: set[TopicPartition] = set()
        self.notices = 0

    # -- requests of the controller

    def receive(self, request: BrokerRequest) -> Response:
        """Do what a controller wants, unless its epoch is smaller than one that was seen."""
        if request.sender.controller_epoch < self.controller_epoch:
            return Response(Error.STALE_CONTROLLER_EPOCH)
        if request.sender.broker_epoch < self.epoch:
            return Response(Error.STALE_BROKER_EPOCH)
        self.controller_epoch = request.sender.controller_epoch
        if isinstance(request, LeaderAndIsrRequest):
            return self.lead_or_follow(request)
        if isinstance(request, UpdateMetadataRequest):
            return self.learn(request)
        return self.stop(request)

    def lead_or_follow(self, request: LeaderAndIsrRequest) -> Response:
        """Take states of a leader epoch that is not older than one's own.

        A follower needs the endpoint of its leader, so it has to know that broker.
        """
        errors: dict[TopicPartition, Error] = {}
        for partition, led in request.partitions.items():
            errors[partition] = Error.NONE
            role = self.roles.get(partition)
            state = led.state.partition
            if role is not None and state.leader_epoch < role.state.partition.leader_epoch:
                continue
            self.roles[partition] = led
            self.stranded.discard(partition)
            if state.leader not in (self.id, *self.live):
                self.stranded.add(partition)
                errors[partition] = Error.LEADER_NOT_AVAILABLE
        return Response(partitions=errors)

    def learn(self, request: UpdateMetadataRequest) -> Response:
        self.live = dict(request.live)
        for partition, state in request.partitions.items():
            if state.partition.leader == DELETED:
                self.metadata.pop(partition, None)
            else:
                self.metadata[partition] = state
        return Response()

    def stop(self, request: StopReplicaRequest) -> Response:
        """Stop replicas: follow and lead no more. There is no log to be deleted."""
        for partition in request.partitions:
            self.roles.pop(partition, None)
            self.stranded.discard(partition)
        return Response(partitions=dict.fromkeys(request.partitions, Error.NONE))

    def leads(self, partition: TopicPartition) -> bool:
        """Whether it takes itself for the leader."""
        led = self.roles.get(partition)
        return led is not None and led.state.partition.leader == self.id

    # -- the leader's own changes of the ISR

    def shrink(self, partition: TopicPartition, replica: int) -> Duty:
        """Take a replica out of the ISR that does not follow. The leader stays."""

        def change(seen: LeaderAndIsr) -> LeaderAndIsr | None:
            if replica == self.id or replica not in seen.isr:
                return None
            return seen.with_isr(tuple(each for each in seen.isr if each != replica))

        yield from self.change(partition, change)

    def expand(self, partition: TopicPartition, replica: int) -> Duty:
        """Take a replica of the partition in that has caught up."""

        def change(seen: LeaderAndIsr) -> LeaderAndIsr | None:
            led = self.roles[partition]
            if replica not in led.replicas or replica in seen.isr or seen.recovering:
                return None
            return seen.with_isr((*seen.isr, replica))

        yield from self.change(partition, change)

    def recovered(self, partition: TopicPartition) -> Duty:
        """The leader of an unclean election has recovered."""

        def change(seen: LeaderAndIsr) -> LeaderAndIsr | None:
            return seen._replace(recovering=False) if seen.recovering else None

        yield from self.change(partition, change)

    def change(self, partition: TopicPartition, change: Change) -> Duty:
        """Write a partition's state by its version, and leave a notice for the controller.

        Nothing is written where this broker does not lead, or no more. If the reply is lost, the
        second write is refused, and the node has what the first one wrote. Kafka up to 2.6; later
        the leader has the controller write.
        """
        path = state_path(partition)
        reply = yield from performed(f"read {path}", Get(path))
        if not reply.ok or not self.leads(partition):
            return
        state = state_of(reply)
        own = self.roles[partition].state.partition
        if state.partition.leader_epoch != own.leader_epoch:
            return
        new = change(state.partition)
        if new is None:
            return
        data = state._replace(partition=new).text()
        put = Multi((Put(path, data, state.partition.version),))
        reply = yield from performed(f"write {path}", put)
        again = yield from performed(f"read {path}", Get(path))
        if reply.ok or again.data == data:
            self.notices += 1
            notice = f"{ISR_CHANGES}/isr_change_{self.id}_{self.epoch}_{self.notices}"
            create = Multi((Create(notice, partitions_text([partition])),))
            yield from performed(f"create {notice}", create)
