"""Sessions on a real ensemble, and the state after a step: nodes, sessions, watches, events.

Requests and nodes are values of the modules ``impl.zookeeper_requests`` and ``impl.zookeeper``. The
elector is loaded apart and has modules of its own by these names: ``in_place.py`` translates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

from impl.zookeeper import Late, Watcher, ZNode
from impl.zookeeper_requests import Create, Delete, Exists, Multi, Part, Put, Reply, Request
from real.replay.behind import PATHS, Behind, answers, read
from real.zookeeper.client import Client
from real.zookeeper.links import Link
from real.zookeeper.server import begin_report
from wheelproof.errors import ToolError


class Seen(NamedTuple):
    """The state of the ensemble, with sessions numbered from 1."""

    nodes: tuple[ZNode, ...] = ()
    live: frozenset[int] = frozenset()
    watching: Mapping[int, frozenset[str]] = {}
    """The paths that each session watches, as the servers report."""
    late: tuple[Late, ...] = ()
    """The applied state of the servers that are late."""


class Sessions:
    """The sessions of one run. Number n is one on the node n, counted round."""

    def __init__(
        self, ports: Sequence[int], observed: int = 0, links: Mapping[int, Link] | None = None
    ) -> None:
        """``observed``: the node at which the state is read. ``links``: of the others, to it."""
        self.ports, self.observer = ports, Client(ports[observed])
        self.links, self.leader = links or {}, ports[observed]
        self.behind: Behind | None = None
        """The server that is late, if one is."""
        self.holds = True
        self.clients: list[Client] = []
        self.watchers: list[Watcher] = []
        self.ended: set[int] = set()
        self.seen = Seen()
        """The state after the last request that can change it."""
        self.failed: Exception | None = None
        """An error of the connection, which is no step of any elector."""

    def __enter__(self) -> Sessions:
        return self

    def __exit__(self, kind: object, error: BaseException | None, *_: object) -> None:
        """Keep an error of the ensemble: in a thread of the elector it would look like its own."""
        if isinstance(error, (OSError, ToolError)):
            self.failed = error

    def begin(self, nodes: Sequence[ZNode]) -> None:
        """A new run: no session of the last one, and these nodes alone."""
        self.close_all()
        for path in PATHS:
            self.observer.ask(Multi((Delete(path),)))
        self.create(nodes)

    def create(self, nodes: Sequence[ZNode]) -> None:
        """Create those of the nodes that are not there, each with its owner and its version."""
        for node in set(nodes) - set(self.seen.nodes):
            creator = self.clients[node.owner - 1] if node.owner else self.observer
            put = (Put(node.path, node.data),) * node.version
            create = Create(node.path, node.data, ephemeral=node.owner > 0)
            reply = creator.ask(Multi((create, *put)))
            if not reply.ok:
                raise ToolError(f"ZooKeeper refuses to create {node.path}: {reply.code.value}.")
        self.look()

    # -- what a step does

    def open(self, watcher: Watcher) -> int:
        number = len(self.clients) + 1
        self.clients.append(Client(self.ports[number % len(self.ports)]))
        self.watchers.append(watcher)
        self.look()
        return number

    def end(self, number: int) -> None:
        """Another connection takes the session over and closes it."""
        self.clients[number - 1].expire()
        self.look()

    def drop_reply(self, number: int, when: str) -> None:
        """Lose the reply to the session's next transaction, if the session lives."""
        if number in self.seen.live:
            self.clients[number - 1].drop_reply(when)

    def ask(self, number: int, request: Request) -> Reply:
        if self.behind and number == self.behind.number and isinstance(request, Multi):
            self.behind.release_soon()
            reply = self.clients[number - 1].ask(request)
            self._caught_up()
        else:
            reply = self.clients[number - 1].ask(request)
        if isinstance(request, (Exists, Multi)):
            self.look()
        return reply

    def by_hand(self, parts: tuple[Part, ...]) -> None:
        self.observer.ask(Multi(parts))
        self.look()

    def cut(self, number: int) -> str:
        return self.clients[number - 1].cut

    # -- a server that is late

    def fall_behind(self, watcher: Watcher) -> None:
        """The server of a client, which is known by its watcher, gets nothing from now on."""
        number = max(
            n for n, other_watcher in enumerate(self.watchers, 1) if other_watcher is watcher
        )
        if self.behind and self.behind.number == number:
            return
        if self.behind:
            raise ToolError("Two servers are to be late, and the ensemble has no majority then.")
        node = number % len(self.ports)
        if node not in self.links:
            raise ToolError(f"What the leader sends to the node {node + 1} cannot be held.")
        self.behind = Behind(number, self.ports[node], self.leader, self.links[node])
        if self.holds:
            self.links[node].hold()
        self.look()

    @contextmanager
    def in_time(self) -> Iterator[None]:
        """No server falls behind that is to do so: a planted fault."""
        self.holds = False
        try:
            yield
        finally:
            self.holds = True

    def catch_up(self, watcher: Watcher) -> None:
        """The server of a client applies all that is held."""
        if self.behind and self.watchers[self.behind.number - 1] is watcher:
            self._caught_up()
            self.look()

    def _caught_up(self) -> None:
        if self.behind:
            self.behind.end()
            self.behind = None

    # -- what it has left

    def look(self) -> None:
        """Read the state when all nodes have all writes, and call the watchers.

        But for the server that is late: its session says itself that it lives.
        """
        late = self.behind
        syncs = {
            number: partial(answers, client)
            if late and number == late.number
            else client.begin_sync()
            for number, client in enumerate(self.clients, 1)
            if number not in self.ended
        }
        sync = self.observer.begin_sync()
        self.ended |= {number for number, lives in syncs.items() if not lives()}
        if not sync():
            raise ToolError("The session that reads the state has expired.")
        reports = [begin_report(port, "wchc") for port in self.ports]
        numbers = {client.session: number for number, client in enumerate(self.clients, 1)}
        nodes = read(self.observer, numbers)
        late_servers = (
            (Late(self.watchers[late.number - 1], *late.applied(numbers)),) if late else ()
        )
        live = syncs.keys() - self.ended
        paths_by_session = dict(watches(report() for report in reports))
        watching = {
            number: paths_by_session.get(self.clients[number - 1].session, frozenset())
            for number in live
        }
        self.seen = Seen(nodes, frozenset(live), watching, late_servers)
        for number in sorted(live):
            client = self.clients[number - 1]
            events, client.seen = client.seen, []
            for event in events:
                self.watchers[number - 1].watched(*event)

    def close_all(self) -> None:
        self._caught_up()
        for number, client in enumerate(self.clients, 1):
            if number not in self.ended:
                client.close()
        self.clients, self.watchers = [], []
        self.ended, self.seen = set(), Seen()

    def close(self) -> None:
        """End all sessions."""
        self.close_all()
        self.observer.close()


def watches(reports: Iterable[str]) -> Iterator[tuple[int, frozenset[str]]]:
    """Session and paths, from the reports of servers on watches: a line of each, paths indented."""
    for text in reports:
        session, paths = 0, set[str]()
        for line in text.splitlines():
            if line.startswith("\t"):
                paths.add(line.strip())
            elif line:
                yield session, frozenset(paths)
                session, paths = int(line, 16), set()
        yield session, frozenset(paths)
