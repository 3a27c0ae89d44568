"""Topics and partitions that are new, changed or deleted, and ISRs that leaders change."""

from __future__ import annotations

import pytest

from impl.broker.partition import TopicPartition
from impl.cluster import nodes
from impl.cluster.controller import ClusterController
from impl.cluster.deletion import Deletion
from impl.cluster.messages import Error, Response
from impl.cluster.nodes import DELETIONS, assignments_of, topic_path
from impl.cluster.partition_machine import PartitionMachine
from impl.cluster.settings import Settings
from impl.cluster.states import ReplicaState
from impl.cluster.topics import Topics
from impl.zookeeper_requests import Delete, Get
from tests.impl.cluster.clusters import (
    A0,
    A1,
    A2,
    THREE,
    cluster,
    desk,
    expand,
    having,
    interrupted,
    leaders,
    shrink,
    state,
)

B0 = TopicPartition("b", 0)


# -- new ones


def created(controller=ClusterController):
    """A cluster of whose brokers one is away, with a new topic of three partitions."""
    made = cluster(controller=controller)
    made.kill(3)
    made.create_topic("a", (3, 2, 1), (1, 3), (3,))
    made.run()
    return made


class LeadsAlone(PartitionMachine):
    """Of a new partition the leader alone is in sync."""

    def begin(self, partition, batch):
        create = self.store.create
        self.store.create = lambda at, first: create(at, first._replace(isr=first.isr[:1]))
        yield from super().begin(partition, batch)
        self.store.create = create


def test_that_check_sees_new_partitions_whose_leader_alone_is_in_sync():
    made = created(having("desk.partitions", LeadsAlone))
    assert state(made, A0)[:3] == (2, (2,), 0)


def test_the_first_live_replica_leads_a_new_partition_and_all_live_ones_are_in_sync():
    made = created()
    assert state(made, A0)[:3] == (2, (2, 1), 0) and state(made, A1)[:3] == (1, (1,), 0)
    assert A2 not in desk(made).context.leadership
    made.start(3)
    made.run()
    assert state(made, A2)[:3] == (3, (3,), 0)


def grown(controller=ClusterController):
    """A topic gets a partition. Returns its node before and after."""
    made = cluster(*THREE, controller=controller)
    made.add_partitions("a", (2, 1))
    before = made.data(topic_path("a"))
    made.run()
    assert leaders(made, TopicPartition("a", 3)) == [2]
    return before, made.data(topic_path("a"))


def test_a_topic_gets_a_partition_and_the_others_stay_as_they_were():
    before, after = grown()
    assert before == after
    replicas = [each.replicas for each in assignments_of("a", after).values()]
    assert replicas == [*THREE, (2, 1)]


class Spreads(Topics):
    """Assigns the partitions of a changed topic anew."""

    def modified(self, topic):
        yield from super().modified(topic)
        if not hasattr(self, "spread"):
            self.spread = True
            for partition, assignment in self.context.assignments.items():
                turned = nodes.Assignment(assignment.replicas[::-1])
                self.context.assignments[partition] = turned
            yield from self.desk.store.assign(topic)


def test_that_check_sees_a_controller_that_assigns_anew():
    before, after = grown(having("topics", Spreads))
    assert before != after


class Blind(Topics):
    """Does not look at topics that have changed."""

    def modified(self, topic):
        yield from ()


def test_a_changed_topic_that_is_not_looked_at_is_found():
    with pytest.raises(AssertionError, match="^Remembers: a-3"):
        grown(having("topics", Blind))


def test_a_topic_that_was_removed_by_hand_is_forgotten():
    made = cluster(*THREE)
    paths = [path for each in (A0, A1, A2) for path in nodes.partition_paths(each)[:0:-1]]
    above = (f"{topic_path('a')}/partitions", topic_path("a"))
    made.by_hand(*map(Delete, (*paths, *above)))
    made.run()
    assert not desk(made).context.assignments


# -- ISRs


class Deaf(Topics):
    """Does not hear of changed ISRs."""

    def isrs_changed(self):
        yield from ()


def changed_isr(controller=ClusterController):
    made = cluster(*THREE, controller=controller)
    shrink(made, A0, 2)
    assert made.members[3].broker.metadata[A0].partition.isr == (1, 3)
    assert not [node for node in made.tree.nodes if f"{nodes.ISR_CHANGES}/" in node.path]
    expand(made, A0, 2)
    assert state(made, A0).isr == (1, 3, 2)
    return made


def test_all_brokers_learn_of_a_changed_isr():
    made = changed_isr()
    assert desk(made).context.assignments[A0].replicas == (1, 2, 3)


def test_an_isr_of_which_the_controller_does_not_hear_is_found():
    with pytest.raises(AssertionError, match="^Remembers: a-0"):
        changed_isr(having("topics", Deaf))


def test_a_former_leader_changes_nothing():
    made = cluster(*THREE)
    former = made.members[1]
    duty = former.broker.shrink(A0, 3)
    next(duty)
    made.shut_down(1)
    made.run()
    assert leaders(made, A0) == [2] and state(made, A0).isr == (2, 3)
    reply = former.session.ask(Get(nodes.state_path(A0)))
    with pytest.raises(StopIteration):
        duty.send(reply)
    assert state(made, A0).isr == (2, 3)


def test_a_leader_that_was_elected_uncleanly_recovers_alone():
    made = cluster((1, 2), settings=Settings(unclean=True))
    made.tree.unclean = True
    shrink(made, A0, 2)
    made.kill(1)
    made.run()
    assert state(made, A0)[:2] == (2, (2,)) and state(made, A0).recovering
    made.start(1)
    made.run()
    expand(made, A0, 1)
    assert state(made, A0).isr == (2,)
    made.members[2].perform(made.members[2].broker.recovered(A0))
    made.run()
    expand(made, A0, 1)
    assert state(made, A0).isr == (2, 1) and not state(made, A0).recovering


def test_such_a_leader_is_found_where_it_is_not_permitted():
    made = cluster((1, 2), settings=Settings(unclean=True))
    shrink(made, A0, 2)
    made.kill(1)
    with pytest.raises(AssertionError, match="^CleanLeader: "):
        made.run()


# -- deletion


def gone(made, topic="a"):
    """A topic is deleted everywhere."""
    above = (topic_path(topic), f"{DELETIONS}/{topic}")
    left = [node.path for node in made.tree.nodes if node.path.startswith(above)]
    assert not left, f"Deleted: {left}"
    assert topic not in desk(made).context.topics, f"Deleted: {topic} is known"
    for member in made.members.values():
        known = [*member.broker.roles, *member.broker.metadata]
        assert topic not in {each.topic for each in known}, f"Deleted: {member.id} has {topic}"


def deleted(controller=ClusterController):
    made = cluster(*THREE, controller=controller)
    made.create_topic("b", (1, 2))
    made.run()
    made.delete_topic("a")
    made.run()
    gone(made)
    assert leaders(made, B0) == [1]


def test_a_topic_is_deleted_everywhere():
    deleted()


class NoOrder(Deletion):
    """Deletes the nodes, and leaves the replicas."""

    def begin(self, topic):
        yield from self.finish(topic)


def test_replicas_that_are_left_are_found():
    with pytest.raises(AssertionError, match="^Deleted: 1 has a"):
        deleted(having("deletion", NoOrder))


def test_a_deletion_waits_for_a_dead_broker():
    made = cluster(*THREE)
    made.kill(3)
    made.run()
    made.delete_topic("a")
    made.run()
    assert made.data(topic_path("a")) and desk(made).context.ineligible == {"a"}
    assert not made.members[2].broker.roles
    made.start(3)
    made.run()
    gone(made)


class Rash(Deletion):
    """Has a later controller delete what it can, and wait for the rest."""

    def read(self):
        yield from super().read()
        self.context.ineligible.clear()


def taken_up(controller=ClusterController):
    """A deletion waits for a dead broker, and the controller ends. Returns the replicas' states."""
    made = cluster(*THREE, controller=controller)
    made.kill(3)
    made.run()
    made.delete_topic("a")
    made.run()
    made.remove_controller()
    made.run()
    states = set(desk(made).context.replicas.values())
    made.start(3)
    made.run()
    gone(made)
    return states


def test_a_later_controller_waits_for_a_dead_broker_before_it_deletes_anything():
    online, offline = ReplicaState.ONLINE, ReplicaState.OFFLINE
    assert taken_up() == {online, offline}
    assert ReplicaState.DELETION_SUCCESSFUL in taken_up(having("deletion", Rash))


def test_a_deletion_under_way_waits_for_no_broker_that_lives():
    made = cluster(*THREE)
    made.delete_topic("a")
    while made.members[1].step():
        pass
    context = desk(made).context
    assert set(context.replicas.values()) == {ReplicaState.DELETION_STARTED}
    assert context.deleting == {"a"} and not context.ineligible


def test_a_deletion_that_a_broker_fails_to_do_is_tried_again_when_it_comes_back():
    made = cluster(*THREE)
    made.delete_topic("a")
    broker = made.members[2].broker
    broker.stop = lambda request: Response(
        partitions=dict.fromkeys(request.partitions, Error.LEADER_NOT_AVAILABLE)
    )
    made.run()
    assert made.data(topic_path("a"))
    made.kill(2)
    made.start(2)
    made.run()
    gone(made)


@pytest.mark.daily(15)
@pytest.mark.parametrize("at", range(60))
def test_a_later_controller_goes_on_with_a_deletion(at):
    made = cluster(*THREE)
    made.delete_topic("a")
    interrupted(made, 1, lambda: made.members[1].expire(), at)
    gone(made)


def test_an_unknown_topic_is_taken_off_the_list():
    made = cluster()
    made.delete_topic("nothing")
    made.run()
    assert made.data(f"{DELETIONS}/nothing") is None


def test_a_topic_that_is_being_deleted_gets_no_partition():
    made = cluster(*THREE)
    made.kill(3)
    made.run()
    made.delete_topic("a")
    made.run()
    made.add_partitions("a", (1, 2))
    made.run()
    assert len(assignments_of("a", made.data(topic_path("a")))) == 3
