"""A broker's controller: the election of ``impl/controller.py``, and the duties of who wins it.

The failover is a list of parts, in Kafka's order. Each part may have an end, and a controller that
resigns ends what it has begun, in the reverse order. Kafka: ``KafkaController``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from impl.cluster.brokers import Brokers
from impl.cluster.deletion import Deletion
from impl.cluster.desk import Desk
from impl.cluster.events import (
    BrokerModified,
    BrokersChanged,
    DeletionWanted,
    ElectionEvent,
    Event,
    IsrsChanged,
    MovingIsrChanged,
    PartitionsModified,
    PreferredWanted,
    ReassignmentWanted,
    RebalanceDue,
    ReplicasDeleted,
    ShutdownWanted,
    TopicsChanged,
    Watches,
    preempt,
)
from impl.cluster.nodes import (
    BROKERS,
    DELETIONS,
    ISR_CHANGES,
    PREFERRED,
    REASSIGNMENT,
    TOPICS,
    broker_path,
    broker_text,
)
from impl.cluster.preferred import Alarm, Preferred
from impl.cluster.reassignment import Reassignment
from impl.cluster.requests import Duty, Giving, Origin, Wanted, performed
from impl.cluster.settings import Settings
from impl.cluster.topics import Topics
from impl.controller import Ask, ControllerMoved, Elector, Place, SessionExpired
from impl.zookeeper_requests import Create, Multi, Reply


class WrongOrder(Exception):
    """A part of the failover was to end before one that was begun after it."""


class DuplicateBroker(Exception):
    """Another broker of this id is registered."""


class Part(NamedTuple):
    """A part of the failover: the method that begins it, and the one that ends it, if any."""

    begin: str
    end: str = ""


FAILOVER = (
    Part("watch", "unwatch"),
    Part("clear_notifications"),
    Part("read_cluster", "forget_cluster"),
    Part("open_channels", "close_channels"),
    Part("read_deletions"),
    Part("inform_brokers"),
    Part("start_replicas", "stop_replicas"),
    Part("start_partitions", "stop_partitions"),
    Part("resume_reassignments"),
    Part("resume_deletions"),
    Part("elect_preferred"),
    Part("start_timer", "stop_timer"),
)
"""Kafka's order. What is watched is watched before it is read, and the brokers learn which brokers
live before the state machines have them follow one of those.
"""


class ClusterController(Elector):
    """``id``: the broker's; ``epoch``: of its registration. ``active``: the id of the controller as
    far as the broker knows, or None. ``begun``: the parts of the failover that have begun.
    """

    failover: tuple[Part, ...] = FAILOVER

    def __init__(
        self, broker: int, endpoint: str, watches: Watches, alarm: Alarm, settings: Settings
    ) -> None:
        super().__init__(str(broker))
        self.id, self.endpoint, self.epoch = broker, endpoint, -1
        self.active: int | None = None
        self.begun: list[Part] = []
        self.desk = Desk(broker, watches, settings)
        self.deletion = Deletion(self.desk)
        self.reassignment = Reassignment(self.desk, self.deletion)
        self.topics = Topics(self.desk, self.deletion)
        self.brokers = Brokers(self.desk, self.deletion, self.reassignment)
        self.preferred = Preferred(self.desk, alarm)

    # -- events

    def handle_event(self, event: Event) -> Duty:
        """Handle an event: one of the election, or one of the duties if this is the controller.

        Raises SessionExpired.
        """
        handler = (
            self.of_election(event) if isinstance(event, ElectionEvent) else self.of_duty(event)
        )
        yield from self.looking(handler)

    def looking(self, handler: Duty) -> Duty:
        """Run a handler, and learn from replies who the controller is."""
        try:
            wanted = next(handler)
            while True:
                reply = yield wanted
                self.learn(wanted, reply)
                wanted = handler.send(reply)
        except StopIteration:
            return

    def learn(self, wanted: Wanted, reply: Reply) -> None:
        """A look at /controller, or an election that is won, names the controller."""
        place = wanted.place if isinstance(wanted, Ask) else None
        if place in (Place.LOOK_FOR_CONTROLLER, Place.LOOK_FOR_ONESELF, Place.LOOK_BEFORE_MOVE):
            self.active = int(reply.data) if reply.ok else None
        elif place is Place.ELECT and reply.ok:
            self.active = self.id

    def of_election(self, event: ElectionEvent) -> Duty:
        if event.kind == "register":
            yield from self.register()
        elif event.kind == "expire":
            self.active = None
        yield from self.handle(event.kind)
        if not self.acting:
            self.resign()

    def register(self) -> Duty:
        """Register the broker. Its epoch is the transaction that does it.

        Raises DuplicateBroker.
        """
        path, data = broker_path(self.id), broker_text(self.endpoint)
        create = Multi((Create(path, data, ephemeral=True),))
        yield from performed(f"create {path}", create)
        found = yield from performed(f"read {path}", Origin(path))
        if found.ok and found.data != data:
            raise DuplicateBroker(f"{path} has {found.data}")
        self.epoch = found.version

    def of_duty(self, event: Event) -> Duty:
        """Handle an event of the duties. A fence that another controller has raised ends it."""
        if not self.acting:
            preempt(event)
            return
        try:
            yield from self.duty(event)
        except SessionExpired:
            preempt(event)
            raise
        except ControllerMoved:
            preempt(event)
            self.acting = False
            self.resign()
            yield from self.handle("reelect")

    def duty(self, event: Event) -> Duty:
        """The handler of an event."""
        plain: Mapping[type[Any], Callable[[], Duty]] = {
            BrokersChanged: self.brokers.changed,
            TopicsChanged: self.topics.changed,
            DeletionWanted: self.deletion.wanted,
            IsrsChanged: self.topics.isrs_changed,
            ReassignmentWanted: self.reassignment.wanted,
            PreferredWanted: self.preferred.wanted,
            RebalanceDue: self.preferred.due,
        }
        if isinstance(event, BrokerModified):
            return self.brokers.modified(event.broker)
        if isinstance(event, PartitionsModified):
            return self.topics.modified(event.topic)
        if isinstance(event, MovingIsrChanged):
            return self.reassignment.isr_changed(event.partition)
        if isinstance(event, ReplicasDeleted):
            return self.deletion.responded(event.broker, event.partitions)
        if isinstance(event, ShutdownWanted):
            return self.brokers.shut_down(event)
        return plain[type(event)]()

    # -- the office

    def maybe_resign(self) -> Giving[bool]:  # type: ignore[override]  # it yields Asks alone
        vacant = yield from super().maybe_resign()
        if not self.acting:
            self.resign()
        return vacant

    def trigger_controller_move(self) -> Duty:  # type: ignore[override]
        """Give the office up: resign before the node is deleted."""
        handler = super().trigger_controller_move()
        wanted = next(handler)
        while True:
            reply = yield wanted
            try:
                wanted = handler.send(reply)
            except StopIteration:
                return
            self.resign()

    def fail_over(self) -> Duty:  # type: ignore[override]
        """Begin everything, part by part. Called once the election is won."""
        self.desk.context.epoch = self.own
        for part in self.failover:
            self.begun.append(part)
            yield from getattr(self, part.begin)()

    def resign(self) -> None:
        """End what has begun, the last part first. It makes no request, and may be called twice."""
        for part in self.resignation():
            self.finish(part)

    def resignation(self) -> list[Part]:
        return self.begun[::-1]

    def finish(self, part: Part) -> None:
        """End one part. Raises WrongOrder unless it is the last one that was begun."""
        if self.begun[-1] != part:
            raise WrongOrder(f"{part.begin} was to end before {self.begun[-1].begin}")
        self.begun.pop()
        if part.end:
            getattr(self, part.end)()

    # -- parts of the failover, and their ends

    def watch(self) -> Duty:
        """Have changes be events: from now on each read of these nodes sets its watch."""
        watches = self.desk.watches
        watches.children |= {
            BROKERS: BrokersChanged(),
            TOPICS: TopicsChanged(),
            DELETIONS: DeletionWanted(),
            ISR_CHANGES: IsrsChanged(),
        }
        watches.nodes |= {PREFERRED: PreferredWanted(), REASSIGNMENT: ReassignmentWanted()}
        for path in (PREFERRED, REASSIGNMENT):
            yield from self.desk.store.node(path)

    def unwatch(self) -> None:
        self.desk.watches.clear()

    def clear_notifications(self) -> Duty:
        yield from self.topics.clear_notifications()

    def read_cluster(self) -> Duty:
        """Read brokers, topics, assignments, and the partitions' states."""
        context = self.desk.context
        context.registered = yield from self.brokers.registered()
        names = yield from self.desk.store.children(TOPICS)
        context.topics = set(names)
        self.topics.watch(names)
        for topic in names:
            context.assignments |= yield from self.desk.store.assignments(topic)
        yield from self.brokers.watch(context.registered)
        for partition in sorted(context.assignments):
            state = yield from self.desk.store.state(partition)
            if state is not None:
                context.leadership[partition] = state

    def forget_cluster(self) -> None:
        self.desk.context.reset()

    def open_channels(self) -> Duty:
        self.desk.channels.add(self.desk.context.registered)
        yield from ()

    def close_channels(self) -> None:
        self.desk.channels.close()

    def read_deletions(self) -> Duty:
        yield from self.deletion.read()

    def inform_brokers(self) -> Duty:
        """Have all brokers know which brokers live."""
        self.desk.inform(self.desk.context.registered)
        yield from ()

    def start_replicas(self) -> Duty:
        yield from self.desk.replicas.start()

    def stop_replicas(self) -> None:
        self.desk.replicas.stop()

    def start_partitions(self) -> Duty:
        yield from self.desk.partitions.start()

    def stop_partitions(self) -> None:
        self.desk.partitions.stop()

    def resume_reassignments(self) -> Duty:
        yield from self.reassignment.resume_all()

    def resume_deletions(self) -> Duty:
        yield from self.deletion.resume()

    def elect_preferred(self) -> Duty:
        yield from self.preferred.wanted()

    def start_timer(self) -> Duty:
        self.preferred.start_timer()
        yield from ()

    def stop_timer(self) -> None:
        self.preferred.stop_timer()
