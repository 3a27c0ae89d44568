"""A cluster's life driven by Hypothesis, with the replicas' logs as the oracle.

A leader appends records. A record is committed once every member of the ISR has it. A follower
throws away what its leader lacks, and copies the rest. The oracle knows nothing of elections:
without an unclean one the leader has every committed record.
"""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from impl.cluster_state import ClusterState
from impl.partition_leader import Elected, PartitionElections, PartitionLeader
from tests.nights import only

BROKERS = (1, 2, 3, 4, 5)


class Cluster(RuleBasedStateMachine):
    """``logs``: replica -> its records. ``committed``: the records that the ISR has had in common.

    ``read``: what a controller has read and not yet written, as one that pauses would.
    """

    elections_class, unclean = PartitionElections, False

    @initialize(assignment=st.permutations(BROKERS), size=st.integers(1, 5))
    def begin(self, assignment, size):
        self.assignment = tuple(assignment[:size])
        self.state = ClusterState(self.assignment[0], self.assignment, self.assignment)
        self.elections = self.elections_class(
            self.state, self.assignment, self.assignment[::-1], self.unclean
        )
        self.leader = PartitionLeader(self.state)
        self.logs = {replica: [] for replica in self.assignment}
        self.committed, self.records, self.uncleanly = [], 0, 0

    def commit(self):
        logs = [self.logs[replica] for replica in self.state.read().isr]
        common = []
        for records in zip(*logs):
            if len(set(records)) > 1:
                break
            common.append(records[0])
        if len(common) > len(self.committed):
            self.committed = common

    def leads(self):
        node, (live, _) = self.state.read(), self.state.brokers()
        return node.leader in live

    @rule()
    def append(self):
        if self.leads():
            self.records += 1
            self.logs[self.state.read().leader].append(self.records)
            self.commit()

    @rule(place=st.integers(0, 4))
    def follow(self, place):
        """A live follower copies one record, and throws away what its leader lacks."""
        replica = self.assignment[place % len(self.assignment)]
        live, _ = self.state.brokers()
        if not self.leads() or replica not in live or replica == self.state.read().leader:
            return
        theirs, own = self.logs[self.state.read().leader], self.logs[replica]
        same = 0
        while same < min(len(theirs), len(own)) and theirs[same] == own[same]:
            same += 1
        self.logs[replica] = theirs[: min(same + 1, len(theirs))]
        self.commit()

    @rule(place=st.integers(0, 4))
    def shrink(self, place):
        if self.leads():
            self.leader.shrink_isr(self.assignment[place % len(self.assignment)])
            self.commit()

    @rule(place=st.integers(0, 4))
    def expand(self, place):
        """A follower that has what is committed and is with its leader comes into the ISR."""
        replica = self.assignment[place % len(self.assignment)]
        leader = self.state.read().leader
        if self.leads() and self.logs[replica] == self.logs[leader]:
            self.leader.expand_isr(replica)
            self.commit()

    @rule()
    def recover(self):
        if self.leads():
            self.leader.recovered()

    @rule(place=st.integers(0, 4))
    def fail(self, place):
        self.state.unregister(self.assignment[place % len(self.assignment)])

    @rule(place=st.integers(0, 4))
    def start(self, place):
        self.state.register(self.assignment[place % len(self.assignment)])

    @rule(place=st.integers(0, 4))
    def stop(self, place):
        self.state.shut_down(self.assignment[place % len(self.assignment)])

    @rule(kind=st.sampled_from(("offline", "preferred", "reassign", "shutdown")))
    def elect(self, kind):
        epoch, isr = self.state.read().leader_epoch, self.state.read().isr
        elected = self.elections.elect(kind)
        assert self.state.read().leader_epoch == epoch + (elected is not None)
        if elected is not None and elected not in isr:
            self.uncleanly += 1
            self.committed = list(self.logs[elected])
        self.commit()

    @invariant()
    def the_leader_has_every_committed_record(self):
        if hasattr(self, "state"):
            node = self.state.read()
            assert node.leader in node.isr
            assert self.logs[node.leader][: len(self.committed)] == self.committed
            assert self.unclean or not self.uncleanly


class Uncleanly(Cluster):
    unclean = True


def run(machine, **options):
    run_state_machine_as_test(
        machine,
        settings=settings(settings.default, stateful_step_count=60, deadline=None, **options),
    )


@pytest.mark.parametrize("machine", [Cluster, Uncleanly])
def test_no_committed_record_is_lost_without_an_unclean_election(machine):
    run(machine)


class OutOfSync(PartitionElections):
    """Elects the first live replica."""

    __slots__ = ()

    def choose(self, kind, isr, live, shutting_down):
        for replica in self.assignment:
            if replica in live - shutting_down:
                return Elected(replica, (replica,))
        return None


class KeepsTheLeaderOut(PartitionElections):
    """Leaves the leader out of the ISR."""

    __slots__ = ()

    def choose(self, kind, isr, live, shutting_down):
        elected = super().choose(kind, isr, live, shutting_down)
        if elected is None or len(elected.isr) == 1:
            return elected
        return elected._replace(isr=tuple(r for r in elected.isr if r != elected.leader))


@pytest.mark.parametrize("wrong", only([OutOfSync, KeepsTheLeaderOut], KeepsTheLeaderOut))
def test_a_wrong_election_is_found(wrong):
    class Wrong(Cluster):
        elections_class = wrong

    with pytest.raises(AssertionError):
        run(Wrong, max_examples=1000, database=None, derandomize=True, phases=[Phase.generate])
