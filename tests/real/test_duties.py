"""The duties of the controller on a real ZooKeeper: the same nodes as on the one in memory."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from impl.broker.partition import TopicPartition
from impl.cluster import nodes
from impl.cluster.cluster import Cluster
from impl.cluster.nodes import broker_path, broker_text
from impl.cluster.requests import Children, names
from impl.cluster.tree import Tree
from impl.controller import CONTROLLER
from impl.zookeeper import ZooKeeper
from impl.zookeeper_requests import Code, Create, Get, Multi, Put
from real.zookeeper import server, wire
from tests.impl.cluster.clusters import A0, A1, A2, THREE, having
from tests.impl.cluster.test_brokers import Unmoved
from tests.impl.cluster.test_failover import ordered
from tests.real.tree_client import CHILDREN_CHANGED, TreeClient
from wheelproof.jvm.jars import NotHere


class RealSession:
    """A session of a broker."""

    def __init__(self, port, inbox):
        self.client, self.inbox = TreeClient(port), inbox

    def ask(self, request):
        return self.client.ask(request)

    def expire(self):
        self.client.expire()

    def drop_reply(self, when):
        self.client.drop_reply(when)

    def hear(self):
        """Hand over what the watches have seen, unless the session has expired."""
        if self.client.ask(Get("/")).code is not Code.SESSION_EXPIRED:
            self.client.ping()
            for path, change in self.client.events():
                self.inbox.watched(path, change)


class RealCluster(Cluster):
    """The same cluster, with its brokers' sessions on a server."""

    def __init__(self, port, *settings):
        super().__init__(*settings)
        self.port, self.admin = port, TreeClient(port)
        parts = tuple(Create(node.path, node.data) for node in nodes.START)
        assert self.admin.ask(Multi(tuple(sorted(parts)))).ok

    def connect(self, inbox):
        return RealSession(self.port, inbox)

    def turn(self):
        for member in self.members.values():
            member.session.hear()
        return super().turn()

    def by_hand(self, *parts):
        assert self.admin.ask(Multi(parts)).ok

    def data(self, path):
        reply = self.admin.ask(Get(path))
        return reply.data if reply.ok else None

    def named(self):
        return self.data(CONTROLLER)

    def everything(self, path=""):
        """Path -> data and version, of all nodes below one."""
        found = {}
        for name in names(self.admin.ask(Children(path or "/"))):
            below = f"{path}/{name}"
            if below != "/zookeeper":
                reply = self.admin.ask(Get(below))
                found |= {below: (reply.data, reply.version)} | self.everything(below)
        return found

    def close(self):
        for member in self.members.values():
            member.session.client.close()
        self.admin.close()


def everything(cluster):
    """The same for a cluster in memory."""
    if isinstance(cluster, RealCluster):
        return cluster.everything()
    return {node.path: (node.data, node.version) for node in cluster.tree.nodes}


def expand(cluster, partition, replica):
    for member in [*cluster.members.values()]:
        if member.broker.leads(partition):
            member.perform(member.broker.expand(partition, replica))


def acts(cluster):
    """A failover, and every other duty, with lost replies. Each act ends at rest."""
    for broker in (1, 2, 3):
        cluster.start(broker)
    yield "three brokers"
    cluster.members[1].session.drop_reply("after")
    cluster.create_topic("a", *THREE)
    yield "a topic"
    cluster.members[2].session.drop_reply("after")
    cluster.kill(1)
    yield "the controller is dead"
    cluster.start(1)
    yield "it is back"
    for partition in (A0, A1, A2):
        expand(cluster, partition, 1)
    cluster.members[2].session.drop_reply("before")
    yield "it is in sync"
    cluster.clock.advance(cluster.settings.check_ms)
    yield "its preferred partition is led by it"
    cluster.start(4)
    cluster.reassign({A0: (4, 2)})
    yield "a partition moves"
    expand(cluster, A0, 4)
    yield "it has moved"
    cluster.shut_down(3)
    yield "a broker is about to stop"
    cluster.kill(3)
    cluster.add_partitions("a", (1, 2))
    yield "it has stopped, and there is another partition"
    cluster.create_topic("b", (2, 1))
    cluster.members[2].expire()
    yield "the session of the controller has expired"
    cluster.prefer(TopicPartition("b", 0), A1)
    yield "preferred replicas were wanted"
    cluster.by_hand(Put(broker_path(4), broker_text("PLAINTEXT://moved:1")))
    yield "a broker listens somewhere else"
    cluster.start(3)
    cluster.delete_topic("a")
    yield "a topic is deleted"


def known(cluster):
    """Where each broker looks for the others."""
    return {f"broker {number}": member.broker.live for number, member in cluster.members.items()}


def played(cluster):
    """All nodes after each act, and where brokers look for each other."""
    found = []
    for act in acts(cluster):
        cluster.run()
        found.append((act, everything(cluster) | known(cluster)))
    return found


def differences(one, other):
    return [
        f"{act}: {path}: {before.get(path)}, {after.get(path)}"
        for (act, before), (_, after) in zip_longest(one, other, fillvalue=("", {}))
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]


@pytest.fixture
def real(tmp_path, monkeypatch):
    """A cluster on a server of its own; without Java or its jars nothing is run."""
    monkeypatch.setitem(wire.CHANGES, CHILDREN_CHANGED, "children")
    running = server.running(tmp_path)
    try:
        port = running.__enter__()
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    cluster = RealCluster(port)
    yield cluster
    cluster.close()
    running.__exit__(None, None, None)


@pytest.mark.nightly
def test_the_duties_leave_the_same_nodes_on_a_real_zookeeper(real):
    found = played(real)
    assert differences(played(Cluster()), found) == []
    assert [each.id for each in real.members.values() if each.controller.acting] == [
        int(real.named())
    ]


class Unheard(Tree):
    """No watch sees that children change."""

    def _fire(self, events):
        ZooKeeper._fire(self, events)


class Late(Cluster):
    """The replicas' state machine starts behind the partitions' one."""

    member_class = type(
        "Planted",
        (Cluster.member_class,),
        {"controller_class": ordered("watch", "read_cluster", "start_partitions")},
    )


class Lost(Cluster):
    """The controller does not look where a broker listens."""

    member_class = type(
        "Planted", (Cluster.member_class,), {"controller_class": having("brokers", Unmoved)}
    )


def test_the_nodes_of_another_run_differ():
    """By day: what compares the two sees a fault of a ZooKeeper, and one of a controller."""
    sound = played(Cluster())
    assert len(sound) == 14 and differences(sound, played(Cluster())) == []
    assert sound[-2][1]["broker 1"][4] == "PLAINTEXT://moved:1"
    deaf = type("Planted", (Cluster,), {"tree_class": Unheard})
    assert differences(sound, played(deaf()))[0].startswith("a topic: /brokers/topics/a/partitions")
    assert differences(sound, played(Late()))[0].startswith(
        "the controller is dead: /brokers/topics/a/partitions/0/state: "
    )
    assert differences(sound, played(Lost()))[0].startswith(
        "a broker listens somewhere else: broker 1: "
    )
