"""Elections of preferred replicas: on demand, and by a timer where too many leaders are others.

The preferred replica of a partition is the first of its assignment.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Protocol

from impl.broker.partition import TopicPartition
from impl.cluster.desk import Desk
from impl.cluster.events import Event, RebalanceDue
from impl.cluster.nodes import PREFERRED, partitions_of
from impl.cluster.requests import Duty
from impl.cluster.states import PartitionStateName
from impl.partition_leader import preferred_replica_partition_leader_election


class Alarm(Protocol):
    """A clock that puts an event into the queue after a delay; a test has one in virtual time."""

    def after(self, delay_ms: int, event: Event) -> Callable[[], None]:
        """Set it. Returns what calls it off."""


class Preferred:
    """Has preferred replicas lead. ``alarm`` brings :class:`RebalanceDue`."""

    def __init__(self, desk: Desk, alarm: Alarm) -> None:
        self.desk, self.context, self.alarm = desk, desk.context, alarm
        self.call_off: Callable[[], None] | None = None

    # -- the timer

    def start_timer(self) -> None:
        """Set the first alarm, if the controller is to rebalance by itself."""
        if self.desk.settings.rebalance:
            self.set_alarm(self.desk.settings.first_check_ms)

    def set_alarm(self, delay_ms: int) -> None:
        self.call_off = self.alarm.after(delay_ms, RebalanceDue())

    def stop_timer(self) -> None:
        if self.call_off is not None:
            self.call_off()
            self.call_off = None

    def due(self) -> Duty:
        """Elect for each broker that leads too few of the partitions that prefer it.

        The next alarm is set in any case.
        """
        try:
            for partitions in self.by_preferred().values():
                away = [partition for partition in partitions if self.elsewhere(partition)]
                percent = self.desk.settings.imbalance_percent
                if len(away) * 100 > percent * len(partitions):
                    yield from self.elect(each for each in away if self.may_return(each))
        finally:
            if self.call_off is not None:
                self.set_alarm(self.desk.settings.check_ms)

    def by_preferred(self) -> dict[int, list[TopicPartition]]:
        """Preferred replica -> the partitions that prefer it, sorted."""
        found: defaultdict[int, list[TopicPartition]] = defaultdict(list)
        for partition, assignment in sorted(self.context.assignments.items()):
            if assignment.replicas and not self.context.being_deleted(partition):
                found[assignment.replicas[0]].append(partition)
        return dict(sorted(found.items()))

    def elsewhere(self, partition: TopicPartition) -> bool:
        """Whether a partition that has a state is led by another replica than the preferred one."""
        preferred = self.context.replicas_in(partition)[0]
        return partition in self.context.leadership and self.context.leads(partition) != preferred

    def may_return(self, partition: TopicPartition) -> bool:
        """Whether the preferred replica may lead now, and no partition moves."""
        assignments = self.context.assignments
        isr = self.context.leadership[partition].partition.isr
        elected = preferred_replica_partition_leader_election(
            assignments[partition].replicas, isr, self.context.live
        )
        return elected is not None and not any(
            assignment.moving for assignment in assignments.values()
        )

    # -- on demand

    def wanted(self) -> Duty:
        """Elect for the partitions in ``/admin/preferred_replica_election``, and delete it."""
        reply = yield from self.desk.store.node(PREFERRED)
        if not reply.ok:
            return
        known = self.context.leadership.keys()
        named = [partition for partition in partitions_of(reply.data) if partition in known]
        yield from self.elect(
            each
            for each in sorted(named)
            if not self.context.being_deleted(each) and self.elsewhere(each)
        )
        yield from self.desk.store.delete([PREFERRED])

    def elect(self, partitions: Iterable[TopicPartition]) -> Duty:
        """Have the preferred replicas lead, where they are live and in sync."""
        yield from self.desk.partitions.change(
            list(partitions), PartitionStateName.ONLINE, "preferred"
        )
