"""The controller's scenarios on real threads, judged by ZooKeeper's own history.

Under control ``waits`` of ``harness/controller.py`` keeps a thread from a step. Here a thread waits
for the same before it makes the step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from harness import controller
from harness.controller import late_of, left, rests
from impl.controller import CONTROLLER, EPOCH, PARTITION, Epoch
from impl.controller_events import ABRUPTLY
from impl.zookeeper import ZNode, ZooKeeper
from impl.zookeeper_requests import Create, Delete, Part, Put, Reply

PAUSE_S = 0.0005


class Transaction(NamedTuple):
    """A transaction that was performed. ``session``: 0 for one by hand."""

    session: int
    parts: tuple[Part, ...]


class Recorded(ZooKeeper):
    """A ZooKeeper that keeps its history: the transactions in their order."""

    __slots__ = ("history",)

    def __init__(self, nodes: Sequence[ZNode] = ()) -> None:
        super().__init__(nodes)
        self.history: list[Transaction] = []

    def _write(self, session: int, parts: tuple[Part, ...]) -> Reply:
        reply = super()._write(session, parts)
        if reply.ok:
            self.history.append(Transaction(session, parts))
        return reply


class Harness(controller.Harness):
    """The same objects; a thread that serves takes the next broker.

    ``start``: the nodes at the beginning. ``connecting``: how many expiries have to be handled yet.
    """

    zookeeper: Recorded
    Tree = Recorded

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        super().__init__(scenario)
        self.start = self.zookeeper.nodes
        self.unserved = list(self.brokers)
        programs = scenario["threads"].values()
        self.connecting = [1 for program in programs for step in program if step[0] == "connect"]

    def serve(self) -> None:
        self.threads[self.unserved.pop(0)].serve()

    def connect(self, broker: str) -> None:
        wait_until(lambda: not self.connections[broker].lives())
        super().connect(broker)
        self.connecting.pop()

    def rest(self) -> None:
        wait_until(self.quiet)
        super().rest()

    def quiet(self) -> bool:
        """Whether no event comes any more, of itself.

        Only a change in ZooKeeper makes an event then. So no queue that was found empty gets one
        while ZooKeeper's lock is held.
        """
        staying = [connection for connection in self.connections.values() if not left(connection)]
        if self.connecting or not all(map(rests, staying)):
            return False
        with self.zookeeper.lock:
            return all(connection.events.quiet() for connection in staying)


def wait_until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(PAUSE_S)


def broken(harness: Harness) -> Iterator[str]:
    """The properties that a run does not have: by its history, and by its end."""
    yield from in_history(harness)
    node = next((item for item in harness.zookeeper.nodes if item.path == CONTROLLER), None)
    staying = [broker for broker, item in harness.connections.items() if not left(item)]
    acting = [
        harness.electors[broker]
        for broker, item in harness.connections.items()
        if harness.electors[broker].acting and item.events.leaves() != ABRUPTLY
    ]
    if any(first.own.value == second.own.value for first, second in combinations(acting, 2)):
        yield "OneController"
    quiet = {
        broker: connection.session
        for broker, connection in harness.connections.items()
        if connection.lives() and connection.events.quiet()
        if connection.events.leaves() != ABRUPTLY
        if not late_of(harness.zookeeper, connection.events)
    }
    if node is None and staying and len(quiet) == len(staying):
        yield "NoVacancy"
    for broker, session in quiet.items():
        elector = harness.electors[broker]
        if node is not None and node.owner == session and not elector.acting:
            yield "NoOrphan"
        if elector.acting and elector.own == Epoch():
            yield "NoPhantom"


def in_history(harness: Harness) -> Iterator[str]:
    """The properties that ZooKeeper's history does not have.

    A session is elected in the epoch that it has raised, and writes in that one alone.
    """
    data = {EPOCH: "0"} | {node.path: node.data for node in harness.start}
    holder = next((node.owner for node in harness.start if node.path == CONTROLLER), 0)
    sessions = {int(data[EPOCH]): holder}
    for session, parts in harness.zookeeper.history:
        for part in parts:
            if isinstance(part, Create) and part.path == CONTROLLER:
                holder = session
            elif isinstance(part, Delete):
                if session not in (0, holder):
                    yield "DeletesOwnNode"
            elif isinstance(part, Create):
                if part.data != data[EPOCH]:
                    yield "EpochIncreases"
            elif isinstance(part, Put):
                if part.path == EPOCH:
                    if int(part.data) != int(data[EPOCH]) + 1:
                        yield "EpochIncreases"
                    sessions[int(part.data)] = session
                elif part.path == PARTITION and session:
                    yield from of_write(session, part.data, data, sessions)
                data[part.path] = part.data


def of_write(
    session: int, new: str, data: Mapping[str, str], sessions: Mapping[int, int]
) -> Iterator[str]:
    """The properties that a controller's write does not have. ``data``: by path, before it."""
    leader_epoch, controller_epoch, isr = map(int, new.split())
    before, _, isr_before = map(int, data[PARTITION].split())
    if controller_epoch != int(data[EPOCH]):
        yield "FencedWrites"
    if sessions.get(controller_epoch) != session:
        yield "OneController"
    if (leader_epoch, isr) != (before + 1, isr_before):
        yield "NoLostUpdate"
