"""Judges a history: the commits of ZooKeeper, transaction by transaction.

The properties have the names that ``spec/Controller.toml`` gives them. Statements of the
specification on a broker's memory are judged by its writes. "In the end" is a bound: so many ticks
of a calm, in which no fault comes. Ticks are transactions themselves, so that no clock is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from impl.controller import CONTROLLER, EPOCH, PARTITION, PartitionState, decoded
from impl.zookeeper_requests import Code, Reply
from real.chaos.history import Change, Transaction
from wheelproof.errors import ToolError

TICK = "/tick"
TICK_S = 0.05
BOUND = 120
"""Ticks of a calm, within which a controller must work and each candidate have a session."""


class Node(NamedTuple):
    """A node."""

    data: str
    version: int = 0
    owner: int = 0
    """The session that it goes with, 0 for none."""


class Acknowledged(NamedTuple):
    """A transaction that a candidate got a reply to: its zxid, and path and data of each part."""

    zxid: int
    session: int
    parts: tuple[tuple[str, str], ...]


class Violation(NamedTuple):
    """A property that a history breaks, and the transaction that breaks it."""

    property: str
    zxid: int
    text: str

    def __str__(self) -> str:
        return f"{self.property}: transaction {self.zxid:#x}: {self.text}"


class Reign:
    """The time of one node ``/controller``."""

    def __init__(self, session: int) -> None:
        self.session, self.raised = session, 0
        """``raised``: how often its session raised the epoch."""


class Judge:
    """Follows the history of the nodes in one folder."""

    def __init__(
        self, folder: str, hands: Collection[int], homes: Mapping[int, str] | None = None
    ) -> None:
        self.folder, self.hands, self.homes = folder, hands, homes or {}
        """``hands``: the sessions of processes that are no candidates. ``homes``: session -> its
        candidate."""
        self.candidates = sorted(set(self.homes.values()))
        self.nodes: dict[str, Node] = {}
        self.live: set[int] = set()
        self.reign: Reign | None = None
        self.elected: dict[int, int] = {}
        self.violations: list[Violation] = []
        self.counts: Counter[str] = Counter()
        """Kind of event -> count."""
        self.calm, self.waited = "", Counter[str]()
        self.zxid = 0

    def follow(self, history: Iterable[Transaction]) -> Judge:
        """Follow some more transactions. Raises ToolError where they cannot be a history."""
        for transaction in history:
            if transaction.zxid <= self.zxid:
                raise ToolError(
                    f"The transaction {transaction.zxid:#x} comes after {self.zxid:#x}."
                )
            self.zxid = transaction.zxid
            if transaction.kind == "open":
                self.live.add(transaction.session)
                self.counts["sessions"] += 1
            elif transaction.kind == "close":
                self._close(transaction.session)
            elif transaction.kind == "refused":
                self.counts["refused"] += transaction.session not in self.hands
            parts = [part for part in transaction.parts if part.path.startswith(f"{self.folder}/")]
            self.counts["transactions"] += bool(parts)
            for part in parts:
                self._part(transaction.session, part._replace(path=part.path[len(self.folder) :]))
        return self

    def acknowledged(
        self, history: Iterable[Transaction], acknowledgements: Iterable[Acknowledged]
    ) -> Judge:
        """Acknowledged transactions are in the history, made by the same session."""
        by_zxid = {entry.zxid: entry for entry in history}
        for entry in acknowledgements:
            self.counts["acknowledged"] += 1
            transaction = by_zxid.get(entry.zxid)
            parts = transaction and tuple((part.path, part.data) for part in transaction.parts)
            if transaction is None or (transaction.session, parts) != (entry.session, entry.parts):
                self._add_violation(
                    "Acknowledged", "it was acknowledged, and is not there", entry.zxid
                )
        return self

    # -- nodes

    def _close(self, session: int) -> None:
        self.live.discard(session)
        for path in [path for path, node in self.nodes.items() if node.owner == session]:
            self._delete(path)

    def _part(self, session: int, part: Change) -> None:
        node = self.nodes.get(part.path)
        if (node is None) != (part.kind == "create"):
            raise ToolError(f"{self.zxid:#x}: {part} does not follow from {node}.")
        if part.kind == "create":
            self._create(session, part)
        elif part.kind == "delete":
            self.counts["deleted by hand"] += part.path == CONTROLLER and session in self.hands
            self._delete(part.path)
        elif node and part.kind == "put":
            if part.version != node.version + 1:
                raise ToolError(f"{self.zxid:#x}: {part} does not follow from {node}.")
            if part.path == EPOCH:
                self._raise_epoch(session, int(part.data), int(node.data))
            elif part.path == TICK:
                self._tick(part.data)
            elif part.path.startswith(PARTITION):
                self._partition(session, part, node)
            self.nodes[part.path] = node._replace(data=part.data, version=part.version)

    def _create(self, session: int, part: Change) -> None:
        self.nodes[part.path] = Node(part.data, 0, session if part.ephemeral else 0)
        if part.path != CONTROLLER:
            return
        self._begin(Reign(session))
        if not part.ephemeral:
            self._add_violation("TypeOK", "/controller goes with no session")

    def _delete(self, path: str) -> None:
        del self.nodes[path]
        if path == CONTROLLER and self.reign:
            if not self.reign.raised:
                self._add_violation(
                    "EpochIncreases", "a controller has come and gone without an epoch"
                )
            self._begin(None)

    def _begin(self, reign: Reign | None) -> None:
        self.reign = reign
        self.waited["NoOrphan"] = self.waited["NoVacancy"] = 0

    # -- properties

    def _raise_epoch(self, session: int, new: int, old: int) -> None:
        self.counts["elections"] += 1
        if new != old + 1:
            self._add_violation("EpochIncreases", f"the epoch {old} becomes {new}")
        if self.elected.setdefault(new, session) != session:
            self._add_violation("OneController", f"a second session is elected in the epoch {new}")
        if self.reign is None or self.reign.session != session:
            self._add_violation("EpochIncreases", "/controller does not name who raises the epoch")
        else:
            self.reign.raised += 1
            if self.reign.raised > 1:
                self._add_violation("EpochIncreases", "one election raises the epoch twice")

    def _partition(self, session: int, part: Change, node: Node) -> None:
        if session in self.hands:
            self.counts["changes of an ISR"] += 1
            return
        self.counts["writes"] += 1
        old, new, now = state(node.data), state(part.data), int(self.nodes[EPOCH].data)
        epoch, name = new.controller_epoch, part.path
        if epoch != now:
            self._add_violation(
                "FencedWrites", f"{name} is written in epoch {epoch}, and {now} is on"
            )
        elif self.elected.get(epoch) != session:
            text = f"{name} is written in epoch {epoch} by a session not elected in it"
            self._add_violation("OneController", text)
        if (new.leader_epoch, new.isr) != (old.leader_epoch + 1, old.isr):
            self._add_violation(
                "NoLostUpdate", f"{name} was {node.data!r} and becomes {part.data!r}"
            )
        if self.reign and self.reign.session == session and epoch == now:
            self.waited["NoOrphan"] = self.waited["Elects"] = 0

    def _tick(self, calm: str) -> None:
        """A tick: of a calm with a name, or of none."""
        self.counts["calms"] += calm not in ("", self.calm)
        if calm != self.calm:
            self.waited.clear()
        self.calm = calm
        if not calm:
            return
        if self.reign:
            self._wait("NoOrphan", "NoOrphan", "/controller names a session that does not work")
        else:
            self._wait("NoVacancy", "NoVacancy", "there is no controller")
        self._wait("Elects", "Elects", "no controller works")
        working = {self.homes.get(session) for session in self.live}
        for candidate in self.candidates:
            if candidate in working:
                self.waited[candidate] = 0
            else:
                self._wait(candidate, "NoDeadlock", f"{candidate} has no session")

    def _wait(self, kind: str, name: str, text: str) -> None:
        """Count a tick of a wait that has to end."""
        self.waited[kind] += 1
        if self.waited[kind] == BOUND:
            self._add_violation(name, f"{text} for {BOUND} ticks of {self.calm}")

    def _add_violation(self, name: str, text: str, zxid: int = 0) -> None:
        self.violations.append(Violation(name, zxid or self.zxid, text))


def state(data: str) -> PartitionState:
    return decoded(Reply(Code.OK, data))
