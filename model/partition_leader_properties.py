"""The properties of ``spec/PartitionLeaderProperties.tla``, on the model's states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from model.pluscal import DONE, Function, Machine, Scalar

if TYPE_CHECKING:
    from model.partition_leader import Elected


class Election(NamedTuple):
    """What was elected, and from what: kind, ISR, live brokers, those that shut down."""

    kind: str
    isr: tuple[int, ...]
    live: frozenset[int]
    down: frozenset[int]
    elected: Elected

    @property
    def elects(self) -> bool:
        return bool(self.elected.leader != -1)

    @property
    def usable(self) -> frozenset[int]:
        return self.live - self.down

    @property
    def in_sync(self) -> frozenset[int]:
        return self.usable & set(self.isr)


class Properties(Machine):
    """What must hold of the model, and what its scenarios must reach."""

    WITNESSES = ("WriteIsRefused", "LeaderIsRefused", "ElectsUncleanly", "Moves")

    assignment: tuple[int, ...]
    target: tuple[int, ...]
    replicas: frozenset[int]
    unclean: bool
    led: Function[int]
    accepted: Function[bool]
    node: Scalar
    live: Scalar
    stopping: Scalar
    answer: Scalar
    complete: Scalar
    elections: Scalar
    overwritten: Scalar
    lost: Scalar
    dead: Scalar

    def _elections(self) -> Iterator[Election]:
        """By those that are about to write what they elected, and by a survey."""
        for t in self.processes:
            if t.pc == "E3":
                yield Election(t.kind, t.seen.isr, t.up, t.down, t.elected)
        if self.answer.kind is not None:
            yield Election(*self.answer)

    def _elected(self) -> Iterator[Election]:
        return (election for election in self._elections() if election.elects)

    def _order(self, election: Election) -> tuple[int, ...]:
        if election.kind == "reassign":
            return self.target
        return self.assignment[:1] if election.kind == "preferred" else self.assignment

    def TypeOK(self) -> bool:
        outcomes = [self.answer.elected, *(t.elected for t in self.processes)]
        return (
            self.node.leader in self.replicas
            and {*self.node.isr} <= self.replicas
            and self.node.epoch >= 0
            and self.node.version >= 0
            and self.live | self.stopping <= self.replicas
            and self.answer.kind in (None, "offline", "reassign", "preferred", "shutdown")
            and all(
                outcome.leader in self.replicas | {-1} and {*outcome.isr} <= self.replicas
                for outcome in outcomes
            )
        )

    def FirstInAssignment(self) -> bool:
        for election in self._elected():
            order = self._order(election)
            leader = election.elected.leader
            if leader not in order:
                return False
            before = {*order[: order.index(leader)]}
            barred = election.usable if election.elected.unclean else election.in_sync
            if before & barred:
                return False
        return True

    def CleanLeader(self) -> bool:
        return all(
            self.unclean
            and election.kind == "offline"
            and not election.in_sync & {*self.assignment}
            if election.elected.unclean
            else election.elected.leader in election.isr
            for election in self._elected()
        )

    def LeaderIsUp(self) -> bool:
        return all(election.elected.leader in election.usable for election in self._elected())

    def LeaderInIsr(self) -> bool:
        return self.node.leader in self.node.isr and all(
            election.elected.leader in election.elected.isr for election in self._elected()
        )

    def IsrNeverGrows(self) -> bool:
        return all(
            election.elected.unclean or {*election.elected.isr} <= {*election.isr}
            for election in self._elections()
        )

    def GoneLeaveIsr(self) -> bool:
        return all(
            (election.kind != "offline" or {*election.elected.isr} <= election.usable)
            and (election.kind != "shutdown" or not election.down & {*election.elected.isr})
            for election in self._elected()
        )

    def OnlyPreferred(self) -> bool:
        return all(
            election.kind != "preferred" or election.elected.leader == self.assignment[0]
            for election in self._elected()
        )

    def NoneOnlyIfNobody(self) -> bool:
        for election in self._elections():
            if election.elects:
                continue
            order = {*self._order(election)}
            if order & election.in_sync:
                return False
            if self.unclean and election.kind == "offline" and order & election.usable:
                return False
        return True

    def EpochCounts(self) -> bool:
        return bool(self.node.epoch == self.elections)

    def NoLostUpdate(self) -> bool:
        return not self.overwritten

    def IsrIsComplete(self) -> bool:
        return bool({*self.node.isr} <= self.complete)

    def NoLossIfClean(self) -> bool:
        return self.unclean or not self.lost

    def RecoversAlone(self) -> bool:
        return not self.node.recovering or self.node.isr == (self.node.leader,)

    def CommittedSurvives(self) -> bool:
        return not self.lost

    def ElectedLives(self) -> bool:
        return not self.dead

    def Termination(self) -> bool:
        """What must come true in every fair run."""
        return all(process.pc == DONE for process in self.processes)

    # -- witnesses

    def WriteIsRefused(self) -> bool:
        """A controller is about to write over a state that it has not read."""
        return any(t.pc == "E3" and self.node.version != t.seen.version for t in self.processes)

    def LeaderIsRefused(self) -> bool:
        """The leader is about to change an ISR that a controller has just changed."""
        return any(t.pc == "K2" and self.node.version != t.kept.version for t in self.processes)

    def ElectsUncleanly(self) -> bool:
        """An unclean election is written."""
        return bool(self.node.recovering and self.elections > 0)

    def Moves(self) -> bool:
        """The partition leads where it moves to."""
        return bool(self.elections > 0 and self.target and self.node.leader == self.target[0])
