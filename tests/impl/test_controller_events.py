"""The queue of a broker's event thread, and the handshake of its connection, with real threads."""

from __future__ import annotations

from threading import Thread

from impl.controller_events import EXPIRE, Connection, Events, close_all
from impl.zookeeper import ZooKeeper
from impl.zookeeper_requests import Exists


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
