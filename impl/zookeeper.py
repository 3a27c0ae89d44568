"""A small ZooKeeper in memory: nodes with versions, sessions, transactions and one-shot watches.

Each request has its effect at one moment, under a lock that is held for no longer. A reply can be
lost on purpose, before the request is performed or after.

Its nodes have no children, its reads are never late, and events of one session come in the order of
the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol, TypeAlias

from impl.runtime import Lock, Plain
from impl.zookeeper_requests import (
    ANY,
    Check,
    Code,
    Connected,
    Create,
    Delete,
    Exists,
    Get,
    Multi,
    Part,
    Put,
    Reply,
    Request,
)


class Watcher(Protocol):
    """Whoever opens a session. It must not ask for anything when it is told of a change."""

    def watched(self, path: str, change: str) -> None:
        """The node was ``created``, ``changed`` or ``deleted``."""



class ZNode(NamedTuple):
    """A node. ``owner``: the session that it goes with, 0 for none."""

    path: str
    data: str
    version: int = 0
    owner: int = 0


class Session(NamedTuple):
    """A session that lives. ``watching``: the paths of which it gets the next event."""

    id: int
    watcher: Watcher
    watching: frozenset[str] = frozenset()


Event: TypeAlias = "tuple[str, str]"
"""A path, and what happened to its node."""


class ZooKeeper:
    """The state of an ensemble.

    ``nodes`` and ``live`` are tuples of values, sorted by path and by the sessions' age; ``cut``:
    (session, "before" or "after") of the replies that will be lost.
    """

    __slots__ = ("lock", "nodes", "live", "sessions", "cut")

    nodes: Plain[tuple[ZNode, ...]]
    live: Plain[tuple[Session, ...]]
    sessions: Plain[int]
    cut: Plain[tuple[tuple[int, str], ...]]

    def __init__(self, nodes: Iterable[ZNode] = ()) -> None:
        self.lock = Lock()
        self.nodes = tuple(sorted(nodes))
        self.live = ()
        self.sessions = 0
        self.cut = ()

    # -- sessions

    def open(self, watcher: Watcher) -> int:
        """A new session, and who is told what its watches see."""
        with self.lock:
            self.sessions = self.sessions + 1
            self.live = (*self.live, Session(self.sessions, watcher))
            return self.sessions

    def lives(self, session: int) -> bool:
        with self.lock:
            return self._session(session) is not None

    def end(self, session: int) -> None:
        """End a session: its ephemeral nodes go, and its watches see nothing of that.

        Raises ValueError if it does not live.
        """
        with self.lock:
            if self._session(session) is None:
                raise ValueError(f"no such session: {session}")
            self.live = tuple(each for each in self.live if each.id != session)
            gone = [node for node in self.nodes if node.owner == session]
            self.nodes = tuple(node for node in self.nodes if node.owner != session)
            self._fire([(node.path, "deleted") for node in gone])

    def drop_reply(self, session: int, when: str) -> None:
        """Lose the reply to the session's next transaction.

        ``when``: "before" or "after" it is performed. Raises ValueError for anything else.
        """
        if when not in ("before", "after"):
            raise ValueError(f"a reply is lost before or after the request, not {when!r}")
        with self.lock:
            self.cut = (*[each for each in self.cut if each[0] != session], (session, when))

    # -- requests

    def ask(self, session: int, request: Request) -> Reply:
        """Perform a request in a session."""
        with self.lock:
            asking = self._session(session)
            if asking is None:
                return Reply(Code.SESSION_EXPIRED)
            if isinstance(request, Connected):
                return Reply(Code.OK)
            if isinstance(request, (Exists, Get)):
                return self._read(asking, request)
            parts = request.parts if isinstance(request, Multi) else (request,)
            cut = self._take_cut(session) if isinstance(request, Multi) else None
            if cut == "before":
                return Reply(Code.CONNECTION_LOSS)
            reply = self._write(session, parts)
            return reply if cut is None else Reply(Code.CONNECTION_LOSS)

    def delete(self, path: str) -> None:
        """Delete a node by hand, if there is one."""
        with self.lock:
            self._write(0, (Delete(path),))

    def edit(self, path: str, edited: Callable[[str], str]) -> None:
        """Change a node's data by hand. Raises KeyError if there is none."""
        with self.lock:
            node = self._find(self.nodes, path)
            if node is None:
                raise KeyError(path)
            self._write(0, (Put(path, edited(node.data)),))

    def node(self, path: str) -> ZNode | None:
        """A node as it is now."""
        with self.lock:
            return self._find(self.nodes, path)

    def _read(self, session: Session, request: Exists | Get) -> Reply:
        if isinstance(request, Exists):
            watching = session._replace(watching=session.watching | {request.path})
            self.live = tuple(
                watching if each.id == session.id else each for each in self.live
            )
        node = self._find(self.nodes, request.path)
        return Reply(Code.NO_NODE) if node is None else Reply(Code.OK, node.data, node.version)

    def _write(self, session: int, parts: tuple[Part, ...]) -> Reply:
        """All parts, or none; the events of all of them come when all are performed."""
        events: list[Event] = []
        nodes, reply = self.nodes, Reply(Code.OK)
        for place, part in enumerate(parts):
            nodes, reply = applied(nodes, session, part, events)
            if not reply.ok:
                return reply._replace(failed=place)
        self.nodes = nodes
        self._fire(events)
        return reply

    def _fire(self, events: list[Event]) -> None:
        for path, change in events:
            watchers = [each.watcher for each in self.live if path in each.watching]
            self.live = tuple(
                each._replace(watching=each.watching - {path}) for each in self.live
            )
            for watcher in watchers:
                watcher.watched(path, change)

    def _take_cut(self, session: int) -> str | None:
        for each in self.cut:
            if each[0] == session:
                self.cut = tuple(other for other in self.cut if other is not each)
                return each[1]
        return None

    def _session(self, session: int) -> Session | None:
        return next((each for each in self.live if each.id == session), None)

    @staticmethod
    def _find(nodes: tuple[ZNode, ...], path: str) -> ZNode | None:
        return next((node for node in nodes if node.path == path), None)


def applied(
    nodes: tuple[ZNode, ...], session: int, part: Part, events: list[Event]
) -> tuple[tuple[ZNode, ...], Reply]:
    """The nodes after one part of a transaction, and its reply; its event is added to ``events``.

    If the part fails, the nodes are as before.
    """
    node = ZooKeeper._find(nodes, part.path)
    if isinstance(part, Create):
        if node is not None:
            return nodes, Reply(Code.NODE_EXISTS)
        new = ZNode(part.path, part.data, 0, session if part.ephemeral else 0)
        events.append((part.path, "created"))
        return tuple(sorted((*nodes, new))), Reply(Code.OK, version=0)
    if node is None:
        return nodes, Reply(Code.NO_NODE)
    if part.version not in (ANY, node.version):
        return nodes, Reply(Code.BAD_VERSION)
    if isinstance(part, Check):
        return nodes, Reply(Code.OK, version=node.version)
    others = tuple(other for other in nodes if other is not node)
    if isinstance(part, Delete):
        events.append((part.path, "deleted"))
        return others, Reply(Code.OK)
    new = node._replace(data=part.data, version=node.version + 1)
    events.append((part.path, "changed"))
    return tuple(sorted((*others, new))), Reply(Code.OK, version=new.version)
