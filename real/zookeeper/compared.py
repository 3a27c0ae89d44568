"""Random operations, performed by a real ZooKeeper and by the one in memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import NamedTuple, Protocol

from impl.zookeeper import Event, ZNode, ZooKeeper
from impl.zookeeper_requests import (
    ANY,
    Check,
    Code,
    Connected,
    Create,
    Delete,
    Exists,
    Get,
    Multi,
    Part,
    Put,
    Reply,
    Request,
)
from real.zookeeper import server
from real.zookeeper.client import Client

PATHS = ("/a", "/b", "/c", "/d")
MOST_SESSIONS, MOST_PARTS = 4, 4
CUTS = ("before", "after")


class Step(NamedTuple):
    """One operation. Sessions are numbered from 1, in the order in which they are opened.

    ``kind``: open, close, expire, before and after, which lose the next transaction's reply before
    or after it is performed, or ask, which has the ``request``.
    """

    kind: str
    session: int
    request: Request = Connected()

    def __str__(self) -> str:
        return f"{self.kind} {self.session}" + (f" {self.request}" if self.kind == "ask" else "")


class Outcome(NamedTuple):
    """What follows from a step: its reply, what each session's watches see, and all nodes."""

    reply: Reply
    events: tuple[tuple[int, Event], ...]
    nodes: tuple[ZNode, ...]


class Difference(NamedTuple):
    """The first field of an outcome that differs, and the step's number."""

    number: int
    step: Step
    field: str
    real: object
    ours: object

    def __str__(self) -> str:
        return (
            f"{self.number}. {self.step}: {self.field}: "
            f"ZooKeeper {server.RELEASE} {self.real}, in memory {self.ours}"
        )


# -- operations


def part(chosen: Random, number: int) -> Part:
    """A part of a transaction. Its data, if any, is that of no other."""
    path, version = chosen.choice(PATHS), chosen.choice((ANY, ANY, ANY, 0, 1, 2))
    kind = chosen.choice((Create, Create, Put, Put, Check, Delete))
    if kind is Create:
        return Create(path, f"data {number}", ephemeral=chosen.random() < 0.4)
    if kind is Put:
        return Put(path, f"data {number}", version)
    return Check(path, version) if kind is Check else Delete(path, version)


def request(chosen: Random, number: int) -> Request:
    kind = chosen.choice((Get, Connected, *[Exists] * 8, *[Multi] * 12))
    if kind is Exists:
        return Exists(chosen.choice(PATHS))
    if kind is Get:
        return Get(chosen.choice(PATHS))
    if kind is Connected:
        return Connected()
    many = chosen.choice((1, 1, 1, *range(1, MOST_PARTS + 1)))
    return Multi(tuple(part(chosen, 10 * number + place) for place in range(many)))


def steps(many: int, seed: int) -> list[Step]:
    """Random operations, always the same for a seed. Some are in a session that has ended."""
    chosen = Random(seed)
    made: list[Step] = []
    live: list[int] = []
    ended: list[int] = []
    for number in range(1, many + 1):
        drawn = chosen.random()
        if len(live) < 2 or (len(live) < MOST_SESSIONS and drawn < 0.05):
            live.append(len(live) + len(ended) + 1)
            made.append(Step("open", live[-1]))
        elif drawn < 0.1:
            ended.append(live.pop(chosen.randrange(len(live))))
            made.append(Step(chosen.choice(("close", "expire")), ended[-1]))
        elif drawn < 0.14:
            made.append(Step(chosen.choice(CUTS), chosen.choice(live)))
        else:
            session = chosen.choice(ended if ended and drawn < 0.17 else live)
            made.append(Step("ask", session, request(chosen, number)))
    return made


def shown(made: Request, reply: Reply) -> Reply:
    """A reply without what a real ZooKeeper does not answer to this request."""
    if isinstance(made, Exists):
        return reply._replace(data="")
    if reply.ok and isinstance(made, Multi) and isinstance(made.parts[-1], Check):
        return reply._replace(version=ANY)
    return reply


# -- who performs them


class Performer(Protocol):
    """A ZooKeeper, as far as the comparison needs it."""

    def perform(self, step: Step) -> Reply:
        """The reply to a step."""

    def events(self) -> Iterable[tuple[int, Event]]:
        """Session and event of all that the watches have seen since the last call."""

    def nodes(self) -> tuple[ZNode, ...]:
        """All nodes, by path."""


class Real:
    """A real ZooKeeper, whose nodes are read in a session that does nothing else."""

    def __init__(self, port: int) -> None:
        self.port, self.observer = port, Client(port)
        self.clients: dict[int, Client] = {}
        self.ended: set[int] = set()
        self.numbers = {0: 0}

    def perform(self, step: Step) -> Reply:
        if step.kind == "open":
            self.clients[step.session] = opened = Client(self.port)
            self.numbers[opened.session] = step.session
            return Reply(Code.OK)
        client = self.clients[step.session]
        if step.kind == "ask":
            return client.ask(step.request)
        if step.kind in CUTS:
            client.drop_reply(step.kind)
            return Reply(Code.OK)
        self.ended.add(step.session)
        if step.kind == "expire":
            client.expire()
        else:
            client.close()
        return Reply(Code.OK)

    def events(self) -> Iterable[tuple[int, Event]]:
        live = [each for each in self.clients.items() if each[0] not in self.ended]
        for _, client in live:
            client.ping()
        for number, client in live:
            yield from ((number, event) for event in client.events())

    def nodes(self) -> tuple[ZNode, ...]:
        return tuple(
            ZNode(path, data, node.version, self.numbers[node.owner])
            for path, data, node in self.observer.nodes(PATHS)
        )

    def close(self) -> None:
        for client in (self.observer, *self.clients.values()):
            client.close()


class Watching:
    """Keeps what a session's watches see."""

    def __init__(self) -> None:
        self.seen: list[Event] = []

    def watched(self, path: str, change: str) -> None:
        self.seen.append((path, change))


class InMemory:
    """The ZooKeeper in memory, or one with a fault."""

    def __init__(self, kind: type[ZooKeeper]) -> None:
        self.zookeeper = kind()
        self.watching: dict[int, Watching] = {}

    def perform(self, step: Step) -> Reply:
        if step.kind == "ask":
            return self.zookeeper.ask(step.session, step.request)
        if step.kind == "open":
            watching = Watching()
            self.watching[self.zookeeper.open(watching)] = watching
        elif step.kind in CUTS:
            self.zookeeper.drop_reply(step.session, step.kind)
        else:
            self.zookeeper.end(step.session)
        return Reply(Code.OK)

    def events(self) -> Iterable[tuple[int, Event]]:
        for number, watching in self.watching.items():
            seen, watching.seen = watching.seen, []
            yield from ((number, event) for event in seen)

    def nodes(self) -> tuple[ZNode, ...]:
        return self.zookeeper.nodes


def outcomes(performer: Performer, made: Iterable[Step]) -> list[Outcome]:
    """What follows from each step. The order of events is not kept."""
    found = []
    for step in made:
        reply = shown(step.request, performer.perform(step))
        found.append(Outcome(reply, tuple(sorted(performer.events())), performer.nodes()))
    return found


def by_zookeeper(made: Iterable[Step], output: Path) -> list[Outcome]:
    """The outcomes of a real server. Raises NotHere and ToolError, as the server does."""
    with server.running(output) as port:
        performer = Real(port)
        try:
            return outcomes(performer, made)
        finally:
            performer.close()


def differences(
    made: list[Step], real: list[Outcome], kind: type[ZooKeeper] = ZooKeeper
) -> list[Difference]:
    """The steps whose outcome in memory is another one."""
    found = []
    pairs = zip(made, real, outcomes(InMemory(kind), made), strict=True)
    for number, (step, theirs, ours) in enumerate(pairs, 1):
        for field, one, other in zip(Outcome._fields, theirs, ours):
            if one != other:
                found.append(Difference(number, step, field, one, other))
                break
    return found
