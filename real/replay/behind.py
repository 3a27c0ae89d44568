"""A server of an ensemble that is late: the messages of its leader are held.

It answers reads from its applied transactions. A transaction of its client goes to the leader at
once, and its reply comes back behind all that was held. So do the replies to a new session and to a
connection that is taken up again: neither can be had of a server that stays late.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

from impl.controller import CONTROLLER, EPOCH, PARTITION
from impl.zookeeper import Event, ZNode
from impl.zookeeper_requests import Connected, Exists
from real.zookeeper.client import Client
from real.zookeeper.links import Link
from wheelproof.errors import ToolError

PATHS = (CONTROLLER, EPOCH, PARTITION)
SENT_S = 0.02
"""How long a transaction of the late server's client has to reach the leader."""

MOST_S = 30
"""How long a server may be late. The leader gives it up, and its sessions expire, after that."""


class Behind:
    """The server of one session, which applies nothing while its link is held."""

    def __init__(self, number: int, port: int, leader: int, link: Link) -> None:
        """``port``: of the server; ``leader``: the port of its leader. The link is not held yet."""
        self.number, self.link = number, link
        """``number``: the number of the session."""
        self.reader, self.spy = Client(port), Client(leader)
        self.spy.ask(Exists(CONTROLLER))
        if not self.reader.begin_sync()():
            raise ToolError("The session that reads at the late server has expired.")
        self.until = time.monotonic() + MOST_S

    def applied(self, numbers: Mapping[int, int]) -> tuple[tuple[ZNode, ...], tuple[Event, ...]]:
        """The nodes that the server has, and the first event of /controller that it lacks."""
        if time.monotonic() > self.until:
            raise ToolError(f"A server has been late for {MOST_S} s.")
        if not self.spy.begin_sync()():
            raise ToolError("The session that watches at the leader has expired.")
        return read(self.reader, numbers), tuple(self.spy.seen)

    def release_soon(self) -> None:
        """Let the server catch up when a transaction is on its way: its reply comes after that."""
        threading.Timer(SENT_S, self.link.release).start()

    def end(self) -> None:
        """Let the server catch up."""
        self.link.release()
        self.reader.close()
        self.spy.close()


def answers(client: Client) -> bool:
    """Whether a client's session lives, as its own server says."""
    return client.ask(Connected()).ok


def read(client: Client, numbers: Mapping[int, int]) -> tuple[ZNode, ...]:
    """The nodes at a client's server. ``numbers``: session -> its number."""
    return tuple(
        sorted(
            ZNode(path, data, node.version, numbers[node.owner] if node.owner else 0)
            for path, data, node in client.nodes(PATHS)
        )
    )
