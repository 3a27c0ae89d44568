"""Reads at a follower that are late, provoked on an ensemble.

After a sync none of them is, and none after a transaction that was refused: its reply comes when
the follower has applied all that was before it. The ZooKeeper in memory takes that for granted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import product
from threading import Thread
from typing import NamedTuple

from impl.controller import CONTROLLER, EPOCH, PARTITION, Elector, PartitionState
from impl.zookeeper_requests import Check, Code, Connected, Create, Delete, Get, Multi, Part, Put
from real.zookeeper.client import PATIENCE_S, Client
from real.zookeeper.ensemble import Ensemble
from wheelproof.errors import NothingChecked, ToolError

ME = "b1"
REFUSED = "a refused transaction"
AFTER = ("", "a sync", REFUSED)
"""The request of the follower's session before the read."""
HELD_S = 0.5
"""How long a server is late for a client that is to wait."""


class Late(NamedTuple):
    """How many of so many reads of one kind had an older state."""

    change: str
    after: str
    reads: int
    late: int

    def __str__(self) -> str:
        after = f", after {self.after}" if self.after else ""
        return f"{self.change}{after}: {self.late} of {self.reads} late"


class Trials:
    """Sessions at the leader and at a follower, and the trials there.

    Each trial uses both, since a session expires that is not used.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        leader = ensemble.leader()
        self.leader = Client(ensemble.ports[leader])
        self.follower = Client(ensemble.ports[(leader + 1) % len(ensemble.ports)])
        self.written = 0
        self.reset()

    def reset(self) -> None:
        for path in (CONTROLLER, EPOCH, PARTITION):
            self.leader.ask(Multi((Delete(path),)))
        write(self.leader, Create(EPOCH, "0"), Create(PARTITION, PartitionState().encoded()))

    def of_value(self, after: str) -> bool:
        """Whether the value before the last one that the leader has written is read."""
        self.written += 1
        write(self.leader, Put(EPOCH, str(self.written)))
        settle(self.follower, after)
        return self.follower.ask(Get(EPOCH)).data != str(self.written)

    def of_session(self, after: str) -> bool:
        """Whether the node of a session that the leader has ended is read."""
        self.leader.ask(Connected())
        self.owner().close()
        settle(self.follower, after)
        return self.follower.ask(Get(CONTROLLER)).code is Code.OK

    def owner(self) -> Client:
        """A session with the node /controller, of which the follower knows."""
        owner = Client(self.leader.port)
        write(owner, Create(CONTROLLER, ME, ephemeral=True))
        sync(self.follower)
        if not self.follower.ask(Get(CONTROLLER)).ok:
            raise ToolError("A node is not there after a sync.")
        return owner

    def elect(self) -> bool:
        """A broker whose old session has ended registers at the follower, and is elected.

        Returns whether it first found its own old node, and took that for a controller. Raises
        ToolError where it is not elected by the events that it then gets.
        """
        self.reset()
        owner, elector, client = self.owner(), Elector(ME), Client(self.follower.port)
        owner.close()
        perform(elector, client, "register")
        has_waited = not elector.acting
        while not elector.acting:
            sync(client)
            events, client.seen = client.seen, []
            if not events:
                raise ToolError(f"{ME} is not elected, and no event comes any more.")
            for _, change in events:
                perform(elector, client, "reelect" if change == "deleted" else "change")
        client.close()
        return has_waited

    def close(self) -> None:
        self.leader.close()
        self.follower.close()


def write(client: Client, *parts: Part) -> None:
    reply = client.ask(Multi(parts))
    if not reply.ok:
        raise ToolError(f"ZooKeeper refuses {parts}: {reply.code.value}.")


def sync(client: Client) -> None:
    if not client.begin_sync()():
        raise ToolError("A session has expired.")


def settle(client: Client, after: str) -> None:
    """Do the request before a read, if there is one.

    Raises ToolError where it ends in another way.
    """
    if after == REFUSED:
        if (
            client.ask(Multi((Check(PARTITION, -2), Delete(PARTITION)))).code
            is not Code.BAD_VERSION
        ):
            raise ToolError("A transaction is not refused.")
    elif after:
        sync(client)


def perform(elector: Elector, client: Client, event: str) -> None:
    """Handle an event, each request in the client's session."""
    handler = elector.handle(event)
    try:
        step = next(handler)
        while True:
            step = handler.send(client.ask(step.request))
    except StopIteration:
        return


def reads(trials: Trials, many: int) -> list[Late]:
    """Late reads of each kind. Raises NothingChecked where none is."""
    kinds: dict[str, Callable[[str], bool]] = {
        "a value that the leader has written": trials.of_value,
        "the node of a session that the leader has ended": trials.of_session,
    }
    trials_of_reads = [
        Late(change, after, many, sum([kinds[change](after) for _ in range(many)]))
        for change, after in product(kinds, AFTER)
    ]
    if not any(trial.late for trial in trials_of_reads if not trial.after):
        raise NothingChecked(f"None of {2 * many} reads was late.", "Take more, by --reads.")
    return trials_of_reads


def waits(ensemble: Ensemble) -> list[str]:
    """The requests that a server that stays late answers to no client. Raises ToolError otherwise.

    A session is opened by a transaction, and the leader has to know of a connection to one.
    """
    leader = ensemble.leader()
    node = (leader + 1) % len(ensemble.ports)
    link, port = ensemble.links[node, leader], ensemble.ports[node]
    with closing(Client(port)) as there:
        kinds: dict[str, Callable[[], object]] = {
            "a new session": lambda: Client(port).close(),
            "another connection": there.reconnect,
        }
        for kind, begin in kinds.items():
            link.hold()
            thread = Thread(target=begin, daemon=True)
            thread.start()
            thread.join(HELD_S)
            has_waited = thread.is_alive()
            link.release()
            thread.join(PATIENCE_S)
            if not has_waited or thread.is_alive():
                raise ToolError(f"At a late server {kind} does not wait until it has caught up.")
    return list(kinds)


def elections(trials: Trials, limit: int) -> int:
    """The number of the first election in which the broker finds its own old node.

    Raises NothingChecked where none of ``limit`` is one, ToolError where an election does not end.
    """
    for number in range(1, limit + 1):
        if trials.elect():
            return number
    raise NothingChecked(
        f"In none of {limit} elections the broker has found its old node.", "Take more, by --reads."
    )
