"""Servers of the ZooKeeper in memory that are late, and an elector at one of them."""

from __future__ import annotations

import pytest

from impl.controller import (
    CONTROLLER,
    EPOCH,
    PARTITION,
    ControllerMoved,
    Elector,
    Epoch,
    PartitionState,
    Place,
)
from impl.zookeeper import ZNode, ZooKeeper
from impl.zookeeper_requests import Check, Code, Create, Delete, Exists, Get, Multi, Put
from tests.impl.brokers import Broker


class Seen:
    """What a client's watches have seen."""

    def __init__(self):
        self.events = []

    def watched(self, path, change):
        self.events.append((path, change))


def story(kind):
    """What a late client gets, in the order of its requests."""
    zookeeper, seen = kind([ZNode("/a", "one"), ZNode("/b", "x")]), Seen()
    session = zookeeper.open(seen)
    found = []

    def note(path="/a"):
        found.append((zookeeper.ask(session, Get(path)).data, tuple(seen.events)))

    zookeeper.ask(session, Exists("/a"))
    zookeeper.fall_behind(seen)
    zookeeper.by_hand(lambda nodes: (Put("/a", "two"), Put("/b", "y")))
    zookeeper.by_hand(lambda nodes: (Delete("/a"),))
    note()
    zookeeper.fall_behind(seen)
    note()
    zookeeper.ask(session, Exists("/b"))
    zookeeper.catch_up(seen)
    note()
    note("/b")
    zookeeper.fall_behind(seen)
    zookeeper.by_hand(lambda nodes: (Put("/b", "z"),))
    note("/b")
    zookeeper.drop_reply(session, "after")
    zookeeper.ask(session, Multi((Put("/b", "mine"),)))
    note("/b")
    refused = zookeeper.ask(session, Multi((Check("/b", 77),)))
    found.append((refused.code.value, tuple(seen.events)))
    note("/b")
    return found


FIRST = (("/a", "changed"),)
BOTH = (("/a", "changed"), ("/b", "changed"))
WHOLE = [
    ("one", ()),
    ("one", ()),
    ("", BOTH),
    ("y", BOTH),
    ("y", BOTH),
    ("y", BOTH),
    ("bad version", BOTH),
    ("mine", BOTH),
]


class NeverLate(ZooKeeper):
    """no server is late"""

    def fall_behind(self, watcher):
        """Do nothing."""


class FallsBehindAgain(ZooKeeper):
    """a server that is late applies what there is when it is to fall behind once more"""

    def fall_behind(self, watcher):
        self.late = tuple(each for each in self.late if each.watcher is not watcher)
        super().fall_behind(watcher)


class ForgetsEvents(ZooKeeper):
    """a server that catches up delivers no event"""

    def _catch_up(self, watcher):
        self.late = tuple(each for each in self.late if each.watcher is not watcher)


class WritesLate(ZooKeeper):
    """a reply to a transaction comes before the server has caught up"""

    def ask(self, session, request):
        late, reply = self.late, super().ask(session, request)
        self.late = late
        return reply


class HearsAtOnce(ZooKeeper):
    """an event comes to a client whose server is late"""

    def _fire(self, events):
        for event in events:
            self._deliver(event, list(self.live))


class CatchesUpUnheard(ZooKeeper):
    """a lost reply has the server catch up"""

    def ask(self, session, request):
        reply = super().ask(session, request)
        if reply.code is Code.CONNECTION_LOSS:
            self._catch_up(self._session(session).watcher)
        return reply


def test_what_a_late_client_gets():
    assert story(ZooKeeper) == WHOLE


@pytest.mark.parametrize(
    "fault",
    [NeverLate, FallsBehindAgain, ForgetsEvents, WritesLate, HearsAtOnce, CatchesUpUnheard],
)
def test_that_story_sees_each_fault(fault):
    assert story(fault) != WHOLE, fault.__doc__


def test_one_client_is_late_and_another_is_not():
    zookeeper, late, other = ZooKeeper([ZNode("/a", "one")]), Seen(), Seen()
    sessions = [zookeeper.open(late), zookeeper.open(other)]
    for session in sessions:
        zookeeper.ask(session, Exists("/a"))
    zookeeper.fall_behind(late)
    zookeeper.ask(sessions[1], Multi((Put("/a", "two"),)))
    assert [zookeeper.ask(session, Get("/a")).data for session in sessions] == ["one", "two"]
    assert (late.events, other.events) == ([], [("/a", "changed")])


def test_a_watch_at_a_late_server_sees_what_that_server_has_not_applied():
    zookeeper, seen = ZooKeeper(), Seen()
    session = zookeeper.open(seen)
    zookeeper.fall_behind(seen)
    zookeeper.by_hand(lambda nodes: (Create("/a", "one"),))
    assert zookeeper.ask(session, Exists("/a")).code is Code.NO_NODE
    zookeeper.catch_up(seen)
    assert seen.events == [("/a", "created")]


# -- the elector


@pytest.fixture
def zookeeper():
    return ZooKeeper([ZNode(EPOCH, "0"), ZNode(PARTITION, PartitionState().encoded())])


@pytest.fixture
def one(zookeeper):
    return Broker("b1", zookeeper)


@pytest.fixture
def two(zookeeper):
    return Broker("b2", zookeeper)


def overwrite(zookeeper, data):
    zookeeper.by_hand(lambda nodes: (Put(CONTROLLER, data),))


def test_a_broker_finds_its_own_old_node_and_is_elected_by_the_event(one):
    """The class of KAFKA-7165."""
    one.handle("register")
    one.connection.fall_behind()
    one.connection.expire()
    one.connection.tell_of_expiry()
    one.handle("expire")
    one.events.take()
    one.connection.open_session()
    one.handle_all()
    assert not one.elector.acting and one.places[-1] is Place.LOOK_FOR_CONTROLLER
    one.connection.catch_up()
    assert one.events.waiting == ("reelect",)
    one.handle_all()
    assert one.elector.acting and one.elector.own == Epoch(2, 2)


def test_an_election_with_a_late_epoch_is_refused_and_made_again(zookeeper, one, two):
    one.connection.fall_behind()
    two.handle("register")
    two.handle("move")
    one.handle("register")
    assert one.places.count(Place.ELECT) == 2
    assert one.elector.acting and one.elector.own == Epoch(2, 2)


def test_a_late_controller_writes_nothing(zookeeper, one, two):
    one.handle("register")
    one.connection.fall_behind()
    zookeeper.by_hand(lambda nodes: (Delete(CONTROLLER),))
    two.handle("register")
    one.handle("change")
    assert one.elector.acting, "it reads its node still"
    one.handle("work")
    assert not one.elector.acting and two.elector.known == PartitionState(2, 2, 0, 2)


@pytest.mark.parametrize("data", ["b2", "?", "", "{"])
def test_a_node_that_is_written_by_hand_ends_the_office_and_elects_none(zookeeper, one, two, data):
    one.handle("register")
    two.handle("register")
    overwrite(zookeeper, data)
    one.handle_all()
    two.handle_all()
    assert not one.elector.acting and not two.elector.acting
    assert (Place.LOOK_FOR_ONESELF in two.places) == (data != "b2")
    zookeeper.by_hand(lambda nodes: (Delete(CONTROLLER),))
    one.handle_all()
    two.handle_all()
    assert one.elector.acting != two.elector.acting


def test_a_broker_that_an_unreadable_node_refuses_does_not_try_for_ever(zookeeper, one, two):
    one.handle("register")
    overwrite(zookeeper, "?")
    two.handle("register")
    assert two.places.count(Place.ELECT) == 1 and two.places[-1] is Place.LOOK_FOR_ONESELF


class TriesAgain(Elector):
    """Takes a node that names no broker for a controller that may have gone."""

    __slots__ = ()

    def check_won(self, value):
        try:
            return (yield from super().check_won(value))
        except ControllerMoved as error:
            raise ControllerMoved from error


def test_that_check_sees_a_broker_that_tries_for_ever(zookeeper, one):
    one.handle("register")
    overwrite(zookeeper, "?")
    with pytest.raises(AssertionError, match="register is not handled"):
        Broker("b2", zookeeper, TriesAgain).handle("register")


def test_an_unreadable_node_is_no_office_to_give_up(zookeeper, one):
    one.handle("register")
    overwrite(zookeeper, "?")
    one.handle("move")
    assert one.places[-1] is Place.LOOK_BEFORE_MOVE and not one.elector.acting
