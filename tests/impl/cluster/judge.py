"""What has to hold of a cluster: of each write at once, and of all parts when it is at rest.

A failure begins with the name of what does not hold.
"""

from __future__ import annotations

from impl.broker.partition import TopicPartition
from impl.cluster import nodes
from impl.cluster.cluster import Cluster, Member
from impl.cluster.context import Broker
from impl.cluster.nodes import NO_LEADER, state_path
from impl.cluster.states import PartitionStateName, ReplicaState
from impl.cluster.tree import Tree
from impl.controller import EPOCH
from impl.zookeeper_requests import Reply

MANY = 2_000
"""More turns than any cluster here needs to come to rest."""


def partition_of(path):
    """The partition whose state a node has, or None."""
    parts = path.split("/")
    found = parts[:3] == ["", "brokers", "topics"] and parts[-1] == "state"
    return TopicPartition(parts[3], int(parts[5])) if found else None


def states_in(found):
    """Partition -> its state, of all nodes."""
    return {
        partition_of(node.path): nodes.state_of(Reply(None, node.data, node.version))
        for node in found
        if partition_of(node.path)
    }


class JudgedTree(Tree):
    """Judges each transaction. ``unclean``: a replica that is not in sync may be elected."""

    unclean = False

    def _write(self, session, parts):
        before = {node.path: node for node in self.nodes}
        reply = super()._write(session, parts)
        if reply.ok:
            changed = [node for node in self.nodes if before.get(node.path) is not node]
            old = epoch(before.values())
            new = epoch(changed) or old
            assert new in (old, old + 1), f"EpochIncreases: from {old} to {new}"
            for partition, state in states_in(changed).items():
                found = states_in(
                    [before[path] for path in [state_path(partition)] if path in before]
                )
                self.judge_state(partition, found.get(partition), state, new)
        return reply

    def judge_state(self, partition, before, after, current):
        what, new = f"{partition}: {before} -> {after}", after.partition
        assert new.leader in (NO_LEADER, *new.isr), f"LeaderInIsr: {what}"
        assert len(set(new.isr)) == len(new.isr) > 0, f"LeaderInIsr: {what}"
        if before is None:
            assert new.leader_epoch == 0, f"EpochsDense: {what}"
            assert after.controller_epoch == current, f"FencedWrites: in {current}, {what}"
            return
        old = before.partition
        assert new.leader_epoch in (old.leader_epoch, old.leader_epoch + 1), f"EpochsDense: {what}"
        assert new.version > old.version, f"EpochsDense: {what}"
        if new.leader_epoch == old.leader_epoch:
            assert new.leader == old.leader, f"EpochsDense: {what}"
            return
        assert after.controller_epoch == current, f"FencedWrites: in {current}, {what}"
        if not self.unclean:
            assert set(new.isr) <= set(old.isr), f"CleanLeader: {what}"


def epoch(found):
    return int(next((node.data for node in found if node.path == EPOCH), "0"))


class JudgedCluster(Cluster):
    """Judges itself when it has come to rest."""

    tree_class = JudgedTree

    def run(self):
        turns = 0
        while self.turn():
            turns += 1
            assert turns < MANY, f"Rests: {[each.handling for each in self.members.values()]}"
        self.at_rest()

    def at_rest(self):
        """Everything agrees: ZooKeeper, the controller's memory, and the brokers."""
        if not self.members:
            return
        open_ones = [each.id for each in self.tree.live]
        assert len(open_ones) == len(self.members), f"OneSession: {open_ones} of {[*self.members]}"
        acting = [each for each in self.members.values() if each.controller.acting]
        named = self.named()
        assert [str(each.id) for each in acting] == [named], f"OneController: {acting}, {named}"
        for member in self.members.values():
            assert str(member.controller.active) == named, f"KnowsController: {member.id}"
            if member is not acting[0]:
                idle(member)
        remembered(self, acting[0])
        done(self, acting[0])
        led(acting[0])
        followed(self, acting[0])
        watched(acting[0])


def idle(member: Member):
    """A broker that is no controller has ended everything."""
    desk = member.controller.desk
    assert not member.controller.begun, f"Resigned: {member.id} has {member.controller.begun}"
    assert not desk.replicas.running and not desk.partitions.running, f"Resigned: {member.id}"
    assert not desk.context.assignments and not desk.channels.queues, f"Resigned: {member.id}"
    assert not member.watches.nodes and not member.watches.children, f"Resigned: {member.id}"
    assert member.controller.preferred.call_off is None, f"Resigned: {member.id}"


def remembered(cluster, member):
    """The controller's memory is what ZooKeeper has."""
    tree, context = cluster.tree, member.controller.desk.context
    brokers = {
        int(node.path.rpartition("/")[2]): Broker(
            tree.origins[node.path], nodes.endpoint_of(Reply(None, node.data))
        )
        for node in tree.nodes
        if node.path.startswith(f"{nodes.BROKERS}/")
    }
    assert context.registered == brokers, f"Remembers: {context.registered}, {brokers}"
    topics = {
        name: found
        for node in tree.nodes
        if node.path.startswith(f"{nodes.TOPICS}/")
        and (name := node.path.removeprefix(f"{nodes.TOPICS}/")).count("/") == 0
        for found in [nodes.assignments_of(name, node.data)]
    }
    assert context.topics == topics.keys(), f"Remembers: {context.topics}, {topics.keys()}"
    assigned = {key: value for found in topics.values() for key, value in found.items()}
    kept = {key: value for key, value in context.assignments.items() if value.replicas}
    deleting = {each for each in assigned if context.being_deleted(each)}
    for each in kept.keys() | assigned.keys() - deleting:
        assert kept.get(each) == assigned.get(each), f"Remembers: {each}: {kept}, {assigned}"
    states = states_in(tree.nodes)
    for each in states.keys() | context.leadership.keys():
        known = context.leadership.get(each)
        assert known == states.get(each), f"Remembers: {each}: {known}, {states.get(each)}"


def watched(member):
    """The controller has events of the nodes that it needs, and of no other ones."""
    context, watches = member.controller.desk.context, member.watches
    moving = [each for each, found in context.assignments.items() if found.moving]
    needed = {nodes.PREFERRED, nodes.REASSIGNMENT, *map(state_path, moving)}
    needed |= {*map(nodes.broker_path, context.registered), *map(nodes.topic_path, context.topics)}
    assert watches.nodes.keys() == needed, f"Watches: {needed ^ watches.nodes.keys()}"
    above = {nodes.BROKERS, nodes.TOPICS, nodes.DELETIONS, nodes.ISR_CHANGES}
    assert watches.children.keys() == above, f"Watches: {above ^ watches.children.keys()}"


def done(cluster, member):
    """What is wanted, or was noticed, is done and taken off, unless it has to wait."""
    context = member.controller.desk.context
    paths = [node.path for node in cluster.tree.nodes]
    left = [path for path in paths if path.startswith(f"{nodes.ISR_CHANGES}/")]
    assert not left, f"Done: {left}"
    assert cluster.data(nodes.PREFERRED) is None, "Done: a preferred election is still wanted"
    moves = nodes.moves_of(cluster.data(nodes.REASSIGNMENT) or '{"partitions":[]}')
    moving = {each for each, found in context.assignments.items() if found.moving}
    assert moves.keys() <= moving, f"Done: {moves} are wanted, {moving} move"
    above = f"{nodes.DELETIONS}/"
    wanted = {path.removeprefix(above) for path in paths if path.startswith(above)}
    assert wanted == context.deleting, f"Done: {wanted} are wanted, {context.deleting} wait"


def led(member):
    """Each partition that may have a leader has one, which lives, and its states fit."""
    context = member.controller.desk.context
    assert context.partitions.keys() <= context.assignments.keys(), "StatesFit: partitions"
    for partition in context.assignments:
        if context.being_deleted(partition):
            continue
        state, replicas = context.leadership.get(partition), context.replicas_in(partition)
        leader, live = context.leads(partition), context.live
        where = f"{partition}, {state}, {context.state(partition)}, live: {sorted(live)}"
        if leader in live:
            assert context.state(partition) is PartitionStateName.ONLINE, f"StatesFit: {where}"
        else:
            may = live & set(replicas) & set(state.partition.isr if state else replicas)
            stopping = leader in context.shutting_down
            assert stopping or not may, f"LeaderIsLive: {may} may lead {where}"
            online = context.state(partition) is PartitionStateName.ONLINE
            assert stopping or not online, f"StatesFit: {where}"
        for replica in context.replicas_of([partition]):
            now, fit = context.replica_state(replica), {ReplicaState.ONLINE, ReplicaState.NEW}
            if replica.broker in context.shutting_down:
                fit.add(ReplicaState.OFFLINE)
            elif replica.broker not in live:
                fit = {ReplicaState.OFFLINE}
            assert now in fit, f"StatesFit: {replica} is {now}, live: {sorted(live)}"


def followed(cluster, member):
    """The brokers lead, follow and know what the controller has decided."""
    context = member.controller.desk.context
    for other in cluster.members.values():
        broker = other.broker
        assert broker.live == context.endpoints(), f"Informed: {other.id} knows {broker.live}"
        for partition, state in context.leadership.items():
            if context.being_deleted(partition):
                continue
            known = broker.metadata.get(partition)
            where = f"{other.id}, {partition}: {known}, {state}"
            assert known is not None and known.partition == state.partition, f"Informed: {where}"
            leader = state.partition.leader
            if other.id in context.replicas_in(partition) and other.id in context.live:
                assert broker.leads(partition) == (leader == other.id), f"Follows: {where}"
                if leader in context.registered:
                    assert partition not in broker.stranded, f"Follows: {where}"
