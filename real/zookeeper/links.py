"""Connections between the servers of an ensemble, through which what a leader sends can be held.

A server whose link is held goes on: it answers its clients from what it has applied so far. What it
sends goes through at once, so that the leader hears of its clients' transactions.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

CONNECT_S, ACCEPT_S, PAUSE_S, CHUNK = 5, 0.2, 0.05, 65536


class Link:
    """Forwards a server's connections to another one. ``port``: where it connects."""

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
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def hold(self) -> None:
        """Let nothing through of what the other server sends."""
        self.flows.clear()

    def release(self) -> None:
        """Let all through, first what was held."""
        self.flows.set()

    def close(self) -> None:
        """End all connections, and take no other one."""
        with self.lock:
            self.closed = True
            for each in self.open:
                end(each)
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
                other = socket.create_connection(("127.0.0.1", self.to), CONNECT_S)
                break
            except OSError:
                if self.closed or time.monotonic() > until:
                    server.close()
                    return
                time.sleep(PAUSE_S)
        both = (server, other)
        for each in both:
            each.settimeout(None)
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not self._opened(*both):
            return
        for source, target, held in ((server, other, False), (other, server, True)):
            arguments = (source, target, held)
            threading.Thread(target=self._pump, args=arguments, daemon=True).start()

    def _opened(self, *both: socket.socket) -> bool:
        """Note both ends of a connection for ``close``; end them where that was first."""
        with self.lock:
            if not self.closed:
                self.open.update(both)
                return True
        for each in both:
            end(each)
        return False

    def _pump(self, source: socket.socket, target: socket.socket, held: bool) -> None:
        with contextlib.suppress(OSError):
            for content in chunks(source):
                if held:
                    self.flows.wait()
                target.sendall(content)
        with self.lock:
            for each in (source, target):
                self.open.discard(each)
                end(each)


def chunks(source: socket.socket) -> Iterator[bytes]:
    """What comes of a connection, until it ends."""
    while content := source.recv(CHUNK):
        yield content


def end(connection: socket.socket) -> None:
    """End a connection, for both sides and for a thread that waits for it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
