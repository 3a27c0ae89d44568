"""A controller dies and another broker takes over, as a timeline: ``make demo-controller``.

Every line is read from the cluster: from transactions of ZooKeeper, and from requests to brokers.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence

from demo import herd
from demo.timeline import Timeline
from impl.broker.partition import TopicPartition
from impl.cluster import nodes
from impl.cluster.cluster import Cluster
from impl.cluster.messages import (
    BrokerRequest,
    LeaderAndIsrRequest,
    Response,
    UpdateMetadataRequest,
)
from impl.cluster.nodes import NO_LEADER, PartitionState
from impl.cluster.tree import Tree
from impl.controller import CONTROLLER, EPOCH
from impl.zookeeper import ZNode
from impl.zookeeper_requests import Code, Part, Reply

SESSION_MS = 18_000
"""After so long ZooKeeper gives up a session of which it hears nothing: Kafka's default."""

CATCH_UP_MS = 30_000
"""So long a replica needs for what it has missed."""

TOPIC = "orders"
NAMES = {UpdateMetadataRequest: "UpdateMetadata", LeaderAndIsrRequest: "LeaderAndIsr"}


def listed(brokers: Iterable[int]) -> str:
    return ", ".join(map(str, brokers)) or "none"


def state(node: ZNode | None) -> PartitionState | None:
    return None if node is None else nodes.state_of(Reply(Code.OK, node.data, node.version))


class SeenTree(Tree):
    """A ZooKeeper whose changes are seen in the timeline."""

    line: Timeline

    def _write(self, session: int, parts: tuple[Part, ...]) -> Reply:
        before = {node.path: node for node in self.nodes}
        reply = super()._write(session, parts)
        if reply.ok:
            for node in self.nodes:
                if node is not before.get(node.path):
                    self.note(before.get(node.path), node)
        return reply

    def note(self, before: ZNode | None, node: ZNode) -> None:
        """A node is new, or has new data."""
        if node.path.startswith(f"{nodes.BROKERS}/"):
            broker, number = node.path.rpartition("/")[2], self.zxid
            self.line.note(f"broker {broker}", f"is registered, by transaction {number}")
        elif node.path == CONTROLLER:
            self.line.note(f"broker {node.data}", "has created /controller")
        elif node.path == EPOCH:
            self.line.note("ZooKeeper", f"the controller's epoch is {node.data}")
        elif node.path.endswith("/state"):
            self.note_state(node.path, state(before), state(node))

    def note_state(self, path: str, old: PartitionState | None, new: PartitionState | None) -> None:
        """A partition has another leader, or another ISR."""
        if new is None:
            return
        *_, topic, _, number, _ = path.split("/")
        leader, isr = new.partition.leader, listed(new.partition.isr)
        now = "has no leader" if leader == NO_LEADER else f"is led by broker {leader}"
        if old is not None and old.partition.leader == leader:
            now = "keeps its leader"
        epoch = new.partition.leader_epoch
        self.line.note("ZooKeeper", f"{topic}-{number} {now}, epoch {epoch}; in sync: {isr}")


class ControllerStory(Cluster):
    """Three brokers, and a topic whose partitions prefer one of them each."""

    tree_class = SeenTree

    def __init__(self) -> None:
        super().__init__()
        self.line = self.tree.line = Timeline(self.clock.now_ms)  # type: ignore[attr-defined]
        self.sent: list[tuple[int, int, str]] = []
        self.leaders: list[tuple[str, list[int]]] = []

    def answered(self, sender: int, broker: int, request: BrokerRequest) -> Response:
        self.sent.append((sender, broker, NAMES.get(type(request), "StopReplica")))
        return super().answered(sender, broker, request)

    def rest(self, what: str) -> None:
        """Let everything happen, and say what the controller sent, and who leads now."""
        self.run()
        for sender in dict.fromkeys(each for each, _, _ in self.sent):
            sent = [(broker, name) for each, broker, name in self.sent if each == sender]
            kinds = Counter(name for _, name in sent)
            counted = ", ".join(f"{many} {name}" for name, many in kinds.items())
            self.line.note(f"broker {sender}", f"sends, the first kind first: {counted}")
        self.sent.clear()
        self.leaders.append((what, [self.leader(number) for number in range(3)]))

    def leader(self, number: int) -> int:
        data = self.data(nodes.state_path(TopicPartition(TOPIC, number)))
        found = data and nodes.state_of(Reply(Code.OK, data, 0))
        return found.partition.leader if found else NO_LEADER

    # -- the acts

    def begun(self) -> None:
        self.line.act("1. Three brokers start, and the first one becomes the controller")
        for broker in (1, 2, 3):
            self.start(broker)
        self.rest("three brokers")

    def created(self) -> None:
        self.line.act("2. A topic is created, and the controller gives it leaders")
        self.advance(10_000)
        self.line.note("admin", f"creates {TOPIC}: three partitions, three replicas each")
        self.create_topic(TOPIC, (1, 2, 3), (2, 3, 1), (3, 1, 2))
        self.rest("a topic")

    def died(self) -> None:
        self.line.act("3. The controller dies, and another broker takes over")
        self.advance(10_000)
        self.line.note("broker 1", "dies; it was the controller, and led orders-0")
        self.advance(SESSION_MS)
        self.line.note("ZooKeeper", "gives up the session of broker 1, and deletes its nodes")
        self.kill(1)
        self.rest("broker 1 is dead")

    def returned(self) -> None:
        self.line.act("4. The dead broker comes back, as a follower")
        self.advance(60_000)
        self.start(1)
        self.rest("broker 1 is back")
        self.clock.advance(CATCH_UP_MS)
        self.line.note("broker 1", "has what it missed; the leaders take it in")
        for broker in (2, 3):
            member = self.members[broker]
            for number in range(3):
                partition = TopicPartition(TOPIC, number)
                if member.broker.leads(partition):
                    member.perform(member.broker.expand(partition, 1))
        self.rest("broker 1 is in sync")

    def balanced(self) -> None:
        self.line.act("5. The timer goes off, and the preferred leader returns")
        now = self.clock.now_ms()
        self.clock.advance(self.clock.next_ms(now + self.settings.check_ms) - now)
        acting = self.acting()
        if acting is not None:
            for broker, partitions in acting.controller.preferred.by_preferred().items():
                led = sum(self.leader(each.partition) == broker for each in partitions)
                many = f"{led} of the {len(partitions)} that prefer it"
                self.line.note(f"broker {acting.id}", f"its timer: broker {broker} leads {many}")
        self.rest("the timer went off")

    def recount(self) -> str:
        """The whole story as text."""
        for act in (self.begun, self.created, self.died, self.returned, self.balanced):
            act()
        rows = [f"{'leader of':<24}" + "".join(f"{TOPIC}-{each}   " for each in range(3)).rstrip()]
        for what, leaders in self.leaders:
            cells = "".join(f"{'-' if each < 0 else each:>8}   " for each in leaders)
            rows.append(f"{what:<24}{cells}".rstrip())
        return "\n".join([*self.line.lines, "", *rows]).strip("\n") + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser("demo.controller", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--herd", action="store_true", help="count the events of watches instead")
    chosen = parser.parse_args(arguments)
    print(herd.table() if chosen.herd else ControllerStory().recount(), end="")


if __name__ == "__main__":
    main()
