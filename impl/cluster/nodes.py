"""The nodes of a cluster in ZooKeeper: their paths, and their data as values and as texts.

The texts are JSON objects as Kafka writes them, with the fields that the duties need.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from impl.broker.partition import TopicPartition
from impl.cluster_state import LeaderAndIsr
from impl.zookeeper import ZNode
from impl.zookeeper_requests import Reply

BROKERS = "/brokers/ids"
TOPICS = "/brokers/topics"
DELETIONS = "/admin/delete_topics"
PREFERRED = "/admin/preferred_replica_election"
REASSIGNMENT = "/admin/reassign_partitions"
ISR_CHANGES = "/isr_change_notification"

START = (
    ZNode("/admin", ""),
    ZNode(DELETIONS, ""),
    ZNode("/brokers", ""),
    ZNode(BROKERS, ""),
    ZNode(TOPICS, ""),
    ZNode("/controller_epoch", "0"),
    ZNode(ISR_CHANGES, ""),
)
"""What a cluster has before its first broker comes. None of these nodes is ephemeral."""

NO_LEADER, DELETED = -1, -2
"""In the place of a leader: there is none; the topic is being deleted."""


class Assignment(NamedTuple):
    """A partition's replicas, in their order; those that are ``adding`` or ``removing``."""

    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()

    @property
    def moving(self) -> bool:
        return bool(self.adding or self.removing)

    @property
    def target(self) -> tuple[int, ...]:
        """The replicas when it has moved."""
        return tuple(replica for replica in self.replicas if replica not in self.removing)

    @property
    def origin(self) -> tuple[int, ...]:
        """The replicas before it moves."""
        return tuple(replica for replica in self.replicas if replica not in self.adding)

    def moved_to(self, target: Iterable[int]) -> Assignment:
        """The assignment of a partition that begins to move: all old and new replicas."""
        goal = tuple(target)
        every = tuple(dict.fromkeys((*goal, *self.origin)))
        adding = tuple(each for each in every if each not in self.origin)
        return Assignment(every, adding, tuple(each for each in every if each not in goal))


class PartitionState(NamedTuple):
    """The state node of a partition. ``controller_epoch``: of the controller that wrote it last."""

    partition: LeaderAndIsr
    controller_epoch: int

    def same_as(self, other: PartitionState | None) -> bool:
        """Whether the two differ in the node's version at most."""
        return other is not None and self.text() == other.text()

    def text(self) -> str:
        return text(
            {
                "controller_epoch": self.controller_epoch,
                "isr": self.partition.isr,
                "leader": self.partition.leader,
                "leader_epoch": self.partition.leader_epoch,
                "leader_recovery_state": int(self.partition.recovering),
                "version": 1,
            }
        )


def text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def broker_path(broker: int) -> str:
    return f"{BROKERS}/{broker}"


def topic_path(topic: str) -> str:
    return f"{TOPICS}/{topic}"


def partition_paths(partition: TopicPartition) -> tuple[str, str, str]:
    """The nodes of a partition from the top down; the last one has its state."""
    above = f"{topic_path(partition.topic)}/partitions"
    own = f"{above}/{partition.partition}"
    return above, own, f"{own}/state"


def state_path(partition: TopicPartition) -> str:
    return partition_paths(partition)[-1]


def state_of(reply: Reply) -> PartitionState:
    """The state that a reply has."""
    found = json.loads(reply.data)
    partition = LeaderAndIsr(
        found["leader"],
        tuple(found["isr"]),
        found["leader_epoch"],
        bool(found["leader_recovery_state"]),
        reply.version,
    )
    return PartitionState(partition, found["controller_epoch"])


def broker_text(endpoint: str) -> str:
    return text({"endpoints": [endpoint], "version": 5})


def endpoint_of(reply: Reply) -> str:
    return str(json.loads(reply.data)["endpoints"][0])


def topic_text(assignments: Mapping[int, Assignment]) -> str:
    """The data of a topic's node: partition -> its assignment."""

    def part(name: str) -> dict[str, tuple[int, ...]]:
        return {str(key): getattr(each, name) for key, each in sorted(assignments.items())}

    return text(
        {
            "adding_replicas": {key: value for key, value in part("adding").items() if value},
            "partitions": part("replicas"),
            "removing_replicas": {key: value for key, value in part("removing").items() if value},
            "version": 3,
        }
    )


def assignments_of(topic: str, data: str) -> dict[TopicPartition, Assignment]:
    """The assignments of a topic's partitions, by the data of its node."""
    found = json.loads(data)
    adding, removing = found["adding_replicas"], found["removing_replicas"]
    return {
        TopicPartition(topic, int(key)): Assignment(
            tuple(replicas), tuple(adding.get(key, ())), tuple(removing.get(key, ()))
        )
        for key, replicas in found["partitions"].items()
    }


def partitions_text(partitions: Iterable[TopicPartition]) -> str:
    """Data that name partitions: what a changed ISR, or a wanted election, is about."""
    named = [
        {"partition": partition.partition, "topic": partition.topic}
        for partition in sorted(partitions)
    ]
    return text({"partitions": named, "version": 1})


def partitions_of(data: str) -> tuple[TopicPartition, ...]:
    load = json.loads(data)["partitions"]
    return tuple(TopicPartition(each["topic"], each["partition"]) for each in load)


def moves_text(moves: Mapping[TopicPartition, Iterable[int]]) -> str:
    """The data of a wanted reassignment: partition -> its new replicas."""
    named = [
        {"partition": move.partition, "replicas": list(moves[move]), "topic": move.topic}
        for move in sorted(moves)
    ]
    return text({"partitions": named, "version": 1})


def moves_of(data: str) -> dict[TopicPartition, tuple[int, ...]]:
    return {
        TopicPartition(each["topic"], each["partition"]): tuple(each["replicas"])
        for each in json.loads(data)["partitions"]
    }
