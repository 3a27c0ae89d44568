"""The elector of Kafka up to 2.0: what it shares with the present one, and what it lacked."""

from __future__ import annotations

import pytest

from impl.controller import (
    CONTROLLER,
    EPOCH,
    PARTITION,
    Elector,
    Epoch,
    PartitionState,
    SessionExpired,
    decoded,
)
from impl.controller_events import Connection, Events
from impl.controller_thread import EarlyControllerThread
from impl.early_controller import EarlyElector, EarlyPlace
from impl.zookeeper import ZNode, ZooKeeper
from impl.zookeeper_requests import Code, Reply
from tests.impl.brokers import Broker, remove


@pytest.fixture
def zookeeper():
    return ZooKeeper([ZNode(EPOCH, "0"), ZNode(PARTITION, PartitionState().encoded())])


@pytest.fixture
def one(zookeeper):
    return Broker("b1", zookeeper, EarlyElector)


@pytest.fixture
def two(zookeeper):
    return Broker("b2", zookeeper, EarlyElector)


def node(zookeeper, path):
    return next((each for each in zookeeper.nodes if each.path == path), None)


def partition(zookeeper):
    found = node(zookeeper, PARTITION)
    return decoded(Reply(Code.OK, found.data, found.version))


def test_the_first_broker_is_the_controller(zookeeper, one, two):
    one.handle("register")
    two.handle("register")
    assert one.elector.acting and not two.elector.acting
    assert one.elector.own == Epoch(1, 1)
    assert node(zookeeper, CONTROLLER).data == "b1"
    assert partition(zookeeper) == one.elector.known == PartitionState(1, 1, 0, 1)


def test_a_broker_acts_before_it_has_an_epoch(one):
    seen = []
    one.handle("register", {EarlyPlace.READ_EPOCH: lambda: seen.append(one.elector.acting)})
    assert seen == [True]


def test_two_act_in_one_epoch_between_two_requests(zookeeper, one, two):
    """KAFKA-6082: the node and its epoch are two requests."""
    one.handle("register")
    remove(zookeeper)
    seen = []

    def look():
        seen.append((one.elector.acting, two.elector.acting, one.elector.own == two.elector.own))

    two.handle("register", {EarlyPlace.RAISE_EPOCH: look})
    assert seen == [(True, True, True)]
    assert two.elector.own == Epoch(2, 2)


@pytest.mark.parametrize(("kind", "written"), [(EarlyElector, 3), (Elector, 2)])
def test_the_old_controller_writes_after_the_new_one_is_elected(zookeeper, kind, written):
    """KAFKA-6082. ``written``: how often; the fence of the present elector refuses one."""
    old, new = Broker("b1", zookeeper, kind), Broker("b2", zookeeper, EarlyElector)
    old.handle("register")
    remove(zookeeper)

    def late():
        old.handle("work")
        assert partition(zookeeper).controller_epoch == 1

    new.handle("register", {EarlyPlace.READ_PARTITION: late})
    assert partition(zookeeper) == PartitionState(written, 2, 0, written)
    assert old.elector.acting is (kind is EarlyElector)


def test_a_partition_of_a_newer_controller_is_left_alone(zookeeper, one, two):
    one.handle("register")
    remove(zookeeper)
    two.handle("register")
    before = partition(zookeeper)
    one.handle("work")
    assert partition(zookeeper) == before and one.elector.acting


def test_a_partition_that_a_newer_controller_writes_meanwhile_is_left_alone(zookeeper, one, two):
    def succeeded():
        remove(zookeeper)
        two.handle("register")

    one.handle("register")
    one.handle("work", {EarlyPlace.WRITE_PARTITION: succeeded})
    assert one.places[-1] is EarlyPlace.READ_AGAIN
    assert partition(zookeeper).controller_epoch == 2


def test_who_comes_too_late_with_its_epoch_deletes_the_others_node(zookeeper, one, two):
    def faster():
        remove(zookeeper)
        two.handle("register")
        assert two.elector.acting and node(zookeeper, CONTROLLER).data == "b2"

    one.handle("register", {EarlyPlace.RAISE_EPOCH: faster})
    assert not one.elector.acting
    assert one.places[-1] is EarlyPlace.DELETE
    assert node(zookeeper, CONTROLLER) is None
    assert int(node(zookeeper, EPOCH).data) == 1


def test_a_lost_reply_to_the_epoch_ends_the_election_that_it_has_won(zookeeper, one):
    one.handle("register", {EarlyPlace.RAISE_EPOCH: lambda: one.connection.drop_reply("after")})
    assert not one.elector.acting
    assert int(node(zookeeper, EPOCH).data) == 1 and node(zookeeper, CONTROLLER) is None


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_reply_to_the_creation(one, when):
    one.connection.drop_reply(when)
    one.handle("register")
    assert one.elector.acting and one.elector.own == Epoch(1, 1)
    assert EarlyPlace.CREATE_AGAIN in one.places
    assert (EarlyPlace.LOOK_AT_OWNER in one.places) == (when == "after")


def test_a_node_of_the_same_broker_in_another_session_is_not_its_own(zookeeper, one):
    """Of KAFKA-7165: the owner is compared, not the name."""
    again = Broker("b1", zookeeper, EarlyElector)
    again.handle("register", {EarlyPlace.CREATE: lambda: one.handle("register")})
    assert one.elector.acting and not again.elector.acting
    assert again.places[-1] is EarlyPlace.LOOK_AT_OWNER


def test_a_node_that_goes_before_the_look_is_created_again(zookeeper, one, two):
    before = {
        EarlyPlace.CREATE: lambda: two.handle("register"),
        EarlyPlace.LOOK_AT_OWNER: lambda: remove(zookeeper),
    }
    one.handle("register", before)
    assert one.elector.acting and one.elector.own == Epoch(2, 2)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_reply_to_a_write_changes_the_partition_once(zookeeper, one, when):
    one.handle("register")
    one.connection.drop_reply(when)
    one.handle("work")
    assert partition(zookeeper) == one.elector.known == PartitionState(2, 1, 0, 2)


def test_an_office_is_given_up_once(zookeeper, one):
    one.handle("register")
    one.handle("move")
    assert not one.elector.acting and node(zookeeper, CONTROLLER) is None
    made = len(one.places)
    one.handle("move")
    one.handle("work")
    assert len(one.places) == made


def test_an_expired_session_ends_the_election(one):
    with pytest.raises(SessionExpired):
        one.handle("register", {EarlyPlace.READ_EPOCH: one.connection.expire})
    one.handle("expire")
    assert not one.elector.acting


def test_the_event_thread_handles_what_waits(zookeeper):
    events = Events(["register", "work", "move"])
    connection = Connection(zookeeper, events)
    elector = EarlyElector("b1")
    events.close()
    EarlyControllerThread(elector, events, connection).serve()
    assert elector.acting and elector.own == Epoch(2, 2), "elected again, since its node was new"
    assert partition(zookeeper).leader_epoch == 3
