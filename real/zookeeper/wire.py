"""The bytes of ZooKeeper's protocol: requests, and the parts of its replies.

Numbers are big-endian. A buffer and a text begin with their length, and -1 is none.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from impl.zookeeper_requests import ANY, Check, Code, Create, Part, Put, Reply
from wheelproof.errors import ToolError


class Operation(IntEnum):
    """Kinds of requests. CREATE answers with the node's versions, too."""

    DELETE = 2
    EXISTS = 3
    GET = 4
    PUT = 5
    SYNC = 9
    PING = 11
    CHECK = 13
    MULTI = 14
    CREATE = 15
    SET_WATCHES = 101
    CLOSE = -11
    ERROR = -1


EVENT_XID, PING_XID, WATCHES_XID = -1, -2, -8
"""The values in the place of a request's number."""

CODES = {
    0: Code.OK,
    -101: Code.NO_NODE,
    -103: Code.BAD_VERSION,
    -110: Code.NODE_EXISTS,
    -112: Code.SESSION_EXPIRED,
}
NOT_PERFORMED = -2
"""The error of the parts behind the one that failed."""

CHANGES = {1: "created", 2: "deleted", 3: "changed"}
EPHEMERAL = 1
ANYONE = struct.pack(">ii", 1, 31)
"""One entry of an access list, with all permissions; the scheme and the name follow."""


class Node(NamedTuple):
    """The facts on a node beside its data."""

    version: int
    owner: int
    """A session's id, 0 for none."""


def code(error: int) -> Code:
    """The code of an error. Raises ToolError for one that no request here should have."""
    if error not in CODES:
        raise ToolError(f"ZooKeeper answers with the error {error}.")
    return CODES[error]


def buffer(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content


def text(content: str) -> bytes:
    return buffer(content.encode())


def read(path: str, watch: bool) -> bytes:
    """The fields of EXISTS and of GET."""
    return text(path) + struct.pack(">?", watch)


def fields(part: Part) -> tuple[Operation, bytes]:
    """A part of a transaction."""
    path = text(part.path)
    if isinstance(part, Create):
        access = ANYONE + text("world") + text("anyone")
        flags = struct.pack(">i", EPHEMERAL if part.ephemeral else 0)
        return Operation.CREATE, path + text(part.data) + access + flags
    version = struct.pack(">i", part.version)
    if isinstance(part, Put):
        return Operation.PUT, path + text(part.data) + version
    return Operation.CHECK if isinstance(part, Check) else Operation.DELETE, path + version


def header(kind: int, last: bool) -> bytes:
    """The bytes before each part of a transaction, and behind the last one."""
    return struct.pack(">i?i", kind, last, -1)


def transaction(parts: tuple[Part, ...]) -> bytes:
    data = b""
    for part in parts:
        kind, content = fields(part)
        data += header(kind, False) + content
    return data + header(-1, True)


def connect(zxid: int, timeout_ms: int, session: int, password: bytes) -> bytes:
    """The first message of a connection; ``session`` is 0 for a new one."""
    return struct.pack(">iqiq", 0, zxid, timeout_ms, session) + buffer(password) + b"\0"


def watches(zxid: int, watching: Mapping[str, bool]) -> bytes:
    """The watches of a session: paths of nodes, paths without one, and no children.

    ``zxid``: the last transaction of which the session knows.
    """
    data = struct.pack(">q", zxid)
    for there in (True, False):
        paths = [path for path, node in watching.items() if node is there]
        data += struct.pack(">i", len(paths)) + b"".join(map(text, paths))
    return data + struct.pack(">i", 0)


class Message:
    """Reads a message of the server from its begin to its end."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def numbers(self, kinds: str) -> tuple[int, ...]:
        """The next fields, of these kinds: those of the module ``struct``."""
        values = struct.unpack_from(f">{kinds}", self.content, self.place)
        self.place += struct.calcsize(f">{kinds}")
        return values

    def number(self) -> int:
        return self.numbers("i")[0]

    def buffer(self) -> bytes:
        begin = self.place + 4
        self.place = begin + max(0, self.number())
        return self.content[begin : self.place]

    def text(self) -> str:
        return self.buffer().decode()

    def node(self) -> Node:
        times = self.numbers("qqqqiiiqiiq")
        return Node(version=times[4], owner=times[7])

    def replies(self) -> Reply:
        """The reply to a transaction."""
        reply, place = Reply(Code.OK), 0
        while True:
            kind, last, _ = self.numbers("i?i")
            if last:
                return reply
            if kind == Operation.ERROR:
                error = self.number()
                if reply.ok and error not in (0, NOT_PERFORMED):
                    reply = Reply(code(error), failed=place)
            else:
                reply = Reply(Code.OK, version=self.version(kind))
            place += 1

    def version(self, kind: int) -> int:
        """The version after a part that was performed, ANY where the reply has none."""
        if kind == Operation.CREATE:
            self.text()
        return self.node().version if kind in (Operation.CREATE, Operation.PUT) else ANY
