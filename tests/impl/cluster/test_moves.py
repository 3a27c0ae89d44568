"""Partitions that move to other replicas, and those that return to their preferred leaders."""

from __future__ import annotations

import pytest

from impl.broker.partition import TopicPartition
from impl.cluster.context import Replica
from impl.cluster.controller import ClusterController
from impl.cluster.events import RebalanceDue
from impl.cluster.nodes import PREFERRED, REASSIGNMENT, Assignment, moves_text, topic_path
from impl.cluster.preferred import Preferred
from impl.cluster.reassignment import Reassignment
from impl.cluster.settings import Settings
from impl.cluster.states import IllegalTransition, PartitionStateName, ReplicaState
from impl.zookeeper_requests import Create, Delete, Put
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
    state,
)


def test_an_assignment_knows_where_it_comes_from_and_where_it_goes():
    moving = Assignment((1, 2, 3)).moved_to((4, 3))
    assert moving == Assignment((4, 3, 1, 2), (4,), (1, 2)) and moving.moving
    assert moving.target == (4, 3) and moving.origin == (3, 1, 2)
    assert not Assignment((1, 2)).moved_to((1, 2)).moving


# -- reassignment


def moved(made, partition, *replicas):
    """A partition is at its new replicas, and nowhere else."""
    assert desk(made).context.assignments[partition] == Assignment(replicas), "Moved: assignment"
    found = state(made, partition)
    assert found.leader in replicas and set(found.isr) == set(replicas), f"Moved: {found}"
    assert made.data(REASSIGNMENT) is None, "Moved: still wanted"
    have = {each for each, member in made.members.items() if partition in member.broker.roles}
    assert have == set(replicas), f"Moved: {have} have it"


def move(controller=ClusterController):
    made = cluster((1, 2), brokers=4, controller=controller)
    made.reassign({A0: (4, 3)})
    made.run()
    context = desk(made).context
    assert context.assignments[A0] == Assignment((4, 3, 1, 2), (4, 3), (1, 2))
    assert state(made, A0)[:3] == (1, (1, 2), 1) and made.data(REASSIGNMENT)
    assert context.replicas[next(each for each in context.replicas if each.broker == 4)] is (
        ReplicaState.NEW
    )
    expand(made, A0, 3)
    assert leaders(made, A0) == [1]
    expand(made, A0, 4)
    moved(made, A0, 4, 3)
    assert leaders(made, A0) == [4]


def test_a_partition_moves_when_its_new_replicas_are_in_sync():
    move()


class Hasty(Reassignment):
    """Does not wait until the new replicas are in sync."""

    def reached(self, partition):
        yield from super().reached(partition)
        return True


class Keeps(Reassignment):
    """Leaves the old replicas."""

    def remove(self, partition, brokers):
        yield from ()


def test_a_move_that_does_not_wait_or_leaves_replicas_is_found():
    with pytest.raises(IllegalTransition, match="replica 4 of a-0 is non-existent"):
        move(having("reassignment", Hasty))
    with pytest.raises(AssertionError, match="^Moved: "):
        move(having("reassignment", Keeps))


@pytest.mark.daily(12)
@pytest.mark.parametrize("at", range(50))
def test_a_later_controller_goes_on_with_a_move(at):
    made = cluster((1, 2), brokers=4)
    made.reassign({A0: (3, 2)})
    interrupted(made, 1, lambda: made.members[1].expire(), at)
    expand(made, A0, 3)
    moved(made, A0, 3, 2)


def test_a_move_gets_another_target_and_the_first_one_is_undone():
    made = cluster((1, 2), brokers=4)
    made.reassign({A0: (1, 3)})
    made.run()
    made.by_hand(Put(REASSIGNMENT, moves_text({A0: (1, 4)})))
    made.run()
    assert desk(made).context.assignments[A0] == Assignment((1, 4, 2), (4,), (2,))
    assert A0 not in made.members[3].broker.roles
    made.by_hand(Put(REASSIGNMENT, moves_text({A0: (1, 2)})))
    made.run()
    moved(made, A0, 1, 2)


def test_a_new_replica_that_is_about_to_stop_is_not_made_to_follow():
    made = cluster((1, 2))
    made.reassign({A0: (1, 3)})
    made.run()
    made.shut_down(3)
    made.run()
    expand(made, A0, 3)
    context = desk(made).context
    assert context.assignments[A0] == Assignment((1, 3))
    assert context.replicas[Replica(A0, 3)] is ReplicaState.OFFLINE


class Stares(Reassignment):
    """Watches the node of a partition that moves no more."""

    def unwatch(self, partition):
        pass


def test_the_node_of_a_partition_that_moves_no_more_is_watched_no_more():
    for done in (lambda made: expand(made, A0, 3), lambda made: made.reassign({A0: (1, 2)})):
        made = cluster((1, 2), controller=having("reassignment", Stares))
        made.reassign({A0: (1, 3)})
        made.run()
        made.by_hand(Delete(REASSIGNMENT))
        made.run()
        with pytest.raises(AssertionError, match="^Watches: {'/brokers/.*/0/state'}"):
            done(made)
            made.run()


@pytest.mark.parametrize("target", [(), (3, 3), (9,)])
def test_a_move_that_cannot_be_is_taken_off(target):
    made = cluster((1, 2))
    before = made.data(topic_path("a"))
    made.reassign({A0: target, TopicPartition("none", 0): (1,)})
    made.run()
    assert made.data(REASSIGNMENT) is None and made.data(topic_path("a")) == before


def test_a_topic_that_moves_is_deleted_when_it_has_moved():
    made = cluster((1, 2))
    made.reassign({A0: (1, 3)})
    made.run()
    made.delete_topic("a")
    made.run()
    assert made.data(topic_path("a")) and desk(made).context.ineligible == {"a"}
    expand(made, A0, 3)
    assert made.data(topic_path("a")) is None


def test_a_new_replica_whose_broker_dies_comes_in_when_it_is_back():
    made = cluster((1, 2))
    made.reassign({A0: (1, 3)})
    made.run()
    made.kill(3)
    made.run()
    made.start(3)
    made.run()
    expand(made, A0, 3)
    moved(made, A0, 1, 3)


# -- preferred replicas


def away(settings=Settings(), controller=ClusterController):  # noqa: B008  # a value
    """A cluster whose broker 3 has been away, and is in sync again."""
    made = cluster(*THREE, settings=settings, controller=controller)
    made.kill(3)
    made.run()
    made.start(3)
    made.run()
    for partition in (A0, A1, A2):
        expand(made, partition, 3)
    assert leaders(made) == [1, 2, 1]
    return made


def test_a_timer_brings_preferred_leaders_back():
    made = away()
    made.advance(4_999)
    assert leaders(made) == [1, 2, 1]
    made.advance(1)
    assert leaders(made) == [1, 2, 3]


KAFKAS = {
    "unclean.leader.election.enable": False,
    "auto.leader.rebalance.enable": True,
    "leader.imbalance.per.broker.percentage": 10,
    "the first check, which is fixed": 5_000,
    "leader.imbalance.check.interval.seconds": 300 * 1_000,
}
"""Kafka's defaults, times in milliseconds."""


def test_the_defaults_are_kafkas():
    assert Settings() == tuple(KAFKAS.values())


def test_without_the_setting_there_is_no_timer():
    made = away(Settings(rebalance=False))
    made.advance(1_000_000)
    assert leaders(made) == [1, 2, 1]


class Once(Preferred):
    """Sets no second alarm."""

    def due(self):
        self.call_off = None
        yield from super().due()


def second_check(controller=ClusterController):
    """The leaders just before the second check, and after it."""
    made = cluster(*THREE, controller=controller)
    made.advance(5_000)
    made.kill(3)
    made.run()
    made.advance(300_000)
    made.start(3)
    made.run()
    for partition in (A0, A1, A2):
        expand(made, partition, 3)
    made.advance(299_999)
    before = leaders(made)
    made.advance(1)
    return before, leaders(made)


def test_the_timer_goes_off_again_and_again():
    assert second_check() == ([1, 2, 1], [1, 2, 3])


def test_that_check_sees_a_timer_that_goes_off_once():
    assert second_check(having("preferred", Once)) == ([1, 2, 1], [1, 2, 1])


def test_the_timer_ends_with_the_office():
    made = cluster(*THREE)
    assert len(made.clock.alarms) == 1
    made.members[1].expire()
    made.run()
    assert len(made.clock.alarms) == 1 and made.named() is not None


@pytest.mark.parametrize(("percent", "led"), [(33, 3), (34, 2)])
def test_few_partitions_away_are_left_there(percent, led):
    assignments = ((1, 2), (1, 2), (1, 2))
    made = cluster(*assignments, settings=Settings(imbalance_percent=percent, rebalance=False))
    made.kill(1)
    made.run()
    made.start(1)
    made.run()
    for partition in (A0, A1, A2):
        expand(made, partition, 1)
    made.prefer(A0, A1)
    made.run()
    assert leaders(made) == [1, 1, 2] and made.data(PREFERRED) is None
    made.acting().inbox.put(RebalanceDue())
    made.run()
    assert leaders(made).count(1) == led


def test_who_is_not_in_sync_does_not_return():
    made = cluster((1, 2), (2, 1))
    made.kill(1)
    made.run()
    made.start(1)
    made.run()
    made.prefer(A0)
    made.advance(5_000)
    assert leaders(made, A0, A1) == [2, 2]


class FallsBack(Preferred):
    """Elects as after a failure, not as the preference is."""

    def elect(self, partitions):
        yield from self.desk.partitions.change(list(partitions), PartitionStateName.ONLINE)


def returned(controller):
    made = cluster((3, 2, 1), controller=controller)
    made.kill(3)
    made.run()
    before = state(made, A0).leader_epoch
    made.prefer(A0)
    made.run()
    return state(made, A0).leader_epoch == before


def test_where_the_preferred_replica_may_not_lead_nothing_changes():
    assert returned(ClusterController) and not returned(having("preferred", FallsBack))


def test_an_election_that_is_wanted_for_nothing_is_taken_off():
    made = cluster((1, 2))
    made.prefer(TopicPartition("none", 0), A0)
    made.run()
    assert made.data(PREFERRED) is None


def test_what_was_wanted_before_the_failover_is_done_in_it():
    made = cluster(*THREE)
    for broker in (1, 2, 3):
        made.kill(broker)
    made.by_hand(Create(PREFERRED, '{"partitions":[{"partition":0,"topic":"a"}],"version":1}'))
    made.reassign({A1: (2, 3)})
    for broker in (1, 2, 3):
        made.start(broker)
    made.run()
    assert made.data(PREFERRED) is None and made.data(REASSIGNMENT) is None
    assert desk(made).context.assignments[A1] == Assignment((2, 3))
