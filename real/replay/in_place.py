"""The module in the place of ``impl/zookeeper.py``: the same class, on a real ensemble.

So the elector, its threads, its queue and its harness are the very code that the model is compared
with in memory. They are loaded apart, with modules of their own: values go through ``translate``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

from impl.runtime import Lock
from impl.zookeeper_requests import Code, Part, Reply, Request
from real.replay import present


class Watcher(Protocol):
    """The opener of a session."""

    def watched(self, path: str, change: str) -> None:
        """The node was ``created``, ``changed`` or ``deleted``."""


class ZNode(NamedTuple):
    """A node."""

    path: str
    data: str
    version: int = 0
    owner: int = 0
    """The session that it goes with, 0 for none."""


class Session(NamedTuple):
    """A session that lives: its watches, and whether its next reply is lost."""

    id: int
    watching: frozenset[str] = frozenset()
    cut: str = ""


class Late(NamedTuple):
    """A server that is late: its client, its applied nodes and its missed events."""

    watcher: Watcher
    nodes: tuple[ZNode, ...]
    missed: tuple[tuple[str, str], ...]


class ZooKeeper:
    """A run on the present ensemble. Its state is there, and none of it is here."""

    __slots__ = ("lock",)

    def __init__(self, nodes: Iterable[ZNode] = ()) -> None:
        self.lock = Lock()
        with present.sessions() as there:
            there.begin(present.nodes(nodes))

    @property
    def nodes(self) -> tuple[ZNode, ...]:
        return tuple(ZNode(*node) for node in present.sessions().seen.nodes)

    @nodes.setter
    def nodes(self, nodes: tuple[ZNode, ...]) -> None:
        with present.sessions() as there:
            there.create(present.nodes(nodes))

    @property
    def live(self) -> tuple[Session, ...]:
        there = present.sessions()
        return tuple(
            Session(number, there.seen.watching[number], there.cut(number))
            for number in sorted(there.seen.live)
        )

    @property
    def late(self) -> tuple[Late, ...]:
        return tuple(
            Late(late.watcher, tuple(ZNode(*node) for node in late.nodes), late.missed)
            for late in present.sessions().seen.late
        )

    @property
    def sessions(self) -> int:
        return len(present.sessions().clients)

    def open(self, watcher: Watcher) -> int:
        with self.lock, present.sessions() as there:
            return there.open(watcher)

    def lives(self, session: int) -> bool:
        with self.lock:
            return session in present.sessions().seen.live

    def end(self, session: int) -> None:
        with self.lock, present.sessions() as there:
            there.end(session)

    def drop_reply(self, session: int, when: str) -> None:
        with self.lock, present.sessions() as there:
            there.drop_reply(session, when)

    def fall_behind(self, watcher: Watcher) -> None:
        with self.lock, present.sessions() as there:
            there.fall_behind(watcher)

    def catch_up(self, watcher: Watcher) -> None:
        with self.lock, present.sessions() as there:
            there.catch_up(watcher)

    def ask(self, session: int, request: Request) -> Reply:
        with self.lock, present.sessions() as there:
            reply = there.ask(session, present.translate(request))
            return Reply(Code[reply.code.name], *reply[1:])

    def by_hand(self, parts_for: Callable[[tuple[ZNode, ...]], tuple[Part, ...]]) -> None:
        with self.lock, present.sessions() as there:
            parts = parts_for(self.nodes)
            there.by_hand(tuple(map(present.translate, parts)))
