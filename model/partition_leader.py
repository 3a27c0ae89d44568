"""The executable model of ``spec/PartitionLeader.tla``: one method per label."""

from __future__ import annotations

from typing import NamedTuple

from model.partition_leader_properties import Properties
from model.pluscal import DONE, Procedure, Process, Scalar, Scenario, Values, as_record

NO_LEADER = -1


class Node(NamedTuple):
    """The partition's node in ZooKeeper."""

    leader: int = NO_LEADER
    isr: tuple[int, ...] = ()
    epoch: int = 0
    recovering: bool = False
    version: int = 0


class Elected(NamedTuple):
    """What an election gives."""

    leader: int = NO_LEADER
    isr: tuple[int, ...] = ()
    unclean: bool = False


class Answer(NamedTuple):
    """An election of a survey: from what, and what it gives."""

    kind: str | None
    isr: tuple[int, ...]
    live: frozenset[int]
    down: frozenset[int]
    elected: Elected


NO_NODE, NONE, NO_BROKER = Node(), Elected(), frozenset[int]()


def keep(replicas: tuple[int, ...], wanted: frozenset[int] | set[int]) -> tuple[int, ...]:
    return tuple(replica for replica in replicas if replica in wanted)


def first(replicas: tuple[int, ...], wanted: frozenset[int] | set[int]) -> int:
    return next((replica for replica in replicas if replica in wanted), NO_LEADER)


def elected(leader: int, isr: tuple[int, ...]) -> Elected:
    return NONE if leader == NO_LEADER else Elected(leader, isr)


class Model(Properties):
    """States of one scenario: its fields as in the TOML."""

    PROCEDURES = {
        "elect": Procedure(
            "E1",
            ("kind",),
            (("up", NO_BROKER), ("down", NO_BROKER), ("seen", NO_NODE), ("elected", NONE)),
            (),
        ),
        "shrink": Procedure("K1", ("gone",), (("kept", NO_NODE),), (("gone", NO_LEADER),)),
        "expand": Procedure("X1", ("comer",), (("met", NO_NODE),), (("comer", NO_LEADER),)),
        "recover": Procedure("V1", (), (("was", NO_NODE),)),
        "fail": Procedure("N1", ("failing",), (), (("failing", NO_LEADER),)),
        "start": Procedure("N2", ("starting",), (), (("starting", NO_LEADER),)),
        "stop": Procedure("N3", ("closing",), (), (("closing", NO_LEADER),)),
        "survey": Procedure("S1", ("of",), (("number", 0),)),
    }
    AUXILIARY = frozenset(
        {"led", "accepted", "complete", "elections", "overwritten", "lost", "dead"}
    )

    node, live, stopping, answer = (
        Scalar("node"),
        Scalar("live"),
        Scalar("stopping"),
        Scalar("answer"),
    )
    complete, elections, overwritten, lost, dead = (
        Scalar("complete"),
        Scalar("elections"),
        Scalar("overwritten"),
        Scalar("lost"),
        Scalar("dead"),
    )

    def __init__(self, scenario: Scenario) -> None:
        self.program = scenario["threads"]
        self.assignment, self.target = tuple(scenario["assignment"]), tuple(scenario["target"])
        self.unclean = scenario["unclean"]
        self.replicas = frozenset(self.assignment + self.target)
        isr = tuple(scenario["isr"])
        super().__init__(self.program, {"turn": 1}, start="T0")
        self.scalar("node", Node(scenario["leader"], isr))
        self.scalar("live", frozenset(scenario["live"]))
        self.scalar("stopping", NO_BROKER)
        self.scalar("answer", Answer(None, (), NO_BROKER, NO_BROKER, NONE))
        self.led = self.function("led", dict.fromkeys(self.threads, NO_LEADER))
        self.accepted = self.function("accepted", dict.fromkeys(self.threads, False))
        self.scalar("complete", frozenset(isr))
        self.scalar("elections", 0)
        self.scalar("overwritten", False)
        self.scalar("lost", False)
        self.scalar("dead", False)
        self.begin()

    def tla(self, variable: str, piece: Values) -> object:
        return as_record(super().tla(variable, piece))

    def returned(self, process: Process) -> object:
        """The leader or None of an election, and whether an update of the ISR was accepted."""
        name = self.program[self.me][process.turn - 2][0]
        if name == "elect":
            return None if self.led[self.me] == NO_LEADER else self.led[self.me]
        return self.accepted[self.me] if name in ("shrink", "expand", "recover") else None

    # -- the elections

    def offline(self, isr: tuple[int, ...], up: frozenset[int]) -> Elected:
        clean, other = first(self.assignment, up & set(isr)), first(self.assignment, up)
        if clean != NO_LEADER:
            return elected(clean, keep(isr, up))
        if self.unclean and other != NO_LEADER:
            return Elected(other, (other,), unclean=True)
        return NONE

    def reassigned(self, isr: tuple[int, ...], up: frozenset[int]) -> Elected:
        return elected(first(self.target, up & set(isr)), isr)

    def preferred(self, isr: tuple[int, ...], up: frozenset[int]) -> Elected:
        return elected(first(self.assignment[:1], up & set(isr)), isr)

    def shut_down(self, isr: tuple[int, ...], up: frozenset[int], down: frozenset[int]) -> Elected:
        leader = first(self.assignment, (up & set(isr)) - down)
        return elected(leader, keep(isr, set(isr) - down))

    def elect(
        self, kind: str, isr: tuple[int, ...], up: frozenset[int], down: frozenset[int]
    ) -> Elected:
        if kind == "offline":
            return self.offline(isr, up - down)
        if kind == "reassign":
            return self.reassigned(isr, up - down)
        if kind == "preferred":
            return self.preferred(isr, up - down)
        return self.shut_down(isr, up, down)

    # -- the inputs of an election

    def inputs(self, kind: str) -> int:
        n = len(self.assignment)
        return int(2 ** (3 * n + 1 if kind == "shutdown" else 2 * n + 1))

    def bits(self, number: int, start: int) -> frozenset[int]:
        return frozenset(
            replica for i, replica in enumerate(self.assignment) if number >> (start + i) & 1
        )

    def surveyed(self, kind: str, number: int) -> Answer:
        n = len(self.assignment)
        isr = keep(self.assignment, self.bits(number, 0))
        if number >> (2 * n) & 1:
            isr = isr[::-1]
        live, down = self.bits(number, n), self.bits(number, 2 * n + 1)
        return Answer(kind, isr, live, down, self.elect(kind, isr, live, down))

    # -- elect

    def _put(self, read: Node, new: Node) -> None:
        self.overwritten |= self.node.version != read.version
        self.node = new

    def _answer(self, t: Process, accepted: bool) -> None:
        self.accepted[self.me] = accepted
        self.leave(t)

    def E1(self, t: Process) -> None:
        t.up, t.down = self.live, self.stopping

    def E2(self, t: Process) -> None:
        elected = self.elect(t.kind, self.node.isr, t.up, t.down)
        if elected == NONE:
            self.led[self.me] = NO_LEADER
            self.leave(t)
        else:
            t.seen, t.elected = self.node, elected

    def E3(self, t: Process) -> None:
        seen, elected = t.seen, t.elected
        if self.node.version != seen.version:
            t.pc = "E2"
            return
        recovering = seen.recovering or elected.unclean
        version = self.node.version + 1
        self._put(seen, Node(elected.leader, elected.isr, seen.epoch + 1, recovering, version))
        self.elections += 1
        self.lost |= elected.leader not in self.complete
        self.complete = (
            frozenset({elected.leader})
            if elected.unclean
            else self.complete & frozenset(elected.isr)
        )
        self.dead |= elected.leader not in self.live
        self.led[self.me] = elected.leader
        self.leave(t)

    # -- shrink

    def K1(self, t: Process) -> None:
        if t.gone == self.node.leader or t.gone not in self.node.isr:
            self._answer(t, False)
        else:
            t.kept = self.node

    def K2(self, t: Process) -> None:
        accepted = self.node.version == t.kept.version
        if accepted:
            isr = keep(t.kept.isr, set(t.kept.isr) - {t.gone})
            self._put(t.kept, t.kept._replace(isr=isr, version=self.node.version + 1))
            self.complete -= {t.gone}
        self._answer(t, accepted)

    # -- expand

    def X1(self, t: Process) -> None:
        if t.comer in self.node.isr or self.node.recovering:
            self._answer(t, False)
        else:
            t.met = self.node

    def X2(self, t: Process) -> None:
        accepted = self.node.version == t.met.version
        if accepted:
            isr = (*t.met.isr, t.comer)
            self._put(t.met, t.met._replace(isr=isr, version=self.node.version + 1))
            self.complete |= {t.comer}
        self._answer(t, accepted)

    # -- recover

    def V1(self, t: Process) -> None:
        if not self.node.recovering:
            self._answer(t, False)
        else:
            t.was = self.node

    def V2(self, t: Process) -> None:
        accepted = self.node.version == t.was.version
        if accepted:
            version = self.node.version + 1
            self._put(t.was, t.was._replace(recovering=False, version=version))
        self._answer(t, accepted)

    # -- the brokers

    def N1(self, t: Process) -> None:
        self.live -= {t.failing}
        self.leave(t)

    def N2(self, t: Process) -> None:
        self.live |= {t.starting}
        self.stopping -= {t.starting}
        self.leave(t)

    def N3(self, t: Process) -> None:
        self.stopping |= {t.closing}
        self.leave(t)

    # -- survey

    def S1(self, t: Process) -> None:
        self.answer = self.surveyed(t.of, t.number)
        if t.number + 1 == self.inputs(t.of):
            self.leave(t)
        else:
            t.number += 1
            t.pc = "S1"

    # -- the process

    def T0(self, t: Process) -> None:
        if t.turn > len(self.program[self.me]):
            t.pc = DONE
        else:
            t.turn += 1
            self.call(t, *self.program[self.me][t.turn - 2], back="T0")
