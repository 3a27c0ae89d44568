"""Who leads a partition: Kafka's four elections, and the leader's own updates of the ISR.

Labels are those of ``spec/PartitionLeader.tla``. Kafka has the elections in
``PartitionLeaderElectionAlgorithms``, the loop around them in ``ZkPartitionStateMachine``, and the
leader's updates in ``Partition``.

Replicas are broker ids. An *assignment* is a sequence of them, and its order decides. The ISR is a
sequence too, and its order never does.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from impl.cluster_state import ClusterState, LeaderAndIsr


class Elected(NamedTuple):
    """A leader and the ISR that the partition has with it.

    ``unclean``: the leader was not in sync, and has to recover before it takes replicas in.
    """

    leader: int
    isr: tuple[int, ...]
    unclean: bool = False


def offline_partition_leader_election(
    assignment: Sequence[int],
    isr: Sequence[int],
    live_replicas: Set[int],
    unclean_election_enabled: bool,
) -> Elected | None:
    """The first live replica in sync; else, where that is permitted, the first live one.

    Dead replicas leave the ISR. None if no replica may lead.
    """
    for replica in assignment:
        if replica in live_replicas and replica in isr:
            return Elected(replica, tuple(member for member in isr if member in live_replicas))
    if unclean_election_enabled:
        for replica in assignment:
            if replica in live_replicas:
                return Elected(replica, (replica,), unclean=True)
    return None


def reassign_partition_leader_election(
    target: Sequence[int], isr: Sequence[int], live_replicas: Set[int]
) -> Elected | None:
    """The first live replica in sync of those that the partition moves to. The ISR stays."""
    for replica in target:
        if replica in live_replicas and replica in isr:
            return Elected(replica, tuple(isr))
    return None


def preferred_replica_partition_leader_election(
    assignment: Sequence[int], isr: Sequence[int], live_replicas: Set[int]
) -> Elected | None:
    """The first replica of the assignment, if it is live and in sync, or None. The ISR stays."""
    preferred = assignment[0]
    if preferred in live_replicas and preferred in isr:
        return Elected(preferred, tuple(isr))
    return None


def controlled_shutdown_partition_leader_election(
    assignment: Sequence[int],
    isr: Sequence[int],
    live_replicas: Set[int],
    shutting_down_brokers: Set[int],
) -> Elected | None:
    """The first live replica in sync that does not shut down. Those that do leave the ISR."""
    for replica in assignment:
        if replica in live_replicas and replica in isr and replica not in shutting_down_brokers:
            left = tuple(member for member in isr if member not in shutting_down_brokers)
            return Elected(replica, left)
    return None


class PartitionElections:
    """The controller's side: elections of one partition's leader.

    ``target``: the replicas that the partition moves to, or none.
    """

    __slots__ = ("state", "assignment", "target", "unclean_election_enabled")

    def __init__(
        self,
        state: ClusterState,
        assignment: Sequence[int],
        target: Sequence[int] = (),
        unclean_election_enabled: bool = False,
    ) -> None:
        """Raises ValueError if the assignment is empty."""
        if not assignment:
            raise ValueError("an assignment needs at least one replica")
        self.state = state
        self.assignment, self.target = tuple(assignment), tuple(target)
        self.unclean_election_enabled = unclean_election_enabled

    def choose(
        self, kind: str, isr: Sequence[int], live: Set[int], shutting_down: Set[int]
    ) -> Elected | None:
        """What the election of a kind gives: offline, reassign, preferred or shutdown.

        Raises ValueError for any other kind.
        """
        usable = live - shutting_down
        if kind == "offline":
            return offline_partition_leader_election(
                self.assignment, isr, usable, self.unclean_election_enabled
            )
        if kind == "reassign":
            return reassign_partition_leader_election(self.target, isr, usable)
        if kind == "preferred":
            return preferred_replica_partition_leader_election(self.assignment, isr, usable)
        if kind == "shutdown":
            return controlled_shutdown_partition_leader_election(
                self.assignment, isr, live, shutting_down
            )
        raise ValueError(f"no such election: {kind!r}")

    def elect(self, kind: str) -> int | None:
        """Elect and write until the write is accepted. Returns the leader, or None."""
        live, shutting_down = self.state.brokers()  # read E1
        while True:
            seen = self.state.read()  # read E2
            elected = self.choose(kind, seen.isr, live, shutting_down)
            if elected is None:
                return None
            new = seen.led_by(elected.leader, elected.isr, elected.unclean)
            accepted = self.state.write(new, seen.version)  # cas E3
            if accepted:
                return elected.leader


class PartitionLeader:
    """The leader's side: what it writes of its ISR. A refused write is left for another time."""

    __slots__ = ("state",)

    def __init__(self, state: ClusterState) -> None:
        self.state = state

    def shrink_isr(self, replica: int) -> bool:
        """Take a replica out that does not follow. False if nothing was written."""
        seen = self.state.read()  # read K1
        if replica == seen.leader or replica not in seen.isr:
            return False
        isr = tuple(member for member in seen.isr if member != replica)
        accepted = self.state.write(seen.with_isr(isr), seen.version)  # cas K2
        return accepted

    def expand_isr(self, replica: int) -> bool:
        """Take in a replica that has caught up. False if nothing was written."""
        seen = self.state.read()  # read X1
        if replica in seen.isr or seen.recovering:
            return False
        isr = (*seen.isr, replica)
        accepted = self.state.write(seen.with_isr(isr), seen.version)  # cas X2
        return accepted

    def recovered(self) -> bool:
        """The leader of an unclean election has recovered. False if nothing was written."""
        seen = self.state.read()  # read V1
        if not seen.recovering:
            return False
        new = LeaderAndIsr(seen.leader, seen.isr, seen.leader_epoch)
        accepted = self.state.write(new, seen.version)  # cas V2
        return accepted
