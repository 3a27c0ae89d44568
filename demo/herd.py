"""The herd: how many events of watches a change brings, by who watches.

Before there was a controller each broker was to watch partitions and replicas. Now the controller
does, and the others watch ``/controller`` alone. Both are counted at the same change: a broker that
is not the controller dies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from impl.broker.partition import TopicPartition
from impl.cluster import nodes
from impl.cluster.cluster import Cluster
from impl.cluster.requests import Children
from impl.cluster.settings import Settings
from impl.cluster.tree import Tree
from impl.zookeeper_requests import Exists

SIZES = ((3, 9), (6, 30), (10, 100))
"""Brokers, and partitions of three replicas each."""


class Herd(NamedTuple):
    """Events at the death of a broker: if each broker watches every partition, or those of which
    it has a replica, and what the controller and the others get. ``changed``: partitions.
    """

    brokers: int
    partitions: int
    changed: int
    all: int
    own: int
    controller: int


class Observer:
    """A broker that watches states of partitions, and which brokers there are."""

    def __init__(self, tree: Tree, partitions: Iterable[TopicPartition]) -> None:
        self.tree, self.session = tree, tree.open(self)
        self.unwatched = [nodes.state_path(each) for each in partitions] + [f"{nodes.BROKERS}/"]
        self.events = 0
        self.watch()

    def watched(self, path: str, change: str) -> None:
        self.events += 1
        self.unwatched.append(path)

    def watch(self) -> None:
        """Watch again what has changed. A watch sees one change."""
        paths, self.unwatched = self.unwatched, []
        for path in paths:
            above = path.rstrip("/")
            self.tree.ask(self.session, Exists(path) if above == path else Children(above, True))


def replicas(number: int, brokers: int) -> tuple[int, ...]:
    """Three replicas of a partition, on neighbours."""
    return tuple((number + each) % brokers + 1 for each in range(3))


def measured(brokers: int, partitions: int) -> Herd:
    """Count the events at the death of the last broker. The first one is the controller."""
    cluster = Cluster(Settings(rebalance=False))
    for broker in range(1, brokers + 1):
        cluster.start(broker)
    cluster.run()
    assignments = [replicas(number, brokers) for number in range(partitions)]
    cluster.create_topic("t", *assignments)
    cluster.run()
    every = [TopicPartition("t", number) for number in range(partitions)]
    everything: list[Observer] = []
    own: list[Observer] = []
    for broker in range(1, brokers):
        mine = [each for each in every if broker in assignments[each.partition]]
        everything.append(Observer(cluster.tree, every))
        own.append(Observer(cluster.tree, mine))
    before = states(cluster)
    fired = cluster.tree.fired
    cluster.kill(brokers)
    while cluster.turn():
        for observer in (*everything, *own):
            observer.watch()
    of_all, of_own = (sum(each.events for each in some) for some in (everything, own))
    changed = sum(before[path] != data for path, data in states(cluster).items())
    rest = cluster.tree.fired - fired - of_all - of_own
    return Herd(brokers, partitions, changed, of_all, of_own, rest)


def states(cluster: Cluster) -> dict[str, str]:
    """The state of each partition."""
    return {node.path: node.data for node in cluster.tree.nodes if node.path.endswith("/state")}


def table() -> str:
    """The numbers for several clusters."""
    rows = [
        "A broker that is not the controller dies. Events of watches, if",
        "  (a) each broker watches the state of every partition, and the brokers",
        "  (b) each broker watches those of its own partitions, and the brokers",
        "  (c) the controller watches the brokers, and no other broker does",
        "",
        f"{'brokers':>7}{'partitions':>12}{'changed':>9}{'(a)':>8}{'(b)':>8}{'(c)':>8}",
    ]
    for size in SIZES:
        found = measured(*size)
        rows.append(
            f"{found.brokers:>7}{found.partitions:>12}{found.changed:>9}"
            f"{found.all:>8}{found.own:>8}{found.controller:>8}"
        )
    return "\n".join(rows) + "\n"
