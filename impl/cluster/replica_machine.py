"""The state machine of replicas. Kafka: ``ZkReplicaStateMachine``."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from impl.cluster.batch import Batch
from impl.cluster.context import Context, Replica
from impl.cluster.nodes import NO_LEADER
from impl.cluster.requests import Duty, Giving
from impl.cluster.states import REPLICAS, NotRunning, ReplicaState, check
from impl.cluster.store import Store
from impl.cluster_state import LeaderAndIsr


class ReplicaMachine:
    """Moves replicas from state to state, and has brokers do what that means."""

    def __init__(self, context: Context, store: Store, batch: Callable[[], Batch]) -> None:
        self.context, self.store, self.batch = context, store, batch
        self.running = False

    def start(self) -> Duty:
        """Give each replica its state by whether its broker lives, and have brokers know."""
        self.running = True
        there: list[Replica] = []
        absent: list[Replica] = []
        for replica in self.context.replicas_of(sorted(self.context.assignments)):
            lives = replica.broker in self.context.live
            state = ReplicaState.ONLINE if lives else ReplicaState.INELIGIBLE
            self.context.replicas[replica] = state
            (there if lives else absent).append(replica)
        yield from self.change(there, ReplicaState.ONLINE)
        yield from self.change(absent, ReplicaState.OFFLINE)

    def stop(self) -> None:
        self.running = False
        self.context.replicas.clear()

    def change(self, replicas: Iterable[Replica], to: ReplicaState) -> Duty:
        """Move replicas to a state. Nothing is done if one of them may not go there.

        Raises IllegalTransition; NotRunning.
        """
        every = list(replicas)
        if not self.running:
            raise NotRunning(f"replicas were to become {to.value} without their state machine")
        for replica in every:
            check(str(replica), REPLICAS, self.context.replica_state(replica), to)
        batch = self.batch()
        for replica in every:
            yield from self.move(replica, to, batch)
        batch.send()

    def move(self, replica: Replica, to: ReplicaState, batch: Batch) -> Duty:
        """What a change of state means for one replica."""
        state = self.context.leadership.get(replica.partition)
        if to is ReplicaState.NEW and state is not None:
            batch.lead([replica.broker], replica.partition, state, new=True)
        elif to is ReplicaState.ONLINE:
            if self.context.replica_state(replica) is not ReplicaState.NEW and state is not None:
                batch.lead([replica.broker], replica.partition, state, new=False)
        elif to is ReplicaState.OFFLINE:
            batch.stop(replica.broker, replica.partition, delete=False)
            yield from self.leave_isr(replica, batch)
        elif to is ReplicaState.DELETION_STARTED:
            batch.stop(replica.broker, replica.partition, delete=True)
        elif to is ReplicaState.NON_EXISTENT:
            self.unassign(replica)
            self.context.replicas.pop(replica, None)
            return
        self.context.replicas[replica] = to

    def leave_isr(self, replica: Replica, batch: Batch) -> Duty:
        """Take a replica out of its ISR, unless it is the last one there, and out of the lead."""
        partition = replica.partition
        if partition not in self.context.leadership:
            batch.inform(self.context.registered, [partition])
            return

        def change(seen: LeaderAndIsr) -> LeaderAndIsr | None:
            if replica.broker not in seen.isr:
                return None
            left = tuple(each for each in seen.isr if each != replica.broker) or seen.isr
            leader = NO_LEADER if seen.leader == replica.broker else seen.leader
            return seen.led_by(leader, left, unclean=False)

        yield from self.store.update(partition, change)
        state = self.context.leadership.get(partition)
        if state is not None and not self.context.being_deleted(partition):
            others = [
                each for each in self.context.replicas_in(partition) if each != replica.broker
            ]
            batch.lead(others, partition, state, new=False)

    def unassign(self, replica: Replica) -> None:
        """A deleted replica leaves the assignment in memory."""
        assignment = self.context.assignments.get(replica.partition)
        if assignment is not None:
            parts = [tuple(each for each in part if each != replica.broker) for part in assignment]
            self.context.assignments[replica.partition] = type(assignment)(*parts)


def moved(
    machine: ReplicaMachine, replicas: Iterable[Replica], *states: ReplicaState
) -> Giving[None]:
    """Move replicas through several states."""
    every = list(replicas)
    for state in states:
        yield from machine.change(every, state)
