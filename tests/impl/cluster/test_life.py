"""A cluster's life drawn by Hypothesis, and planted faults, each found by what it breaks."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from impl.cluster.cluster import Member
from impl.cluster.controller import ClusterController
from impl.cluster.early_brokers import EarlyBrokers
from impl.cluster.partition_machine import PartitionMachine
from impl.cluster.replica_machine import ReplicaMachine
from impl.partition_leader import Elected
from tests.impl.cluster.clusters import having
from tests.impl.cluster.judge import JudgedCluster
from tests.impl.cluster.life import Life
from tests.impl.cluster.test_failover import Leaves, UnfencedController, ordered
from tests.impl.cluster.test_topics import Blind, Deaf
from tests.nights import only


@pytest.mark.fuzz
class TestLife(Life.TestCase):
    """Found by pytest; its length is the Hypothesis profile's."""

    settings = settings(stateful_step_count=25)


# -- planted faults


class OutOfSync(PartitionMachine):
    """Elects the first live replica."""

    def choose(self, partition, election, isr):
        live = [each for each in self.context.replicas_in(partition) if each in self.context.live]
        return Elected(live[0], (live[0],)) if live else None


class KeepsEpoch(PartitionMachine):
    """An election begins no leader epoch."""

    def elect(self, partition, election, batch):
        update = self.store.update

        def kept(partition, change):
            def same(seen):
                new = change(seen)
                return None if new is None else new._replace(leader_epoch=seen.leader_epoch)

            return update(partition, same)

        self.store.update = kept
        yield from super().elect(partition, election, batch)
        del self.store.update


class LeavesDead(ReplicaMachine):
    """A dead leader leaves the ISR, and stays the leader."""

    def leave_isr(self, replica, batch):
        def change(seen):
            left = tuple(each for each in seen.isr if each != replica.broker)
            return seen.led_by(seen.leader, left, unclean=False) if left else None

        yield from self.store.update(replica.partition, change)


class Grabs(ClusterController):
    """Takes itself for the controller when it sees another one."""

    def maybe_resign(self):
        yield from super().maybe_resign()
        self.acting = True
        return False


class Reelected(ClusterController):
    """Does not end anything when the session expires."""

    def resign(self):
        if self.acting:
            super().resign()


FAULTS = {
    "an election does not look at the ISR": ("CleanLeader", having("desk.partitions", OutOfSync)),
    "an election begins no epoch": ("EpochsDense", having("desk.partitions", KeepsEpoch)),
    "a dead leader stays the leader": ("LeaderInIsr", having("desk.replicas", LeavesDead)),
    "a write is not fenced": ("FencedWrites", UnfencedController),
    "a second broker acts": ("OneController", Grabs),
    "a watch comes after the read": ("Remembers", ordered("read_cluster", "watch")),
    "a bounce is not seen": ("Remembers|Informed|Follows", having("brokers", EarlyBrokers)),
    "new partitions are not seen": ("Remembers", having("topics", Blind)),
    "changed ISRs are not heard of": ("Remembers|Informed|Done", having("topics", Deaf)),
    "a state machine is left running": ("Resigned", Leaves),
    "an expired controller ends nothing": ("Resigned", Reelected),
}
"""Fault -> what it breaks, and the controller that has it."""

SEARCH = settings(
    max_examples=5_000,
    stateful_step_count=30,
    deadline=None,
    database=None,
    derandomize=True,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)


def planted(controller):
    member = type("Planted", (Member,), {"controller_class": controller})
    cluster = type("Planted", (JudgedCluster,), {"member_class": member})
    return type("Planted", (Life,), {"cluster_class": cluster})


BY_DAY = "a state machine is left running"


@pytest.mark.parametrize("fault", only(FAULTS, BY_DAY))
def test_a_planted_fault_is_found_by_what_it_breaks(fault):
    breaks, controller = FAULTS[fault]
    with pytest.raises(AssertionError, match=f"^({breaks}): "):
        run_state_machine_as_test(planted(controller), settings=SEARCH)


def test_such_a_life_passes_without_a_fault():
    run_state_machine_as_test(planted(ClusterController), settings=settings(SEARCH, max_examples=5))
