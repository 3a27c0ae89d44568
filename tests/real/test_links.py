"""What a leader sends can be held, and what its follower sends goes through."""

from __future__ import annotations

import contextlib
import socket
import threading

import pytest

from real.zookeeper import links
from real.zookeeper.links import Link

LOOK_S, PATIENCE_S = 0.05, 10


@pytest.fixture
def linked():
    """A link, with the follower's end of a connection and the leader's."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_S)
        link = Link(listener.getsockname()[1])
        with socket.create_connection(("127.0.0.1", link.port), PATIENCE_S) as follower:
            leader, _ = listener.accept()
            with leader:
                yield link, follower, leader
        link.close()


def received(connection, many):
    """So many bytes: MSG_WAITALL does not wait for all of them on a socket with a timeout."""
    content = b""
    while len(content) < many and (more := connection.recv(many - len(content))):
        content += more
    return content


def test_what_is_held_comes_in_its_order(linked):
    link, follower, leader = linked
    leader.sendall(b"before ")
    assert received(follower, 7) == b"before "
    link.hold()
    for each in (b"one ", b"two ", b"three"):
        leader.sendall(each)
    follower.settimeout(LOOK_S)
    with pytest.raises(TimeoutError):
        follower.recv(1)
    follower.sendall(b"asks")
    leader.settimeout(PATIENCE_S)
    assert received(leader, 4) == b"asks"
    link.release()
    follower.settimeout(PATIENCE_S)
    assert received(follower, 13) == b"one two three"


def test_an_end_goes_through(linked):
    _, follower, leader = linked
    follower.close()
    leader.settimeout(PATIENCE_S)
    assert leader.recv(1) == b""


def test_a_link_that_is_closed_ends_what_is_held(linked):
    link, follower, leader = linked
    link.hold()
    leader.sendall(b"held")
    link.close()
    with contextlib.suppress(ConnectionError):
        while follower.recv(4):
            pass
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", link.port)) != 0


@pytest.fixture
def silent():
    """A leader's socket that has its port and does not listen yet."""
    with socket.socket() as leader:
        leader.bind(("127.0.0.1", 0))
        leader.settimeout(PATIENCE_S)
        yield leader


def test_a_leader_that_listens_later_is_waited_for(silent):
    link = Link(silent.getsockname()[1])
    with socket.create_connection(("127.0.0.1", link.port), PATIENCE_S) as follower:
        follower.sendall(b"early")
        silent.listen()
        leader, _ = silent.accept()
        with leader:
            leader.settimeout(PATIENCE_S)
            assert received(leader, 5) == b"early"
    link.close()


def test_a_link_that_is_closed_ends_a_connection_that_was_under_way(monkeypatch, silent):
    connect, made, closed = socket.create_connection, threading.Event(), threading.Event()

    def slow(address, timeout):
        other = connect(address, timeout)
        made.set()
        assert closed.wait(PATIENCE_S)
        return other

    silent.listen()
    link = Link(silent.getsockname()[1])
    monkeypatch.setattr(socket, "create_connection", slow)
    with connect(("127.0.0.1", link.port), PATIENCE_S) as follower:
        assert made.wait(PATIENCE_S)
        link.close()
        closed.set()
        with contextlib.suppress(ConnectionError):
            assert follower.recv(1) == b""


def test_where_no_leader_listens_a_connection_ends(monkeypatch, silent):
    monkeypatch.setattr(links, "CONNECT_S", 0.1)
    link = Link(silent.getsockname()[1])
    with socket.create_connection(("127.0.0.1", link.port), PATIENCE_S) as follower:
        assert follower.recv(1) == b""
    link.close()
