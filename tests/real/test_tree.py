"""The ZooKeeper in memory whose nodes have children does what a real one does."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from impl.cluster.requests import Children, Origin, names
from impl.cluster.tree import Tree
from impl.zookeeper import ZooKeeper
from impl.zookeeper_requests import Create, Delete, Exists, Get, Multi, Put
from real.zookeeper import server, wire
from tests.nights import only
from tests.real.tree_client import CHILDREN_CHANGED, TreeClient
from wheelproof.jvm.jars import NotHere

TOP = "/t"
LEAVES = tuple(f"{TOP}/{branch}/{leaf}" for branch in "ab" for leaf in "xyz")
PATHS = (f"{TOP}/a", f"{TOP}/b", *LEAVES)


def operations(many, seed):
    """Which session does what: a request, or its own end. Nodes with children are not deleted."""
    draw = random.Random(seed)
    there, made = set(), []
    for _ in range(many):
        path = draw.choice(PATHS)
        above = path.rpartition("/")[0]
        below = {each for each in there if each.startswith(f"{path}/")}
        kind = draw.choice(("create", "create", "delete", "put", "list", "list", "get", "both"))
        if kind == "create":
            request = Multi((Create(path, "1"),))
            there |= {path} if above == TOP or above in there else set()
        elif kind == "delete" and not below:
            request = Multi((Delete(path),))
            there -= {path}
        elif kind == "both" and path not in there and (above == TOP or above in there):
            request = Multi((Create(path, "2"), Put(path, "3", 0), Delete(path)))
        elif kind == "put":
            request = Multi((Put(path, str(draw.random())),))
        elif kind == "list":
            request = Children(draw.choice((TOP, *PATHS[:2])), draw.random() < 0.8)
        else:
            request = draw.choice((Origin, Exists, Get))(path)
        made.append((draw.randrange(2), request))
    return made


class InMemory:
    """Two sessions of a ZooKeeper in memory."""

    def __init__(self, kind=Tree):
        self.tree, self.seen = kind(), ([], [])
        self.sessions = [self.tree.open(Watcher(seen)) for seen in self.seen]
        self.ask(0, Multi((Create(TOP, ""),)))

    def ask(self, number, request):
        return self.tree.ask(self.sessions[number], request)

    def events(self, number):
        found = Counter(self.seen[number])
        self.seen[number].clear()
        return found


class Watcher:
    def __init__(self, seen):
        self.seen = seen

    def watched(self, path, change):
        self.seen.append((path, change))


class Real:
    """Two sessions of a real one."""

    def __init__(self, port):
        self.clients = [TreeClient(port), TreeClient(port)]
        self.ask(0, Multi((Create(TOP, ""),)))

    def ask(self, number, request):
        return self.clients[number].ask(request)

    def events(self, number):
        self.clients[number].ping()
        return Counter(self.clients[number].events())


def outcomes(zookeeper, made):
    """What each operation brings: its reply, the events of both sessions. Of an origin it is how
    many nodes were created before: transactions have other numbers elsewhere.
    """
    found, origins = [], []
    for number, request in made:
        reply = zookeeper.ask(number, request)
        if isinstance(request, Origin) and reply.ok:
            origins = sorted({*origins, reply.version})
            reply = reply.data, origins.index(reply.version)
        elif isinstance(request, Children):
            reply = reply.code, names(reply)
        elif isinstance(request, (Exists, Get)):
            reply = reply.code, reply.version
        else:
            reply = reply.code, reply.failed
        found.append((request, reply, zookeeper.events(0), zookeeper.events(1)))
    return found


def differences(one, other):
    return [number for number, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]


class NoParent(Tree):
    """Creates nodes below none."""

    def _write(self, session, parts):
        if len(parts) > 1:
            return super()._write(session, parts)
        reply = ZooKeeper._write(self, session, parts)
        self.origins |= {node.path: self.origins.get(node.path, 0) for node in self.nodes}
        return reply


class Deep(Tree):
    """Lists all nodes below, not those right below."""

    @staticmethod
    def _below(found, above):
        return [each.path[len(above) :] for each in found if each.path.startswith(above)]


class Stays(Tree):
    """A watch of children sees every change."""

    def _fire(self, events):
        before = self.live
        super()._fire(events)
        kept = {each.id: {path for path in each.watching if path[-1] == "/"} for each in before}
        self.live = tuple(
            each._replace(watching=each.watching | kept[each.id]) for each in self.live
        )


class DeletionUnseen(Tree):
    """A watch of children does not see that one is deleted."""

    def _fire(self, events):
        for event in events:
            if event[1] == "deleted":
                ZooKeeper._fire(self, [event])
            else:
                super()._fire([event])


class DataSeen(Tree):
    """A watch of children sees new data of one."""

    def _fire(self, events):
        super()._fire(events)
        for path, change in events:
            if change == "changed":
                ZooKeeper._fire(self, [(f"{path.rpartition('/')[0]}/", "children")])


class Reborn(Tree):
    """A node that is created again has the number of its first creation."""

    def _write(self, session, parts):
        before = dict(self.origins)
        reply = super()._write(session, parts)
        self.origins |= before
        return reply


class Newest(Tree):
    """New data count as a creation."""

    def _write(self, session, parts):
        reply = super()._write(session, parts)
        if reply.ok and isinstance(parts[-1], Put):
            self.origins[parts[-1].path] = self.zxid
        return reply


FAULTS = (NoParent, Deep, Stays, DeletionUnseen, DataSeen, Reborn, Newest)
MANY = operations(1_000, seed=1)


@pytest.mark.nightly
def test_the_one_in_memory_does_what_a_real_one_does(tmp_path, monkeypatch):
    monkeypatch.setitem(wire.CHANGES, CHILDREN_CHANGED, "children")
    try:
        with server.running(tmp_path) as port:
            real = outcomes(Real(port), MANY)
    except NotHere as error:
        pytest.skip(f"NOT RUN: {error}")
    assert differences(outcomes(InMemory(), MANY), real) == []
    assert sum(bool(a or b) for _, _, a, b in real) > 50
    for fault in FAULTS:
        assert differences(outcomes(InMemory(fault), MANY), real), fault.__name__


@pytest.mark.parametrize("fault", only(FAULTS, DeletionUnseen, Reborn))
def test_a_fault_makes_a_difference(fault):
    few = MANY[:300]
    sound = outcomes(InMemory(), few)
    assert differences(sound, outcomes(InMemory(), few)) == []
    assert differences(sound, outcomes(InMemory(fault), few))
