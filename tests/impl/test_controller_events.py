"""The queue of a broker's event thread, and the handshake of its connection, with real threads."""

from __future__ import annotations

from threading import Thread

import pytest

from impl.controller_events import (
    ABRUPTLY,
    EXPIRE,
    GRACEFULLY,
    SHUTDOWN,
    Connection,
    Events,
    close_all,
)
from impl.zookeeper import ZooKeeper
from impl.zookeeper_requests import Code, Exists


def test_events_come_in_their_order():
    events = Events(["register"])
    events.watched("/controller", "created")
    events.watched("/controller", "deleted")
    taken = [events.take() for _ in range(3)]
    assert taken == ["register", "change", "reelect"]
    assert not events.quiet()
    events.handled()
    assert events.quiet()


def test_an_expiry_replaces_what_waits():
    events = Events(["change", "reelect"])
    events.replace_all(EXPIRE)
    assert events.take() == EXPIRE


def test_a_closed_queue_is_emptied_first():
    events = Events(["register"])
    close_all([events])
    assert events.take() == "register"
    assert events.take() is None


def test_the_event_thread_waits_for_an_event():
    events, taken = Events(), []
    thread = Thread(target=lambda: taken.append(events.take()))
    thread.start()
    events.append("work")
    thread.join()
    assert taken == ["work"]


def test_the_connection_waits_until_the_expiry_is_handled():
    zookeeper, events = ZooKeeper(), Events()
    connection = Connection(zookeeper, events)
    old = connection.session
    connection.expire()
    assert not connection.lives()
    connection.tell_of_expiry()
    thread = Thread(target=connection.open_session)
    thread.start()
    assert connection.session == old
    assert events.take() == EXPIRE
    thread.join()
    assert connection.lives() and connection.session != old
    assert events.take() == "register"


def test_a_new_session_has_no_watches():
    zookeeper, events = ZooKeeper(), Events()
    connection = Connection(zookeeper, events)
    connection.ask(Exists("/controller"))
    connection.expire()
    connection.open_session()
    assert [each.watching for each in zookeeper.live] == [frozenset()]


def test_a_broker_that_ends_gracefully_takes_one_event_more():
    events = Events(["change", "work"])
    events.leave(GRACEFULLY)
    assert not events.replace_all(EXPIRE), "an expiry does not replace it"
    assert events.take() == SHUTDOWN
    assert not events.quiet()


def test_a_broker_that_ends_abruptly_takes_none():
    events, taken = Events(["work"]), []
    thread = Thread(target=lambda: taken.extend([events.take(), events.take()]))
    thread.start()
    events.leave(ABRUPTLY)
    thread.join()
    events.watched("/controller", "deleted")
    assert taken in (["work", None], [None, None])
    assert events.take() is None


def test_a_session_is_closed_once():
    zookeeper, events = ZooKeeper(), Events()
    connection = Connection(zookeeper, events)
    events.leave(GRACEFULLY)
    assert events.take() == SHUTDOWN
    connection.close()
    assert not connection.lives() and events.quiet()
    connection.close()
    assert zookeeper.live == ()


@pytest.mark.parametrize("how", [GRACEFULLY, ABRUPTLY])
def test_a_broker_that_is_to_end_opens_no_session(how):
    zookeeper, events = ZooKeeper(), Events()
    connection = Connection(zookeeper, events)
    connection.expire()
    assert connection.tell_of_expiry()
    events.leave(how)
    connection.open_session()
    assert zookeeper.live == () and zookeeper.sessions == 1
    assert not connection.tell_of_expiry()


def test_a_broker_that_has_ended_abruptly_asks_for_nothing():
    zookeeper, events = ZooKeeper(), Events()
    connection = Connection(zookeeper, events)
    events.leave(ABRUPTLY)
    assert connection.ask(Exists("/controller")).code is Code.SESSION_EXPIRED
    assert connection.lives(), "ZooKeeper does not know that yet"
    assert [each.watching for each in zookeeper.live] == [frozenset()]
