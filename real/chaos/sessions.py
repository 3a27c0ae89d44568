"""Sessions of one broker on a real ensemble, where the elector has those of the one in memory."""

from __future__ import annotations

import json
import os
import struct
import time
from collections.abc import Callable
from pathlib import Path
from threading import RLock

from impl.zookeeper import Watcher, ZooKeeper
from impl.zookeeper_requests import Code, Connected, Multi, Reply, Request
from real.zookeeper.client import Client
from real.zookeeper.wire import Message
from wheelproof.errors import ToolError

TIMEOUT_MS = 1000
PATIENCE_S = 3
PAUSE_S = 0.01


class Journal:
    """The reports of a process: a line of JSON for each fact."""

    def __init__(self, file: Path) -> None:
        self.file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, fact: str, **fields: object) -> None:
        os.write(self.file, f"{json.dumps({'fact': fact, **fields})}\n".encode())


class Careful(Client):
    """A client for which an answer that it cannot read is a lost one."""

    def _answer(self, xid: int) -> tuple[Code, Message]:
        try:
            return super()._answer(xid)
        except ToolError as error:
            raise ConnectionError(error.message) from error

    def _transaction(self, request: Multi) -> Reply:
        try:
            return super()._transaction(request)
        except (ToolError, struct.error) as error:
            raise ConnectionError(str(error)) from error


class Session:
    """A session, which two threads use in turn."""

    def __init__(self, client: Client, watcher: Watcher) -> None:
        self.client, self.watcher = client, watcher
        self.lock = RLock()
        self.ended = False
        """Whether it has expired."""

    def ask(self, request: Request) -> tuple[Reply, int]:
        """The reply, with the zxid of the last transaction that the client has seen.

        ``Connected`` waits for a connection. The elector takes a lost reply to it for a refusal.
        """
        while True:
            reply, zxid = self._ask(request)
            if reply.code is not Code.CONNECTION_LOSS:
                return reply, zxid
            time.sleep(PAUSE_S)
            if not isinstance(request, Connected):
                return reply, zxid

    def _ask(self, request: Request) -> tuple[Reply, int]:
        with self.lock:
            if self.ended:
                return Reply(Code.SESSION_EXPIRED), 0
            reply = self.client.ask(request)
            self.ended = reply.code is Code.SESSION_EXPIRED
            changes, self.client.seen = self.client.seen, []
            for path, change in changes:
                self.watcher.watched(path, change)
            return reply, self.client.zxid


class Remote(ZooKeeper):
    """The ensemble in the place of a broker's ZooKeeper in memory."""

    __slots__ = ("port", "place", "journal", "known")

    def __init__(self, port: int, place: Callable[[str], str], journal: Journal) -> None:
        super().__init__()
        self.port, self.place, self.journal = port, place, journal
        """``place``: gives a path of the elector the path that it has in the ensemble."""
        self.known: dict[int, Session] = {}

    def open(self, watcher: Watcher) -> int:
        """A new session, as soon as a server gives one."""
        while True:
            try:
                client = Careful(self.port, timeout_ms=TIMEOUT_MS, patience_s=PATIENCE_S)
            except (OSError, ToolError, struct.error):
                time.sleep(PAUSE_S)
                continue
            self.known[client.session] = Session(client, watcher)
            self.journal.write("session", session=client.session, password=client.password.hex())
            return client.session

    def lives(self, session: int) -> bool:
        """Whether this broker knows of no end of the session."""
        return not self.known[session].ended

    def ask(self, session: int, request: Request) -> Reply:
        """Make a request. A transaction that was acknowledged goes to the journal."""
        request_in_place = place_request(request, self.place)
        reply, zxid = self.known[session].ask(request_in_place)
        if reply.ok and isinstance(request_in_place, Multi):
            parts = [[part.path, getattr(part, "data", "")] for part in request_in_place.parts]
            self.journal.write("acknowledged", session=session, zxid=zxid, parts=parts)
        return reply


def place_request(request: Request, place: Callable[[str], str]) -> Request:
    """The same request of other paths."""
    if isinstance(request, Multi):
        return Multi(tuple(part._replace(path=place(part.path)) for part in request.parts))
    if isinstance(request, Connected):
        return request
    return request._replace(path=place(request.path))
