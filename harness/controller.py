"""How a scenario of Controller runs on the implementation, and the refinement mapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from impl import controller
from impl.controller import CONTROLLER, EPOCH, PARTITION, Epoch, PartitionState, decoded
from impl.controller_events import ABRUPTLY, EXPIRE, Connection, Events, close_all
from impl.controller_thread import ControllerThread, EarlyControllerThread
from impl.early_controller import EarlyElector
from impl.runtime import get_ident
from impl.zookeeper import ZNode, ZooKeeper
from impl.zookeeper_requests import Code, Create, Delete, Exists, Part, Put, Reply

SUBJECT = ("impl.controller", "impl.early_controller", "impl.controller_thread")
"""The modules whose steps are the mechanism's."""

HELPERS = ("impl.controller_events", "impl.zookeeper", "impl.zookeeper_requests")
"""Modules that are no mechanism: these scenarios have to run each of their branches, too."""

ATOMIC = {"impl.controller_events": (), "impl.zookeeper": ()}
"""Modules whose operations are part of their caller's step: each request is one."""

WAITS = ("A1", "Y1", "Y2", "N6")
"""Steps that wait: for an event, an expiry, its event to be taken, and quiet."""

ON_THREADS = "harness.controller_on_threads"
"""The module whose ``Harness`` and ``broken`` are for real threads."""

BY_SCHEDULE = "the steps wait for an expiry and for quiet under control alone"
"""Why no recording of threads that run freely is a run of the model."""

NOT_RUN = {
    "impl.controller: answer: again is None is true": (
        "a read without a reply; tests/impl/test_controller.py loses one"
    ),
    "impl.controller_events: Events.await_taken: event in self.waiting is true": (
        "the step waits instead; tests/impl/test_controller_events.py does it with threads"
    ),
    "impl.controller_events: Events.take: not self.waiting and (not self.closed) and "
    "(self.leaving != ABRUPTLY) is true": "the same",
    "impl.zookeeper: ZooKeeper.drop_reply: when not in ('before', 'after') is true": (
        "raises ValueError; tests/impl/test_zookeeper.py asks for it"
    ),
    "impl.zookeeper: ZooKeeper.end: ending is None is true": "the same",
}
"""Branches that no scenario runs, and why."""

NONE, NEVER = "none", "never"


class Busy(NamedTuple):
    """In the place of a lock that is held: a step waits."""

    owner: str


class Harness:
    """The objects of one scenario, and one method per operation of a thread program."""

    Tree: type[ZooKeeper] = ZooKeeper

    def __init__(self, scenario: Mapping[str, Any], impl: ModuleType = controller) -> None:
        first, brokers = scenario["first"], tuple(scenario["session"])
        epoch = int(first in brokers)
        nodes = [ZNode(EPOCH, str(epoch), epoch), ZNode(PARTITION, PartitionState().encoded())]
        self.zookeeper = self.Tree(nodes[first == NEVER :])
        waiting = [] if first in brokers else ["register"]
        self.brokers, self.thread_names = brokers, tuple(scenario["threads"])
        self.events_of = {broker: Events(waiting) for broker in brokers}
        self.events = tuple(self.events_of.values())
        self.connections = {
            broker: Connection(self.zookeeper, events) for broker, events in self.events_of.items()
        }
        kinds = {
            "Elector": (impl.Elector, getattr(impl, "ControllerThread", ControllerThread)),
            "EarlyElector": (
                getattr(impl, "EarlyElector", EarlyElector),
                getattr(impl, "EarlyControllerThread", EarlyControllerThread),
            ),
        }
        kind_of = {broker: kinds[scenario["elector"][broker]] for broker in brokers}
        self.electors: dict[str, Any] = {broker: kind_of[broker][0](broker) for broker in brokers}
        if first in brokers:
            self.electors[first].acting, self.electors[first].own = True, Epoch(1, 1)
            node = ZNode(CONTROLLER, first, 0, self.connections[first].session)
            self.zookeeper.nodes = tuple(sorted((*self.zookeeper.nodes, node)))
            for connection in self.connections.values():
                connection.ask(Exists(CONTROLLER))
        self.threads = {
            broker: kind_of[broker][1](
                self.electors[broker], self.events_of[broker], self.connections[broker]
            )
            for broker in brokers
        }
        self.names = {
            "zookeeper": self.zookeeper,
            **{f"events of {broker}": item for broker, item in self.events_of.items()},
            **{f"connection of {broker}": item for broker, item in self.connections.items()},
            **{f"elector of {broker}": item for broker, item in self.electors.items()},
            **{f"thread of {broker}": item for broker, item in self.threads.items()},
        }

    # -- the operations

    def serve(self) -> None:
        self.threads[self.thread_names[get_ident() - 1]].serve()

    def connect(self, broker: str) -> None:
        connection = self.connections[broker]
        if connection.tell_of_expiry():  # change Y1
            connection.open_session()  # write Y2

    def expire(self, broker: str) -> None:
        connection = self.connections[broker]
        connection.expire()  # write N1

    def leave(self, broker: str, how: str) -> None:
        events = self.events_of[broker]
        events.leave(how)  # write L1

    def remove(self) -> None:
        """Delete /controller by hand."""
        self.zookeeper.by_hand(deletion)  # write N2

    def overwrite(self, data: str) -> None:
        """Write /controller by hand."""
        self.zookeeper.by_hand(writing(data))  # write N8

    def lag(self, broker: str) -> None:
        connection = self.connections[broker]
        connection.fall_behind()  # write N9

    def hear(self, broker: str) -> None:
        connection = self.connections[broker]
        connection.catch_up()  # write N0

    def lose(self, broker: str, when: str) -> None:
        connection = self.connections[broker]
        connection.drop_reply(when)  # write N3

    def notify(self, broker: str, event: str) -> None:
        events = self.events_of[broker]
        events.append(event)  # write N4

    def shrink(self) -> None:
        """The partition's leader changes the ISR."""
        self.zookeeper.by_hand(shrunk)  # write N5

    def visit(self) -> None:
        """Where there is no controller, another broker becomes it, writes, and goes again."""
        self.zookeeper.by_hand(visited)  # write N7

    def rest(self) -> None:
        """No fault comes any more: when all is quiet, the event threads may end."""
        close_all(self.events)  # write N6


def deletion(nodes: tuple[ZNode, ...]) -> tuple[Part, ...]:
    return (Delete(CONTROLLER),)


def writing(data: str) -> Callable[[tuple[ZNode, ...]], tuple[Part, ...]]:
    """The parts of a write by hand."""
    return lambda nodes: (Put(CONTROLLER, data),)


def shrunk(nodes: tuple[ZNode, ...]) -> tuple[Part, ...]:
    """The partition's ISR has changed once more."""
    state = state_of(found(nodes, PARTITION))
    return (Put(PARTITION, state._replace(isr=state.isr + 1).encoded()),)


def visited(nodes: tuple[ZNode, ...]) -> tuple[Part, ...]:
    """All that another broker writes while it is the controller."""
    epoch = found(nodes, EPOCH)
    epoch_raised = Epoch(int(epoch.data) + 1, epoch.version + 1)
    new = state_of(found(nodes, PARTITION)).led_in(epoch_raised)
    return (
        Create(CONTROLLER, "another"),
        Put(EPOCH, str(epoch_raised.value)),
        Put(PARTITION, new.encoded()),
        Delete(CONTROLLER),
    )


def found(nodes: tuple[ZNode, ...], path: str) -> ZNode:
    return next(node for node in nodes if node.path == path)


def waits(label: str, names: Mapping[str, Any]) -> Busy | None:
    """None if a step of ``WAITS`` can be made. ``names``: the locals of the function with it."""
    if label == "A1":
        events = names["self"].events
        ready = events.waiting or events.closed or events.leaving == ABRUPTLY
        return None if ready else Busy("an event")
    if label == "Y1":
        return Busy("an expiry") if names["connection"].lives() else None
    if label == "Y2":
        return Busy("its event") if EXPIRE in names["connection"].events.waiting else None
    harness = names["self"]
    connections = harness.connections.values()
    resting = all(left(connection) or rests(connection) for connection in connections)
    return None if resting and not any(queue.busy for queue in harness.events) else Busy("quiet")


def left(connection: Connection) -> bool:
    """The broker has ended, and its session too."""
    return bool(connection.events.leaves()) and not connection.lives()


def rests(connection: Connection) -> bool:
    """The broker is quiet, and is not to end."""
    events = connection.events
    late = late_of(connection.zookeeper, events)
    return events.quiet() and not events.leaves() and connection.lives() and not late


def late_of(zookeeper: ZooKeeper, events: Events) -> tuple[tuple[Any, ...], ...]:
    """The changes that a broker's late server has applied, and the first event of /controller after
    them."""
    return tuple(
        (*of_nodes(late.nodes), named_event(dict(late.missed).get(CONTROLLER)))
        for late in zookeeper.late
        if late.watcher is events
    )


def named_event(change: str | None) -> str:
    """The event of the broker's queue that a change is."""
    return NONE if change is None else "reelect" if change == "deleted" else "change"


def of_nodes(nodes: tuple[ZNode, ...]) -> tuple[tuple[Any, ...], ...]:
    """The model's node, epoch and part."""
    by_path = {node.path: node for node in nodes}
    controller_node, epoch = by_path.get(CONTROLLER), by_path.get(EPOCH)
    return (
        (NONE, 0) if controller_node is None else (controller_node.data, controller_node.owner),
        (0, -1) if epoch is None else (int(epoch.data), epoch.version),
        tuple(state_of(by_path[PARTITION])),
    )


def shared(harness: Harness) -> dict[str, tuple[object, ...]]:
    """The model's shared variables, each as a tuple of its values."""
    zookeeper, brokers = harness.zookeeper, harness.brokers
    node, epoch, part = of_nodes(zookeeper.nodes)
    live = {item.id: item for item in zookeeper.live}
    session = {broker: harness.connections[broker].session for broker in brokers}
    electors = harness.electors.values()
    return {
        "node": (node,),
        "epoch": (epoch,),
        "part": (part,),
        "live": (frozenset(b for b in brokers if session[b] in live),),
        "session": tuple(session.values()),
        "sessions": (zookeeper.sessions,),
        "watching": (
            frozenset(
                b for b in brokers if session[b] in live and CONTROLLER in live[session[b]].watching
            ),
        ),
        "cut": tuple(live[session[b]].cut or NONE if session[b] in live else NONE for b in brokers),
        "late": tuple(late_of(zookeeper, events) for events in harness.events),
        "queue": tuple(events.waiting for events in harness.events),
        "busy": (frozenset(b for b, item in zip(brokers, harness.events) if item.busy),),
        "acts": tuple(elector.acting for elector in electors),
        "own": tuple(tuple(elector.own) for elector in electors),
        "known": tuple(tuple(elector.known) for elector in electors),
        "leaves": tuple(events.leaving or NONE for events in harness.events),
        "over": (all(events.closed for events in harness.events),),
    }


def state_of(node: ZNode) -> PartitionState:
    return decoded(Reply(Code.OK, node.data, node.version))
