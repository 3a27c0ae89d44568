"""The ZooKeeper in memory with children: names, watches of them, numbers of transactions."""

from __future__ import annotations

import pytest

from impl.cluster.requests import Children, Origin, names
from impl.cluster.tree import Tree
from impl.zookeeper import ZNode
from impl.zookeeper_requests import Code, Create, Delete, Exists, Multi, Put


class Seen(list):
    def watched(self, path, change):
        self.append((path, change))


@pytest.fixture
def seen():
    return Seen()


@pytest.fixture
def tree():
    return Tree([ZNode("/a", ""), ZNode("/a/x", "1"), ZNode("/a/x/deep", "")])


@pytest.fixture
def session(tree, seen):
    return tree.open(seen)


def test_children_are_those_right_below(tree, session):
    assert names(tree.ask(session, Children("/a"))) == ("x",)
    assert names(tree.ask(session, Children("/a/x/deep"))) == ()
    assert tree.ask(session, Children("/b")).code is Code.NO_NODE
    tree.ask(session, Multi((Create("/a/w", ""), Create("/b", ""))))
    assert names(tree.ask(session, Children("/a"))) == ("w", "x")


def test_a_watch_of_children_sees_one_change_of_their_names(tree, session, seen):
    tree.ask(session, Children("/a", watch=True))
    tree.ask(session, Multi((Put("/a", "new"), Put("/a/x", "2"), Create("/a/x/y", ""))))
    assert seen == []
    tree.ask(session, Multi((Create("/a/1", ""), Create("/a/2", ""))))
    assert seen == [("/a/", "children")] and tree.fired == 1
    tree.ask(session, Multi((Delete("/a/1"),)))
    assert len(seen) == 1
    tree.ask(session, Children("/a", watch=True))
    tree.ask(session, Multi((Delete("/a/2"),)))
    assert seen == [("/a/", "children")] * 2


def test_children_that_are_listed_without_a_watch_are_not_watched(tree, session, seen):
    tree.ask(session, Children("/a"))
    tree.ask(session, Multi((Create("/a/1", ""),)))
    assert seen == [] and tree.fired == 0


def test_the_node_is_heard_of_before_the_names_above_it(tree, session, seen):
    tree.ask(session, Children("/a", watch=True))
    tree.ask(session, Exists("/a/1"))
    tree.ask(session, Multi((Create("/a/1", ""),)))
    assert seen == [("/a/1", "created"), ("/a/", "children")]


def test_an_ephemeral_child_that_goes_with_its_session_is_a_change(tree, session, seen):
    other = tree.open(Seen())
    tree.ask(other, Multi((Create("/a/1", "", ephemeral=True),)))
    tree.ask(session, Children("/a", watch=True))
    tree.end(other)
    assert seen == [("/a/", "children")]


def test_a_node_has_the_number_of_the_transaction_that_created_it(tree, session):
    tree.ask(session, Multi((Create("/b", "x"),)))
    first = tree.ask(session, Origin("/b"))
    assert (first.data, first.version) == ("x", tree.zxid)
    tree.ask(session, Multi((Put("/b", "y"),)))
    assert tree.ask(session, Origin("/b")).version == first.version < tree.zxid
    tree.ask(session, Multi((Delete("/b"),)))
    tree.ask(session, Multi((Create("/b", "z"),)))
    assert tree.ask(session, Origin("/b")).version == tree.zxid > first.version
    assert tree.ask(session, Origin("/c")).code is Code.NO_NODE


def test_each_transaction_and_each_begin_and_end_of_a_session_has_the_next_number(tree, seen):
    numbers = [tree.zxid]
    session = tree.open(seen)
    numbers.append(tree.zxid)
    for request in (Multi((Create("/b", ""), Create("/c", ""))), Exists("/b"), Children("/a")):
        tree.ask(session, request)
        numbers.append(tree.zxid)
    tree.end(session)
    assert [*numbers, tree.zxid] == [0, 1, 2, 2, 2, 3]


def test_a_refused_transaction_has_no_number_and_does_nothing(tree, session, seen):
    tree.ask(session, Children("/a", watch=True))
    before = tree.zxid, tree.nodes
    reply = tree.ask(session, Multi((Create("/a/1", ""), Create("/none/1", ""))))
    assert (reply.code, reply.failed) == (Code.NO_NODE, 1)
    assert tree.ask(session, Multi((Create("/a/1", ""), Put("/a", "", 7)))).failed == 1
    assert (tree.zxid, tree.nodes) == before and seen == []


def test_a_node_with_children_is_not_deleted(tree, session):
    with pytest.raises(ValueError, match="/a/x has children"):
        tree.ask(session, Multi((Delete("/a/x"),)))


def test_an_expired_session_lists_nothing(tree, session):
    tree.end(session)
    assert tree.ask(session, Children("/a")).code is Code.SESSION_EXPIRED
    assert tree.ask(session, Origin("/a")).code is Code.SESSION_EXPIRED
