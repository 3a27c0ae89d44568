"""A cluster in one thread: brokers, a ZooKeeper, and a clock that stands still while they work.

Every request to ZooKeeper is one step, and every request to a broker. A caller takes them one by
one, in the order that it wants, or all until none is left.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Protocol

from impl.broker.partition import TopicPartition
from impl.clock import VirtualClock
from impl.cluster import events, nodes
from impl.cluster.broker import ClusterBroker
from impl.cluster.controller import ClusterController
from impl.cluster.events import Event, Inbox, Watches
from impl.cluster.messages import BrokerRequest, Error, Response, StopReplicaRequest
from impl.cluster.nodes import Assignment
from impl.cluster.requests import AnyRequest, Duty, Wanted
from impl.cluster.settings import Settings
from impl.cluster.tree import Tree
from impl.controller import CONTROLLER, SessionExpired
from impl.zookeeper_requests import Create, Delete, Part, Put, Reply


class Session(Protocol):
    """A session with ZooKeeper, in memory or a real one."""

    def ask(self, request: AnyRequest) -> Reply:
        """Make a request in it."""

    def expire(self) -> None:
        """End it without its owner's doing."""


class TreeSession:
    """A session with the ZooKeeper in memory."""

    def __init__(self, tree: Tree, inbox: Inbox) -> None:
        self.tree, self.number = tree, tree.open(inbox)

    def ask(self, request: AnyRequest) -> Reply:
        return self.tree.ask(self.number, request)

    def expire(self) -> None:
        if self.tree.lives(self.number):
            self.tree.end(self.number)

    def drop_reply(self, when: str) -> None:
        """Lose the reply to the next transaction, "before" or "after" it is performed."""
        self.tree.drop_reply(self.number, when)


class Clock:
    """Virtual time, with alarms."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.alarms: list[tuple[int, int, Callable[[], None]]] = []
        self.numbers = count()

    def now_ms(self) -> int:
        return self.clock.hi_res_clock_ms()

    def after(self, delay_ms: int, call: Callable[[], None]) -> Callable[[], None]:
        """Have something called after a delay. Returns what calls it off."""
        alarm = (self.now_ms() + delay_ms, next(self.numbers), call)
        heapq.heappush(self.alarms, alarm)

        def call_off() -> None:
            if alarm in self.alarms:
                self.alarms.remove(alarm)
                heapq.heapify(self.alarms)

        return call_off

    def next_ms(self, end_ms: int) -> int:
        """When the next alarm is due, or ``end_ms`` if that is sooner."""
        return min([end_ms, *(due for due, _, _ in self.alarms[:1])])

    def advance(self, ms: int) -> None:
        """Let time pass: what is due by then is called, in the order of its time."""
        end = self.now_ms() + ms
        while self.alarms and self.alarms[0][0] <= end:
            due, _, call = heapq.heappop(self.alarms)
            self.clock.advance(due - self.now_ms())
            call()
        self.clock.advance(end - self.now_ms())


class Member:
    """A broker's process: its session, its events, its controller, and what it is to others.

    ``wanted``: what the handler under way requests next.
    """

    controller_class = ClusterController

    def __init__(
        self,
        broker: int,
        clock: Clock,
        connect: Callable[[Inbox], Session],
        settings: Settings,
        endpoint: str = "",
    ) -> None:
        self.id, self.clock, self.connect = broker, clock, connect
        self.watches = Watches()
        self.inbox = Inbox(self.watches)
        self.broker = ClusterBroker(broker)
        self.controller = self.controller_class(
            broker, endpoint or f"PLAINTEXT://b{broker}:9092", self.watches, self, settings
        )
        self.handling: Event | None = None
        self.handler: Duty | None = None
        self.wanted: Wanted | None = None
        self.session = connect(self.inbox)
        self.inbox.put(events.REGISTER)

    def after(self, delay_ms: int, event: Event) -> Callable[[], None]:
        return self.clock.after(delay_ms, lambda: self.inbox.put(event))

    def busy(self) -> bool:
        return self.handler is not None or bool(self.inbox.waiting)

    def step(self) -> bool:
        """Take the next event, or make the next request of its handler. False: there is none."""
        reply: Reply | None = None
        if self.handler is None:
            self.handling = self.inbox.take()
            if self.handling is None:
                return False
            self.handler = self.controller.handle_event(self.handling)
        elif self.wanted is not None:
            reply = self.session.ask(self.wanted.request)
        try:
            self.wanted = self.handler.send(reply)  # type: ignore[arg-type]  # None begins it
        except (StopIteration, SessionExpired):
            self.ended()
        self.broker.epoch = self.controller.epoch
        return True

    def ended(self) -> None:
        """The handler has ended. A session that has expired is followed by another one."""
        event, self.handler, self.handling, self.wanted = self.handling, None, None, None
        if event == events.EXPIRE:
            self.session = self.connect(self.inbox)
            self.inbox.put(events.REGISTER)

    def expire(self) -> None:
        """The session expires, and the process lives."""
        self.session.expire()
        self.inbox.clear_and_put(events.EXPIRE)

    def perform(self, duty: Duty) -> None:
        """Do something beside the event thread: all requests of it, at once."""
        reply: Reply | None = None
        try:
            while True:
                wanted = duty.send(reply)  # type: ignore[arg-type]
                reply = self.session.ask(wanted.request)
        except (StopIteration, SessionExpired):
            return


class Cluster:
    """``members``: broker -> its process, if it runs."""

    member_class, tree_class = Member, Tree

    def __init__(self, settings: Settings = Settings()) -> None:  # noqa: B008  # it is a value
        self.tree = self.tree_class(nodes.START)
        self.clock, self.settings = Clock(), settings
        self.members: dict[int, Member] = {}

    # -- processes

    def start(self, broker: int, endpoint: str = "") -> Member:
        """Start a broker's process."""
        member = self.member_class(broker, self.clock, self.connect, self.settings, endpoint)
        self.members[broker] = member
        return member

    def connect(self, inbox: Inbox) -> Session:
        return TreeSession(self.tree, inbox)

    def kill(self, broker: int) -> None:
        """End a broker's process. Its session goes at once, as if it had timed out."""
        member = self.members.pop(broker)
        member.controller.preferred.stop_timer()
        member.session.expire()

    def shut_down(self, broker: int) -> list[tuple[Error, tuple[TopicPartition, ...]]]:
        """Have the controller know that a broker is about to stop. Returns where answers come."""
        answers: list[tuple[Error, tuple[TopicPartition, ...]]] = []
        epoch = self.members[broker].broker.epoch
        acting = self.acting()
        if acting is not None:
            answer = events.ShutdownWanted(broker, epoch, lambda *each: answers.append(each))
            acting.inbox.put(answer)
        return answers

    def acting(self) -> Member | None:
        """The controller that ZooKeeper names, if it acts."""
        found = [member for member in self.members.values() if member.controller.acting]
        return next((each for each in found if self.named() == str(each.id)), None)

    def named(self) -> str | None:
        """What ``/controller`` has."""
        return next((node.data for node in self.tree.nodes if node.path == CONTROLLER), None)

    # -- steps

    def deliver(self, sender: int, broker: int) -> bool:
        """Deliver the next request of a controller to a broker that runs."""
        queue = self.members[sender].controller.desk.channels.queues.get(broker)
        if not queue or broker not in self.members:
            return False
        self.answered(sender, broker, queue.popleft())
        return True

    def answered(self, sender: int, broker: int, request: BrokerRequest) -> Response:
        """A broker's response comes back as an event, where the controller waits for it."""
        response = self.members[broker].broker.receive(request)
        if isinstance(request, StopReplicaRequest) and response.error is Error.NONE:
            deleted = [each for each, delete in request.partitions.items() if delete]
            if deleted:
                results = {each: response.partitions[each] for each in deleted}
                self.members[sender].inbox.put(events.ReplicasDeleted(broker, results))
        return response

    def deliver_all(self) -> bool:
        """Deliver everything that waits. Returns whether there was anything."""
        some = False
        for sender in sorted(self.members):
            for broker in sorted(self.members[sender].controller.desk.channels.queues):
                while self.deliver(sender, broker):
                    some = True
        return some

    def turn(self) -> bool:
        """One step of each broker, and all deliveries. False: there was nothing to do."""
        moving = False
        for broker in sorted(self.members):
            moving = self.members[broker].step() or moving
        return self.deliver_all() or moving

    def run(self) -> None:
        """Take turns until nothing is left to do."""
        while self.turn():
            pass

    def advance(self, ms: int) -> None:
        """Let time pass, and everything that is due happen at its time."""
        end = self.clock.now_ms() + ms
        while self.clock.now_ms() < end:
            self.clock.advance(self.clock.next_ms(end) - self.clock.now_ms())
            self.run()

    # -- administration: requests without a session

    def by_hand(self, *parts: Part) -> None:
        self.tree.by_hand(lambda found: parts)

    def data(self, path: str) -> str | None:
        return next((node.data for node in self.tree.nodes if node.path == path), None)

    def create_topic(self, topic: str, *replicas: Iterable[int]) -> None:
        """A topic with a partition for each list of replicas."""
        assignments = {number: Assignment(tuple(each)) for number, each in enumerate(replicas)}
        self.by_hand(Create(nodes.topic_path(topic), nodes.topic_text(assignments)))

    def add_partitions(self, topic: str, *replicas: Iterable[int]) -> None:
        """More partitions for a topic."""
        data = self.data(nodes.topic_path(topic)) or ""
        every = {each.partition: found for each, found in nodes.assignments_of(topic, data).items()}
        for number, each in enumerate(replicas, len(every)):
            every[number] = Assignment(tuple(each))
        self.by_hand(Put(nodes.topic_path(topic), nodes.topic_text(every)))

    def delete_topic(self, topic: str) -> None:
        self.by_hand(Create(f"{nodes.DELETIONS}/{topic}", ""))

    def reassign(self, moves: Mapping[TopicPartition, Iterable[int]]) -> None:
        self.by_hand(Create(nodes.REASSIGNMENT, nodes.moves_text(moves)))

    def prefer(self, *partitions: TopicPartition) -> None:
        """Have the preferred replicas of partitions lead."""
        self.by_hand(Create(nodes.PREFERRED, nodes.partitions_text(partitions)))

    def remove_controller(self) -> None:
        self.by_hand(Delete(CONTROLLER))
