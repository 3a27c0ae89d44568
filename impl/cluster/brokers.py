"""Brokers that come, go, come again, listen somewhere else, or want to stop."""

from __future__ import annotations

from collections.abc import Iterable

from impl.broker.partition import TopicPartition
from impl.cluster.context import Broker, Replica
from impl.cluster.deletion import FINISHED, Deletion
from impl.cluster.desk import Desk
from impl.cluster.events import BrokerModified, ShutdownWanted
from impl.cluster.messages import Error
from impl.cluster.nodes import BROKERS, broker_path, endpoint_of
from impl.cluster.reassignment import Reassignment
from impl.cluster.requests import Duty, Giving
from impl.cluster.states import PartitionStateName, ReplicaState


class Brokers:
    """Keeps the brokers in memory as they are registered in ZooKeeper."""

    def __init__(self, desk: Desk, deletion: Deletion, reassignment: Reassignment) -> None:
        self.desk, self.context = desk, desk.context
        self.deletion, self.reassignment = deletion, reassignment

    def registered(self) -> Giving[dict[int, Broker]]:
        """The brokers that are registered. A broker's epoch is the transaction that did it."""
        names = yield from self.desk.store.children(BROKERS)
        found: dict[int, Broker] = {}
        for broker in sorted(map(int, names)):
            reply = yield from self.desk.store.origin(broker_path(broker))
            if reply.ok:
                found[broker] = Broker(reply.version, endpoint_of(reply))
        return found

    def watch(self, brokers: Iterable[int]) -> Duty:
        """Watch the nodes of brokers for other endpoints."""
        for broker in brokers:
            path = broker_path(broker)
            self.desk.watches.nodes[path] = BrokerModified(broker)
            yield from self.desk.store.origin(path)

    def unwatch(self, brokers: Iterable[int]) -> None:
        for broker in brokers:
            del self.desk.watches.nodes[broker_path(broker)]

    def changed(self) -> Duty:
        """Compare who is registered with who was. A broker with a new epoch has been away."""
        now, before = (yield from self.registered()), dict(self.context.registered)
        new = [each for each in now if each not in before]
        again = [each for each in now if each in before and now[each].epoch > before[each].epoch]
        dead = [each for each in before if each not in now]
        for brokers, goes, comes in ((new, False, True), (again, True, True), (dead, True, False)):
            if brokers and goes:
                self.drop(brokers)
                yield from self.failed(brokers)
            if brokers and comes:
                self.context.registered |= {broker: now[broker] for broker in brokers}
                self.desk.channels.add(brokers)
                yield from self.started(brokers)

    def drop(self, brokers: Iterable[int]) -> None:
        """Forget brokers, and what waits for them."""
        self.desk.channels.remove(brokers)
        for broker in brokers:
            del self.context.registered[broker]
            self.context.shutting_down.discard(broker)

    def started(self, brokers: list[int]) -> Duty:
        """Brokers have come: all learn of them, and they learn of everything."""
        desk, context = self.desk, self.context
        desk.inform(set(context.registered) - set(brokers))
        desk.inform(brokers, context.leadership)
        there = [replica for replica in context.replicas_on(brokers) if self.may_return(replica)]
        yield from desk.replicas.change(there, ReplicaState.ONLINE)
        yield from desk.partitions.elect_where_none()
        yield from self.reassignment.resume_on(brokers)
        waiting = {replica.partition.topic for replica in context.replicas_on(brokers)}
        yield from self.deletion.allow(waiting)
        yield from self.watch(brokers)

    def may_return(self, replica: Replica) -> bool:
        """A replica that is being deleted, or is deleted, does not come back."""
        state = self.context.replica_state(replica)
        return state not in (*FINISHED, ReplicaState.NON_EXISTENT)

    def failed(self, brokers: list[int]) -> Duty:
        """Brokers have gone: their partitions get other leaders."""
        yield from self.went_offline(self.context.replicas_on(brokers))
        self.unwatch(brokers)

    def went_offline(self, replicas: list[Replica]) -> Duty:
        """Elect where the leader is dead, then move the replicas, and have all brokers know.

        Kafka leaves the last out where a leader is dead, since an election brings the same. But the
        election may fail.
        """
        desk, context = self.desk, self.context
        going = [replica for replica in replicas if context.being_deleted(replica.partition)]
        others = [replica for replica in replicas if not context.being_deleted(replica.partition)]
        leaderless = [
            each
            for each, now in sorted(context.partitions.items())
            if now is PartitionStateName.ONLINE
            and context.leads(each) not in context.live
            and not context.being_deleted(each)
        ]
        yield from desk.partitions.change(leaderless, PartitionStateName.OFFLINE)
        yield from desk.partitions.elect_where_none()
        existing = [
            each for each in others if context.replica_state(each) is not ReplicaState.NON_EXISTENT
        ]
        yield from desk.replicas.change(existing, ReplicaState.OFFLINE)
        yield from self.deletion.fail(going)
        desk.inform(context.registered)

    def modified(self, broker: int) -> Duty:
        """A broker may listen somewhere else."""
        reply = yield from self.desk.store.origin(broker_path(broker))
        known = self.context.registered.get(broker)
        if not reply.ok or known is None or endpoint_of(reply) == known.endpoint:
            return
        self.context.registered[broker] = known._replace(endpoint=endpoint_of(reply))
        self.desk.inform(self.context.registered)

    # -- controlled shutdown

    def shut_down(self, event: ShutdownWanted) -> Duty:
        """A broker wants to stop: others lead its partitions, and its replicas follow no more."""
        broker, context = event.broker, self.context
        known = context.registered.get(broker)
        if known is None:
            event.answer(Error.BROKER_NOT_AVAILABLE, ())
            return
        if event.epoch < known.epoch:
            event.answer(Error.STALE_BROKER_EPOCH, ())
            return
        context.shutting_down.add(broker)
        replicas = [
            replica
            for replica in context.replicas_on([broker])
            if len(context.replicas_in(replica.partition)) > 1
            and replica.partition in context.leadership
            and not context.being_deleted(replica.partition)
        ]
        led = [
            replica.partition for replica in replicas if context.leads(replica.partition) == broker
        ]
        yield from self.desk.partitions.change(led, PartitionStateName.ONLINE, "shutdown")
        following = [replica for replica in replicas if context.leads(replica.partition) != broker]
        yield from self.desk.replicas.change(following, ReplicaState.OFFLINE)
        event.answer(Error.NONE, self.still_led(broker, replicas))

    def still_led(self, broker: int, replicas: list[Replica]) -> tuple[TopicPartition, ...]:
        """The partitions that a broker leads though it is about to stop: no other one may."""
        return tuple(
            replica.partition
            for replica in replicas
            if self.context.leads(replica.partition) == broker
        )
