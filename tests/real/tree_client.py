"""A client of a real ZooKeeper that lists children, and knows which transaction created a node."""

from __future__ import annotations

import struct

from impl.cluster.requests import Children, Origin
from impl.zookeeper_requests import Code, Reply
from real.zookeeper import wire
from real.zookeeper.client import Client
from real.zookeeper.wire import Operation

GET_CHILDREN, CHILDREN_CHANGED = 8, 4
"""What the protocol has for them."""


class TreeClient(Client):
    """A client that lists children, too. ``listed``: the paths whose children it watches."""

    def __init__(self, port):
        self.listed = set()
        super().__init__(port)

    def _ask(self, request):
        if isinstance(request, Children):
            code, found = self._call(GET_CHILDREN, wire.read(request.path, request.watch))
            if code is not Code.OK:
                return Reply(code)
            if request.watch:
                self.listed.add(request.path)
            return Reply(code, "/".join(found.text() for _ in range(found.number())))
        if isinstance(request, Origin):
            code, found = self._call(Operation.GET, wire.read(request.path, False))
            return (
                Reply(code, found.text(), found.numbers("q")[0]) if code is Code.OK else Reply(code)
            )
        return super()._ask(request)

    def _connect(self):
        lives = super()._connect()
        if lives and self.listed:
            paths = b"".join(map(wire.text, sorted(self.listed)))
            none = struct.pack(">i", 0)
            content = (
                struct.pack(">q", self.zxid) + none + none + struct.pack(">i", len(self.listed))
            )
            self._call(Operation.SET_WATCHES, content + paths, wire.WATCHES_XID)
        return lives

    def events(self):
        seen = []
        for path, change in super().events():
            self.listed.discard(path) if change == "children" else None
            seen.append((f"{path}/" if change == "children" else path, change))
        return seen
