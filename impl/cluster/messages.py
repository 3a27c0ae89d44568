"""What the controller sends to brokers, and the queues in which it waits there.

Each request has the id and the epoch of the controller, and the epoch of the broker that it is for.
Kafka: ``ControllerChannelManager`` and ``ControllerBrokerRequestBatch``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import NamedTuple, TypeAlias

from impl.broker.partition import TopicPartition
from impl.cluster.nodes import PartitionState


class Error(Enum):
    """Kafka's error codes, as far as they occur here."""

    NONE = 0
    LEADER_NOT_AVAILABLE = 5
    BROKER_NOT_AVAILABLE = 8
    STALE_CONTROLLER_EPOCH = 11
    NOT_CONTROLLER = 41
    STALE_BROKER_EPOCH = 77


class Sender(NamedTuple):
    """The head of each request: who sends it, in which epoch, and to which life of a broker."""

    controller: int
    controller_epoch: int
    broker_epoch: int


class Led(NamedTuple):
    """A partition in a request: its state, all of its replicas, and whether it is a new one."""

    state: PartitionState
    replicas: tuple[int, ...]
    new: bool = False


class LeaderAndIsrRequest(NamedTuple):
    """Lead these partitions, or follow their leaders."""

    sender: Sender
    partitions: Mapping[TopicPartition, Led]


class UpdateMetadataRequest(NamedTuple):
    """The brokers that live, with their endpoints, and the states of these partitions."""

    sender: Sender
    partitions: Mapping[TopicPartition, PartitionState]
    live: Mapping[int, str]


class StopReplicaRequest(NamedTuple):
    """Stop these replicas; True: and delete them."""

    sender: Sender
    partitions: Mapping[TopicPartition, bool]


BrokerRequest: TypeAlias = "LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest"


class Response(NamedTuple):
    """A broker's response: an error of the whole request, and those of its partitions."""

    error: Error = Error.NONE
    partitions: Mapping[TopicPartition, Error] = {}


class Channels:
    """A queue of requests for each broker that lives. What waits for a dead broker goes with it."""

    def __init__(self) -> None:
        self.queues: dict[int, deque[BrokerRequest]] = {}

    def add(self, brokers: Iterable[int]) -> None:
        for broker in brokers:
            self.queues.setdefault(broker, deque())

    def remove(self, brokers: Iterable[int]) -> None:
        for broker in brokers:
            self.queues.pop(broker, None)

    def send(self, broker: int, request: BrokerRequest) -> None:
        """Queue a request. There may be no such broker any more."""
        if broker in self.queues:
            self.queues[broker].append(request)

    def close(self) -> None:
        self.queues.clear()
