"""The ZooKeeper in memory with one fault each, which a comparison with a real one has to find."""

from __future__ import annotations

from impl.zookeeper import Event, Session, ZooKeeper
from impl.zookeeper_requests import ANY, Check, Delete, Exists, Get, Part, Reply


class VersionStays(ZooKeeper):
    """new data does not raise the version"""

    __slots__ = ()

    def _write(self, session: int, parts: tuple[Part, ...]) -> Reply:
        before = {node.path: node.version for node in self.nodes}
        reply = super()._write(session, parts)
        self.nodes = tuple(
            node._replace(version=before.get(node.path, node.version)) for node in self.nodes
        )
        return reply


class CheckIgnored(ZooKeeper):
    """a check is content with any version"""

    __slots__ = ()

    def _write(self, session: int, parts: tuple[Part, ...]) -> Reply:
        loose = (part._replace(version=ANY) if type(part) is Check else part for part in parts)
        return super()._write(session, tuple(loose))


class DeletesAnyVersion(ZooKeeper):
    """a node of another version is deleted"""

    __slots__ = ()

    def _write(self, session: int, parts: tuple[Part, ...]) -> Reply:
        loose = (part._replace(version=ANY) if type(part) is Delete else part for part in parts)
        return super()._write(session, tuple(loose))


class NotAtomic(ZooKeeper):
    """the parts before the one that fails are performed"""

    __slots__ = ()

    def _write(self, session: int, parts: tuple[Part, ...]) -> Reply:
        reply = super()._write(session, ())
        for place, part in enumerate(parts):
            reply = super()._write(session, (part,))
            if not reply.ok:
                return reply._replace(failed=place)
        return reply


class NamesFirstPart(ZooKeeper):
    """the first part is named as the one that failed"""

    __slots__ = ()

    def _write(self, session: int, parts: tuple[Part, ...]) -> Reply:
        return super()._write(session, parts)._replace(failed=0)


class WatchStays(ZooKeeper):
    """a watch sees every change"""

    __slots__ = ()

    def _fire(self, events: list[Event]) -> None:
        before = {session.id: session.watching for session in self.live}
        super()._fire(events)
        self.live = tuple(session._replace(watching=before[session.id]) for session in self.live)


class DeletionUnseen(ZooKeeper):
    """no watch sees a deletion"""

    __slots__ = ()

    def _fire(self, events: list[Event]) -> None:
        super()._fire([event for event in events if event[1] != "deleted"])


class WatchesNodesOnly(ZooKeeper):
    """a path without a node is not watched"""

    __slots__ = ()

    def _read(self, session: Session, request: Exists | Get) -> Reply:
        there = self._find(self.nodes, request.path) is not None
        return super()._read(session, request if there else Get(request.path))


class OwnerUnread(ZooKeeper):
    """a read does not say that the node goes with the session"""

    __slots__ = ()

    def _read(self, session: Session, request: Exists | Get) -> Reply:
        return super()._read(session, request)._replace(mine=False)


class EphemeralStays(ZooKeeper):
    """an ephemeral node stays when its session ends"""

    __slots__ = ()

    def end(self, session: int) -> None:
        self.nodes = tuple(
            node._replace(owner=0) if node.owner == session else node for node in self.nodes
        )
        super().end(session)


class LostUnperformed(ZooKeeper):
    """a transaction whose reply is lost is never performed"""

    __slots__ = ()

    def drop_reply(self, session: int, when: str) -> None:
        super().drop_reply(session, "before")


FAULTS: tuple[type[ZooKeeper], ...] = (
    VersionStays,
    CheckIgnored,
    DeletesAnyVersion,
    NotAtomic,
    NamesFirstPart,
    WatchStays,
    DeletionUnseen,
    WatchesNodesOnly,
    OwnerUnread,
    EphemeralStays,
    LostUnperformed,
)
