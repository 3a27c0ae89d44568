"""Brokers that come, go, come again, move, or want to stop."""

from __future__ import annotations

import pytest

from impl.broker.partition import TopicPartition
from impl.cluster.brokers import Brokers
from impl.cluster.cluster import Member
from impl.cluster.controller import ClusterController, DuplicateBroker
from impl.cluster.early_brokers import EarlyBrokers
from impl.cluster.events import ShutdownWanted
from impl.cluster.messages import Error, Sender, UpdateMetadataRequest
from impl.cluster.nodes import broker_path, broker_text
from impl.cluster.states import ReplicaState
from impl.zookeeper_requests import Create, Put
from tests.impl.cluster.clusters import (
    A0,
    A1,
    A2,
    THREE,
    cluster,
    desk,
    expand,
    having,
    leaders,
    state,
)

# -- registration


def test_a_brokers_epoch_is_the_transaction_that_registered_it():
    made = cluster()
    known = desk(made).context.registered
    assert {each: found.epoch for each, found in known.items()} == {
        each: made.tree.origins[broker_path(each)] for each in (1, 2, 3)
    }
    assert [made.members[each].broker.epoch for each in (1, 2, 3)] == [
        found.epoch for found in known.values()
    ]


def bounced(controller=ClusterController):
    """A broker ends and starts again before the controller looks."""
    made = cluster(*THREE, controller=controller)
    before = made.members[3].broker.epoch
    made.kill(3)
    made.start(3)
    while made.members[3].busy():
        made.members[3].step()
    made.run()
    assert made.members[3].broker.epoch > before
    return made


def test_a_broker_that_was_away_for_a_moment_learns_everything_again():
    made = bounced()
    assert leaders(made) == [1, 2, 1] and set(made.members[3].broker.roles) == {A0, A1, A2}


def test_up_to_2_1_a_controller_misses_a_broker_that_was_away_for_a_moment():
    with pytest.raises(AssertionError, match="^(Remembers|Informed|Follows): "):
        bounced(having("brokers", EarlyBrokers))


def late(member):
    """What a broker answers to a request for its life before this one."""
    made = cluster(*THREE, member=member)
    before = made.tree.origins[broker_path(3)] - 1
    request = UpdateMetadataRequest(Sender(1, 1, before), {}, {})
    return made.members[3].broker.receive(request).error


class Timeless(Member):
    """Takes requests for any of its lives."""

    def step(self):
        moved = super().step()
        self.broker.epoch = -1
        return moved


def test_a_broker_refuses_a_request_for_its_former_life():
    assert late(Member) is Error.STALE_BROKER_EPOCH
    assert late(Timeless) is Error.NONE


def test_one_id_is_registered_once():
    made = cluster()
    made.by_hand(Create(broker_path(4), broker_text("elsewhere")))
    made.start(4)
    with pytest.raises(DuplicateBroker, match="/brokers/ids/4 has .*elsewhere"):
        made.run()


class Unmoved(Brokers):
    """Does not look where a broker listens."""

    def modified(self, broker):
        yield from ()


def elsewhere(controller=ClusterController):
    """A broker listens somewhere else. Where do others look for it?"""
    made = cluster(*THREE, controller=controller)
    made.by_hand(Put(broker_path(2), broker_text("PLAINTEXT://moved:1")))
    made.run()
    return made.members[3].broker.live[2]


def test_all_brokers_learn_where_one_listens_now():
    assert elsewhere() == "PLAINTEXT://moved:1"


def test_a_broker_that_is_looked_for_at_its_old_place_is_found():
    with pytest.raises(AssertionError, match="^Remembers: .*moved:1"):
        elsewhere(having("brokers", Unmoved))


# -- failures


def test_a_partition_without_a_live_replica_in_sync_has_no_leader_until_one_comes():
    made = cluster((2, 3), (2,))
    made.kill(3)
    made.run()
    made.kill(2)
    made.run()
    assert leaders(made, A0, A1) == [-1, -1] and state(made, A0).isr == (2,)
    made.start(3)
    made.run()
    assert leaders(made, A0) == [-1]
    made.start(2)
    made.run()
    assert leaders(made, A0, A1) == [2, 2]


def test_a_replica_on_a_dead_broker_is_offline_and_out_of_sync():
    made = cluster(*THREE)
    made.kill(3)
    made.run()
    states = desk(made).context.replicas
    assert {each.broker for each in states if states[each] is ReplicaState.OFFLINE} == {3}
    assert [3 in state(made, each).isr for each in (A0, A1, A2)] == [False] * 3


# -- controlled shutdown


class Forgets(Brokers):
    """Does not remember who is about to stop."""

    def shut_down(self, event):
        yield from super().shut_down(event)
        self.context.shutting_down.clear()


class Ignores(Brokers):
    """Answers, and does nothing."""

    def shut_down(self, event):
        yield from ()
        event.answer(Error.NONE, ())


def stopped(controller=ClusterController):
    """Broker 3 wants to stop. Returns the answers, and how many leaders are out when it does."""
    made = cluster(*THREE, controller=controller)
    answers = made.shut_down(3)
    made.run()
    before = leaders(made), state(made, A0).isr
    made.kill(3)
    return answers, before


def test_a_broker_that_stops_leads_nothing_when_it_goes():
    answers, before = stopped()
    assert answers == [(Error.NONE, ())] and before == ([1, 2, 1], (1, 2))


def test_that_check_sees_a_shutdown_that_is_ignored():
    assert stopped(having("brokers", Ignores))[1] == ([1, 2, 3], (1, 2, 3))


def next_leader(controller=ClusterController):
    """The leader of a new partition whose first replica is about to stop."""
    made = cluster(*THREE, controller=controller)
    made.shut_down(2)
    made.run()
    made.create_topic("b", (2, 3))
    made.run()
    return leaders(made, TopicPartition("b", 0))


def test_who_is_about_to_stop_is_not_elected():
    assert next_leader() == [3]


def test_a_broker_whose_shutdown_is_forgotten_is_found():
    with pytest.raises(AssertionError, match="^StatesFit: replica 2 of a-0"):
        next_leader(having("brokers", Forgets))


def test_what_only_the_stopping_broker_has_it_still_leads():
    made = cluster((3, 1), (3,))
    shrunk = made.members[3]
    shrunk.perform(shrunk.broker.shrink(A0, 1))
    made.run()
    assert made.shut_down(3) == []
    answers = made.shut_down(3)
    made.run()
    assert answers == [(Error.NONE, (A0,))] and leaders(made, A0, A1) == [3, 3]
    expand(made, A0, 1)
    answers = made.shut_down(3)
    made.run()
    assert answers == [(Error.NONE, ())] and leaders(made, A0) == [1]


def test_a_shutdown_is_answered_whatever_happens():
    made = cluster(*THREE)
    answers = []
    for broker, epoch in ((9, 0), (3, 0)):
        made.members[1].inbox.put(ShutdownWanted(broker, epoch, lambda *each: answers.append(each)))
    made.run()
    assert answers == [(Error.BROKER_NOT_AVAILABLE, ()), (Error.STALE_BROKER_EPOCH, ())]
    made.members[2].inbox.put(ShutdownWanted(3, 0, lambda *each: answers.append(each)))
    made.run()
    later = made.shut_down(3)
    made.members[1].expire()
    made.run()
    assert answers[2:] == later == [(Error.NOT_CONTROLLER, ())]
    fenced = made.shut_down(3)
    while made.acting() and made.acting().broker is not None and not made.acting().handler:
        made.acting().step()
    made.remove_controller()
    made.run()
    assert fenced == [(Error.NOT_CONTROLLER, ())]
