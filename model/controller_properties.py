"""The properties of ``spec/ControllerProperties.tla``, on the model's states."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from model.pluscal import Function, Machine, Process, Scalar

if TYPE_CHECKING:
    from model.controller_nodes import Epoch, Node, State, Tree

NONE, NEVER, UNREADABLE = "none", "never", "?"
NO_EPOCH_NODE = (0, -1)
WORKING = ("F1", "W1", "W2", "X1", "X2", "X3")
EVENTS = frozenset({"register", "expire", "change", "reelect", "work", "move", "shutdown"})


class Properties(Machine):
    """What must hold of the model, and what its scenarios must reach."""

    WITNESSES = (
        *("WriteIsFenced", "WonUnawares", "WroteUnawares", "LeaderWasFirst"),
        *("CreatedUnawares", "RaisesTooLate"),
        *("FindsOldNode", "ReadsLate", "IsRefusedByUnreadable", "IsNotMissed"),
        "CreatesTooLate",
    )

    brokers: tuple[str, ...]
    node: Scalar
    epoch: Scalar
    part: Scalar
    live: Scalar
    sessions: Scalar
    watching: Scalar
    busy: Scalar
    over: Scalar
    elections: Scalar
    stale: Scalar
    robbed: Scalar
    overwritten: Scalar
    session: Function[int]
    cut: Function[str]
    late: Function[tuple[Tree, ...]]
    queue: Function[tuple[str, ...]]
    acts: Function[bool]
    own: Function[Epoch]
    known: Function[State]
    leaves: Function[str]

    def gone(self, broker: str) -> bool:
        """It makes no request that would be performed."""
        return broker not in self.live or self.leaves[broker] == "abruptly"

    def left(self, broker: str) -> bool:
        """It has ended, and its session too."""
        return broker not in self.live and self.leaves[broker] != NONE

    def quiet(self, broker: str) -> bool:
        """It handles no event, none waits, its session lives, and its server is not late."""
        waits = self.queue[broker] or self.late[broker]
        return bool(not self.gone(broker) and broker not in self.busy and not waits)

    def rests(self, broker: str) -> bool:
        """It is quiet, and is not to end."""
        return self.quiet(broker) and self.leaves[broker] == NONE

    @property
    def acting(self) -> list[str]:
        """The brokers that take themselves for the controller."""
        return [b for b in self.brokers if self.acts[b] and self.leaves[b] != "abruptly"]

    def _at(self, *labels: str) -> list[tuple[str, Process]]:
        """The brokers that come to one of these labels next, and their variables."""
        return [
            (name, t)
            for name, t in zip(self.threads, self.processes, strict=True)
            if t.pc in labels
        ]

    def TypeOK(self) -> bool:
        brokers = {*self.brokers}
        return (
            self._is_node(self.node)
            and self.node.session in {0, *(self.session[b] for b in self.live)}
            and self.live | self.watching | self.busy <= brokers
            and self._is_epoch(self.epoch)
            and min(self.part) >= 0
            and all(
                1 <= self.session[b] <= self.sessions
                and self.cut[b] in (NONE, "before", "after")
                and self._is_epoch(self.own[b])
                and min(self.known[b]) >= 0
                and {*self.queue[b]} <= EVENTS
                and self.leaves[b] in (NONE, "gracefully", "abruptly")
                and len(self.late[b]) <= 1
                and all(map(self._is_tree, self.late[b]))
                for b in self.brokers
            )
        )

    def _is_node(self, node: Node) -> bool:
        names = {*self.brokers, UNREADABLE}
        return bool(node == (NONE, 0) or (node.id in names and 1 <= node.session <= self.sessions))

    @staticmethod
    def _is_epoch(epoch: Epoch) -> bool:
        return epoch == NO_EPOCH_NODE or min(epoch) >= 0

    def _is_tree(self, tree: Tree) -> bool:
        return bool(
            self._is_node(tree.node)
            and self._is_epoch(tree.epoch)
            and min(tree.part) >= 0
            and tree.missed in (NONE, "change", "reelect")
        )

    def OneController(self) -> bool:
        return all(self.own[a].value != self.own[b].value for a, b in combinations(self.acting, 2))

    def EpochIncreases(self) -> bool:
        before = self.epoch == NO_EPOCH_NODE and self.elections == 0
        return bool(before or self.epoch == (self.elections, self.elections))

    def FencedWrites(self) -> bool:
        return not self.stale

    def DeletesOwnNode(self) -> bool:
        return not self.robbed

    def NoLostUpdate(self) -> bool:
        return not self.overwritten

    def ActOnlyIfActive(self) -> bool:
        return all(self.acts[name] for name, _ in self._at(*WORKING))

    def NoOrphan(self) -> bool:
        return all(
            self.acts[b]
            for b in self.brokers
            if self.node.session == self.session[b] and self.quiet(b)
        )

    def NoPhantom(self) -> bool:
        return all(self.own[b] != (0, 0) for b in self.brokers if self.quiet(b) and self.acts[b])

    def NoVacancy(self) -> bool:
        staying = [b for b in self.brokers if not self.left(b)]
        vacant = bool(self.node.id == NONE)
        return not (vacant and staying and all(map(self.quiet, staying)))

    def OneBelieves(self) -> bool:
        return len(self.acting) <= 1

    def Elects(self) -> bool:
        """What must come true in every fair run."""
        return bool(self.over and self.node.id in self.acting)

    # -- witnesses

    def WriteIsFenced(self) -> bool:
        """A controller of the past is about to write."""
        return any(
            not self.gone(name) and self.epoch.version != self.own[name].version
            for name, _ in self._at("W1")
        )

    def WonUnawares(self) -> bool:
        """A broker finds out that it has won although the reply was lost."""
        return any(self.epoch.value == t.seen.value + 1 for _, t in self._at("C6"))

    def WroteUnawares(self) -> bool:
        """A controller finds its own write, of which the reply was lost."""
        return any(
            self.part.by == self.own[name].value
            and self.part.isr == self.known[name].isr
            and self.part.epoch == self.known[name].epoch + 1
            and self.part.version == self.known[name].version + 1
            for name, _ in self._at("W2")
        )

    def LeaderWasFirst(self) -> bool:
        """The leader has changed the ISR before the controller's write."""
        return any(self.part.isr != self.known[name].isr for name, _ in self._at("W2"))

    def CreatedUnawares(self) -> bool:
        """A broker finds out that it has created the node although the reply was lost."""
        return any(self.node.session == self.session[name] for name, _ in self._at("E3"))

    def RaisesTooLate(self) -> bool:
        """The epoch was raised after a broker read it: by another one, or by itself unawares."""
        return any(
            not self.gone(name) and self.epoch.version != self.own[name].version
            for name, _ in self._at("E5")
        )

    def FindsOldNode(self) -> bool:
        """A broker finds its own node of a session that has ended."""
        return any(
            tree.node.id == name
            and tree.node.session not in {self.session[b] for b in self.brokers}
            for name, _ in self._at("C2")
            if not self.gone(name)
            for tree in self.late[name]
        )

    def ReadsLate(self) -> bool:
        """A controller reads an older state of the partition than there is."""
        return any(
            tree.part != self.part
            for name, _ in self._at("F1")
            if not self.gone(name)
            for tree in self.late[name]
        )

    def IsRefusedByUnreadable(self) -> bool:
        """A broker has tried to become controller, and the node that is there names none."""
        return any(self.node.id == UNREADABLE for _ in self._at("C5"))

    def CreatesTooLate(self) -> bool:
        """A broker is about to create /controller_epoch, and that is done, by any broker."""
        absent = self.epoch == NO_EPOCH_NODE
        return any(not self.gone(name) and not absent for name, _ in self._at("B1"))

    def IsNotMissed(self) -> bool:
        """The session of a controller that has ended abruptly lives; another broker is quiet."""
        return any(
            self.leaves[b] == "abruptly" and b in self.live and self.node.id == b
            for b in self.brokers
        ) and any(map(self.quiet, self.brokers))
