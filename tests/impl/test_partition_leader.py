"""The elections: every input up to five replicas, every order of the ISR, the leader's updates."""

from __future__ import annotations

from itertools import chain, combinations, permutations

import pytest

from impl.cluster_state import ClusterState, LeaderAndIsr
from impl.partition_leader import (
    Elected,
    PartitionElections,
    PartitionLeader,
    controlled_shutdown_partition_leader_election,
    offline_partition_leader_election,
    preferred_replica_partition_leader_election,
    reassign_partition_leader_election,
)


def subsets(members):
    return chain.from_iterable(combinations(members, size) for size in range(len(members) + 1))


def inputs(size):
    """(assignment, ISR in any order, live replicas) of 1 to ``size`` replicas."""
    for count in range(1, size + 1):
        assignment = tuple(range(1, count + 1))
        for members in subsets(assignment):
            for isr in permutations(members):
                for live in subsets(assignment):
                    yield assignment, isr, frozenset(live)


def test_the_assignment_decides_and_not_the_isr():
    elected = offline_partition_leader_election([1, 2], [2, 1], {1, 2}, False)
    assert elected == Elected(1, (2, 1))


def test_an_offline_election_drops_dead_replicas_from_the_isr():
    assert offline_partition_leader_election([1, 2, 3], [3, 1, 2], {2, 3}, False) == Elected(
        2, (3, 2)
    )


def test_an_unclean_election_leaves_the_leader_alone():
    assert offline_partition_leader_election([1, 2, 3], [1], {2, 3}, True) == Elected(2, (2,), True)
    assert offline_partition_leader_election([1, 2, 3], [1], {2, 3}, False) is None
    assert offline_partition_leader_election([1, 2, 3], [1], set(), True) is None


def test_a_clean_leader_is_preferred_to_an_unclean_one_that_stands_before_it():
    assert offline_partition_leader_election([1, 2], [2], {1, 2}, True) == Elected(2, (2,))


def test_a_move_takes_the_first_new_replica_that_has_caught_up():
    assert reassign_partition_leader_election([4, 5], [1, 5], {1, 4, 5}) == Elected(5, (1, 5))
    assert reassign_partition_leader_election([4, 5], [1], {1, 4, 5}) is None


def test_the_preferred_replica_leads_or_nothing_changes():
    assert preferred_replica_partition_leader_election([2, 1], [1, 2], {1, 2}) == Elected(2, (1, 2))
    assert preferred_replica_partition_leader_election([2, 1], [1, 2], {1}) is None
    assert preferred_replica_partition_leader_election([2, 1], [1], {1, 2}) is None


def test_a_broker_that_shuts_down_loses_its_leaders_and_leaves_the_isr():
    elect = controlled_shutdown_partition_leader_election
    assert elect([1, 2, 3], [1, 2, 3], {1, 2, 3}, {1}) == Elected(2, (2, 3))
    assert elect([1, 2], [1], {1, 2}, {1}) is None


def test_only_the_offline_election_takes_dead_replicas_out_of_the_isr():
    order, isr, live = [1, 2], [1, 3], {1}
    offline = offline_partition_leader_election(order, isr, live, False)
    others = [
        reassign_partition_leader_election(order, isr, live),
        preferred_replica_partition_leader_election(order, isr, live),
        controlled_shutdown_partition_leader_election(order, isr, live, set()),
    ]
    assert offline == Elected(1, (1,)) and others == [Elected(1, (1, 3))] * 3


def test_the_order_of_the_isr_is_irrelevant():
    """All orders of every ISR of up to five replicas elect one leader and one set of members."""
    seen = {}
    for assignment, isr, live in inputs(5):
        for unclean in (False, True):
            elected = offline_partition_leader_election(assignment, isr, live, unclean)
            key = (assignment, frozenset(isr), live, unclean)
            outcome = elected and (elected.leader, frozenset(elected.isr), elected.unclean)
            assert seen.setdefault(key, outcome) == outcome
    assert len(seen) == 2 * sum(4**count for count in range(1, 6))


def test_an_election_from_its_own_result_changes_nothing():
    for assignment, isr, live in inputs(4):
        for unclean in (False, True):
            once = offline_partition_leader_election(assignment, isr, live, unclean)
            if once is not None:
                again = offline_partition_leader_election(assignment, once.isr, live, unclean)
                assert again == Elected(once.leader, once.isr)
        for going in subsets(assignment):
            once = controlled_shutdown_partition_leader_election(
                assignment, isr, live, frozenset(going)
            )
            if once is not None:
                assert once == controlled_shutdown_partition_leader_election(
                    assignment, once.isr, live, frozenset(going)
                )


def test_an_election_does_not_depend_on_live_brokers_without_a_replica():
    for assignment, isr, live in inputs(3):
        for unclean in (False, True):
            assert offline_partition_leader_election(
                assignment, isr, live, unclean
            ) == offline_partition_leader_election(assignment, isr, live | {99}, unclean)


def test_an_assignment_needs_a_replica():
    with pytest.raises(ValueError, match="at least one replica"):
        PartitionElections(ClusterState(1, (1,), (1,)), ())


def test_an_unknown_election_is_refused():
    elections = PartitionElections(ClusterState(1, (1,), (1,)), (1,))
    with pytest.raises(ValueError, match="no such election: 'unclean'"):
        elections.elect("unclean")


class Between(ClusterState):
    """Lets the leader take a replica out before the first write."""

    __slots__ = ("meanwhile",)

    def write(self, new, version):
        meanwhile, self.meanwhile = self.meanwhile, ()
        for replica in meanwhile:
            assert PartitionLeader(self).shrink_isr(replica)
        return super().write(new, version)


def test_a_refused_election_reads_again():
    state = Between(1, (1, 2, 3), (2, 3))
    state.meanwhile = (2,)
    assert PartitionElections(state, (1, 2, 3)).elect("offline") == 3
    assert state.read() == LeaderAndIsr(3, (3,), leader_epoch=1, version=2)


def test_a_refused_update_of_the_leader_changes_nothing():
    state = Between(1, (1, 2, 3), (1, 2, 3))
    state.meanwhile = (2,)
    assert not PartitionLeader(state).shrink_isr(3)
    assert state.read() == LeaderAndIsr(1, (1, 3), version=1)


def test_an_unclean_leader_recovers_before_it_takes_replicas_in():
    state = ClusterState(1, (1,), (2,))
    leader = PartitionLeader(state)
    assert PartitionElections(state, (1, 2), unclean_election_enabled=True).elect("offline") == 2
    assert state.read() == LeaderAndIsr(2, (2,), leader_epoch=1, recovering=True, version=1)
    assert not leader.expand_isr(1)
    assert leader.recovered()
    assert not leader.recovered()
    assert leader.expand_isr(1)
    assert state.read() == LeaderAndIsr(2, (2, 1), leader_epoch=1, version=3)


def test_a_later_election_leaves_a_recovery_under_way():
    state = ClusterState(1, (1,), (2,))
    elections = PartitionElections(state, (2, 1), unclean_election_enabled=True)
    assert elections.elect("offline") == 2
    assert elections.elect("preferred") == 2
    assert state.read().recovering


def test_a_write_names_the_version_that_it_replaces_or_any():
    state = ClusterState(1, (1, 2), (1, 2))
    new = state.read().with_isr((1,))
    assert not state.write(new, 1) and state.read().version == 0
    assert state.write(new, 0) and state.read() == new._replace(version=1)
    assert not state.write(new, 0)
    assert state.write(new, -1) and state.read().version == 2
