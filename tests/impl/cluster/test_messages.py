"""All that a controller sends to brokers in a partition's life, message by message."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

import pytest

from impl.broker import partition as partitions
from impl.cluster import messages
from impl.cluster.batch import Batch
from impl.cluster.controller import ClusterController
from impl.cluster.messages import Channels, LeaderAndIsrRequest, StopReplicaRequest
from impl.cluster.nodes import broker_path, broker_text
from impl.cluster.replica_machine import ReplicaMachine
from impl.cluster.states import ReplicaState
from impl.zookeeper_requests import Put
from tests.impl.cluster.clusters import A0, cluster, expand, having, shrink
from tests.impl.cluster.judge import JudgedCluster


def brokers(numbers):
    return "".join(map(str, numbers))


def text(request):
    """A message in some words. A state is leader/ISR/leader epoch."""
    if isinstance(request, StopReplicaRequest):
        ((partition, delete),) = request.partitions.items()
        assert partition == A0
        return "delete" if delete else "stop"
    led = isinstance(request, LeaderAndIsrRequest)
    words = ["take" if led else "know"]
    for partition, each in request.partitions.items():
        assert partition == A0
        found = each.state.partition if led else each.partition
        words.append(f"{found.leader}/{brokers(found.isr)}/{found.leader_epoch}")
        words += [f"of {brokers(each.replicas)}", *["as new"] * each.new] if led else []
    return " ".join([*words, *([] if led else [f"on {brokers(request.live)}"])])


LIFE = {
    "it is created": lambda made: made.create_topic("a", (1, 2)),
    "a follower is behind": lambda made: shrink(made, A0, 2),
    "it has caught up": lambda made: expand(made, A0, 2),
    "its broker dies": lambda made: made.kill(2),
    "its broker comes back": lambda made: made.start(2),
    "it is in sync": lambda made: expand(made, A0, 2),
    "it is to move": lambda made: made.reassign({A0: (3, 1)}),
    "it has moved": lambda made: expand(made, A0, 3),
    "the preferred replica is to lead": lambda made: made.prefer(A0),
    "a broker listens elsewhere": lambda made: made.by_hand(
        Put(broker_path(2), broker_text("PLAINTEXT://moved:1"))
    ),
    "a broker is about to stop": lambda made: made.shut_down(1),
    "the controller dies": lambda made: made.kill(1),
    "it is deleted": lambda made: made.delete_topic("a"),
}
"""What happens to a partition, one after the other."""


def sent(controller=ClusterController):
    """What happens -> the messages that it brings, a line for each turn of a broker."""
    found = []

    def answered(self, sender, broker, request):
        found.append((broker, text(request)))
        return JudgedCluster.answered(self, sender, broker, request)

    made, life = cluster(controller=controller, answered=answered), {}
    for what, happens in LIFE.items():
        found.clear()
        happens(made)
        made.run()
        life[what] = [
            f"{broker}: {', '.join(each for _, each in group)}"
            for broker, group in groupby(found, key=itemgetter(0))
        ]
    return life


SENT = {
    "it is created": [
        "1: take 1/12/0 of 12 as new, know 1/12/0 on 123",
        "2: take 1/12/0 of 12 as new, know 1/12/0 on 123",
        "3: know 1/12/0 on 123",
    ],
    "a follower is behind": [
        "1: know 1/1/0 on 123",
        "2: know 1/1/0 on 123",
        "3: know 1/1/0 on 123",
    ],
    "it has caught up": [
        "1: know 1/12/0 on 123",
        "2: know 1/12/0 on 123",
        "3: know 1/12/0 on 123",
    ],
    "its broker dies": [
        "1: take 1/1/1 of 12, know 1/1/1 on 13, know on 13",
        "3: know 1/1/1 on 13, know on 13",
    ],
    "its broker comes back": [
        "1: know on 123, know 1/1/1 on 123",
        "2: know 1/1/1 on 123, take 1/1/1 of 12, know 1/1/1 on 123",
        "3: know on 123, know 1/1/1 on 123",
    ],
    "it is in sync": [
        "1: know 1/12/1 on 123",
        "2: know 1/12/1 on 123",
        "3: know 1/12/1 on 123",
    ],
    "it is to move": [
        "1: take 1/12/2 of 312, know 1/12/2 on 123, know 1/12/2 on 123",
        "2: take 1/12/2 of 312, know 1/12/2 on 123, know 1/12/2 on 123",
        "3: take 1/12/2 of 312, know 1/12/2 on 123, take 1/12/2 of 312 as new, know 1/12/2 on 123",
    ],
    "it has moved": [
        "1: take 1/123/3 of 31, know 1/123/3 on 123",
        "2: know 1/123/3 on 123",
        "3: take 1/123/3 of 31, know 1/123/3 on 123",
        "1: take 1/13/4 of 31, know 1/13/4 on 123",
        "2: know 1/13/4 on 123, stop, delete",
        "3: take 1/13/4 of 31, know 1/13/4 on 123",
        "1: know 1/13/4 on 123",
        "2: know 1/13/4 on 123",
        "3: know 1/13/4 on 123",
        "1: know 1/13/4 on 123",
        "2: know 1/13/4 on 123",
        "3: know 1/13/4 on 123",
    ],
    "the preferred replica is to lead": [
        "1: take 3/13/5 of 31, know 3/13/5 on 123",
        "2: know 3/13/5 on 123",
        "3: take 3/13/5 of 31, know 3/13/5 on 123",
    ],
    "a broker listens elsewhere": [
        "1: know on 123",
        "2: know on 123",
        "3: know on 123",
    ],
    "a broker is about to stop": [
        "1: know 3/3/6 on 123, stop",
        "2: know 3/3/6 on 123",
        "3: take 3/3/6 of 31, know 3/3/6 on 123",
    ],
    "the controller dies": [
        "2: know on 23, know 3/3/6 on 23",
        "3: know on 23, take 3/3/6 of 31, know 3/3/6 on 23",
        "2: know 3/3/6 on 23",
        "3: take 3/3/6 of 31, know 3/3/6 on 23",
    ],
    "it is deleted": [
        "2: know -2/3/6 on 23",
        "3: know -2/3/6 on 23, stop, delete",
    ],
}


class SendsTwice(Channels):
    """Sends each message twice."""

    def send(self, broker, request):
        super().send(broker, request)
        super().send(broker, request)


class StopsNone(ReplicaMachine):
    """Moves a replica out of its ISR, and has its broker go on."""

    def move(self, replica, to, batch):
        if to is ReplicaState.OFFLINE:
            yield from self.leave_isr(replica, batch)
            self.context.replicas[replica] = to
        else:
            yield from super().move(replica, to, batch)


class NoneIsNew(Batch):
    """Does not say that a replica is a new one."""

    def lead(self, brokers, partition, state, new):
        super().lead(brokers, partition, state, False)


class KnowsNone(ClusterController):
    """Sends batches in which no replica is new."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        desk = self.desk
        make = lambda: NoneIsNew(self.id, desk.context, desk.channels)  # noqa: E731
        desk.replicas.batch = desk.partitions.batch = desk.batch = make


FAULTS = {
    having("desk.channels", SendsTwice): {*LIFE},
    having("desk.replicas", StopsNone): {
        "it has moved",
        "a broker is about to stop",
        "it is deleted",
    },
    KnowsNone: {"it is created", "it is to move"},
}
"""Fault -> where the messages are other ones."""


def test_brokers_get_these_messages_once_each_and_no_others():
    assert sent() == SENT


@pytest.mark.parametrize("fault", FAULTS, ids=["SendsTwice", "StopsNone", "NoneIsNew"])
def test_a_fault_is_seen_where_it_has_an_effect(fault):
    life = sent(fault)
    assert {what for what in LIFE if life[what] != SENT[what]} == FAULTS[fault]


CODES = {
    "NONE": 0,
    "OFFSET_OUT_OF_RANGE": 1,
    "UNKNOWN_TOPIC_OR_PARTITION": 3,
    "LEADER_NOT_AVAILABLE": 5,
    "NOT_LEADER_OR_FOLLOWER": 6,
    "REQUEST_TIMED_OUT": 7,
    "BROKER_NOT_AVAILABLE": 8,
    "STALE_CONTROLLER_EPOCH": 11,
    "NOT_ENOUGH_REPLICAS": 19,
    "NOT_ENOUGH_REPLICAS_AFTER_APPEND": 20,
    "NOT_CONTROLLER": 41,
    "FENCED_LEADER_EPOCH": 74,
    "UNKNOWN_LEADER_EPOCH": 76,
    "STALE_BROKER_EPOCH": 77,
}
"""Kafka's errors, and their numbers in its protocol."""


def test_errors_have_kafkas_numbers():
    assert {(each.name, each.value) for each in (*messages.Error, *partitions.Error)} == {
        *CODES.items()
    }
