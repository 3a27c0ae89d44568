"""A ZooKeeper in memory whose nodes have children, and transactions numbers.

The rest is that of ``impl/zookeeper.py``: sessions, versions, lost replies, one-shot watches.
"""

from __future__ import annotations

from collections.abc import Iterable

from impl.cluster.requests import AnyRequest, Children, Origin
from impl.zookeeper import Event, Watcher, ZNode, ZooKeeper, applied
from impl.zookeeper_requests import Code, Create, Delete, Part, Reply


def parent(path: str) -> str:
    """The path of the node above; empty for one at the top."""
    return path.rpartition("/")[0]


class Tree(ZooKeeper):
    """``zxid``: the number of the last transaction; the begin and the end of a session are ones.

    ``origins``: path -> the transaction that created the node. ``fired``: how many events the
    watches have seen.
    """

    __slots__ = ("zxid", "origins", "fired")

    def __init__(self, nodes: Iterable[ZNode] = ()) -> None:
        super().__init__(nodes)
        self.zxid, self.fired = 0, 0
        self.origins = {node.path: 0 for node in self.nodes}

    def open(self, watcher: Watcher) -> int:
        self.zxid += 1
        return super().open(watcher)

    def end(self, session: int) -> None:
        self.zxid += 1
        super().end(session)

    def ask(self, session: int, request: AnyRequest) -> Reply:
        if not isinstance(request, (Children, Origin)):
            return super().ask(session, request)
        with self.lock:
            found = self._session(session)
            if found is None:
                return Reply(Code.SESSION_EXPIRED)
            node = self._find(self.nodes, request.path)
            if node is None:
                return Reply(Code.NO_NODE)
            if isinstance(request, Origin):
                return Reply(Code.OK, node.data, self.origins[node.path])
            above = f"{request.path}/"
            if request.watch:
                self._replace(session, watching=found.watching | {above})
            return Reply(Code.OK, "/".join(self._below(self.nodes, above)))

    @staticmethod
    def _below(nodes: tuple[ZNode, ...], above: str) -> list[str]:
        """The names of the nodes right below; ``above`` ends with a slash."""
        found = [node.path[len(above) :] for node in nodes if node.path.startswith(above)]
        return [name for name in found if "/" not in name]

    def _write(self, session: int, parts: tuple[Part, ...]) -> Reply:
        """As in ZooKeeper a node is created below one that is there.

        Raises ValueError where a node with children is to be deleted: no handler does that.
        """
        events: list[Event] = []
        nodes, reply = self.nodes, Reply(Code.OK)
        for place, part in enumerate(parts):
            above = parent(part.path)
            if isinstance(part, Create) and above and self._find(nodes, above) is None:
                return Reply(Code.NO_NODE, failed=place)
            if isinstance(part, Delete) and self._below(nodes, f"{part.path}/"):
                raise ValueError(f"{part.path} has children, and cannot be deleted")
            nodes, reply = applied(nodes, session, part, events)
            if not reply.ok:
                return reply._replace(failed=place)
        self.zxid += 1
        self.nodes = nodes
        self.origins |= {path: self.zxid for path, change in events if change == "created"}
        self._fire(events)
        return reply

    def _fire(self, events: list[Event]) -> None:
        for path, change in events:
            below = [(f"{parent(path)}/", "children")] if change in ("created", "deleted") else []
            for event in [(path, change), *below]:
                self.fired += sum(event[0] in each.watching for each in self.live)
                super()._fire([event])
