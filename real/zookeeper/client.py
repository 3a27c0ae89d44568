"""A client of ZooKeeper that does one thing at a time: an object is a session.

It has no thread, and makes no request again by itself. So the caller
decides on the requests and their order.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable, Iterable, Iterator

from impl.zookeeper import Event
from impl.zookeeper_requests import (
    Check,
    Code,
    Connected,
    Exists,
    Get,
    Multi,
    Reply,
    Request,
)
from real.zookeeper import wire
from real.zookeeper.wire import Message, Node, Operation
from wheelproof.errors import ToolError

SESSION_MS = 600_000
"""So long that no session expires where a busy machine halts a process for a minute."""
PATIENCE_S = 60


class Client:
    """A session, and its connection."""

    def __init__(
        self,
        port: int,
        session: int = 0,
        password: bytes = bytes(16),
        timeout_ms: int = SESSION_MS,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Open a session, or take over one that lives. Raises ToolError where it has expired.

        ``timeout_ms``: the session expires after so long without a word from the client;
        ``patience_s``: how long the client waits for an answer.
        """
        self.port, self.session, self.password = port, session, password
        """``session``: its id. With the ``password`` another client takes it over."""
        self.timeout_ms, self.patience_s = timeout_ms, patience_s
        """``timeout_ms``: as the server grants it, which has a longest one."""
        self.made, self.zxid = 0, 0
        self.seen: list[Event] = []
        self.watching: dict[str, bool] = {}
        """The paths of which it gets the next event -> whether there was a node."""
        self.cut = ""
        self.socket: socket.socket | None = None
        if not self._connect():
            raise ToolError(f"ZooKeeper does not know the session {session:x}.")

    # -- requests

    def ask(self, request: Request) -> Reply:
        """Make a request; CONNECTION_LOSS if no reply comes, though it may have been performed.

        After that it connects again, and the session has its watches as before.
        """
        cut = ""
        if isinstance(request, Multi):
            cut, self.cut = self.cut, ""
        try:
            if self.socket is None and not self._connect():
                return Reply(Code.SESSION_EXPIRED)
            if cut != "before":
                reply = self._ask(request)
                if not cut:
                    return reply
            self._disconnect()
        except OSError:
            self._disconnect()
        try:
            return Reply(Code.CONNECTION_LOSS if self._connect() else Code.SESSION_EXPIRED)
        except OSError:
            return Reply(Code.CONNECTION_LOSS)

    def drop_reply(self, when: str) -> None:
        """Lose the reply to the next transaction, before it is sent or after it is performed."""
        self.cut = when

    def nodes(self, paths: Iterable[str]) -> Iterator[tuple[str, str, Node]]:
        """The path and the data of each node that is there, and its other facts."""
        requests = [(path, self._request(Operation.GET, wire.read(path, False))) for path in paths]
        for path, xid in requests:
            code, message = self._answer(xid)
            if code is Code.OK:
                yield path, message.text(), message.node()

    def ping(self) -> None:
        """Ask for the events of the watches: :meth:`events` has them."""
        self._request(Operation.PING, b"", wire.PING_XID)

    def events(self) -> list[Event]:
        """The events of the watches up to the ping before this, in the order in which they came."""
        self._answer(wire.PING_XID)
        news, self.seen = self.seen, []
        return news

    def begin_sync(self) -> Callable[[], bool]:
        """Let the server get all earlier writes, and do not wait yet.

        Returns a function that waits for that, and tells whether the session lives. The events of
        the watches until then are in ``seen``.
        """
        try:
            xid = self._request(Operation.SYNC, wire.text("/"))
        except OSError:
            self._disconnect()
            xid = 0

        def lives() -> bool:
            try:
                return self._answer(xid)[0] is Code.OK
            except OSError:
                return self._connect() and self._call(Operation.SYNC, wire.text("/"))[0] is Code.OK

        return lives

    def reconnect(self) -> bool:
        """Take the session up in another connection. False where it has expired."""
        return self._connect()

    def close(self) -> None:
        """End the session, if it lives."""
        with contextlib.suppress(OSError):
            self._call(Operation.CLOSE, b"")
        self._disconnect()

    def expire(self) -> None:
        """End the session without the client's doing, by another one that takes it over.

        The client itself learns it by its next request.
        """
        Client(self.port, self.session, self.password).close()

    def _ask(self, request: Request) -> Reply:
        if isinstance(request, Connected):
            return Reply(self._call(Operation.PING, b"", wire.PING_XID)[0])
        if isinstance(request, Exists):
            code, message = self._call(Operation.EXISTS, wire.read(request.path, True))
            if code in (Code.OK, Code.NO_NODE):
                self.watching[request.path] = code is Code.OK
            return self._read(message) if code is Code.OK else Reply(code)
        if isinstance(request, Get):
            code, message = self._call(Operation.GET, wire.read(request.path, False))
            if code is not Code.OK:
                return Reply(code)
            return self._read(message, message.text())
        return self._transaction(request)

    def _read(self, message: Message, data: str = "") -> Reply:
        """A reply with a node."""
        node = message.node()
        return Reply(Code.OK, data, node.version, mine=node.owner == self.session)

    def _transaction(self, request: Multi) -> Reply:
        """The reply to a Check has no version: it is the one that was demanded."""
        code, message = self._call(Operation.MULTI, wire.transaction(request.parts))
        if code is Code.SESSION_EXPIRED:
            return Reply(code)
        reply = message.replies()
        last = request.parts[-1] if request.parts else None
        return reply._replace(version=last.version) if reply.ok and type(last) is Check else reply

    # -- the connection

    def _call(self, kind: Operation, content: bytes, xid: int = 0) -> tuple[Code, Message]:
        """Make a request, and wait for its reply."""
        return self._answer(self._request(kind, content, xid))

    def _request(self, kind: Operation, content: bytes, xid: int = 0) -> int:
        """Make a request. Returns its number, which its reply has."""
        if not xid:
            self.made += 1
        xid = xid or self.made
        self._send(struct.pack(">ii", xid, kind) + content)
        return xid

    def _answer(self, xid: int) -> tuple[Code, Message]:
        """Wait for the next reply; the events of watches before it are kept."""
        while True:
            message = self._receive()
            request, zxid, error = message.numbers("iqi")
            if request == wire.EVENT_XID:
                change, _ = message.numbers("ii")
                path = message.text()
                self.watching.pop(path, None)
                self.seen.append((path, wire.CHANGES[change]))
                continue
            if request != xid:
                raise ToolError(f"ZooKeeper answers request {request} instead of {xid}.")
            self.zxid = max(self.zxid, zxid)
            return wire.code(error), message

    def _connect(self) -> bool:
        """Connect, in the session, and set its watches. False where it has expired."""
        self._disconnect()
        self.socket = socket.create_connection(("127.0.0.1", self.port), self.patience_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._send(wire.connect(self.zxid, self.timeout_ms, self.session, self.password))
        message = self._receive()
        _, timeout, session = message.numbers("iiq")
        if timeout <= 0:
            self._disconnect()
            return False
        self.timeout_ms, self.session, self.password = timeout, session, message.buffer()
        if self.watching:
            watches = wire.watches(self.zxid, self.watching)
            self._call(Operation.SET_WATCHES, watches, wire.WATCHES_XID)
        return True

    def _disconnect(self) -> None:
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def _send(self, content: bytes) -> None:
        if self.socket is None:
            raise ConnectionError("there is no connection")
        self.socket.sendall(wire.buffer(content))

    def _receive(self) -> Message:
        (length,) = struct.unpack(">i", self._bytes(4))
        return Message(self._bytes(length))

    def _bytes(self, many: int) -> bytes:
        content = b""
        while len(content) < many:
            more = self.socket.recv(many - len(content)) if self.socket else b""
            if not more:
                raise ConnectionError("the connection has ended")
            content += more
        return content
