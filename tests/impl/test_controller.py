"""The elector, one request at a time: elections, fences, lost replies, expired sessions."""

from __future__ import annotations

import pytest

from impl.controller import (
    CONTROLLER,
    EPOCH,
    PARTITION,
    Elector,
    Epoch,
    PartitionState,
    Place,
    SessionExpired,
    decoded,
)
from impl.controller_events import ABRUPTLY, GRACEFULLY, Connection, Events
from impl.controller_thread import ControllerThread
from impl.zookeeper import ZNode, ZooKeeper
from impl.zookeeper_requests import Code, Get, Put, Reply
from tests.impl.brokers import Broker, remove


@pytest.fixture
def zookeeper():
    return ZooKeeper([ZNode(EPOCH, "0"), ZNode(PARTITION, PartitionState().encoded())])


@pytest.fixture
def one(zookeeper):
    return Broker("b1", zookeeper)


@pytest.fixture
def two(zookeeper):
    return Broker("b2", zookeeper)


def partition(zookeeper):
    return decoded(read(zookeeper, PARTITION))


def read(zookeeper, path):
    return next(
        (Reply(Code.OK, node.data, node.version) for node in zookeeper.nodes if node.path == path),
        Reply(Code.NO_NODE),
    )


def test_the_first_broker_is_the_controller(zookeeper, one, two):
    one.handle("register")
    two.handle("register")
    assert one.elector.acting and not two.elector.acting
    assert one.elector.own == Epoch(1, 1)
    assert read(zookeeper, CONTROLLER).data == "b1"
    assert read(zookeeper, EPOCH) == Reply(Code.OK, "1", 1)
    assert partition(zookeeper) == PartitionState(1, 1, 0, 1)
    assert two.places == [Place.WATCH_CONTROLLER, Place.LOOK_FOR_CONTROLLER]


def test_another_broker_follows_with_a_higher_epoch(zookeeper, one, two):
    one.handle("register")
    two.handle("register")
    one.connection.expire()
    assert two.events.waiting == ("reelect",)
    two.handle("reelect")
    assert two.elector.acting and two.elector.own.value == 2


def test_the_old_controller_writes_nothing(zookeeper, one, two):
    one.handle("register")
    remove(zookeeper)
    two.handle("register")
    before = partition(zookeeper)
    one.handle("work")
    assert not one.elector.acting and partition(zookeeper) == before


def test_who_is_no_controller_does_no_work(zookeeper, one):
    one.handle("work")
    assert one.places == []


def test_an_election_that_comes_too_late_is_lost(zookeeper, one, two):
    one.handle("register", {Place.ELECT: lambda: two.handle("register")})
    assert two.elector.acting and not one.elector.acting
    assert Place.LOOK_FOR_ONESELF in one.places and Place.CHECK_EPOCH not in one.places


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_reply_to_an_election(zookeeper, one, when):
    one.connection.drop_reply(when)
    one.handle("register")
    assert one.elector.acting and one.elector.own == Epoch(1, 1)
    assert Place.ELECT_AGAIN in one.places
    assert (Place.CHECK_EPOCH in one.places) == (when == "after")


def test_an_election_that_was_won_and_lost_again(zookeeper, one, two):
    def gone():
        remove(zookeeper)
        two.handle("register")

    one.connection.drop_reply("after")
    one.handle("register", {Place.CHECK_EPOCH: gone})
    assert two.elector.acting and not one.elector.acting
    assert two.elector.own.value == 2


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_reply_to_a_write_changes_the_partition_once(zookeeper, one, when):
    one.handle("register")
    one.connection.drop_reply(when)
    one.handle("work")
    assert partition(zookeeper) == one.elector.known == PartitionState(2, 1, 0, 2)


def test_a_change_of_the_isr_is_kept(zookeeper, one):
    def changed():
        state = partition(zookeeper)._replace(isr=1)
        zookeeper.by_hand(lambda nodes: (Put(PARTITION, state.encoded()),))

    one.handle("register")
    one.handle("work", {Place.WRITE_PARTITION: changed})
    assert partition(zookeeper) == PartitionState(2, 1, 1, 3)


def test_a_controller_gives_its_office_up(zookeeper, one):
    one.handle("register")
    one.handle("move")
    assert not one.elector.acting
    assert read(zookeeper, CONTROLLER).code is Code.NO_NODE


def test_only_ones_own_office_is_given_up(zookeeper, one, two):
    one.handle("register")
    two.handle("move")
    assert read(zookeeper, CONTROLLER).data == "b1"

    def succeeded():
        remove(zookeeper)
        two.handle("register")

    one.handle("move", {Place.DELETE_CONTROLLER: succeeded})
    assert read(zookeeper, CONTROLLER).data == "b2"


def test_a_request_in_an_expired_session_ends_the_handler(zookeeper, one):
    one.connection.expire()
    with pytest.raises(SessionExpired):
        one.handle("register")
    one.handle("expire")
    assert not one.elector.acting


def test_a_session_that_expires_while_the_handler_waits_for_a_connection(zookeeper, one):
    one.connection.drop_reply("after")
    with pytest.raises(SessionExpired):
        one.handle("register", {Place.ELECT_AGAIN: one.connection.expire})
    assert not one.elector.acting


def test_a_lost_read_is_made_again(one):
    handler = one.elector.handle("register")
    first = next(handler)
    assert handler.send(Reply(Code.CONNECTION_LOSS)) == first
    assert handler.send(Reply(Code.NO_NODE)).request == Get(CONTROLLER)


def test_the_event_thread_handles_what_waits(zookeeper):
    events = Events(["register", "work"])
    connection = Connection(zookeeper, events)
    elector = Elector("b1")
    events.close()
    ControllerThread(elector, events, connection).serve()
    assert elector.acting and partition(zookeeper).leader_epoch == 2
    assert events.quiet()


def serving(broker):
    """The broker's event thread handles what waits, and ends."""
    ControllerThread(broker.elector, broker.events, broker.connection).serve()


def test_a_controller_that_ends_gracefully_makes_room_for_another(zookeeper, one, two):
    one.handle("register")
    two.handle("register")
    one.events.leave(GRACEFULLY)
    serving(one)
    assert not one.elector.acting and not one.connection.lives()
    assert two.events.waiting == ("reelect",)
    two.handle_all()
    assert two.elector.acting and two.elector.own == Epoch(2, 2)


def test_a_controller_that_ends_abruptly_is_missed_when_its_session_expires(zookeeper, one, two):
    one.handle("register")
    two.handle("register")
    before = partition(zookeeper)
    with pytest.raises(SessionExpired):
        one.handle("work", {Place.WRITE_PARTITION: lambda: one.events.leave(ABRUPTLY)})
    serving(one)
    assert partition(zookeeper) == before and two.events.waiting == ()
    assert read(zookeeper, CONTROLLER).data == "b1"
    one.connection.expire()
    two.handle_all()
    assert two.elector.acting and partition(zookeeper).controller_epoch == 2


@pytest.fixture
def empty():
    """A ZooKeeper of a cluster that never had a controller."""
    return ZooKeeper([ZNode(PARTITION, PartitionState().encoded())])


def test_the_first_election_creates_the_epoch(empty):
    one = Broker("b1", empty)
    one.handle("register")
    assert one.elector.own == Epoch(1, 1)
    assert read(empty, EPOCH) == Reply(Code.OK, "1", 1)
    assert one.places[2:5] == [Place.READ_EPOCH, Place.CREATE_EPOCH, Place.ELECT]


def test_an_epoch_that_another_broker_has_created_is_read(empty):
    one, two = Broker("b1", empty), Broker("b2", empty)

    def another():
        two.handle("register")
        remove(empty)

    one.handle("register", {Place.CREATE_EPOCH: another})
    assert one.elector.own == Epoch(2, 2)
    assert one.places[2:5] == [Place.READ_EPOCH, Place.CREATE_EPOCH, Place.READ_EPOCH]


@pytest.mark.parametrize(("when", "again"), [("before", Place.ELECT), ("after", Place.READ_EPOCH)])
def test_a_lost_reply_to_the_creation_of_the_epoch(empty, when, again):
    one = Broker("b1", empty)
    one.handle("register", {Place.CREATE_EPOCH: lambda: one.connection.drop_reply(when)})
    assert one.elector.own == Epoch(1, 1)
    created = [Place.CREATE_EPOCH, Place.CREATE_EPOCH_AGAIN, Place.CREATE_EPOCH]
    assert one.places[3:7] == [*created, again]
