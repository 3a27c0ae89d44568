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
    """One operation. Sessions are numbered from 1, in the order in which they are opened."""

    kind: str
    """open, close, expire, before, after or ask.

    The kinds before and after lose the next transaction's reply before or after it is performed;
    ask has the ``request``.
    """
    session: int
    request: Request = Connected()

    def __str__(self) -> str:
        return f"{self.kind} {self.session}" + (f" {self.request}" if self.kind == "ask" else "")


class Outcome(NamedTuple):
    """The outcome of a step: its reply, the events of each session's watches, and all nodes."""

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


def part(random: Random, number: int) -> Part:
    """A part of a transaction. Its data, if any, is that of no other."""
    path, version = random.choice(PATHS), random.choice((ANY, ANY, ANY, 0, 1, 2))
    kind = random.choice((Create, Create, Put, Put, Check, Delete))
    if kind is Create:
        return Create(path, f"data {number}", ephemeral=random.random() < 0.4)
    if kind is Put:
        return Put(path, f"data {number}", version)
    return Check(path, version) if kind is Check else Delete(path, version)


def request(random: Random, number: int) -> Request:
    kind = random.choice((Get, Connected, *[Exists] * 8, *[Multi] * 12))
    if kind is Exists:
        return Exists(random.choice(PATHS))
    if kind is Get:
        return Get(random.choice(PATHS))
    if kind is Connected:
        return Connected()
    many = random.choice((1, 1, 1, *range(1, MOST_PARTS + 1)))
    return Multi(tuple(part(random, 10 * number + place) for place in range(many)))


def steps(many: int, seed: int) -> list[Step]:
    """Random operations, always the same for a seed. Some are in a session that has ended."""
    random = Random(seed)
    program: list[Step] = []
    live: list[int] = []
    ended_sessions: list[int] = []
    for number in range(1, many + 1):
        chance = random.random()
        if len(live) < 2 or (len(live) < MOST_SESSIONS and chance < 0.05):
            live.append(len(live) + len(ended_sessions) + 1)
            program.append(Step("open", live[-1]))
        elif chance < 0.1:
            ended_sessions.append(live.pop(random.randrange(len(live))))
            program.append(Step(random.choice(("close", "expire")), ended_sessions[-1]))
        elif chance < 0.14:
            program.append(Step(random.choice(CUTS), random.choice(live)))
        else:
            session = random.choice(ended_sessions if ended_sessions and chance < 0.17 else live)
            program.append(Step("ask", session, request(random, number)))
    return program


def visible_reply(request: Request, reply: Reply) -> Reply:
    """A reply without the parts that a real ZooKeeper does not answer to this request."""
    if isinstance(request, Exists):
        return reply._replace(data="")
    if reply.ok and isinstance(request, Multi) and isinstance(request.parts[-1], Check):
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
            self.clients[step.session] = session = Client(self.port)
            self.numbers[session.session] = step.session
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
        live = [entry for entry in self.clients.items() if entry[0] not in self.ended]
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
    """Keeps the events of a session's watches."""

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
            news, watching.seen = watching.seen, []
            yield from ((number, event) for event in news)

    def nodes(self) -> tuple[ZNode, ...]:
        return self.zookeeper.nodes


def outcomes(performer: Performer, steps: Iterable[Step]) -> list[Outcome]:
    """The outcome of each step. The order of events is not kept."""
    results = []
    for step in steps:
        reply = visible_reply(step.request, performer.perform(step))
        results.append(Outcome(reply, tuple(sorted(performer.events())), performer.nodes()))
    return results


def by_zookeeper(steps: Iterable[Step], output: Path) -> list[Outcome]:
    """The outcomes of a real server. Raises NotHere and ToolError, as the server does."""
    with server.running(output) as port:
        performer = Real(port)
        try:
            return outcomes(performer, steps)
        finally:
            performer.close()


def differences(
    steps: list[Step], real: list[Outcome], kind: type[ZooKeeper] = ZooKeeper
) -> list[Difference]:
    """The steps whose outcome in memory is another one."""
    result = []
    pairs = zip(steps, real, outcomes(InMemory(kind), steps), strict=True)
    for number, (step, theirs, ours) in enumerate(pairs, 1):
        for field, real_value, our_value in zip(Outcome._fields, theirs, ours):
            if real_value != our_value:
                result.append(Difference(number, step, field, real_value, our_value))
                break
    return result
