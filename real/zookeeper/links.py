"""Connections between the servers of an ensemble, which can hold the messages of a leader.

A server whose link is held goes on: it answers its clients from its applied transactions. Its
messages go through at once, so that the leader hears of its clients' transactions.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

CONNECT_S, ACCEPT_S, PAUSE_S, CHUNK = 5, 0.2, 0.05, 65536


class Link:
    """Forwards a server's connections to another one."""

    def __init__(self, to: int) -> None:
        """``to``: the port at which the other server waits for its followers."""
        self.to = to
        self.flows = threading.Event()
        self.flows.set()
        self.closed = False
        self.lock = threading.Lock()
        self.open: set[socket.socket] = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(ACCEPT_S)
        self.port: int = self.listener.getsockname()[1]
        """The port at which the server connects."""
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def hold(self) -> None:
        """Let no message of the other server through."""
        self.flows.clear()

    def release(self) -> None:
        """Let all through, first the held messages."""
        self.flows.set()

    def close(self) -> None:
        """End all connections, and take no other one."""
        with self.lock:
            self.closed = True
            for peer in self.open:
                end(peer)
        self.release()
        self.thread.join()
        self.listener.close()

    def _serve(self) -> None:
        while not self.closed:
            with contextlib.suppress(OSError):
                server, _ = self.listener.accept()
                threading.Thread(target=self._connect, args=(server,), daemon=True).start()

    def _connect(self, server: socket.socket) -> None:
        """Connect to the other server; where it does not listen, end the server's connection.

        A leader may be a follower's before it listens. A connection that ended for that would have
        the servers elect once more.
        """
        until = time.monotonic() + CONNECT_S
        while True:
            try:
                peer = socket.create_connection(("127.0.0.1", self.to), CONNECT_S)
                break
            except OSError:
                if self.closed or time.monotonic() > until:
                    server.close()
                    return
                time.sleep(PAUSE_S)
        pair = (server, peer)
        for connection in pair:
            connection.settimeout(None)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._register(*pair):
            return
        for source, target, holds in ((server, peer, False), (peer, server, True)):
            arguments = (source, target, holds)
            threading.Thread(target=self._pump, args=arguments, daemon=True).start()

    def _register(self, *sockets: socket.socket) -> bool:
        """Note both ends of a connection for ``close``; end them where that was first."""
        with self.lock:
            if not self.closed:
                self.open.update(sockets)
                return True
        for peer in sockets:
            end(peer)
        return False

    def _pump(self, source: socket.socket, target: socket.socket, holds: bool) -> None:
        with contextlib.suppress(OSError):
            for content in chunks(source):
                if holds:
                    self.flows.wait()
                target.sendall(content)
        with self.lock:
            for peer in (source, target):
                self.open.discard(peer)
                end(peer)


def chunks(source: socket.socket) -> Iterator[bytes]:
    """The data of a connection, until it ends."""
    while content := source.recv(CHUNK):
        yield content


def end(connection: socket.socket) -> None:
    """End a connection, for both sides and for a thread that waits for it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
