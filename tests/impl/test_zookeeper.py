"""The ZooKeeper in memory: versions, transactions, sessions, watches, lost replies."""

from __future__ import annotations

import pytest

from impl.zookeeper import ZNode, ZooKeeper
from impl.zookeeper_requests import (
    Check,
    Code,
    Connected,
    Create,
    Delete,
    Exists,
    Get,
    Multi,
    Put,
    Reply,
)


class Seen:
    """What a session's watches have seen."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str]] = []

    def watched(self, path: str, change: str) -> None:
        self.events.append((path, change))


@pytest.fixture
def zookeeper():
    return ZooKeeper([ZNode("/a", "one")])


@pytest.fixture
def seen():
    return Seen()


@pytest.fixture
def session(zookeeper, seen):
    return zookeeper.open(seen)


def test_a_node_has_data_and_a_version(zookeeper, session):
    assert zookeeper.ask(session, Get("/a")) == Reply(Code.OK, "one", 0)
    assert zookeeper.ask(session, Get("/b")).code is Code.NO_NODE
    assert zookeeper.ask(session, Connected()).ok


def test_each_change_raises_the_version(zookeeper, session):
    assert zookeeper.ask(session, Multi((Put("/a", "two", 0),))).version == 1
    assert zookeeper.ask(session, Multi((Put("/a", "three"),))).version == 2
    assert zookeeper.ask(session, Get("/a")) == Reply(Code.OK, "three", 2)


@pytest.mark.parametrize(
    ("part", "code"),
    [
        (Put("/a", "two", 7), Code.BAD_VERSION),
        (Check("/a", 7), Code.BAD_VERSION),
        (Delete("/a", 7), Code.BAD_VERSION),
        (Put("/b", "two"), Code.NO_NODE),
        (Check("/b", 0), Code.NO_NODE),
        (Delete("/b"), Code.NO_NODE),
        (Create("/a", "two"), Code.NODE_EXISTS),
    ],
)
def test_a_transaction_does_all_or_nothing(zookeeper, session, seen, part, code):
    zookeeper.ask(session, Exists("/new"))
    before = zookeeper.nodes
    reply = zookeeper.ask(session, Multi((Create("/new", "x"), part)))
    assert (reply.code, reply.failed) == (code, 1)
    assert zookeeper.nodes == before and seen.events == []


def test_a_part_sees_what_the_parts_before_it_have_done(zookeeper, session):
    parts = (Put("/a", "two", 0), Check("/a", 1), Delete("/a", 1), Create("/a", "new"))
    assert zookeeper.ask(session, Multi(parts)).ok
    assert zookeeper.ask(session, Get("/a")) == Reply(Code.OK, "new", 0)


def test_a_watch_sees_one_change(zookeeper, session, seen):
    assert zookeeper.ask(session, Exists("/b")).code is Code.NO_NODE
    for part in (Create("/b", "x"), Put("/b", "y"), Delete("/b")):
        zookeeper.ask(session, Multi((part,)))
    assert seen.events == [("/b", "created")]
    zookeeper.ask(session, Exists("/a"))
    zookeeper.ask(session, Multi((Put("/a", "two"),)))
    zookeeper.ask(session, Exists("/a"))
    zookeeper.ask(session, Multi((Delete("/a"),)))
    assert seen.events[1:] == [("/a", "changed"), ("/a", "deleted")]


def test_every_session_has_its_own_watches(zookeeper, session, seen):
    other = Seen()
    another = zookeeper.open(other)
    zookeeper.ask(session, Exists("/a"))
    zookeeper.ask(another, Exists("/a"))
    zookeeper.by_hand(lambda nodes: (Delete("/a"),))
    assert seen.events == other.events == [("/a", "deleted")]


def test_an_ephemeral_node_goes_with_its_session(zookeeper, session, seen):
    another = zookeeper.open(Seen())
    zookeeper.ask(another, Multi((Create("/b", "x", ephemeral=True), Create("/c", "y"))))
    zookeeper.ask(session, Exists("/b"))
    zookeeper.end(another)
    assert seen.events == [("/b", "deleted")]
    assert [node.path for node in zookeeper.nodes] == ["/a", "/c"]


def test_an_expired_session_asks_for_nothing_and_sees_nothing(zookeeper, session, seen):
    zookeeper.ask(session, Exists("/a"))
    zookeeper.end(session)
    assert not zookeeper.lives(session)
    assert zookeeper.ask(session, Multi((Delete("/a"),))).code is Code.SESSION_EXPIRED
    zookeeper.by_hand(lambda nodes: (Delete("/a"),))
    assert seen.events == []
    with pytest.raises(ValueError, match="no such session"):
        zookeeper.end(session)


def test_sessions_have_numbers_that_are_never_used_again(zookeeper, session):
    zookeeper.end(session)
    assert zookeeper.open(Seen()) == session + 1


@pytest.mark.parametrize(("when", "data"), [("before", "one"), ("after", "two")])
def test_a_reply_is_lost_once(zookeeper, session, when, data):
    zookeeper.drop_reply(session, when)
    assert zookeeper.ask(session, Get("/a")).ok
    assert zookeeper.ask(session, Multi((Put("/a", "two", 0),))).code is Code.CONNECTION_LOSS
    assert zookeeper.ask(session, Get("/a")).data == data
    assert zookeeper.ask(session, Multi((Put("/a", "three"),))).ok


def test_a_reply_is_lost_before_or_after(zookeeper, session):
    with pytest.raises(ValueError, match="before or after the request, not 'later'"):
        zookeeper.drop_reply(session, "later")
