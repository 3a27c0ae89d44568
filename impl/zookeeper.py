"""A small ZooKeeper in memory: nodes with versions, sessions, transactions and one-shot watches.

Each request has its effect at one moment, under a lock that is held for no longer. A reply can be
lost on purpose, before the request is performed or after.

A client's server may be late: its reads answer from an older state of the nodes, and its events
come when the server catches up. It does so before a transaction of the client is replied to.

Its nodes have no children, and events of one session come in the order of the changes.
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
    Part,
    Reply,
    Request,
)


class Watcher(Protocol):
    """What opens a session. It must make no request when it hears of a change."""

    def watched(self, path: str, change: str) -> None:
        """The node was ``created``, ``changed`` or ``deleted``."""


class ZNode(NamedTuple):
    """A node. ``owner``: the session that it goes with, 0 for none."""

    path: str
    data: str
    version: int = 0
    owner: int = 0


class Session(NamedTuple):
    """A session that lives.

    ``watching``: the paths of which it gets the next event; ``cut``: "before" or "after" if the
    reply to its next transaction is lost.
    """

    id: int
    watcher: Watcher
    watching: frozenset[str] = frozenset()
    cut: str = ""


Event: TypeAlias = "tuple[str, str]"
"""A path, and what happened to its node."""


class Late(NamedTuple):
    """A server that is late: whose client it has, and what it has applied.

    ``missed``: the first event of each path that it has not applied.
    """

    watcher: Watcher
    nodes: tuple[ZNode, ...]
    missed: tuple[Event, ...] = ()

    def missing(self, event: Event) -> Late:
        """The same after one more event that it has not applied."""
        if any(path == event[0] for path, _ in self.missed):
            return self
        return self._replace(missed=(*self.missed, event))


class ZooKeeper:
    """The state of an ensemble.

    ``nodes`` and ``live`` are tuples of values, sorted by path and by the sessions' age. ``late``:
    the servers that are late, in the order in which they fell behind.
    """

    __slots__ = ("lock", "nodes", "live", "sessions", "late")

    nodes: Plain[tuple[ZNode, ...]]
    live: Plain[tuple[Session, ...]]
    sessions: Plain[int]
    late: Plain[tuple[Late, ...]]

    def __init__(self, nodes: Iterable[ZNode] = ()) -> None:
        self.lock = Lock()
        self.nodes = tuple(sorted(nodes))
        self.live = ()
        self.sessions = 0
        self.late = ()

    # -- sessions

    def open(self, watcher: Watcher) -> int:
        """A new session. Its watches call ``watcher``."""
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
            ending = self._session(session)
            if ending is None:
                raise ValueError(f"no such session: {session}")
            place = self.live.index(ending)
            self.live = (*self.live[:place], *self.live[place + 1 :])
            gone = [node for node in self.nodes if node.owner == session]
            self.nodes = tuple(node for node in self.nodes if node.owner != session)
            self._fire([(node.path, "deleted") for node in gone])

    def drop_reply(self, session: int, when: str) -> None:
        """Lose the reply to the session's next transaction, if the session lives.

        ``when``: "before" or "after" it is performed. Raises ValueError for anything else.
        """
        if when not in ("before", "after"):
            raise ValueError(f"a reply is lost before or after the request, not {when!r}")
        with self.lock:
            self._replace(session, cut=when)

    # -- late servers

    def fall_behind(self, watcher: Watcher) -> None:
        """The server of a client, which is known by its watcher, applies nothing from now on.

        So it is for the client's next sessions. A new session has seen nothing yet, and may find
        what was there before it.
        """
        with self.lock:
            if not self._late(watcher):
                self.late = (*self.late, Late(watcher, self.nodes))

    def catch_up(self, watcher: Watcher) -> None:
        """The server of a client applies what there is; its watches see the first of the events."""
        with self.lock:
            self._catch_up(watcher)

    def _catch_up(self, watcher: Watcher) -> None:
        for late in self._late(watcher):
            self.late = tuple(each for each in self.late if each.watcher is not watcher)
            for event in late.missed:
                self._deliver(event, [each for each in self.live if each.watcher is watcher])

    def _late(self, watcher: Watcher) -> list[Late]:
        """The client's server, if it is late."""
        return [each for each in self.late if each.watcher is watcher]

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
            if not asking.cut:
                self._catch_up(asking.watcher)
                return self._write(session, request.parts)
            self._replace(session, cut="")
            if asking.cut == "after":
                self._write(session, request.parts)
            return Reply(Code.CONNECTION_LOSS)

    def by_hand(self, parts_for: Callable[[tuple[ZNode, ...]], tuple[Part, ...]]) -> None:
        """A transaction without a session: ``parts_for`` makes it from the nodes as they are."""
        with self.lock:
            self._write(0, parts_for(self.nodes))

    def _read(self, session: Session, request: Exists | Get) -> Reply:
        if isinstance(request, Exists):
            self._replace(session.id, watching=session.watching | {request.path})
        late = self._late(session.watcher)
        node = self._find(late[0].nodes if late else self.nodes, request.path)
        if node is None:
            return Reply(Code.NO_NODE)
        return Reply(Code.OK, node.data, node.version, mine=node.owner == session.id)

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
        for event in events:
            self.late = tuple(each.missing(event) for each in self.late)
            self._deliver(event, [each for each in self.live if not self._late(each.watcher)])

    def _deliver(self, event: Event, sessions: list[Session]) -> None:
        """Have these sessions see an event, those of them that watch its path."""
        path, change = event
        for seeing in sessions:
            if path in seeing.watching:
                self._replace(seeing.id, watching=seeing.watching - {path})
                seeing.watcher.watched(path, change)

    def _replace(self, session: int, **fields: object) -> None:
        self.live = tuple(
            each._replace(**fields) if each.id == session else each  # type: ignore[arg-type]
            for each in self.live
        )

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
