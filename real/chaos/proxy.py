"""A proxy between one client and the ensemble, which cuts connections at transactions."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from real.zookeeper.wire import Message, Operation

CUTS = {True: (0.15, 0.3), False: (0.02, 0.03)}
"""Of elections, and of other transactions: the chance of a cut before it is sent, and of one after
it is performed."""

CONNECT_S, ACCEPT_S = 1, 0.2


class Proxy:
    """Forwards each connection to a server that is drawn."""

    def __init__(self, ports: Sequence[int], random: Random, calm: bool = False) -> None:
        self.ports, self.drawn, self.calm = ports, random, calm
        """``calm``: whether no connection is cut."""
        self.cuts: Counter[str] = Counter()
        """Kind of loss -> how many connections were cut."""
        self.closed = False
        self.open: set[socket.socket] = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(ACCEPT_S)
        self.port: int = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Cut all connections, and take no other one."""
        self.closed = True
        self.thread.join()
        self.listener.close()
        for connection in list(self.open):
            end(connection)

    def _serve(self) -> None:
        while not self.closed:
            try:
                client, _ = self.listener.accept()
            except OSError:
                continue
            Connection(self, client).start()


class Connection:
    """A client's connection and the one to a server."""

    def __init__(self, proxy: Proxy, client: socket.socket) -> None:
        self.proxy, self.client = proxy, client
        self.awaited = (b"", "")
        """A reply that is to be lost."""

    def start(self) -> None:
        """Connect to a server; where it does not listen, end the client's connection."""
        port = self.proxy.drawn.choice(self.proxy.ports)
        try:
            server = socket.create_connection(("127.0.0.1", port), CONNECT_S)
        except OSError:
            self.client.close()
            return
        for peer in (self.client, server):
            peer.settimeout(None)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.proxy.open.update((self.client, server))
        for source, target, forwards in (
            (self.client, server, self._request),
            (server, self.client, self._reply),
        ):
            threading.Thread(
                target=self._pump, args=(source, target, forwards), daemon=True
            ).start()

    def _pump(
        self, source: socket.socket, target: socket.socket, forwards: Callable[[bytes], bool]
    ) -> None:
        """Forward messages until the connection ends, or is cut. The first opens the session."""
        with contextlib.suppress(OSError):
            target.sendall(message(source))
            while forwards(data := message(source)):
                target.sendall(data)
        for peer in (source, target):
            end(peer)
            self.proxy.open.discard(peer)

    def _request(self, request: bytes) -> bool:
        """Whether to forward a request."""
        elects = election(request)
        if elects is None or self.proxy.calm:
            return True
        kind = "an election" if elects else "another transaction"
        before, after = CUTS[elects]
        chance = self.proxy.drawn.random()
        if chance < before:
            self.proxy.cuts[f"before {kind}"] += 1
            return False
        if chance < before + after:
            self.awaited = (request[4:8], f"after {kind}")
        return True

    def _reply(self, reply: bytes) -> bool:
        """Whether to forward a reply."""
        number, loss = self.awaited
        if number != reply[4:8]:
            return True
        self.proxy.cuts[loss] += 1
        return False


def message(source: socket.socket) -> bytes:
    """The next message, with its length. ConnectionError where the connection has ended."""
    begin = exactly(source, 4)
    return begin + exactly(source, struct.unpack(">i", begin)[0])


def exactly(source: socket.socket, many: int) -> bytes:
    content = b""
    while len(content) < many:
        more = source.recv(many - len(content))
        if not more:
            raise ConnectionError("the connection has ended")
        content += more
    return content


def election(request: bytes) -> bool | None:
    """Whether a transaction elects a controller, or raises the epoch; None: no transaction."""
    read = Message(request)
    _, _, kind = read.numbers("iii")
    if kind != Operation.MULTI:
        return None
    part, last, _ = read.numbers("i?i")
    if last:
        return None
    path = read.text()
    return part == Operation.CREATE or (
        part == Operation.PUT and path.endswith("/controller_epoch")
    )


def end(peer: socket.socket) -> None:
    """Cut a connection, also for a thread that reads from it."""
    with contextlib.suppress(OSError):
        peer.shutdown(socket.SHUT_RDWR)
    peer.close()
